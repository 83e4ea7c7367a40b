/* How a failed program is described to the host: name, message and stack, each bounded, read without
   running the program's code. The host decides the kind of failure; see enum fault. */
#include <string.h>

#include "engine.h"
#include "guest.h"

#define MOST_NAME 200
#define MOST_MESSAGE 8192
#define MOST_STACK 8192

void failure_emit_text(enum fault fault, const char *name, const char *message, const char *stack)
{
    const char *parts[] = {name, message, stack};
    struct text body;

    text_init(&body, MOST_NAME + MOST_MESSAGE + MOST_STACK + 64);
    text_addc(&body, (char)fault);
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(parts[i]);
        text_add_u32(&body, (uint32_t)length);
        text_add(&body, parts[i], length);
    }
    if (body.failed || !frame_emit(FRAME_ERROR, NULL, 0, body.data, body.length)) {
        /* Not even room for the report: the smallest one says what it is. */
        static const uint8_t smallest[1 + 3 * sizeof(uint32_t)] = {FAULT_MEMORY};
        frames_drop();
        frame_emit(FRAME_ERROR, NULL, 0, smallest, sizeof smallest);
    }
    text_free(&body);
}

/* A data property's text, cut; empty if it is no string. */
static void add_property(JSContext *ctx, struct text *out, JSValueConst object, const char *name)
{
    JSValue value = inspect_data(ctx, object, name);

    if (JS_IsString(value))
        inspect(ctx, out, value);
    JS_FreeValue(ctx, value);
}

static void add_stack(JSContext *ctx, struct text *out, JSValueConst recorded)
{
    struct text raw;

    text_init(&raw, MOST_STACK);
    inspect(ctx, &raw, recorded);
    positions_translate(raw.data ? raw.data : "", raw.length, out);
    text_free(&raw);
}

/* The engine throws null when there is not even room for its error. */
static bool is_out_of_memory(JSValueConst thrown, const struct text *name, const struct text *message)
{
    if (!(exchange_block.flags & FLAG_OUT_OF_MEMORY))
        return false;
    return JS_IsNull(thrown) ||
           (name->data && message->data && !strcmp(name->data, "InternalError") &&
            !strcmp(message->data, "out of memory"));
}

void failure_emit(JSContext *ctx, enum fault fault, JSValueConst thrown)
{
    struct text name, message, stack;

    text_init(&name, MOST_NAME);
    text_init(&message, MOST_MESSAGE);
    text_init(&stack, MOST_STACK);
    if (engine_kind(ctx, thrown) == KIND_ERROR) {
        struct text whole;
        size_t skip;
        JSValue recorded;

        add_property(ctx, &name, thrown, "name");
        if (!name.length)
            text_adds(&name, "Error");
        /* inspect_thrown adds causes and the errors of an AggregateError behind the message. */
        text_init(&whole, MOST_NAME + MOST_MESSAGE);
        inspect_thrown(ctx, &whole, thrown);
        skip = whole.length < name.length ? whole.length : name.length;
        if (whole.length >= skip + 2 && !memcmp(whole.data + skip, ": ", 2))
            skip += 2;
        if (whole.data)
            text_add(&message, whole.data + skip, whole.length - skip);
        text_free(&whole);
        recorded = engine_error_stack(ctx, thrown);
        if (JS_IsString(recorded))
            add_stack(ctx, &stack, recorded);
        JS_FreeValue(ctx, recorded);
    } else {
        inspect(ctx, &message, thrown);
    }
    if (!message.length && !name.length)
        text_adds(&message, "the program threw a value that has no text");
    text_addc(&name, 0);
    text_addc(&message, 0);
    text_addc(&stack, 0);
    if (fault == FAULT_EXCEPTION && is_out_of_memory(thrown, &name, &message))
        fault = FAULT_MEMORY;
    failure_emit_text(fault, name.data ? name.data : "", message.data ? message.data : "",
                      stack.data ? stack.data : "");
    text_free(&name);
    text_free(&message);
    text_free(&stack);
}
