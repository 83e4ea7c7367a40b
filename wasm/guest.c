/* The guest's exports. `init` runs once, at build time, and its memory becomes the module's own;
   a run begins with the first `turn`.

   A turn takes what the host brings, runs the engine until nothing is left to run, and says whether
   the run waits for the host or is over. It is over when the completion value is known and no call
   or timer is pending, when the program failed, or when nothing can wake it. */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "guest.h"

#define EXPORT(name) __attribute__((export_name(name)))

/* The engine's own limit, measured on the shadow stack (Makefile: --stack-size leaves room above). */
#define ENGINE_STACK_BYTES (1920u << 10)
#define GC_THRESHOLD_BYTES (4u << 20)

struct guest guest;
static struct text result; /* the completion value's JSON, once it was written */
static bool result_written, over;

uint64_t guest_random(void)
{
    uint64_t mixed = guest.random_state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

void run_jobs(JSContext *ctx)
{
    JSContext *job_context;
    int outcome;

    while ((outcome = JS_ExecutePendingJob(guest.rt, &job_context)) != 0) {
        if (outcome < 0)
            rejections_add_error(ctx, JS_GetException(ctx));
    }
}

/* The completion value of a whole-expression program is called once, if it is a function. */
static bool call_value(JSContext *ctx, JSValueConst value)
{
    JSValue functions[2], called;

    guest.calls_value = false;
    JS_FreeValue(ctx, guest.completion);
    guest.completion = JS_NewPromiseCapability(ctx, functions);
    if (JS_IsException(guest.completion))
        return false;
    called = JS_Call(ctx, value, JS_UNDEFINED, 0, NULL);
    if (JS_IsException(called)) {
        called = JS_GetException(ctx);
        JS_FreeValue(ctx, JS_Call(ctx, functions[1], JS_UNDEFINED, 1, (JSValueConst *)&called));
    } else {
        JS_FreeValue(ctx, JS_Call(ctx, functions[0], JS_UNDEFINED, 1, (JSValueConst *)&called));
    }
    JS_FreeValue(ctx, called);
    JS_FreeValue(ctx, functions[0]);
    JS_FreeValue(ctx, functions[1]);
    return true;
}

static void note_no_output(void)
{
    static const char plain[] = "The program finished without a result: it returned nothing and "
                                "printed nothing. Use `return value` or console.log(value).";
    static const char dropped[] = "The program finished without a result: the value of its last "
                                  "statement was dropped. Write `return` (with `await` before a "
                                  "call of an async function) in front of it.";
    const char *note = guest.last_is_expression ? dropped : plain;

    if (!guest.did_print)
        log_write(SOURCE_RUNTIME, LEVEL_WARN, note, strlen(note));
}

static void fail_output(enum fault fault, const struct text *problem)
{
    struct text message;

    text_init(&message, 4096);
    if (fault == FAULT_OUTPUT_LIMIT)
        text_addf(&message, "the completion value is larger than %u bytes of JSON: return less, for "
                  "example a count, a slice or a summary", (unsigned)guest.limits.value_bytes);
    else
        text_add(&message, problem->data, problem->length);
    text_addc(&message, 0);
    failure_emit_text(fault, "", message.data ? message.data : "", "");
    text_free(&message);
    over = true;
}

static void write_result(JSContext *ctx)
{
    struct text problem, lossy;
    JSValue value = JS_PromiseResult(ctx, guest.completion);

    result_written = true;
    text_init(&result, guest.limits.value_bytes);
    text_init(&problem, 2048);
    text_init(&lossy, 1024);
    switch (json_write(ctx, &result, value, "value", &problem, &lossy)) {
    case JSON_UNDEFINED:
        note_no_output();
        break;
    case JSON_WRITTEN:
        if (lossy.length)
            log_write(SOURCE_RUNTIME, LEVEL_WARN, lossy.data, lossy.length);
        break;
    case JSON_REFUSED:
        fail_output(FAULT_INVALID_OUTPUT, &problem);
        break;
    case JSON_TOO_LARGE:
        fail_output(FAULT_OUTPUT_LIMIT, &problem);
        break;
    default: {
        JSValue thrown = JS_GetException(ctx);
        failure_emit(ctx, FAULT_EXCEPTION, thrown);
        JS_FreeValue(ctx, thrown);
        over = true;
    }
    }
    text_free(&problem);
    text_free(&lossy);
    JS_FreeValue(ctx, value);
}

static bool is_waiting(void)
{
    return bindings_pending() || timers_due() >= 0;
}

static void fail_stalled(void)
{
    if (exchange_block.flags & FLAG_OUT_OF_MEMORY) {
        failure_emit_text(FAULT_MEMORY, "", "", ""); /* memory ran out where nobody could be told */
        return;
    }
    failure_emit_text(FAULT_STALLED, "",
                      "the program waits for a promise that nothing can settle: no call and no "
                      "timer is pending. Look for a `new Promise` whose resolve is never called", "");
}

/* Looks at the completion promise after the engine came to rest. */
static void advance(JSContext *ctx)
{
    while (!over) {
        JSPromiseStateEnum state = JS_PromiseState(ctx, guest.completion);
        JSValue value;

        if (state == JS_PROMISE_PENDING) {
            if (is_waiting())
                return;
            memory_release_reserve();
            rejections_report(ctx);
            fail_stalled();
            over = true;
            return;
        }
        value = JS_PromiseResult(ctx, guest.completion);
        if (state == JS_PROMISE_REJECTED) {
            memory_release_reserve();
            rejections_report(ctx);
            failure_emit(ctx, FAULT_EXCEPTION, value);
            over = true;
        } else if (guest.calls_value && JS_IsFunction(ctx, value)) {
            if (!call_value(ctx, value)) {
                failure_emit_text(FAULT_MEMORY, "", "", "");
                over = true;
            }
            run_jobs(ctx);
        } else if (is_waiting()) {
            JS_FreeValue(ctx, value);
            return;
        } else if (!result_written) {
            rejections_report(ctx);
            write_result(ctx); /* runs getters and toJSON, which may make calls */
            run_jobs(ctx);
        } else {
            rejections_report(ctx);
            frame_emit(FRAME_RESULT, NULL, 0, result.data, result.length);
            over = true;
        }
        JS_FreeValue(ctx, value);
    }
}

static void take_turn(JSContext *ctx)
{
    struct reader reader = {inbox_bytes(), inbox_bytes() + exchange_block.inbox_length, false};

    switch (exchange_block.op) {
    case OP_START:
        start_program(ctx, &reader);
        over = JS_IsUndefined(guest.completion) || JS_IsException(guest.completion);
        break;
    case OP_SETTLE:
        bindings_settle(ctx, &reader);
        inbox_trim();
        break;
    case OP_TIMERS:
        timers_fire(ctx);
        break;
    default:
        __builtin_trap();
    }
    if (over)
        return;
    run_jobs(ctx);
    advance(ctx);
}

EXPORT("turn") void turn(void)
{
    if (exchange_block.op == OP_RESERVE) {
        exchange_block.state = inbox_reserve(exchange_block.inbox_length) ? STATE_RESERVED
                                                                          : STATE_REFUSED;
        return;
    }
    if (over || exchange_block.inbox_length > exchange_block.inbox_capacity)
        __builtin_trap(); /* a host that does not keep the contract */
    take_turn(guest.ctx);
    exchange_block.pending_calls = bindings_pending();
    exchange_block.timer_due_ms = timers_due();
    exchange_block.state = over ? STATE_DONE : STATE_WAITING;
}

EXPORT("exchange") struct exchange *exchange(void)
{
    return &exchange_block;
}

/* Names that QuickJS has and a program does not get. */
static void remove_globals(JSContext *ctx)
{
    static const char *const names[] = {"SharedArrayBuffer", "Atomics", "navigator", NULL};
    JSValue global = JS_GetGlobalObject(ctx);

    for (size_t i = 0; names[i]; i++) {
        JSAtom name = JS_NewAtom(ctx, names[i]);
        JS_DeleteProperty(ctx, global, name, 0);
        JS_FreeAtom(ctx, name);
    }
    /* V8's doors into the making of stacks, which would run the program's code in our reports. */
    JSValue error = JS_GetPropertyStr(ctx, global, "Error");
    static const char *const doors[] = {"prepareStackTrace", "stackTraceLimit", NULL};
    for (size_t i = 0; doors[i]; i++) {
        JSAtom name = JS_NewAtom(ctx, doors[i]);
        JS_DeleteProperty(ctx, error, name, 0);
        JS_FreeAtom(ctx, name);
    }
    JS_FreeValue(ctx, error);
    JS_FreeValue(ctx, global);
}

EXPORT("init") int init(void)
{
    guest.rt = memory_runtime();
    if (!guest.rt)
        return 0;
    JS_SetMaxStackSize(guest.rt, ENGINE_STACK_BYTES);
    guest.ctx = JS_NewContext(guest.rt);
    if (!guest.ctx)
        return 0;
    guest.completion = JS_UNDEFINED;
    guest.limits = (struct limits){.log_bytes = 1 << 16, .depth = 1000};
    rejections_init(guest.rt);
    remove_globals(guest.ctx);
    if (!console_init(guest.ctx) || !timers_init(guest.ctx) || !prelude_init(guest.ctx) ||
        !inbox_reserve(1 << 14))
        return 0;
    run_jobs(guest.ctx);
    JS_RunGC(guest.rt);
    JS_SetGCThreshold(guest.rt, GC_THRESHOLD_BYTES);
    return memory_reserve();
}
