/* From a start record to a running program.

   The record: u64 seed; the seven u32 of struct limits; u32 namespaces, u32 functions in all; for each
   namespace its name, the class of its rejections, that class's member for the function's name, u32
   functions and their names; then the program's text. Names and text are a u32 length and bytes. */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "erase/erase.h"
#include "guest.h"

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t line_end(const char *text, size_t at, size_t length)
{
    while (at < length && text[at] != '\n' && text[at] != '\r')
        at++;
    return at;
}

/* How many times the byte at `at` stands there in a row. */
static size_t run_length(const char *text, size_t at, size_t length)
{
    size_t end = at;

    while (end < length && text[end] == text[at])
        end++;
    return end - at;
}

/* True if a line between `at` and `end` begins with a fence of `mark`s. A second fence inside means
   that there are two blocks: which one is meant is not ours to guess. */
static bool has_fence(const char *text, size_t at, size_t end, char mark, size_t marks)
{
    for (; at < end; at = line_end(text, at, end) + 1) {
        while (at < end && is_space(text[at]))
            at++;
        if (at < end && text[at] == mark && run_length(text, at, end) >= marks)
            return true;
    }
    return false;
}

/* Models put a program between ``` lines (or longer ones, or ~~~). When the whole text is one such
   fence, its two lines become spaces; lines and columns of the rest stay what they were. */
static void blank_fence(char *text, size_t length)
{
    size_t start = 0, open_end, close, end = length, marks;
    char mark;

    while (start < length && is_space(text[start]))
        start++;
    while (end > start && is_space(text[end - 1]))
        end--;
    if (start == end || (text[start] != '`' && text[start] != '~'))
        return;
    mark = text[start];
    marks = run_length(text, start, end);
    open_end = line_end(text, start, end);
    if (marks < 3 || memchr(text + start + marks, '`', open_end - start - marks))
        return; /* a template, or a fence on one line */
    for (close = end; close > open_end && text[close - 1] == mark;)
        close--;
    if (end - close < marks || close == open_end)
        return;
    for (size_t at = close; text[at - 1] != '\n' && text[at - 1] != '\r'; at--) {
        if (text[at - 1] != ' ' && text[at - 1] != '\t')
            return; /* the closing fence stands alone on its line */
    }
    if (has_fence(text, open_end + 1, close, mark, marks))
        return;
    memset(text + start, ' ', open_end - start);
    memset(text + close, ' ', end - close);
}

static void report_refusal(const erase_result *erased)
{
    struct text stack;

    text_init(&stack, 200);
    text_addf(&stack, "    at " PROGRAM_NAME ":%u:%u\n", (unsigned)erased->line,
              (unsigned)erased->column);
    text_addc(&stack, 0);
    failure_emit_text(FAULT_REFUSED, "SyntaxError", erased->message, stack.data ? stack.data : "");
    text_free(&stack);
}

/* The engine takes `return` without a value only before `;`, `}` or a line's end: the text gets one. */
static bool end_line(erase_result *erased)
{
    char *text = realloc(erased->text, erased->length + 2);

    if (!text)
        return false;
    erased->text = text;
    text[erased->length++] = '\n';
    text[erased->length] = 0;
    return true;
}

/* Compiles and starts the erased text. False: an exception is pending. */
static bool run_body(JSContext *ctx, erase_result *erased)
{
    enum engine_body body =
        erased->shape == ERASE_SHAPE_EXPRESSION ? ENGINE_EXPRESSION : ENGINE_STATEMENTS;
    JSValue function;

    if (!end_line(erased)) {
        JS_ThrowOutOfMemory(ctx);
        return false;
    }
    positions_keep(erased->text, erased->length);
    function = engine_compile(ctx, erased->text, erased->length, PROGRAM_NAME, body);
    if (JS_IsException(function))
        return false;
    guest.calls_value = body == ENGINE_EXPRESSION || erased->calls_default;
    guest.last_is_expression = erased->last == ERASE_LAST_EXPRESSION;
    guest.completion = JS_Call(ctx, function, JS_UNDEFINED, 0, NULL);
    JS_FreeValue(ctx, function);
    return !JS_IsException(guest.completion);
}

static void run_text(JSContext *ctx, const char *text, size_t length)
{
    erase_result erased;
    char *copy = malloc(length + 1);

    if (!copy) {
        failure_emit_text(FAULT_MEMORY, "", "", "");
        return;
    }
    memcpy(copy, text, length);
    blank_fence(copy, length);
    erase_program(copy, length, &erased);
    free(copy);
    if (erased.status == ERASE_NO_MEMORY) {
        failure_emit_text(FAULT_MEMORY, "", "", "");
    } else if (erased.status != ERASE_OK) {
        report_refusal(&erased);
        erase_free(&erased);
    } else if (!run_body(ctx, &erased)) {
        JSValue thrown = JS_GetException(ctx);
        failure_emit(ctx, FAULT_EXCEPTION, thrown);
        JS_FreeValue(ctx, thrown);
    }
}

void start_program(JSContext *ctx, struct reader *reader)
{
    const char *text;
    size_t length;
    uint64_t seed = read_u64(reader);
    uint32_t *limits = (uint32_t *)&guest.limits;

    for (size_t i = 0; i < sizeof guest.limits / sizeof *limits; i++)
        limits[i] = read_u32(reader);
    guest.random_state = seed ^ UINT64_C(0x6a09e667f3bcc908);
    engine_seed(ctx, seed);
    if (!bindings_define(ctx, reader)) {
        failure_emit_text(FAULT_MEMORY, "", "", "");
        return;
    }
    text = read_bytes(reader, &length);
    if (reader->failed)
        __builtin_trap(); /* a host that does not keep the contract */
    run_text(ctx, text, length);
}
