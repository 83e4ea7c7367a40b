/* The edits and the output.
 *
 * Two lists are kept: blanks, which come in the order of the source, and insertions, which may come
 * in any order and are sorted in the end. A blank is written as one space per UTF-16 unit and keeps
 * its line breaks, so that every token that stays keeps its line and column. */
#include "parser.h"

#include <stdlib.h>
#include <string.h>

uint32_t blank_with(struct parser *p, uint32_t start, uint32_t end, const char *head, char tail)
{
    uint32_t index = p->now.made.edits;
    struct edit *edits = grow(p, p->edits, &p->edits_room, index, sizeof *edits);
    if (!edits)
        return 0; /* exists: erase_program made room */
    p->edits = edits;
    edits[index] = (struct edit){start, end, head, tail};
    p->now.made.edits = index + 1;
    return index;
}

uint32_t blank(struct parser *p, uint32_t start, uint32_t end)
{
    return blank_with(p, start, end, NULL, 0);
}

void erase_since(struct parser *p, uint32_t start, const struct mark *made)
{
    if (p->now.failed)
        return;
    p->now.made = *made;
    blank_with(p, start, behind(p), ";", 0);
}

void insert(struct parser *p, uint32_t offset)
{
    uint32_t index = p->now.made.insertions;
    struct insertion *insertions =
        grow(p, p->insertions, &p->insertions_room, index, sizeof *insertions);
    if (!insertions)
        return;
    p->insertions = insertions;
    insertions[index] = (struct insertion){offset, p->now.made.inserted, 0};
    p->now.made.insertions = index + 1;
}

static void insert_bytes(struct parser *p, const void *bytes, uint32_t length)
{
    while (p->inserted_room - p->now.made.inserted < length && !p->now.failed) {
        void *inserted = grow(p, p->inserted, &p->inserted_room, p->inserted_room, 1);
        if (inserted)
            p->inserted = inserted;
    }
    if (p->now.failed || !p->now.made.insertions)
        return;
    memcpy(p->inserted + p->now.made.inserted, bytes, length);
    p->now.made.inserted += length;
    p->insertions[p->now.made.insertions - 1].length += length;
}

void insert_text(struct parser *p, const char *text)
{
    insert_bytes(p, text, (uint32_t)strlen(text));
}

void insert_source(struct parser *p, struct span span)
{
    insert_bytes(p, p->text + span.start, span.end - span.start);
}

/* Sorts by offset and keeps the order of equal ones: a merge sort from below, which only a
   parenthesis around a cast makes necessary. 0 if there is no memory. */
static int sort_insertions(struct parser *p)
{
    uint32_t count = p->now.made.insertions;
    uint32_t sorted = 1;
    while (sorted < count && p->insertions[sorted - 1].at <= p->insertions[sorted].at)
        sorted++;
    if (sorted >= count)
        return 1;
    struct insertion *from = p->insertions;
    struct insertion *to = malloc(count * sizeof *to);
    if (!to)
        return 0;
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t low = 0; low < count; low += 2 * width) {
            uint32_t middle = low + width < count ? low + width : count;
            uint32_t high = middle + width < count ? middle + width : count;
            uint32_t a = low, b = middle;
            for (uint32_t i = low; i < high; i++)
                to[i] =
                    a < middle && (b >= high || from[a].at <= from[b].at) ? from[a++] : from[b++];
        }
        struct insertion *swap = from;
        from = to;
        to = swap;
    }
    p->insertions = from;
    p->insertions_room = count;
    free(to);
    return 1;
}

struct writer {
    const struct parser *p;
    uint32_t next; /* insertion */
    char *text;
    size_t length;
};

static void write_insertions(struct writer *w, uint32_t up_to)
{
    const struct parser *p = w->p;
    for (; w->next < p->now.made.insertions && p->insertions[w->next].at <= up_to; w->next++) {
        const struct insertion *insertion = &p->insertions[w->next];
        memcpy(w->text + w->length, p->inserted + insertion->from, insertion->length);
        w->length += insertion->length;
    }
}

static void write_source(struct writer *w, uint32_t from, uint32_t to)
{
    const struct parser *p = w->p;
    while (from < to || (w->next < p->now.made.insertions && p->insertions[w->next].at <= to)) {
        uint32_t stop = to;
        if (w->next < p->now.made.insertions && p->insertions[w->next].at < to)
            stop = p->insertions[w->next].at;
        if (stop < from)
            stop = from;
        memcpy(w->text + w->length, p->text + from, stop - from);
        w->length += stop - from;
        from = stop;
        write_insertions(w, from);
    }
}

static int is_continuation(uint8_t byte)
{
    return (byte & 0xC0) == 0x80;
}

static void write_blank(struct writer *w, const struct edit *edit)
{
    const uint8_t *s = w->p->text;
    const char *head = edit->head ? edit->head : "";
    uint32_t i = edit->start;
    while (i < edit->end) {
        write_insertions(w, i);
        char *out = w->text + w->length;
        uint32_t size = 1; /* of the character; stray continuation bytes belong to the one before */
        while (i + size < edit->end && is_continuation(s[i + size]))
            size++;
        uint32_t units = s[i] >= 0xF0 && size > 1 ? 2 : 1;
        if (is_line_separator(s + i)) {
            memcpy(out, s + i, 3);
            units = 3;
        } else {
            memcpy(out, "  ", 2);
            if (*head)
                *out = *head++;
            else if (i + size == edit->end && edit->tail)
                out[units - 1] = edit->tail;
            else if (s[i] == '\n' || s[i] == '\r')
                *out = (char)s[i];
        }
        w->length += units;
        i += size;
    }
}

void write_output(struct parser *p, erase_result *result)
{
    struct writer w = {p, 0, NULL, 0};
    /* No blank is longer than what it stands for; one byte more for its memcpy, and the NUL. */
    size_t room = (size_t)p->length + p->now.made.inserted + 2;
    if (sort_insertions(p))
        w.text = malloc(room);
    if (!w.text) {
        fail_memory(p);
        return;
    }
    uint32_t from = 0;
    for (uint32_t i = 0; i < p->now.made.edits && !p->now.failed; i++) {
        const struct edit *edit = &p->edits[i];
        if (edit->start < from) { /* a fault of ours, and a wrong program if it went on */
            refuse(p, edit->start, "the eraser lost its place here; please report this program");
            break;
        }
        write_source(&w, from, edit->start);
        write_blank(&w, edit);
        from = edit->end;
    }
    if (p->now.failed) {
        free(w.text);
        return;
    }
    write_source(&w, from, p->length);
    w.text[w.length] = 0;
    result->text = w.text;
    result->length = w.length;
}
