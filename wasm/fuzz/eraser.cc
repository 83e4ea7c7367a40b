/* The fuzz target: erases any bytes, under ASan and UBSan, and checks what erase.h promises.
 *
 * The guest's build takes every .c file below wasm/; this one is not for the guest, hence its name. It is
 * C but for the two lines that give the names of C to C++. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
#include "../erase/erase.h"
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
}

static void require(bool is_true, const char *promise)
{
    if (is_true)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

/* The length of the well-formed UTF-8 sequence at s, or 0. */
static size_t sequence_length(const uint8_t *s, size_t room)
{
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if ((s[0] >= 0x80 && s[0] < 0xC2) || s[0] > 0xF4 || length > room)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

/* Finds the next line break; returns its length, 0 at the end. */
static size_t next_break(const uint8_t *s, size_t length, size_t *at)
{
    for (; *at < length; ++*at) {
        if (s[*at] == '\n' || s[*at] == '\r')
            return 1;
        if (*at + 2 < length && s[*at] == 0xE2 && s[*at + 1] == 0x80 && (s[*at + 2] & 0xFE) == 0xA8)
            return 3;
    }
    return 0;
}

/* All of the source's line breaks stay, in order; `export default` may add one line. */
static void check_lines(const uint8_t *source, size_t size, const erase_result *result)
{
    const uint8_t *text = (const uint8_t *)result->text;
    size_t i = 0, j = 0, width;
    while ((width = next_break(source, size, &i)) != 0) {
        require(next_break(text, result->length, &j) == width, "lines stay");
        require(!memcmp(source + i, text + j, width), "line breaks keep their kind");
        i += width;
        j += width;
    }
    if (!next_break(text, result->length, &j))
        return;
    require(result->calls_default && result->shape == ERASE_SHAPE_BODY, "no line is added");
    j++;
    require(!memcmp(text + j, "return ", 7), "the line that is added returns the value");
    require(!next_break(text, result->length, &j), "one line is added at the most");
}

static void check_output(const uint8_t *source, size_t size, const erase_result *result)
{
    require(result->text && result->text[result->length] == 0, "the text ends in NUL");
    require(result->shape <= ERASE_SHAPE_EXPRESSION && result->last <= ERASE_LAST_OTHER,
            "shape and last statement are of their kinds");
    require(result->last_start <= result->last_end && result->last_end <= size,
            "the last statement lies in the source");
    require((result->shape == ERASE_SHAPE_EMPTY) == (result->last == ERASE_LAST_NONE),
            "a program without statements has no last one");
    check_lines(source, size, result);
}

static void check_message(size_t size, const erase_result *result)
{
    size_t length = strnlen(result->message, sizeof result->message);
    require(!result->text, "a failure has no text");
    require(length > 0 && length < sizeof result->message, "a failure has a message");
    require(result->offset <= size && result->line >= 1 && result->column >= 1,
            "a failure has a place in the source");
    require(strncmp(result->message, "the eraser lost its place", 25), "the edits are in order");
    require(result->status != ERASE_NO_MEMORY, "there is memory");
    for (size_t i = 0, step; i < length; i += step) {
        step = sequence_length((const uint8_t *)result->message + i, length - i);
        require(step != 0, "the message is UTF-8");
    }
}

static void erase_and_check(const uint8_t *source, size_t size, bool is_first)
{
    erase_result result;
    erase_program((const char *)source, size, &result);
    if (result.status == ERASE_OK) {
        check_output(source, size, &result);
        if (is_first) /* what is left is a text like any other */
            erase_and_check((const uint8_t *)result.text, result.length, false);
    } else {
        check_message(size, &result);
    }
    erase_free(&result);
    require(!result.text, "what is freed is gone");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    erase_and_check(data, size, true);
    return 0;
}
