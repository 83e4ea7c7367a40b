/* Declarations that leave nothing: interfaces, type aliases, namespaces of types, and all that is
 * declared only.
 *
 * The words that start them are names in JavaScript, so each is one only if a name follows on the
 * same line. */
#include "grammar.h"

/* Whether a name follows on the same line. */
static int is_before_name(const struct parser *p)
{
    struct token next;
    peek(p, &next);
    return is_name(&next) && !next.newline;
}

int at_interface(const struct parser *p)
{
    return at_word(p, WORD_interface) && is_before_name(p);
}

static void interface(struct parser *p)
{
    advance(p);
    advance(p);
    if (at_less(p))
        type_parameters(p);
    if (take_word(p, WORD_extends))
        heritage_types(p);
    if (at(p, '{'))
        skip_brackets(p, BRACKETS_OF_TYPES);
    else
        fail_expected(p, "'{'", NOWHERE);
}

static void alias(struct parser *p)
{
    advance(p);
    advance(p);
    if (at_less(p))
        type_parameters(p);
    expect(p, '=', "'='");
    whole_type(p);
    expect_semicolon(p);
}

/* Whether `namespace A.B {` starts here. */
static int at_namespace(const struct parser *p)
{
    struct token token;
    if (!at_word(p, WORD_namespace) && !at_word(p, WORD_module))
        return 0;
    peek(p, &token);
    if ((!is_name(&token) && token.kind != TOKEN_STRING) || token.newline)
        return 0;
    for (;;) {
        lex(p, token.end, &token);
        if (token.kind != '.')
            return token.kind == '{';
        lex(p, token.end, &token);
    }
}

/* At `namespace`, one that holds only types; any other is refused. */
static void namespace_of_types(struct parser *p, uint32_t start)
{
    if (!enter(p))
        return;
    while (inside(p, '{'))
        advance(p);
    uint32_t open = here(p);
    expect(p, '{', "'{'");
    while (inside(p, '}')) {
        if (take(p, ';'))
            continue;
        take_word(p, WORD_export);
        if (at_namespace(p))
            namespace_of_types(p, start);
        else if (type_declaration(p) == STATEMENT_NONE)
            refuse(p, start,
                   "a namespace with values is not supported; use a plain object or functions");
    }
    expect_closer(p, '}', open);
    leave(p);
}

/* The declaration behind `declare`; 0 if there is none. */
static int at_declared(const struct parser *p, const struct token *word)
{
    struct token next;
    if (word->newline)
        return 0;
    switch (word->word) {
    case WORD_var:
    case WORD_let:
    case WORD_const:
    case WORD_function:
    case WORD_class:
    case WORD_enum:
        return 1;
    }
    lex(p, word->end, &next);
    switch (word->word) {
    case WORD_global:
        return next.kind == '{';
    case WORD_abstract:
        return next.word == WORD_class && !next.newline;
    case WORD_async:
        return next.word == WORD_function && !next.newline;
    case WORD_interface:
    case WORD_type:
    case WORD_using:
        return is_name(&next) && !next.newline;
    case WORD_namespace:
    case WORD_module:
        return (is_name(&next) || next.kind == TOKEN_STRING) && !next.newline;
    }
    return 0;
}

/* At `declare`; returns whether it was a declaration. */
static int declared(struct parser *p)
{
    struct token next;
    peek(p, &next);
    if (!at_declared(p, &next))
        return 0;
    advance(p);
    if (!at_word(p, WORD_namespace) && !at_word(p, WORD_module) && !at_word(p, WORD_global)) {
        list_item(p); /* its edits are dropped */
        return 1;
    }
    if (!take_word(p, WORD_global)) {
        advance(p);
        advance(p);
        while (take(p, '.'))
            advance(p);
    }
    if (at(p, '{'))
        skip_brackets(p, BRACKETS_OF_ANYTHING);
    else
        expect_semicolon(p); /* declare module "x"; */
    return 1;
}

static int read_declaration(struct parser *p)
{
    struct token next;
    switch (p->now.token.word) {
    case WORD_interface:
        if (!is_before_name(p))
            return 0;
        interface(p);
        return 1;
    case WORD_type:
        if (!is_before_name(p))
            return 0;
        alias(p);
        return 1;
    case WORD_namespace:
    case WORD_module:
        if (!at_namespace(p))
            return 0;
        namespace_of_types(p, here(p));
        return 1;
    case WORD_declare:
        return declared(p);
    case WORD_global:
        peek(p, &next);
        if (next.kind == '{')
            refuse(p, here(p), "to add to the global scope's types write `declare global`");
        return next.kind == '{';
    }
    return 0;
}

enum statement_kind type_declaration(struct parser *p)
{
    uint32_t start = here(p);
    struct mark made = p->now.made;
    if (!read_declaration(p))
        return STATEMENT_NONE;
    erase_since(p, start, &made);
    return STATEMENT_ERASED;
}
