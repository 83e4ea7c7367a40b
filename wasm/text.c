/* A growing byte buffer. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

void text_init(struct text *text, size_t limit)
{
    *text = (struct text){.limit = limit};
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

static bool make_room(struct text *text, size_t more)
{
    size_t capacity = text->capacity ? text->capacity : 256;
    char *data;

    if (text->length + more <= text->capacity)
        return true;
    while (capacity < text->length + more)
        capacity *= 2;
    data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        exchange_block.flags |= FLAG_OUT_OF_MEMORY;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void text_add(struct text *text, const void *bytes, size_t length)
{
    if (text->failed || text->overflowed)
        return;
    if (length > text->limit - text->length) {
        text->overflowed = true;
        length = text_cut(bytes, length, text->limit - text->length);
    }
    if (length && make_room(text, length)) {
        memcpy(text->data + text->length, bytes, length);
        text->length += length;
    }
}

void text_adds(struct text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

void text_addc(struct text *text, char c)
{
    text_add(text, &c, 1);
}

void text_addf(struct text *text, const char *format, ...)
{
    char line[512]; /* for numbers and fixed words; text of the program goes through text_add */
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length > 0)
        text_add(text, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

void text_add_u32(struct text *text, uint32_t number)
{
    text_add(text, &number, sizeof number);
}

size_t text_cut(const char *bytes, size_t length, size_t most)
{
    if (length <= most)
        return length;
    while (most > 0 && ((uint8_t)bytes[most] & 0xC0) == 0x80)
        most--;
    return most;
}
