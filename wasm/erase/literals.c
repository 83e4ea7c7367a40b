/* Array, object and template literals, and argument lists. */
#include "grammar.h"

int array_literal(struct parser *p)
{
    uint32_t open = here(p);
    uint8_t no_in = p->now.no_in;
    int is_binding = 1;
    p->now.no_in = 0;
    advance(p);
    while (inside(p, ']')) {
        if (take(p, ','))
            continue; /* a hole */
        take(p, TOKEN_DOTS);
        is_binding &= assignment(p, 1).is_binding;
        if (!take_comma(p, ']', open))
            break;
    }
    p->now.no_in = no_in;
    expect_closer(p, ']', open);
    return is_binding;
}

void property_name(struct parser *p)
{
    uint32_t open = here(p);
    uint8_t no_in = p->now.no_in;
    if (take(p, '[')) {
        p->now.no_in = 0;
        assignment(p, 1);
        p->now.no_in = no_in;
        expect_closer(p, ']', open);
    } else if (at(p, TOKEN_NAME) || at(p, TOKEN_STRING) || at(p, TOKEN_NUMBER) ||
               at(p, TOKEN_PRIVATE)) {
        advance(p);
    } else if (at(p, '@')) {
        refuse_decorator(p);
    } else {
        fail_unexpected(p);
    }
}

/* `async`, `get` and `set` before a name; returns whether `async` was among them. */
static int accessor_words(struct parser *p)
{
    int is_async = 0;
    for (;;) {
        struct token next;
        uint8_t word = p->now.token.word;
        if (word != WORD_async && word != WORD_get && word != WORD_set)
            return is_async;
        peek(p, &next);
        switch (next.kind) {
        case '*':
            if (word != WORD_async)
                return is_async;
            break;
        case '[':
        case TOKEN_NAME:
        case TOKEN_STRING:
        case TOKEN_NUMBER:
        case TOKEN_PRIVATE:
            break;
        default:
            return is_async; /* a property of that name */
        }
        is_async |= word == WORD_async;
        advance(p);
    }
}

/* One `key: value`, `key`, `key = default`, method or accessor. */
static int property(struct parser *p)
{
    int is_async = accessor_words(p);
    int is_generator = take(p, '*');
    int is_shorthand = at_name(p);
    property_name(p);
    if (at(p, '?') || at(p, '!')) { /* accepted by TypeScript's parser */
        blank(p, here(p), p->now.token.end);
        advance(p);
    }
    if (at(p, '(') || at_less(p)) {
        signature(p, is_async, is_generator, 0);
        if (!at(p, '{'))
            fail_expected(p, "'{'", NOWHERE);
        function_body(p, is_async, is_generator);
        return 0;
    }
    if (take(p, ':'))
        return assignment(p, 1).is_binding;
    initializer(p); /* where the literal is a pattern */
    return is_shorthand;
}

int object_literal(struct parser *p)
{
    uint32_t open = here(p);
    uint8_t no_in = p->now.no_in;
    int is_binding = 1;
    p->now.no_in = 0;
    advance(p);
    while (inside(p, '}')) {
        if (take(p, TOKEN_DOTS))
            is_binding &= assignment(p, 1).is_binding;
        else
            is_binding &= property(p);
        if (!take_comma(p, '}', open))
            break;
    }
    p->now.no_in = no_in;
    expect_closer(p, '}', open);
    return is_binding;
}

void call_arguments(struct parser *p)
{
    uint32_t open = here(p);
    uint8_t no_in = p->now.no_in;
    p->now.no_in = 0;
    expect(p, '(', "'('");
    while (inside(p, ')')) {
        take(p, TOKEN_DOTS);
        assignment(p, 1);
        if (!take_comma(p, ')', open))
            break;
    }
    p->now.no_in = no_in;
    expect_closer(p, ')', open);
}

/* At `${`: up to the `}`. */
static void substitution(struct parser *p, uint32_t open, int in_type)
{
    uint8_t no_in = p->now.no_in;
    jump(p, open + 2);
    if (in_type) {
        whole_type(p);
    } else {
        p->now.no_in = 0;
        expression(p);
        p->now.no_in = no_in;
    }
    if (!at(p, '}'))
        fail_expected(p, "'}'", open);
}

void template_literal(struct parser *p, int in_type)
{
    uint32_t start = here(p);
    if (!enter(p))
        return;
    while (!p->now.failed) {
        uint32_t end = template_chars_end(p, p->now.token.end);
        if (end >= p->length) {
            p->now.token = (struct token){start, p->length, TOKEN_BAD, BAD_TEMPLATE, 0};
            advance(p);
        } else if (p->text[end] == '`') {
            jump(p, end + 1);
            break;
        } else {
            substitution(p, end, in_type);
        }
    }
    leave(p);
}
