/* Thrown things: name, message, the errors of an AggregateError, causes; data properties only. */
#include "engine.h"
#include "inspect_view.h"

#define MOST_CAUSES 8 /* deep, and wide */

void inspect_drop_exception(JSContext *ctx)
{
    JS_FreeValue(ctx, JS_GetException(ctx));
}

JSValue inspect_data(JSContext *ctx, JSValueConst value, const char *name)
{
    JSAtom atom = JS_NewAtom(ctx, name);
    JSValue at = JS_DupValue(ctx, value), found = JS_UNDEFINED;

    for (int steps = 0; steps < 64 && JS_IsObject(at) && engine_kind(ctx, at) != KIND_PROXY; steps++) {
        JSPropertyDescriptor property;
        JSValue parent;
        int has = JS_GetOwnProperty(ctx, &property, at, atom);

        if (has < 0) {
            inspect_drop_exception(ctx);
            break;
        }
        if (has) {
            if (!(property.flags & JS_PROP_GETSET))
                found = JS_DupValue(ctx, property.value);
            JS_FreeValue(ctx, property.value);
            JS_FreeValue(ctx, property.getter);
            JS_FreeValue(ctx, property.setter);
            break;
        }
        parent = JS_GetPrototype(ctx, at);
        JS_FreeValue(ctx, at);
        at = parent;
    }
    JS_FreeValue(ctx, at);
    JS_FreeAtom(ctx, atom);
    return found;
}

static void add_error_list(struct view *view, JSValueConst errors)
{
    int64_t length = 0;

    if (engine_kind(view->ctx, errors) != KIND_ARRAY || JS_GetLength(view->ctx, errors, &length))
        return;
    text_adds(view->out, " [");
    for (int64_t i = 0; i < length; i++) {
        char index[24];
        JSValue inner;
        struct text name = {.data = index, .capacity = sizeof index, .limit = sizeof index};

        if (i == MOST_CAUSES) {
            text_addf(view->out, "; ... %lld more", (long long)(length - i));
            break;
        }
        text_addf(&name, "%lld", (long long)i);
        text_addc(&name, 0);
        inner = inspect_data(view->ctx, errors, index);
        if (i)
            text_adds(view->out, "; ");
        inspect_thrown(view->ctx, view->out, inner);
        JS_FreeValue(view->ctx, inner);
    }
    text_addc(view->out, ']');
}

void inspect_thrown(JSContext *ctx, struct text *out, JSValueConst thrown)
{
    static int nesting; /* causes of causes; ends also where causes form a ring */
    struct view view = {.ctx = ctx, .out = out};
    JSValue name, message, errors, cause;

    if (!JS_IsObject(thrown) || engine_kind(ctx, thrown) != KIND_ERROR) {
        inspect(ctx, out, thrown);
        return;
    }
    if (nesting >= MOST_CAUSES) {
        text_adds(out, "[Error]");
        return;
    }
    nesting++;
    name = inspect_data(ctx, thrown, "name");
    message = inspect_data(ctx, thrown, "message");
    if (JS_IsString(name) && engine_string_length(name))
        inspect_add_string(&view, name, false, 200);
    else
        text_adds(out, "Error");
    if (JS_IsString(message) && engine_string_length(message)) {
        text_adds(out, ": ");
        inspect_add_string(&view, message, false, MOST_STRING);
    }
    errors = inspect_data(ctx, thrown, "errors");
    add_error_list(&view, errors);
    cause = inspect_data(ctx, thrown, "cause");
    if (!JS_IsUndefined(cause) && !out->overflowed) {
        text_adds(out, " (cause: ");
        inspect_thrown(ctx, out, cause);
        text_addc(out, ')');
    }
    JS_FreeValue(ctx, cause);
    JS_FreeValue(ctx, errors);
    JS_FreeValue(ctx, message);
    JS_FreeValue(ctx, name);
    nesting--;
}
