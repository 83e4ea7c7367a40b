/* A whole program: its top-level statements, its shape, and the result. */
#include "grammar.h"

#include <stdlib.h>
#include <string.h>

struct outline {
    uint32_t count; /* top-level statements that are left */
    enum statement_kind last;
    struct span last_span;
};

static void read_statements(struct parser *p, struct outline *outline)
{
    while (!at(p, TOKEN_END)) {
        uint32_t start = here(p);
        enum statement_kind kind = module_item(p);
        if (kind == STATEMENT_ERASED || kind == STATEMENT_EMPTY)
            continue;
        if (p->default_at != NOWHERE && p->default_at != start)
            refuse(p, p->default_at,
                   "`export default` must come last: move it to the end, it is the"
                   " value of the program");
        outline->count++;
        outline->last = kind;
        outline->last_span = (struct span){start, behind(p)};
    }
    if (p->nameless != NOWHERE && outline->count != 1)
        fail(p, p->nameless, "a function declaration needs a name, unless it is the whole program");
}

static enum erase_last last_of(const struct outline *outline)
{
    switch (outline->last) {
    case STATEMENT_NONE:
        return ERASE_LAST_NONE;
    case STATEMENT_EXPRESSION:
        return ERASE_LAST_EXPRESSION;
    case STATEMENT_FUNCTION:
        return ERASE_LAST_FUNCTION;
    case STATEMENT_RETURN:
        return ERASE_LAST_RETURN;
    default:
        return ERASE_LAST_OTHER;
    }
}

static enum erase_shape shape_of(const struct parser *p, const struct outline *outline)
{
    if (!outline->count)
        return ERASE_SHAPE_EMPTY;
    int is_value = p->default_at != NOWHERE || outline->last == STATEMENT_EXPRESSION ||
                   outline->last == STATEMENT_FUNCTION;
    return outline->count == 1 && is_value ? ERASE_SHAPE_EXPRESSION : ERASE_SHAPE_BODY;
}

/* In a body, what `export default` is of is returned: a declaration by its name at the end, because
   declarations are hoisted; anything else on the spot, with `return(` in the place of `default`. */
static void return_default(struct parser *p)
{
    struct span name = p->default_name;
    if (name.start < name.end) {
        insert(p, p->length);
        insert_text(p, "\nreturn ");
        insert_source(p, name);
    } else {
        p->edits[p->default_edit].head = "return(";
        insert(p, p->default_value.end);
        insert_text(p, ")");
    }
}

/* `#!` and its line. */
static void skip_hashbang(struct parser *p)
{
    uint32_t end = 0;
    if (memcmp(p->text, "#!", 2))
        return;
    while (end < p->length && !has_newline(p, end, end + 1))
        end++;
    blank(p, 0, end);
    p->now.token.end = end;
}

static void run(struct parser *p, erase_result *result)
{
    struct outline outline = {0, STATEMENT_NONE, {0, 0}};
    skip_hashbang(p);
    advance(p);
    read_statements(p, &outline);
    enum erase_shape shape = shape_of(p, &outline);
    if (p->default_at != NOWHERE && shape == ERASE_SHAPE_BODY && !p->now.failed)
        return_default(p);
    if (!p->now.failed)
        write_output(p, result);
    if (p->now.failed)
        return;
    result->shape = shape;
    result->calls_default = p->default_at != NOWHERE;
    result->last = last_of(&outline);
    result->last_start = outline.last_span.start;
    result->last_end = outline.last_span.end;
}

void erase_program(const char *source, size_t length, erase_result *result)
{
    struct parser p = {
        .now = {.in_async = 1},
        .jsx = NOWHERE,
        .nameless = NOWHERE,
        .default_at = NOWHERE,
    };
    memset(result, 0, sizeof *result);
    if (length > MAX_SOURCE_BYTES) {
        p.text = (const uint8_t *)"";
        refuse(&p, 0, "the program is too long");
        report(&p, result);
        return;
    }
    p.length = (uint32_t)length;
    uint8_t *text = malloc(length + TEXT_PADDING);
    p.edits = grow(&p, NULL, &p.edits_room, 0, sizeof *p.edits);
    if (text && p.edits) {
        memcpy(text, source, length);
        memset(text + length, 0, TEXT_PADDING);
        p.text = text;
        run(&p, result);
    } else {
        p.text = (const uint8_t *)"";
        p.length = 0;
        fail_memory(&p);
    }
    if (p.now.failed)
        report(&p, result);
    free(text);
    free(p.edits);
    free(p.insertions);
    free(p.inserted);
    free(p.memo);
    free(p.openers);
    free(p.properties);
}

void erase_free(erase_result *result)
{
    free(result->text);
    result->text = NULL;
}
