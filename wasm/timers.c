/* setTimeout and clearTimeout. The guest keeps the timers and tells the host when the next one is
   due; the host waits and calls again. */
#include <stdlib.h>
#include <string.h>

#include "guest.h"

struct timer {
    double due_ms;
    uint32_t id;
    int argc;
    JSValue callback;
    JSValue *argv;
};

/* Ordered by due time, then by the order in which they were set. */
static struct timer *timers;
static uint32_t count, room, last_id;

double timers_due(void)
{
    return count ? timers[0].due_ms : -1;
}

static void free_timer(JSContext *ctx, struct timer *timer)
{
    JS_FreeValue(ctx, timer->callback);
    for (int i = 0; i < timer->argc; i++)
        JS_FreeValue(ctx, timer->argv[i]);
    free(timer->argv);
}

static bool insert(JSContext *ctx, double due_ms, int argc, JSValueConst *argv)
{
    struct timer timer = {.due_ms = due_ms, .argc = argc > 2 ? argc - 2 : 0};
    uint32_t at = count;

    if (count == room) {
        uint32_t bigger = room ? room * 2 : 16;
        struct timer *moved = realloc(timers, bigger * sizeof *moved);
        if (!moved)
            return false;
        timers = moved;
        room = bigger;
    }
    if (timer.argc) {
        timer.argv = malloc((size_t)timer.argc * sizeof *timer.argv);
        if (!timer.argv)
            return false;
        for (int i = 0; i < timer.argc; i++)
            timer.argv[i] = JS_DupValue(ctx, argv[i + 2]);
    }
    timer.callback = JS_DupValue(ctx, argv[0]);
    timer.id = ++last_id;
    while (at > 0 && timers[at - 1].due_ms > due_ms)
        at--;
    memmove(timers + at + 1, timers + at, (count - at) * sizeof *timers);
    timers[at] = timer;
    count++;
    return true;
}

static JSValue set_timeout(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv)
{
    double delay = 0;

    (void)this_value;
    if (argc < 1 || !JS_IsFunction(ctx, argv[0]))
        return JS_ThrowTypeError(ctx, "setTimeout takes a function");
    if (argc > 1 && JS_ToFloat64(ctx, &delay, argv[1]))
        return JS_EXCEPTION;
    if (count >= guest.limits.timers)
        return JS_ThrowRangeError(ctx, "the limit of %u pending timers is reached",
                                  (unsigned)guest.limits.timers);
    if (!(delay > 0)) /* also NaN */
        delay = 0;
    if (!insert(ctx, exchange_block.elapsed_ms + delay, argc, argv))
        return JS_ThrowOutOfMemory(ctx);
    return JS_NewUint32(ctx, last_id);
}

static JSValue clear_timeout(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv)
{
    uint32_t id;

    (void)this_value;
    if (argc < 1 || !JS_IsNumber(argv[0]) || JS_ToUint32(ctx, &id, argv[0]))
        return JS_UNDEFINED;
    for (uint32_t i = 0; i < count; i++) {
        if (timers[i].id == id) {
            struct timer timer = timers[i];
            memmove(timers + i, timers + i + 1, (--count - i) * sizeof *timers);
            free_timer(ctx, &timer);
            break;
        }
    }
    return JS_UNDEFINED;
}

void timers_fire(JSContext *ctx)
{
    double now = exchange_block.elapsed_ms;
    uint32_t newest = last_id;

    /* Timers that these callbacks set wait for the next turn, as in any event loop. */
    while (count && timers[0].due_ms <= now && timers[0].id <= newest) {
        struct timer timer = timers[0];
        JSValue result;

        memmove(timers, timers + 1, --count * sizeof *timers);
        result = JS_Call(ctx, timer.callback, JS_UNDEFINED, timer.argc, (JSValueConst *)timer.argv);
        if (JS_IsException(result))
            rejections_add_error(ctx, JS_GetException(ctx));
        JS_FreeValue(ctx, result);
        free_timer(ctx, &timer);
        run_jobs(ctx);
    }
}

bool timers_init(JSContext *ctx)
{
    JSValue global = JS_GetGlobalObject(ctx);
    bool ok = JS_DefinePropertyValueStr(ctx, global, "setTimeout",
                                        JS_NewCFunction(ctx, set_timeout, "setTimeout", 2),
                                        JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE) >= 0 &&
              JS_DefinePropertyValueStr(ctx, global, "clearTimeout",
                                        JS_NewCFunction(ctx, clear_timeout, "clearTimeout", 1),
                                        JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE) >= 0;
    JS_FreeValue(ctx, global);
    return ok;
}
