/* Evaluates the JavaScript prelude at build time and gives it the few functions it needs in C. */
#include <string.h>

#include "engine.h"
#include "guest.h"

static const char prelude_source[] = {
#embed "prelude.js"
    , 0};
static const char url_source[] = {
#embed "url.js"
    , 0};

/* UTF-8 of a string, with U+FFFD for half a surrogate pair. */
static JSValue encode(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv)
{
    size_t length;
    const char *bytes = argc ? JS_ToCStringLen(ctx, &length, argv[0]) : NULL;
    JSValue array;

    (void)this_value;
    if (!bytes)
        return JS_EXCEPTION;
    array = JS_NewUint8ArrayCopy(ctx, (const uint8_t *)bytes, length);
    JS_FreeCString(ctx, bytes);
    if (!JS_IsException(array)) {
        uint8_t *data = JS_GetUint8Array(ctx, &length, array);
        for (size_t i = 0; data && i + 2 < length; i++) {
            if (data[i] == 0xED && data[i + 1] >= 0xA0)
                memcpy(data + i, "\xEF\xBF\xBD", 3);
        }
    }
    return array;
}

/* How many bytes at `at` are one valid character; 0 if they are none, and then *bad is how many make
   up the one replacement character (the maximal subpart of the Unicode standard). */
static size_t valid_character(const uint8_t *at, size_t left, size_t *bad)
{
    uint8_t c = at[0], low = 0x80, high = 0xBF;
    size_t more = c >= 0xC2 && c <= 0xDF ? 1 : c >= 0xE0 && c <= 0xEF ? 2 : c >= 0xF0 && c <= 0xF4 ? 3 : 0;

    *bad = 1;
    if (c < 0x80)
        return 1;
    if (!more)
        return 0;
    if (c == 0xE0) low = 0xA0;
    if (c == 0xED) high = 0x9F;
    if (c == 0xF0) low = 0x90;
    if (c == 0xF4) high = 0x8F;
    for (size_t i = 1; i <= more; i++, low = 0x80, high = 0xBF) {
        if (i >= left || at[i] < low || at[i] > high) {
            *bad = i;
            return 0;
        }
    }
    return more + 1;
}

/* decode(Uint8Array, fatal): a string, or undefined when fatal and the bytes are not UTF-8. */
static JSValue decode(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv)
{
    size_t length, bad;
    const uint8_t *bytes = argc > 1 ? JS_GetUint8Array(ctx, &length, argv[0]) : NULL;
    struct text text;
    JSValue string;

    (void)this_value;
    if (!bytes)
        return JS_EXCEPTION;
    text_init(&text, SIZE_MAX / 4);
    for (size_t i = 0; i < length;) {
        size_t good = valid_character(bytes + i, length - i, &bad);
        if (!good && JS_ToBool(ctx, argv[1])) {
            text_free(&text);
            return JS_UNDEFINED;
        }
        text_add(&text, good ? (const char *)bytes + i : "\xEF\xBF\xBD", good ? good : 3);
        i += good ? good : bad;
    }
    string = text.failed ? JS_ThrowOutOfMemory(ctx)
                         : JS_NewStringLen(ctx, text.data ? text.data : "", text.length);
    text_free(&text);
    return string;
}

static JSValue fill_random(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv)
{
    size_t length;
    uint8_t *bytes = argc ? JS_GetUint8Array(ctx, &length, argv[0]) : NULL;

    (void)this_value;
    if (!bytes)
        return JS_EXCEPTION;
    for (size_t i = 0; i < length; i += 8) {
        uint64_t number = guest_random();
        memcpy(bytes + i, &number, length - i < 8 ? length - i : 8);
    }
    return JS_UNDEFINED;
}

static JSValue kind(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv)
{
    const char *name = "plain";

    (void)this_value;
    switch (argc ? engine_kind(ctx, argv[0]) : KIND_OTHER) {
    case KIND_ARRAY: name = "array"; break;
    case KIND_ERROR: name = "error"; break;
    case KIND_BOXED: name = "boxed"; break;
    case KIND_DATE: name = "date"; break;
    case KIND_REGEXP: name = "regexp"; break;
    case KIND_MAP: name = "map"; break;
    case KIND_SET: name = "set"; break;
    case KIND_WEAK: name = "weak collection"; break;
    case KIND_PROMISE: name = "promise"; break;
    case KIND_PROXY: name = "proxy"; break;
    case KIND_BUFFER: name = "buffer"; break;
    case KIND_TYPED_ARRAY: name = "view"; break;
    default: break;
    }
    return JS_NewString(ctx, name);
}

/* Evaluates a source whose value is a function and calls it. */
static JSValue evaluate(JSContext *ctx, const char *source, const char *name, int argc,
                        JSValueConst *argv)
{
    JSValue function = JS_Eval(ctx, source, strlen(source), name, JS_EVAL_TYPE_GLOBAL), value;

    if (JS_IsException(function))
        return function;
    value = JS_Call(ctx, function, JS_UNDEFINED, argc, argv);
    JS_FreeValue(ctx, function);
    return value;
}

bool prelude_init(JSContext *ctx)
{
    JSValue natives = JS_NewObject(ctx), factory, url;
    bool ok;

    JS_SetPropertyStr(ctx, natives, "encode", JS_NewCFunction(ctx, encode, "encode", 1));
    JS_SetPropertyStr(ctx, natives, "decode", JS_NewCFunction(ctx, decode, "decode", 2));
    JS_SetPropertyStr(ctx, natives, "random", JS_NewCFunction(ctx, fill_random, "random", 1));
    JS_SetPropertyStr(ctx, natives, "kind", JS_NewCFunction(ctx, kind, "kind", 1));
    factory = evaluate(ctx, prelude_source, "codemode:prelude", 1, (JSValueConst *)&natives);
    url = evaluate(ctx, url_source, "codemode:url", 0, NULL);
    ok = !JS_IsException(factory) && !JS_IsException(url) && bindings_init(ctx, factory);
    JS_FreeValue(ctx, natives);
    JS_FreeValue(ctx, factory);
    JS_FreeValue(ctx, url);
    return ok;
}
