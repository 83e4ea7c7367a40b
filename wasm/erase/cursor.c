/* The parser's primitives: tokens one by one, what must follow, speculation, depth, memory. */
#include "parser.h"

#include <stdlib.h>

static void check_token(struct parser *p)
{
    static const char *const sentences[] = {
        [BAD_COMMENT] = "this comment is not closed: expected '*/'",
        [BAD_STRING] = "this string is not closed on its line; a text of several lines needs `...`",
        [BAD_TEMPLATE] = "this template literal is not closed: expected '`'",
        [BAD_REGEX] = "this regular expression is not closed on its line: expected '/'",
    };
    if (!at(p, TOKEN_BAD))
        return;
    enum bad_token bad = p->now.token.word;
    p->now.token.word = WORD_NONE;
    if (bad == BAD_CHARACTER)
        fail_unexpected(p);
    else
        fail(p, here(p), sentences[bad]);
}

void advance(struct parser *p)
{
    if (p->now.failed)
        return;
    if (at(p, TOKEN_BAD)) { /* made by the parser, of a regular expression or template */
        check_token(p);
        return;
    }
    p->now.previous_end = p->now.token.end;
    lex(p, p->now.token.end, &p->now.token);
    p->bytes_read += p->now.token.end - p->now.previous_end;
    check_token(p);
}

void jump(struct parser *p, uint32_t end)
{
    p->now.token.end = end;
    advance(p);
}

void peek(const struct parser *p, struct token *token)
{
    lex(p, p->now.token.end, token);
}

int take(struct parser *p, int kind)
{
    if (!at(p, kind))
        return 0;
    advance(p);
    return 1;
}

int take_word(struct parser *p, int word)
{
    if (!at_word(p, word))
        return 0;
    advance(p);
    return 1;
}

void expect(struct parser *p, int kind, const char *what)
{
    if (!take(p, kind))
        fail_expected(p, what, NOWHERE);
}

void expect_closer(struct parser *p, int closer, uint32_t opener)
{
    if (!take(p, closer))
        fail_expected(p, closer == ')' ? "')'" : closer == ']' ? "']'" : "'}'", opener);
}

int take_comma(struct parser *p, int closer, uint32_t opener)
{
    if (at(p, closer))
        return 0;
    if (take(p, ','))
        return 1;
    fail_expected(p,
                  closer == ')'   ? "',' or ')'"
                  : closer == ']' ? "',' or ']'"
                                  : "',' or '}'",
                  opener);
    return 0;
}

/* If the last token was erased, JavaScript might not insert the semicolon that TypeScript did (`x =
   y as T` before a line that starts with a parenthesis), so one is written into the blank. */
static void write_semicolon(struct parser *p)
{
    if (!p->now.made.edits)
        return;
    struct edit *last = &p->edits[p->now.made.edits - 1];
    if (last->end != behind(p) || last->start == last->end || last->head)
        return;
    uint32_t insertions = p->now.made.insertions;
    if (insertions && p->insertions[insertions - 1].at == behind(p)) {
        insert(p, behind(p)); /* behind the parenthesis of an assertion: <T>(newline) x! */
        insert_text(p, ";");
    } else {
        last->head = ";";
    }
}

void expect_semicolon(struct parser *p)
{
    if (take(p, ';'))
        return;
    if (at(p, '}') || at(p, TOKEN_END) || p->now.token.newline)
        write_semicolon(p);
    else if (at(p, ')') || at(p, ']'))
        fail_unexpected(p);
    else
        fail_expected(p, "';'", NOWHERE);
}

void rewind_to(struct parser *p, const struct cursor *saved)
{
    if (p->now.failed && p->fault.status != ERASE_SYNTAX)
        return;
    p->now = *saved;
    if (p->bytes_read > READ_FLOOR + (uint64_t)READ_FACTOR * p->length)
        refuse(p, here(p),
               "the program can be read in too many ways; write parentheses around comparisons");
}

#define TOO_DEEP "the program is nested too deeply; split it into functions and variables"

int enter(struct parser *p)
{
    if (++p->now.depth <= MAX_DEPTH)
        return 1;
    refuse(p, here(p), TOO_DEEP);
    return 0;
}

int enter_type(struct parser *p)
{
    if (++p->now.depth <= MAX_DEPTH)
        return 1;
    uint32_t closers = 0;
    for (uint32_t i = here(p); i < p->length && closers < p->now.angles; i++)
        closers += p->text[i] == '>';
    if (closers >= p->now.angles) {
        refuse(p, here(p), TOO_DEEP);
    } else {
        fail_expected(p, "'>'", NOWHERE);
        p->fault.hopeless = p->now.angles - closers;
    }
    return 0;
}

void leave(struct parser *p)
{
    p->now.depth--;
}

void *grow(struct parser *p, void *items, uint32_t *room, uint32_t used, size_t item_size)
{
    if (used < *room)
        return items;
    size_t wanted = *room ? (size_t)*room * 2 : 64;
    int fits = wanted <= (1u << 30) && wanted <= SIZE_MAX / 2 / item_size;
    void *grown = fits ? realloc(items, wanted * item_size) : NULL;
    if (grown)
        *room = (uint32_t)wanted;
    else
        fail_memory(p);
    return grown;
}
