/* Promises that were rejected and that nobody has looked at: each is one line of the log when the run
   ends. An error thrown by a callback (of a timer, a microtask) is reported the same way. */
#include <stdlib.h>

#include "guest.h"

#define MOST_KEPT 32

static struct {
    JSValue promise, reason; /* promise is JS_UNDEFINED for a callback's error */
} kept[MOST_KEPT];
static uint32_t count, dropped;

static void add(JSContext *ctx, JSValueConst promise, JSValueConst reason)
{
    if (count == MOST_KEPT) {
        dropped++;
        return;
    }
    kept[count].promise = JS_DupValue(ctx, promise);
    kept[count++].reason = JS_DupValue(ctx, reason);
}

static void track(JSContext *ctx, JSValueConst promise, JSValueConst reason, bool is_handled,
                  void *opaque)
{
    (void)opaque;
    if (!is_handled) {
        add(ctx, promise, reason);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (JS_IsObject(kept[i].promise) &&
            JS_VALUE_GET_PTR(kept[i].promise) == JS_VALUE_GET_PTR(promise)) {
            JS_FreeValue(ctx, kept[i].promise);
            JS_FreeValue(ctx, kept[i].reason);
            kept[i] = kept[--count];
            return;
        }
    }
}

void rejections_add_error(JSContext *ctx, JSValue error)
{
    add(ctx, JS_UNDEFINED, error);
    JS_FreeValue(ctx, error);
}

void rejections_report(JSContext *ctx)
{
    for (uint32_t i = 0; i < count; i++) {
        struct text line;

        if (JS_IsObject(guest.completion) && JS_IsObject(kept[i].promise) &&
            JS_VALUE_GET_PTR(kept[i].promise) == JS_VALUE_GET_PTR(guest.completion))
            continue;
        text_init(&line, 2048);
        text_adds(&line, JS_IsUndefined(kept[i].promise) ? "Uncaught in a callback: "
                                                         : "Unhandled rejection: ");
        inspect_thrown(ctx, &line, kept[i].reason);
        log_write(SOURCE_RUNTIME, LEVEL_ERROR, line.data ? line.data : "", line.length);
        text_free(&line);
    }
    if (dropped) {
        struct text line;

        text_init(&line, 100);
        text_addf(&line, "... %u more unhandled rejections", (unsigned)dropped);
        log_write(SOURCE_RUNTIME, LEVEL_ERROR, line.data ? line.data : "", line.length);
        text_free(&line);
    }
    count = dropped = 0; /* the instance ends with the run: nothing is freed for its own sake */
}

void rejections_init(JSRuntime *rt)
{
    JS_SetHostPromiseRejectionTracker(rt, track, NULL);
}
