/* What a call passes, as JSON: its one argument, or all those of a helper. */
#include "engine.h"
#include "guest.h"

/* The arguments as a list. Own elements: a program's setters on Array.prototype are not asked. */
static JSValue as_list(JSContext *ctx, int argc, JSValueConst *argv)
{
    JSValue list = JS_NewArray(ctx);

    for (int i = 0; i < argc && !JS_IsException(list); i++)
        if (JS_DefinePropertyValueUint32(ctx, list, (uint32_t)i, JS_DupValue(ctx, argv[i]),
                                         JS_PROP_C_W_E) < 0) {
            JS_FreeValue(ctx, list);
            list = JS_EXCEPTION;
        }
    return list;
}

enum json_outcome arguments_write(JSContext *ctx, bool is_helper, int argc, JSValueConst *argv,
                                  struct text *json, struct text *problem, struct text *lossy)
{
    enum json_outcome outcome = JSON_UNDEFINED;

    if (is_helper) {
        JSValue list = as_list(ctx, argc, argv);
        if (JS_IsException(list))
            return JSON_THROWN;
        outcome = json_write(ctx, json, list, "args", problem, lossy);
        JS_FreeValue(ctx, list);
    } else if (argc) {
        outcome = json_write(ctx, json, argv[0], "args", problem, lossy);
    }
    if (outcome == JSON_UNDEFINED) {
        text_adds(json, "{}");
        outcome = JSON_WRITTEN;
    }
    return outcome;
}
