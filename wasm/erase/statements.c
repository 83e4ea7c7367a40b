/* Statements. Those of JavaScript are walked only to find the expressions and declarations in them.
 */
#include "grammar.h"

enum statement_kind list_item(struct parser *p)
{
    uint32_t outer = p->now.item;
    p->now.item = here(p);
    enum statement_kind kind = statement(p);
    p->now.item = outer;
    return kind;
}

void block(struct parser *p)
{
    uint32_t open = here(p);
    expect(p, '{', "'{'");
    while (inside(p, '}'))
        list_item(p);
    expect_closer(p, '}', open);
}

/* A block that is a statement or a part of one, not a function's body. */
static void inner_block(struct parser *p)
{
    uint8_t in_block = p->now.in_block;
    p->now.in_block = 1;
    block(p);
    p->now.in_block = in_block;
}

/* `(` expression `)` */
static void condition(struct parser *p)
{
    uint32_t open = here(p);
    expect(p, '(', "'('");
    expression(p);
    expect_closer(p, ')', open);
}

/* Behind `const`, `let`, `var` or `using`. */
static void variables(struct parser *p)
{
    do {
        binding(p);
        if (at(p, '!') && !p->now.token.newline) {
            blank(p, here(p), p->now.token.end);
            advance(p);
        }
        annotation(p);
        initializer(p);
    } while (take(p, ','));
}

static enum statement_kind variable_statement(struct parser *p)
{
    advance(p);
    variables(p);
    expect_semicolon(p);
    return STATEMENT_DECLARATION;
}

/* Whether `let` declares here; it is a name in old JavaScript. */
static int at_let(const struct parser *p)
{
    struct token next;
    if (!at_word(p, WORD_let))
        return 0;
    peek(p, &next);
    return is_name(&next) || next.kind == '[' || next.kind == '{';
}

/* Whether the token is `using` and declares. */
static int is_using(const struct parser *p, const struct token *token)
{
    struct token next;
    if (token->word != WORD_using)
        return 0;
    lex(p, token->end, &next);
    return is_name(&next) && !next.newline;
}

/* At `await using`. */
static int at_await_using(const struct parser *p)
{
    struct token next;
    if (!at_word(p, WORD_await))
        return 0;
    peek(p, &next);
    return !next.newline && is_using(p, &next);
}

/* ---- loops and branches ---- */

/* The first part of a `for` head; returns whether it declares. */
static int for_declaration(struct parser *p)
{
    struct token next;
    peek(p, &next);
    if (at_word(p, WORD_var) || at_word(p, WORD_const) || at_let(p)) {
        advance(p);
        return 1;
    }
    if (at_word(p, WORD_using) && is_name(&next) && next.word != WORD_of) {
        advance(p);
        return 1;
    }
    if (at_word(p, WORD_await) && next.word == WORD_using) {
        advance(p);
        advance(p);
        return 1;
    }
    return 0;
}

static void for_head(struct parser *p)
{
    if (!at(p, ';')) {
        p->now.no_in = 1;
        if (for_declaration(p))
            variables(p);
        else
            expression(p);
        p->now.no_in = 0;
        if (take_word(p, WORD_of)) {
            assignment(p, 1);
            return;
        }
        if (take_word(p, WORD_in)) {
            expression(p);
            return;
        }
    }
    expect(p, ';', "';'");
    if (!at(p, ';'))
        expression(p);
    expect(p, ';', "';'");
    if (!at(p, ')'))
        expression(p);
}

static void for_statement(struct parser *p)
{
    advance(p);
    take_word(p, WORD_await);
    uint32_t open = here(p);
    expect(p, '(', "'('");
    for_head(p);
    expect_closer(p, ')', open);
    statement(p);
}

static void if_statement(struct parser *p)
{
    int is_else;
    do { /* a loop, so that a long chain of `else if` is not deep */
        advance(p);
        condition(p);
        statement(p);
        is_else = take_word(p, WORD_else);
    } while (is_else && at_word(p, WORD_if));
    if (is_else)
        statement(p);
}

static void do_statement(struct parser *p)
{
    advance(p);
    statement(p);
    if (!at_word(p, WORD_while))
        fail_expected(p, "'while'", NOWHERE);
    advance(p);
    condition(p);
    take(p, ';');
}

static void switch_statement(struct parser *p)
{
    advance(p);
    condition(p);
    uint32_t open = here(p);
    uint8_t in_block = p->now.in_block;
    p->now.in_block = 1;
    expect(p, '{', "'{'");
    while (inside(p, '}')) {
        if (take_word(p, WORD_case)) {
            expression(p);
            expect(p, ':', "':'");
        } else if (take_word(p, WORD_default)) {
            expect(p, ':', "':'");
        } else {
            list_item(p);
        }
    }
    p->now.in_block = in_block;
    expect_closer(p, '}', open);
}

static void try_statement(struct parser *p)
{
    advance(p);
    inner_block(p);
    if (take_word(p, WORD_catch)) {
        uint32_t open = here(p);
        if (take(p, '(')) {
            binding(p);
            annotation(p);
            expect_closer(p, ')', open);
        }
        inner_block(p);
    }
    if (take_word(p, WORD_finally))
        inner_block(p);
}

static void jump_statement(struct parser *p)
{
    advance(p);
    if (at(p, TOKEN_NAME) && !p->now.token.newline)
        advance(p);
    expect_semicolon(p);
}

static void return_statement(struct parser *p)
{
    advance(p);
    if (!at(p, ';') && !at(p, '}') && !at(p, TOKEN_END) && !p->now.token.newline)
        expression(p);
    expect_semicolon(p);
}

static void throw_statement(struct parser *p)
{
    advance(p);
    if (p->now.token.newline)
        fail_unexpected(p);
    expression(p);
    expect_semicolon(p);
}

/* ---- declarations ---- */

/* At `function` or `async`; one without a body is an overload. Only the whole program may be a
 * nameless one. */
static enum statement_kind function_declaration(struct parser *p)
{
    uint32_t start = here(p);
    struct mark made = p->now.made;
    struct span name;
    int is_async = take_word(p, WORD_async);
    if (!function_rest(p, is_async, &name)) {
        expect_semicolon(p);
        erase_since(p, start, &made);
        return STATEMENT_ERASED;
    }
    if (name.start == name.end) {
        int is_top_level = p->now.depth == 1;
        if (!is_top_level || p->nameless != NOWHERE)
            fail(p, start, "a function declaration needs a name");
        p->nameless = start;
    }
    return STATEMENT_FUNCTION;
}

static enum statement_kind class_declaration(struct parser *p)
{
    struct span name;
    if (at_word(p, WORD_abstract)) {
        blank(p, here(p), p->now.token.end);
        advance(p);
    }
    class_rest(p, &name);
    return STATEMENT_DECLARATION;
}

/* At `enum` or `const enum`. */
static enum statement_kind enum_statement(struct parser *p)
{
    uint32_t start = here(p);
    if (p->now.item != start) /* it becomes two statements */
        refuse(p, start, "an enum must not stand alone behind `if` or a loop; put it into { }");
    take_word(p, WORD_const);
    enum_declaration(p, start);
    return STATEMENT_DECLARATION;
}

/* The statements that start with a reserved word. */
static enum statement_kind word_statement(struct parser *p)
{
    struct token next;
    switch (p->now.token.word) {
    case WORD_const:
        peek(p, &next);
        return next.word == WORD_enum ? enum_statement(p) : variable_statement(p);
    case WORD_var:
        return variable_statement(p);
    case WORD_function:
        return function_declaration(p);
    case WORD_class:
        return class_declaration(p);
    case WORD_enum:
        return enum_statement(p);
    case WORD_return:
        return_statement(p);
        return STATEMENT_RETURN;
    case WORD_if:
        if_statement(p);
        return STATEMENT_OTHER;
    case WORD_while:
    case WORD_with:
        advance(p);
        condition(p);
        statement(p);
        return STATEMENT_OTHER;
    case WORD_do:
        do_statement(p);
        return STATEMENT_OTHER;
    case WORD_for:
        for_statement(p);
        return STATEMENT_OTHER;
    case WORD_switch:
        switch_statement(p);
        return STATEMENT_OTHER;
    case WORD_try:
        try_statement(p);
        return STATEMENT_OTHER;
    case WORD_throw:
        throw_statement(p);
        return STATEMENT_OTHER;
    case WORD_break:
    case WORD_continue:
    case WORD_debugger:
        jump_statement(p);
        return STATEMENT_OTHER;
    case WORD_import:
        return at_import_declaration(p) ? import_declaration(p) : STATEMENT_NONE;
    case WORD_export:
        refuse(p, here(p), "export is only possible at the top level of the program");
        return STATEMENT_OTHER;
    }
    return STATEMENT_NONE;
}

/* The statements that start with a word that is a name elsewhere, and labels. */
static enum statement_kind name_statement(struct parser *p)
{
    struct token next;
    if (at_let(p) || is_using(p, &p->now.token))
        return variable_statement(p);
    if (at_await_using(p)) {
        advance(p);
        return variable_statement(p);
    }
    if (at_async_function(p))
        return function_declaration(p);
    peek(p, &next);
    if (at_word(p, WORD_abstract) && next.word == WORD_class && !next.newline)
        return class_declaration(p);
    if (next.kind == ':') {
        advance(p);
        advance(p);
        statement(p);
        return STATEMENT_OTHER;
    }
    return type_declaration(p);
}

static enum statement_kind statement_unguarded(struct parser *p)
{
    enum statement_kind kind = STATEMENT_NONE;
    switch (p->now.token.kind) {
    case '{':
        inner_block(p);
        return STATEMENT_OTHER;
    case ';':
        advance(p);
        return STATEMENT_EMPTY;
    case '@':
        refuse_decorator(p);
        return STATEMENT_OTHER;
    case TOKEN_NAME:
        kind = at_name(p) ? name_statement(p) : word_statement(p);
    }
    if (kind != STATEMENT_NONE)
        return kind;
    expression(p);
    expect_semicolon(p);
    return STATEMENT_EXPRESSION;
}

enum statement_kind statement(struct parser *p)
{
    if (!enter(p))
        return STATEMENT_OTHER;
    enum statement_kind kind = statement_unguarded(p);
    leave(p);
    return kind;
}
