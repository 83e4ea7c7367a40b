/* Operands: primary expressions, what follows them, prefix operators and `<T>x`. JavaScript's rules
 * are the engine's to judge; what matters here is where an operand ends and which types stand in
 * it. */
#include "grammar.h"

#include <string.h>

/* ---- what follows a primary expression ---- */

static int at_expression(const struct parser *p)
{
    switch (p->now.token.kind) {
    case TOKEN_NUMBER:
    case TOKEN_STRING:
    case TOKEN_TEMPLATE:
    case TOKEN_PRIVATE:
    case TOKEN_INCREMENT:
    case '(':
    case '[':
    case '{':
    case '+':
    case '-':
    case '~':
    case '!':
    case '<':
    case '/':
    case '@':
        return 1;
    case TOKEN_ASSIGN:
        return p->text[here(p)] == '/'; /* the regular expression /=/ */
    }
    switch (p->now.token.word) {
    case WORD_function:
    case WORD_class:
    case WORD_new:
    case WORD_this:
    case WORD_super:
    case WORD_null:
    case WORD_true:
    case WORD_false:
    case WORD_typeof:
    case WORD_void:
    case WORD_delete:
    case WORD_import:
        return 1;
    }
    return at_name(p);
}

/* `f<T>` or a comparison? As tsc decides it: by what follows the `>`. */
static int follows_type_arguments(const struct parser *p)
{
    switch (p->now.token.kind) {
    case '(':
    case TOKEN_TEMPLATE:
        return 1;
    case '<':
    case '>':
    case '+':
    case '-':
    case TOKEN_SHIFT_LEFT:
        return 0;
    }
    return p->now.token.newline || binary_level(p) || at_cast(p) || !at_expression(p);
}

static int maybe_type_arguments(struct parser *p)
{
    struct cursor saved = p->now;
    uint32_t start = here(p);
    type_arguments(p, 1);
    if (p->now.failed || !follows_type_arguments(p)) {
        rewind_to(p, &saved);
        return 0;
    }
    blank(p, start, behind(p));
    return 1;
}

static void certain_type_arguments(struct parser *p)
{
    uint32_t start = here(p);
    type_arguments(p, 0);
    blank(p, start, behind(p));
}

static void index_brackets(struct parser *p)
{
    uint32_t open = here(p);
    uint8_t no_in = p->now.no_in;
    p->now.no_in = 0;
    advance(p);
    expression(p);
    p->now.no_in = no_in;
    expect_closer(p, ']', open);
}

/* After `?.`. */
static void optional_link(struct parser *p)
{
    if (at_less(p)) {
        certain_type_arguments(p);
        call_arguments(p);
    } else if (at(p, '('))
        call_arguments(p);
    else if (at(p, '['))
        index_brackets(p);
    else if (at(p, TOKEN_TEMPLATE))
        template_literal(p, 0);
    else if (at(p, TOKEN_NAME) || at(p, TOKEN_PRIVATE))
        advance(p);
    else
        fail_unexpected(p);
}

/* One suffix; 0 if there is none. `calls` is off behind `new`, whose arguments come after all
 * members. */
static int suffix(struct parser *p, int calls)
{
    switch (p->now.token.kind) {
    case '.':
        advance(p);
        if (!at(p, TOKEN_NAME) && !at(p, TOKEN_PRIVATE))
            fail_unexpected(p);
        advance(p);
        return 1;
    case TOKEN_OPTIONAL:
        advance(p);
        optional_link(p);
        return 1;
    case '[':
        index_brackets(p);
        return 1;
    case '(':
        if (calls)
            call_arguments(p);
        return calls;
    case TOKEN_TEMPLATE:
        template_literal(p, 0);
        return 1;
    case '!':
        if (p->now.token.newline)
            return 0;
        blank(p, here(p), p->now.token.end);
        advance(p);
        return 1;
    case '<':
    case TOKEN_SHIFT_LEFT:
        return maybe_type_arguments(p);
    }
    return 0;
}

struct operand postfix(struct parser *p, struct operand operand)
{
    int is_plain = operand.level == LEVEL_NAME;
    while (suffix(p, 1))
        is_plain = operand.is_binding = 0;
    if (at(p, TOKEN_INCREMENT) && !p->now.token.newline) {
        is_plain = operand.is_binding = 0;
        advance(p);
    }
    operand.level = is_plain ? LEVEL_NAME : LEVEL_POSTFIX;
    return operand;
}

/* ---- operands ---- */

static void regex(struct parser *p)
{
    join_regex(p);
    advance(p);
}

static void function_expression(struct parser *p, int is_async)
{
    struct span name;
    if (!function_rest(p, is_async, &name))
        fail_expected(p, "'{'", NOWHERE);
}

static void import_expression(struct parser *p)
{
    uint32_t start = here(p);
    advance(p);
    if (take(p, '.'))
        advance(p);
    else if (!at(p, '('))
        refuse_import(p, start, (struct span){0, 0});
}

/* Returns whether it could also be a parameter. */
static int word_operand(struct parser *p)
{
    struct span name;
    switch (p->now.token.word) {
    case WORD_function:
        function_expression(p, 0);
        return 0;
    case WORD_class:
        class_rest(p, &name);
        return 0;
    case WORD_import:
        import_expression(p);
        return 0;
    case WORD_this:
    case WORD_super:
    case WORD_null:
    case WORD_true:
    case WORD_false:
        advance(p);
        return 0;
    }
    if (at_async_function(p)) {
        advance(p);
        function_expression(p, 1);
        return 0;
    }
    if (!at_name(p))
        fail_unexpected(p);
    advance(p);
    return 1;
}

static int primary(struct parser *p)
{
    uint32_t open = here(p);
    uint8_t no_in = p->now.no_in;
    switch (p->now.token.kind) {
    case TOKEN_NAME:
        return word_operand(p);
    case TOKEN_NUMBER:
    case TOKEN_STRING:
    case TOKEN_PRIVATE:
        advance(p);
        return 0;
    case TOKEN_TEMPLATE:
        template_literal(p, 0);
        return 0;
    case '(':
        p->now.no_in = 0;
        advance(p);
        expression(p);
        p->now.no_in = no_in;
        expect_closer(p, ')', open);
        return 0;
    case '[':
        return array_literal(p);
    case '{':
        return object_literal(p);
    case '/':
        regex(p);
        return 0;
    case TOKEN_ASSIGN:
        if (p->text[open] != '/') /* /=/ */
            break;
        regex(p);
        return 0;
    case '@':
        refuse_decorator(p);
        return 0;
    }
    fail_unexpected(p);
    return 0;
}

/* At `new`. */
static void new_expression(struct parser *p)
{
    if (!enter(p))
        return;
    advance(p);
    if (take(p, '.')) {
        advance(p); /* new.target */
    } else {
        if (at_word(p, WORD_new))
            new_expression(p);
        else
            primary(p);
        while (suffix(p, 0))
            ;
        if (at(p, '('))
            call_arguments(p);
    }
    leave(p);
}

void heritage(struct parser *p)
{
    if (at_word(p, WORD_new))
        new_expression(p);
    else
        primary(p);
    while (suffix(p, 1))
        ;
    if (at_less(p)) /* `extends A<T> {` reads like a comparison with an object */
        certain_type_arguments(p);
}

/* If a line break or a word that starts a statement would now be in front, the operand needs
   parentheses: `return <T>` (newline) `x`, `<T>{ a: 1 }`. */
void assertion_operand_ends(struct parser *p, uint32_t edit, uint32_t operand_start)
{
    static const char *const openers[] = {"{", "function", "class", "async", "let"};
    if (p->now.failed)
        return;
    int needs_parentheses = has_newline(p, p->edits[edit].start, operand_start);
    for (size_t i = 0; i < sizeof openers / sizeof *openers; i++) {
        size_t length = strlen(openers[i]);
        if (operand_start + length <= p->length &&
            !memcmp(p->text + operand_start, openers[i], length))
            needs_parentheses = 1;
    }
    if (!needs_parentheses)
        return;
    p->edits[edit].head = "(";
    insert(p, behind(p));
    insert_text(p, ")");
}

/* `<T>operand`. */
static void assertion(struct parser *p)
{
    split_less(p);
    uint32_t start = here(p);
    p->jsx = start;
    advance(p);
    whole_type(p);
    if (p->now.failed && p->fault.status == ERASE_SYNTAX)
        p->now.failed = 0;
    if (!at(p, '>'))
        fail(p, start,
             "'<' here starts a type assertion or a JSX element; JSX is not supported, and an"
             " assertion is better written as `value as Type`");
    advance(p);
    uint32_t edit = blank(p, start, behind(p));
    uint32_t operand_start = here(p);
    unary(p);
    assertion_operand_ends(p, edit, operand_start);
}

static struct operand unary_unguarded(struct parser *p)
{
    struct operand result = {.start = here(p), .level = LEVEL_PREFIX};
    int is_name = at(p, TOKEN_NAME);
    switch (p->now.token.kind) {
    case '!':
    case '~':
    case '+':
    case '-':
    case TOKEN_INCREMENT:
        advance(p);
        unary(p);
        return result;
    case '<':
    case TOKEN_SHIFT_LEFT:
        assertion(p);
        return result;
    }
    switch (p->now.token.word) {
    case WORD_await:
        if (!p->now.in_async)
            break;
        /* fall through */
    case WORD_typeof:
    case WORD_void:
    case WORD_delete:
        advance(p);
        unary(p);
        return result;
    case WORD_new:
        new_expression(p);
        return postfix(p, result);
    }
    result.is_binding = (uint8_t)primary(p);
    if (is_name && result.is_binding)
        result.level = LEVEL_NAME;
    return postfix(p, result);
}

struct operand unary(struct parser *p)
{
    struct operand result = {.start = here(p)};
    if (!enter(p))
        return result;
    result = unary_unguarded(p);
    leave(p);
    return result;
}
