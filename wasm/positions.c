/* From the engine's positions to the program's.

   The engine counts columns in bytes of the erased text; everybody else counts UTF-16 units, which the
   eraser keeps. The erased text stays in memory, and the places in a stack are rewritten when it is
   reported. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

static char *kept;
static size_t kept_length;

void positions_keep(char *text, size_t length)
{
    kept = text;
    kept_length = length;
}

/* A line's end, and how many bytes it has: CR LF, LF, CR, U+2028 and U+2029. */
static size_t line_break(const char *at, const char *end)
{
    if (*at == '\n')
        return 1;
    if (*at == '\r')
        return end - at > 1 && at[1] == '\n' ? 2 : 1;
    if (end - at > 2 && !memcmp(at, "\xE2\x80", 2) && ((uint8_t)at[2] & 0xFE) == 0xA8)
        return 3;
    return 0;
}

static unsigned long in_units(unsigned long line, unsigned long column)
{
    const char *at = kept, *end = kept + kept_length;
    unsigned long units = 1;

    while (line > 1 && at < end) {
        size_t skip = line_break(at, end);
        line -= skip > 0;
        at += skip ? skip : 1;
    }
    for (unsigned long byte = 1; byte < column && at < end && !line_break(at, end); byte++, at++) {
        uint8_t c = (uint8_t)*at;
        units += c >= 0xF0 ? 2 : (c & 0xC0) != 0x80;
    }
    return units;
}

void positions_translate(const char *stack, size_t length, struct text *out)
{
    static const char name[] = PROGRAM_NAME ":";
    const char *at = stack, *end = stack + length;

    while (at < end) {
        unsigned long line, column;
        int used = 0;
        char numbers[32];
        size_t room;

        if (!kept || end - at < (ptrdiff_t)sizeof name || memcmp(at, name, sizeof name - 1)) {
            text_addc(out, *at++);
            continue;
        }
        at += sizeof name - 1;
        room = (size_t)(end - at) < sizeof numbers - 1 ? (size_t)(end - at) : sizeof numbers - 1;
        memcpy(numbers, at, room);
        numbers[room] = 0;
        text_adds(out, name);
        if (sscanf(numbers, "%9lu:%9lu%n", &line, &column, &used) == 2) {
            text_addf(out, "%lu:%lu", line, in_units(line, column));
            at += used;
        }
    }
}
