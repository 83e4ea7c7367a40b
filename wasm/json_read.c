/* JSON text to values, without recursion: depth costs heap, not stack.

   The text comes from the host, yet nothing is taken on trust: anything but JSON is a SyntaxError.
   Containers under construction stand on a stack of frames; items of an array wait on a stack of
   values until its end, so that an array is made once, at its final size. */
#include <stdlib.h>
#include <string.h>

#include "dtoa.h"
#include "engine.h"
#include "guest.h"

struct frame_of {
    JSValue object;  /* JS_UNDEFINED: an array */
    JSAtom key;      /* the member whose value is being read */
    uint32_t base;   /* an array's first item on the value stack */
};

struct parse {
    JSContext *ctx;
    const char *at, *end;
    struct frame_of *frames;
    uint32_t depth, frames_room;
    JSValue *values;
    uint32_t count, values_room;
    uint16_t *units; /* scratch of strings with escapes */
    size_t units_room;
};

static void *grow(void *block, uint32_t *room, size_t item)
{
    uint32_t bigger = *room ? *room * 2 : 32;
    void *moved = realloc(block, bigger * item);

    if (moved)
        *room = bigger;
    return moved;
}

static JSValue fault(struct parse *parse, const char *what)
{
    return JS_ThrowSyntaxError(parse->ctx, "%s in JSON", what);
}

static void skip_space(struct parse *parse)
{
    while (parse->at < parse->end && (*parse->at == ' ' || *parse->at == '\n' ||
                                      *parse->at == '\r' || *parse->at == '\t'))
        parse->at++;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One character of a string with escapes, as UTF-16; advances `at`. Returns 0 on a fault. */
static int read_unit(struct parse *parse, uint16_t out[2])
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *at = parse->at;
    uint8_t c = (uint8_t)*at;
    uint32_t point;
    int more;

    if (c == '\\') {
        const char *simple;
        if (++at >= parse->end)
            return 0;
        if (*at == 'u') {
            out[0] = 0;
            for (int i = 1; i <= 4; i++) {
                int digit = at + i < parse->end ? hex_digit(at[i]) : -1;
                if (digit < 0)
                    return 0;
                out[0] = (uint16_t)(out[0] << 4 | digit);
            }
            parse->at = at + 5;
            return 1;
        }
        simple = *at ? strchr(from, *at) : NULL;
        if (!simple)
            return 0;
        out[0] = (uint16_t)to[simple - from];
        parse->at = at + 1;
        return 1;
    }
    more = c < 0x80 ? 0 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3;
    if (more >= parse->end - at)
        return 0;
    point = more == 0 ? c : c & (0x3Fu >> more);
    for (int i = 1; i <= more; i++)
        point = point << 6 | ((uint8_t)at[i] & 0x3F);
    parse->at = at + 1 + more;
    if (point < 0x10000) {
        out[0] = (uint16_t)point;
        return 1;
    }
    point -= 0x10000;
    out[0] = (uint16_t)(0xD800 | (point >> 10 & 0x3FF));
    out[1] = (uint16_t)(0xDC00 | (point & 0x3FF));
    return 2;
}

static JSValue read_escaped(struct parse *parse, const char *close)
{
    size_t count = 0, most = (size_t)(close - parse->at);

    if (parse->units_room < most) {
        uint16_t *bigger = realloc(parse->units, most * sizeof *bigger);
        if (!bigger)
            return JS_ThrowOutOfMemory(parse->ctx);
        parse->units = bigger;
        parse->units_room = most;
    }
    while (parse->at < close) {
        int made = read_unit(parse, parse->units + count);
        if (!made)
            return fault(parse, "bad escape");
        count += (size_t)made;
    }
    parse->at = close + 1;
    return JS_NewStringUTF16(parse->ctx, parse->units, count);
}

/* Finds the closing quote. *plain: the text between needs no decoding. */
static const char *find_close(struct parse *parse, bool *plain)
{
    const char *at = parse->at;

    *plain = true;
    for (; at < parse->end && *at != '"'; at++) {
        if ((uint8_t)*at < 0x20)
            return NULL;
        if (*at == '\\') {
            *plain = false;
            at++;
        }
    }
    return at < parse->end ? at : NULL;
}

/* `at` is behind the opening quote. */
static JSValue read_string(struct parse *parse)
{
    bool plain;
    const char *start = parse->at, *close = find_close(parse, &plain);

    if (!close)
        return fault(parse, "unterminated string");
    if (!plain)
        return read_escaped(parse, close);
    parse->at = close + 1;
    return JS_NewStringLen(parse->ctx, start, (size_t)(close - start));
}

static JSAtom read_key(struct parse *parse)
{
    bool plain;
    const char *start = parse->at, *close = find_close(parse, &plain);
    JSAtom key;
    JSValue name;

    if (!close) {
        fault(parse, "unterminated string");
        return JS_ATOM_NULL;
    }
    if (plain) {
        parse->at = close + 1;
        return JS_NewAtomLen(parse->ctx, start, (size_t)(close - start));
    }
    name = read_escaped(parse, close);
    if (JS_IsException(name))
        return JS_ATOM_NULL;
    key = JS_ValueToAtom(parse->ctx, name);
    JS_FreeValue(parse->ctx, name);
    return key;
}

static JSValue read_number(struct parse *parse)
{
    const char *start = parse->at, *at = start;
    int64_t whole = 0;
    char copy[512];
    JSATODTempMem scratch;

    if (at < parse->end && *at == '-')
        at++;
    if (at >= parse->end || *at < '0' || *at > '9')
        return fault(parse, "unexpected character");
    while (at < parse->end && *at >= '0' && *at <= '9' && at - start < 16)
        whole = whole * 10 + (*at++ - '0');
    if (at < parse->end && ((*at >= '0' && *at <= '9') || *at == '.' || (*at | 32) == 'e')) {
        while (at < parse->end && ((*at >= '0' && *at <= '9') || *at == '.' || (*at | 32) == 'e' ||
                                   *at == '+' || *at == '-'))
            at++;
    } else if (whole || *start != '-') {
        parse->at = at;
        return JS_NewInt64(parse->ctx, *start == '-' ? -whole : whole);
    }
    if ((size_t)(at - start) >= sizeof copy)
        return fault(parse, "too long number");
    memcpy(copy, start, (size_t)(at - start));
    copy[at - start] = 0;
    parse->at = at;
    return JS_NewFloat64(parse->ctx, js_atod(copy, NULL, 10, 0, &scratch));
}

static bool eat_word(struct parse *parse, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(parse->end - parse->at) < length || memcmp(parse->at, word, length))
        return false;
    parse->at += length;
    return true;
}

static JSValue read_scalar(struct parse *parse)
{
    if (parse->at >= parse->end)
        return fault(parse, "unexpected end");
    switch (*parse->at) {
    case '"':
        parse->at++;
        return read_string(parse);
    case 't':
        return eat_word(parse, "true") ? JS_TRUE : fault(parse, "unexpected character");
    case 'f':
        return eat_word(parse, "false") ? JS_FALSE : fault(parse, "unexpected character");
    case 'n':
        return eat_word(parse, "null") ? JS_NULL : fault(parse, "unexpected character");
    default:
        return read_number(parse);
    }
}

static bool push_frame(struct parse *parse, JSValue object)
{
    if (parse->depth >= guest.limits.depth) {
        JS_FreeValue(parse->ctx, object);
        JS_ThrowRangeError(parse->ctx, "JSON is nested deeper than %u levels",
                           (unsigned)guest.limits.depth);
        return false;
    }
    if (parse->depth == parse->frames_room) {
        void *moved = grow(parse->frames, &parse->frames_room, sizeof *parse->frames);
        if (!moved) {
            JS_FreeValue(parse->ctx, object);
            JS_ThrowOutOfMemory(parse->ctx);
            return false;
        }
        parse->frames = moved;
    }
    parse->frames[parse->depth++] = (struct frame_of){object, JS_ATOM_NULL, parse->count};
    return true;
}

/* Reads a member's name and colon into the innermost frame. */
static bool open_member(struct parse *parse)
{
    skip_space(parse);
    if (parse->at >= parse->end || *parse->at != '"') {
        fault(parse, "expected a member name");
        return false;
    }
    parse->at++;
    JSAtom key = read_key(parse);
    if (key == JS_ATOM_NULL)
        return false;
    parse->frames[parse->depth - 1].key = key;
    skip_space(parse);
    if (parse->at >= parse->end || *parse->at != ':') {
        fault(parse, "expected ':'");
        return false;
    }
    parse->at++;
    return true;
}

/* Closes the innermost container and gives its value. */
static JSValue close_container(struct parse *parse)
{
    struct frame_of *frame = &parse->frames[--parse->depth];
    JSValue array;

    if (!JS_IsUndefined(frame->object))
        return frame->object;
    array = JS_NewArrayFrom(parse->ctx, (int)(parse->count - frame->base),
                            parse->values + frame->base);
    parse->count = frame->base; /* the array took the items, also when it failed */
    return array;
}

/* Puts a finished value into the innermost container. Takes `value`. */
static bool add_to_container(struct parse *parse, JSValue value)
{
    struct frame_of *frame = &parse->frames[parse->depth - 1];

    if (!JS_IsUndefined(frame->object)) {
        JSAtom key = frame->key;
        frame->key = JS_ATOM_NULL;
        int failed = engine_set_member(parse->ctx, frame->object, key, value);
        JS_FreeAtom(parse->ctx, key);
        return failed >= 0;
    }
    if (parse->count == parse->values_room) {
        void *moved = grow(parse->values, &parse->values_room, sizeof *parse->values);
        if (!moved) {
            JS_FreeValue(parse->ctx, value);
            JS_ThrowOutOfMemory(parse->ctx);
            return false;
        }
        parse->values = moved;
    }
    parse->values[parse->count++] = value;
    return true;
}

/* Opens containers until a value is complete. */
static JSValue read_one(struct parse *parse)
{
    for (;;) {
        bool is_object;
        JSValue object = JS_UNDEFINED;

        skip_space(parse);
        if (parse->at >= parse->end || (*parse->at != '{' && *parse->at != '['))
            return read_scalar(parse);
        is_object = *parse->at++ == '{';
        if (is_object) {
            object = JS_NewObject(parse->ctx);
            if (JS_IsException(object))
                return object;
        }
        if (!push_frame(parse, object))
            return JS_EXCEPTION;
        skip_space(parse);
        if (parse->at < parse->end && *parse->at == (is_object ? '}' : ']')) {
            parse->at++;
            return close_container(parse);
        }
        if (is_object && !open_member(parse))
            return JS_EXCEPTION;
    }
}

static JSValue read_document(struct parse *parse)
{
    for (;;) {
        JSValue value = read_one(parse);

        for (;;) {
            bool is_object;

            if (JS_IsException(value))
                return value;
            skip_space(parse);
            if (parse->depth == 0) {
                if (parse->at == parse->end)
                    return value;
                JS_FreeValue(parse->ctx, value);
                return fault(parse, "unexpected text after the value");
            }
            if (!add_to_container(parse, value))
                return JS_EXCEPTION;
            is_object = !JS_IsUndefined(parse->frames[parse->depth - 1].object);
            if (parse->at < parse->end && *parse->at == ',') {
                parse->at++;
                if (is_object && !open_member(parse))
                    return JS_EXCEPTION;
                break;
            }
            if (parse->at >= parse->end || *parse->at != (is_object ? '}' : ']'))
                return fault(parse, "expected ',' or the end of a container");
            parse->at++;
            value = close_container(parse);
        }
    }
}

JSValue json_read(JSContext *ctx, const char *bytes, size_t length)
{
    struct parse parse = {.ctx = ctx, .at = bytes, .end = bytes + length};
    JSValue value = read_document(&parse);

    while (parse.depth--) {
        JS_FreeAtom(ctx, parse.frames[parse.depth].key);
        JS_FreeValue(ctx, parse.frames[parse.depth].object);
    }
    while (parse.count--)
        JS_FreeValue(ctx, parse.values[parse.count]);
    free(parse.frames);
    free(parse.values);
    free(parse.units);
    return value;
}
