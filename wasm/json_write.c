/* Values to JSON, strictly.

   The rule is JSON.stringify's, except that a value which it would silently change or drop is
   refused with its path: NaN, infinities, BigInt, functions, symbols, promises, rings, and a getter
   or toJSON that throws. Reading a value runs the program's own code (getters, toJSON, proxies), so
   nothing here holds a pointer across such a call without a reference. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dtoa.h"
#include "engine.h"
#include "guest.h"
#include "json_walk.h"

void json_write_string(struct text *out, const char *bytes, size_t length)
{
    static const char hex[] = "0123456789abcdef";
    size_t plain = 0;

    text_addc(out, '"');
    for (size_t i = 0; i < length; i++) {
        uint8_t c = (uint8_t)bytes[i];
        char escaped[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
        size_t eaten = 1, width = 6;

        if (c >= 0x20 && c != '"' && c != '\\' && c != 0xED && c != 0x7F)
            continue;
        if (c == 0xED) {
            /* Half a surrogate pair has three bytes here and no UTF-8 form: escape it. */
            uint32_t unit;
            if (i + 2 >= length || (uint8_t)bytes[i + 1] < 0xA0)
                continue;
            unit = 0xD000u | (((uint8_t)bytes[i + 1] & 0x3Fu) << 6) | ((uint8_t)bytes[i + 2] & 0x3Fu);
            for (int digit = 0; digit < 4; digit++)
                escaped[2 + digit] = hex[(unit >> (12 - 4 * digit)) & 15];
            eaten = 3;
        } else if (c == '"' || c == '\\') {
            escaped[1] = (char)c;
            width = 2;
        } else if (c == '\n' || c == '\r' || c == '\t') {
            escaped[1] = c == '\n' ? 'n' : c == '\r' ? 'r' : 't';
            width = 2;
        }
        text_add(out, bytes + plain, i - plain);
        text_add(out, escaped, width);
        i += eaten - 1;
        plain = i + 1;
    }
    text_add(out, bytes + plain, length - plain);
    text_addc(out, '"');
}

static enum json_outcome write_string(struct walk *walk, JSValueConst value)
{
    size_t length;
    const char *bytes = JS_ToCStringLen(walk->ctx, &length, value);

    if (!bytes)
        return JSON_THROWN;
    json_write_string(walk->out, bytes, length);
    JS_FreeCString(walk->ctx, bytes);
    return JSON_WRITTEN;
}

static enum json_outcome write_number(struct walk *walk, double number, const struct step *step)
{
    char digits[JS_DTOA_MAX_DIGITS + 16 > 64 ? JS_DTOA_MAX_DIGITS + 16 : 64];
    JSDTOATempMem scratch;

    if (isnan(number))
        return json_refuse(walk, step, "NaN", "JSON has no such number; use null");
    if (isinf(number))
        return json_refuse(walk, step, number > 0 ? "Infinity" : "-Infinity",
                      "JSON has no such number; use null or a finite one");
    if (number == 0)
        number = 0; /* -0 prints as 0 */
    text_add(walk->out, digits,
             (size_t)js_dtoa(digits, number, 10, 0, JS_DTOA_FORMAT_FREE | JS_DTOA_EXP_AUTO, &scratch));
    return JSON_WRITTEN;
}

static enum json_outcome write_value(struct walk *walk, JSValue value, const struct step *step);

/* The member's value, with toJSON applied. */
static JSValue apply_to_json(struct walk *walk, JSValue value, const struct step *step)
{
    JSContext *ctx = walk->ctx;
    JSValue method, key, result;

    method = JS_GetPropertyStr(ctx, value, "toJSON");
    if (!JS_IsFunction(ctx, method)) {
        JS_FreeValue(ctx, value);
        if (JS_IsException(method))
            return JS_EXCEPTION;
        JS_FreeValue(ctx, method);
        return JS_UNINITIALIZED; /* none: the caller still holds its own reference */
    }
    if (!step)
        key = JS_NewString(ctx, "");
    else if (step->key == JS_ATOM_NULL)
        key = JS_NewInt64(ctx, step->index);
    else
        key = JS_AtomToString(ctx, step->key);
    result = JS_Call(ctx, method, value, 1, (JSValueConst *)&key);
    JS_FreeValue(ctx, key);
    JS_FreeValue(ctx, method);
    JS_FreeValue(ctx, value);
    return result;
}

static enum json_outcome write_array(struct walk *walk, JSValueConst array, const struct step *step)
{
    struct step inner = {step, array, JS_ATOM_NULL, 0, step ? step->depth + 1 : 1};
    enum json_outcome outcome;
    int64_t length;

    if (JS_GetLength(walk->ctx, array, &length))
        return JSON_THROWN;
    text_addc(walk->out, '[');
    for (; inner.index < length; inner.index++) {
        JSValue item = JS_GetPropertyInt64(walk->ctx, array, inner.index);

        if (inner.index)
            text_addc(walk->out, ',');
        if (JS_IsException(item))
            return JSON_THROWN;
        outcome = write_value(walk, item, &inner);
        if (outcome == JSON_UNDEFINED)
            text_adds(walk->out, "null");
        else if (outcome != JSON_WRITTEN)
            return outcome;
        if (walk->out->failed || walk->out->overflowed)
            return JSON_TOO_LARGE;
    }
    text_addc(walk->out, ']');
    return JSON_WRITTEN;
}

static enum json_outcome write_members(struct walk *walk, JSValueConst object,
                                       const struct step *step, JSPropertyEnum *names,
                                       uint32_t count)
{
    struct step inner = {step, object, JS_ATOM_NULL, 0, step ? step->depth + 1 : 1};
    bool first = true;

    text_addc(walk->out, '{');
    for (uint32_t i = 0; i < count; i++) {
        size_t before = walk->out->length, length;
        enum json_outcome outcome;
        const char *name;
        JSValue member = JS_GetProperty(walk->ctx, object, names[i].atom);

        if (JS_IsException(member))
            return JSON_THROWN;
        name = JS_AtomToCStringLen(walk->ctx, &length, names[i].atom);
        if (!name) {
            JS_FreeValue(walk->ctx, member);
            return JSON_THROWN;
        }
        if (!first)
            text_addc(walk->out, ',');
        json_write_string(walk->out, name, length);
        JS_FreeCString(walk->ctx, name);
        text_addc(walk->out, ':');
        inner.key = names[i].atom;
        outcome = write_value(walk, member, &inner);
        if (outcome == JSON_UNDEFINED)
            walk->out->length = before;
        else if (outcome != JSON_WRITTEN)
            return outcome;
        else
            first = false;
        if (walk->out->failed || walk->out->overflowed)
            return JSON_TOO_LARGE;
    }
    text_addc(walk->out, '}');
    return JSON_WRITTEN;
}

static enum json_outcome write_object(struct walk *walk, JSValueConst object,
                                      const struct step *step)
{
    JSContext *ctx = walk->ctx;
    enum json_outcome outcome;
    JSPropertyEnum *names;
    uint32_t count;
    int is_array;

    for (const struct step *up = step; up; up = up->parent) {
        if (JS_VALUE_GET_PTR(up->object) == JS_VALUE_GET_PTR(object))
            return json_refuse(walk, step, "a circular reference", "JSON has no rings");
    }
    if ((step && step->depth >= guest.limits.depth) || engine_stack_low(ctx)) {
        char limit[64];
        snprintf(limit, sizeof limit, "the limit is %u levels", (unsigned)guest.limits.depth);
        return json_refuse(walk, step, "too deep nesting", limit);
    }
    is_array = JS_IsArray(object);
    if (!is_array && engine_kind(ctx, object) == KIND_PROXY) {
        /* Array.isArray looks through proxies, and so does JSON.stringify. */
        JSValue target = JS_GetProxyTarget(ctx, object);
        while (!JS_IsException(target) && engine_kind(ctx, target) == KIND_PROXY) {
            JSValue next = JS_GetProxyTarget(ctx, target);
            JS_FreeValue(ctx, target);
            target = next;
        }
        if (JS_IsException(target))
            return JSON_THROWN;
        is_array = JS_IsArray(target);
        JS_FreeValue(ctx, target);
    }
    if (is_array)
        return write_array(walk, object, step);
    json_note_kind(walk, object, step);
    if (JS_GetOwnPropertyNames(ctx, &names, &count, object, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY))
        return JSON_THROWN;
    outcome = write_members(walk, object, step, names, count);
    JS_FreePropertyEnum(ctx, names, count);
    return outcome;
}

static enum json_outcome write_boxed(struct walk *walk, JSValueConst boxed, const struct step *step)
{
    JSValue inner = engine_unbox(walk->ctx, boxed);
    enum json_outcome outcome;

    if (JS_IsSymbol(inner))
        outcome = json_refuse(walk, step, "a symbol", NULL);
    else if (JS_IsString(inner)) /* the rule: ToString of the object, which may be overridden */
        outcome = write_string(walk, boxed);
    else
        outcome = write_value(walk, JS_DupValue(walk->ctx, inner), step);
    JS_FreeValue(walk->ctx, inner);
    return outcome;
}

/* JSON.rawJSON: its text is read and written again, so that it obeys the same rules as any value. */
static enum json_outcome write_raw(struct walk *walk, JSValueConst raw, const struct step *step)
{
    JSValue text = inspect_data(walk->ctx, raw, "rawJSON"), inner;
    const char *bytes;
    size_t length;

    bytes = JS_ToCStringLen(walk->ctx, &length, text);
    JS_FreeValue(walk->ctx, text);
    if (!bytes)
        return JSON_THROWN;
    inner = json_read(walk->ctx, bytes, length);
    JS_FreeCString(walk->ctx, bytes);
    return JS_IsException(inner) ? JSON_THROWN : write_value(walk, inner, step);
}

/* Takes `value`. */
static enum json_outcome write_value(struct walk *walk, JSValue value, const struct step *step)
{
    JSContext *ctx = walk->ctx;
    enum json_outcome outcome = JSON_WRITTEN;

    if (JS_IsObject(value)) {
        JSValue converted = apply_to_json(walk, JS_DupValue(ctx, value), step);
        if (JS_IsException(converted)) {
            JS_FreeValue(ctx, value);
            return JSON_THROWN;
        }
        if (!JS_IsUninitialized(converted)) {
            JS_FreeValue(ctx, value);
            value = converted;
        }
    }
    switch (JS_VALUE_GET_NORM_TAG(value)) {
    case JS_TAG_INT:
        text_addf(walk->out, "%d", JS_VALUE_GET_INT(value));
        break;
    case JS_TAG_FLOAT64:
        outcome = write_number(walk, JS_VALUE_GET_FLOAT64(value), step);
        break;
    case JS_TAG_BOOL:
        text_adds(walk->out, JS_VALUE_GET_BOOL(value) ? "true" : "false");
        break;
    case JS_TAG_NULL:
        text_adds(walk->out, "null");
        break;
    case JS_TAG_UNDEFINED:
        outcome = JSON_UNDEFINED;
        break;
    case JS_TAG_STRING:
    case JS_TAG_STRING_ROPE:
        outcome = write_string(walk, value);
        break;
    case JS_TAG_BIG_INT:
    case JS_TAG_SHORT_BIG_INT:
        outcome = json_refuse(walk, step, "a BigInt", "use String(n), or Number(n) if it is small");
        break;
    case JS_TAG_SYMBOL:
        outcome = json_refuse(walk, step, "a symbol", NULL);
        break;
    case JS_TAG_OBJECT:
        switch (engine_kind(ctx, value)) {
        case KIND_FUNCTION:
            outcome = json_refuse(walk, step, "a function", "call it, or leave it out");
            break;
        case KIND_PROMISE:
            outcome = json_refuse(walk, step, "a promise", "missing await");
            break;
        case KIND_BOXED:
            outcome = write_boxed(walk, value, step);
            break;
        case KIND_RAW_JSON:
            outcome = write_raw(walk, value, step);
            break;
        default:
            if (JS_IsFunction(ctx, value)) /* a proxy of a function */
                outcome = json_refuse(walk, step, "a function", "call it, or leave it out");
            else
                outcome = write_object(walk, value, step);
        }
        break;
    default:
        outcome = json_refuse(walk, step, "a value that is not JSON", NULL);
    }
    JS_FreeValue(ctx, value);
    return outcome;
}

enum json_outcome json_write(JSContext *ctx, struct text *out, JSValueConst value, const char *root,
                             struct text *problem, struct text *lossy)
{
    struct walk walk = {ctx, out, problem, lossy, root};
    enum json_outcome outcome = write_value(&walk, JS_DupValue(ctx, value), NULL);

    if (out->failed && outcome != JSON_THROWN) {
        JS_ThrowOutOfMemory(ctx);
        return JSON_THROWN;
    }
    if (out->overflowed && outcome == JSON_WRITTEN)
        return JSON_TOO_LARGE;
    return outcome;
}
