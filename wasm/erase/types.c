/* Types: where they end. Nothing here makes edits; the caller blanks what was read.
 *
 * The contents of object types, tuples and parameter lists are skipped by brackets only: a mistake
 * in there is erased with the rest. */
#include "grammar.h"

static void type(struct parser *p);

/* ---- function types ---- */

/* Whether a parameter and not a parenthesised type came before this token. */
static int ends_parameter(const struct parser *p, const struct token *token)
{
    struct token next;
    switch (token->kind) {
    case ':':
    case ',':
    case '?':
    case '=':
        return 1;
    case ')':
        lex(p, token->end, &next);
        return next.kind == TOKEN_ARROW;
    }
    return 0;
}

static int at_pattern_parameter(struct parser *p)
{
    struct cursor saved = p->now;
    advance(p);
    skip_brackets(p, BRACKETS_OF_TYPES);
    int is_parameter = !p->now.failed && ends_parameter(p, &p->now.token);
    rewind_to(p, &saved);
    return is_parameter;
}

static int at_function_type(struct parser *p)
{
    struct token first, second;
    if (at_less(p) || at_word(p, WORD_new))
        return 1;
    if (at_word(p, WORD_abstract)) {
        peek(p, &first);
        return first.word == WORD_new;
    }
    if (!at(p, '('))
        return 0;
    peek(p, &first);
    if (first.kind == ')' || first.kind == TOKEN_DOTS)
        return 1;
    if (first.kind == '[' || first.kind == '{')
        return at_pattern_parameter(p);
    if (!is_name(&first) && first.word != WORD_this)
        return 0;
    lex(p, first.end, &second);
    return ends_parameter(p, &second);
}

/* `x is T`, `asserts x`, `asserts x is T`, or a type. */
void return_type(struct parser *p)
{
    uint8_t no_conditional = p->now.no_conditional;
    struct token next;
    p->now.no_conditional = 0;
    if (at_word(p, WORD_asserts)) {
        peek(p, &next);
        if ((is_name(&next) || next.word == WORD_this) && !next.newline) {
            advance(p);
            advance(p);
            if (take_word(p, WORD_is))
                type(p);
            p->now.no_conditional = no_conditional;
            return;
        }
    }
    if (at_name(p) || at_word(p, WORD_this)) {
        peek(p, &next);
        if (next.word == WORD_is && !next.newline) {
            advance(p);
            advance(p);
        }
    }
    type(p);
    p->now.no_conditional = no_conditional;
}

static void function_type(struct parser *p)
{
    take_word(p, WORD_abstract);
    take_word(p, WORD_new);
    if (at_less(p))
        type_parameters(p);
    if (!at(p, '(')) {
        fail_expected(p, "'('", NOWHERE);
        return;
    }
    skip_brackets(p, BRACKETS_OF_TYPES);
    expect(p, TOKEN_ARROW, "'=>'");
    return_type(p);
}

/* ---- single types ---- */

static void qualified_name(struct parser *p)
{
    while (take(p, '.')) {
        if (!at(p, TOKEN_NAME) && !at(p, TOKEN_PRIVATE))
            fail_unexpected(p);
        advance(p);
    }
}

/* A name with its type arguments, `typeof x`, `import("x").T`. */
static void named_type(struct parser *p)
{
    uint8_t word = p->now.token.word;
    if (take_word(p, WORD_typeof) && !at_word(p, WORD_import)) {
        if (!at(p, TOKEN_NAME))
            fail_unexpected(p);
        advance(p);
        qualified_name(p);
    } else if (take_word(p, WORD_import)) {
        if (!at(p, '(')) {
            fail_expected(p, "'('", NOWHERE);
            return;
        }
        skip_brackets(p, BRACKETS_OF_TYPES);
        qualified_name(p);
    } else {
        if (!at_name(p)) {
            fail_unexpected(p);
            return;
        }
        advance(p);
        if (word_flags[word] & TYPE && !at(p, '.'))
            return; /* `x as number < 3` compares */
        qualified_name(p);
    }
    if (!p->now.token.newline && at_less(p))
        type_arguments(p, 0);
}

static void primary_type(struct parser *p)
{
    uint32_t open = here(p);
    switch (p->now.token.kind) {
    case TOKEN_STRING:
    case TOKEN_NUMBER:
        advance(p);
        return;
    case '-':
        advance(p);
        if (!at(p, TOKEN_NUMBER))
            fail_unexpected(p);
        advance(p);
        return;
    case TOKEN_TEMPLATE:
        template_literal(p, 1);
        return;
    case '{':
    case '[':
        skip_brackets(p, BRACKETS_OF_TYPES);
        return;
    case '(':
        advance(p);
        whole_type(p);
        expect_closer(p, ')', open);
        return;
    }
    switch (p->now.token.word) {
    case WORD_void:
    case WORD_null:
    case WORD_true:
    case WORD_false:
    case WORD_this:
    case WORD_const:
        advance(p);
        return;
    }
    if (at(p, TOKEN_NAME))
        named_type(p);
    else
        fail_unexpected(p);
}

/* These words are no types' names, whatever follows. */
static int at_type_operator(const struct parser *p)
{
    return at_word(p, WORD_keyof) || at_word(p, WORD_unique) || at_word(p, WORD_readonly) ||
           at_word(p, WORD_infer);
}

/* `infer X`, and its constraint unless the `extends` turns out to be that of a conditional type:
   then what was read as the constraint is its extends clause, and type() jumps over it. */
static void infer_type(struct parser *p)
{
    struct cursor saved;
    uint8_t no_conditional = p->now.no_conditional;
    advance(p);
    if (!at_name(p))
        fail_unexpected(p);
    advance(p);
    if (!at_word(p, WORD_extends) || recall(p, MEMO_INFER, here(p)))
        return;
    saved = p->now;
    advance(p);
    p->now.no_conditional = 1;
    type(p);
    p->now.no_conditional = no_conditional;
    if (!no_conditional && at(p, '?')) {
        remember(p, MEMO_INFER, saved.token.start, behind(p));
        rewind_to(p, &saved);
    }
}

static void operator_type(struct parser *p)
{
    if (!enter_type(p))
        return;
    if (at_type_operator(p)) {
        if (at_word(p, WORD_infer)) {
            infer_type(p);
        } else {
            advance(p);
            operator_type(p);
        }
    } else {
        primary_type(p);
        while (at(p, '[') && !p->now.token.newline) { /* T[] and T[K] */
            uint32_t open = here(p);
            advance(p);
            if (!at(p, ']'))
                whole_type(p);
            expect_closer(p, ']', open);
        }
    }
    leave(p);
}

static int take_union_operator(struct parser *p)
{
    return take(p, '|') || take(p, '&');
}

static void union_type(struct parser *p)
{
    take_union_operator(p);
    do {
        take_union_operator(p);
        if (at_function_type(p))
            function_type(p);
        else
            operator_type(p);
    } while (take_union_operator(p));
}

static void conditional_type(struct parser *p)
{
    uint32_t known = recall(p, MEMO_INFER, here(p));
    if (known) {
        jump(p, known);
    } else {
        advance(p);
        p->now.no_conditional = 1;
        type(p);
        p->now.no_conditional = 0;
    }
    expect(p, '?', "'?'");
    type(p);
    expect(p, ':', "':'");
    type(p);
}

static void type(struct parser *p)
{
    if (!enter_type(p))
        return;
    if (at_function_type(p)) {
        function_type(p);
    } else {
        union_type(p);
        if (!p->now.no_conditional && !p->now.token.newline && at_word(p, WORD_extends))
            conditional_type(p);
    }
    leave(p);
}

void whole_type(struct parser *p)
{
    uint8_t no_conditional = p->now.no_conditional;
    p->now.no_conditional = 0;
    type(p);
    p->now.no_conditional = no_conditional;
}

void heritage_types(struct parser *p)
{
    do {
        whole_type(p);
        if (at_less(p)) /* on the next line, where a type alone would have ended */
            type_arguments(p, 0);
    } while (take(p, ','));
}
