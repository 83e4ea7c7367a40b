/* Arrow functions, and all that looks like one.
 *
 * The text between the parentheses is read once. A look at its first tokens, the one that tsc
 * takes, says whether it must be a parameter list, cannot be one, or might be. What might be one is
 * read as a list of expressions in which the extras of parameters (`?`, `: T`) are let through;
 * after the `)` it is known which of the two it was. Only an arrow function with a return type in
 * the middle of a conditional, `a ? (b) : c => d`, is tried and perhaps undone. */
#include "grammar.h"

enum look { LOOK_LIST, LOOK_EITHER, LOOK_PARAMETERS };

/* At `(`. `is_call`: behind `async`, where the list may also be that of a call. */
static enum look look_ahead(const struct parser *p, int is_call)
{
    struct token first, second, third;
    peek(p, &first);
    lex(p, first.end, &second);
    switch (first.kind) {
    case ')':
        if (second.kind != TOKEN_ARROW && second.kind != ':' && second.kind != '{')
            return LOOK_LIST;
        return is_call ? LOOK_EITHER : LOOK_PARAMETERS;
    case TOKEN_DOTS:
        return is_call ? LOOK_EITHER : LOOK_PARAMETERS;
    case '[':
    case '{':
        return LOOK_EITHER;
    }
    if (!is_name(&first) && first.word != WORD_this)
        return LOOK_LIST;
    switch (second.kind) {
    case ':':
        return LOOK_PARAMETERS;
    case '?':
        lex(p, second.end, &third);
        return third.kind == ':' || third.kind == ',' || third.kind == '=' || third.kind == ')'
                   ? LOOK_PARAMETERS
                   : LOOK_LIST;
    case ',':
    case '=':
    case ')':
        return LOOK_EITHER;
    }
    return word_flags[first.word] & MODIFIER && is_name(&second) ? LOOK_PARAMETERS : LOOK_LIST;
}

struct list {
    uint32_t close;           /* the offset of `)` */
    uint32_t parameters_only; /* the first thing that only a parameter list can hold, or NOWHERE */
    int is_binding;           /* each item could be a parameter */
};

static void note_parameter(const struct parser *p, struct list *list)
{
    if (list->parameters_only == NOWHERE)
        list->parameters_only = here(p);
}

/* At `(`. */
static struct list read_list(struct parser *p, int is_call)
{
    struct list list = {0, NOWHERE, 1};
    uint32_t open = here(p);
    uint8_t no_in = p->now.no_in;
    p->now.no_in = 0;
    advance(p);
    if (at(p, ')') && !is_call)
        note_parameter(p, &list);
    while (inside(p, ')')) {
        if (at(p, TOKEN_DOTS)) {
            if (!is_call)
                note_parameter(p, &list);
            advance(p);
        }
        list.is_binding &= assignment(p, 1).is_binding;
        if (at(p, '?')) {
            note_parameter(p, &list);
            blank(p, here(p), p->now.token.end);
            advance(p);
        }
        if (at(p, ':')) {
            note_parameter(p, &list);
            annotation(p);
            initializer(p);
        }
        if (!take_comma(p, ')', open))
            break;
        if (at(p, ')') && !is_call)
            note_parameter(p, &list);
    }
    list.close = here(p);
    p->now.no_in = no_in;
    expect_closer(p, ')', open);
    return list;
}

void arrow_body(struct parser *p, int is_async, int return_types)
{
    advance(p);
    if (at(p, '{')) {
        function_body(p, is_async, 0);
        return;
    }
    uint8_t in_async = p->now.in_async, in_generator = p->now.in_generator;
    p->now.in_async = (uint8_t)is_async;
    p->now.in_generator = 0;
    assignment(p, return_types);
    p->now.in_async = in_async;
    p->now.in_generator = in_generator;
}

static int at_arrow(const struct parser *p)
{
    return at(p, TOKEN_ARROW) && !p->now.token.newline;
}

/* What is known of the parentheses just read. */
struct head {
    uint32_t open, close;
    int is_async;
    int is_certain; /* they can only be parameters */
};

/* At `:` after the parentheses. Between `?` and `:` of a conditional (no return_types) this is an
   arrow function's return type only if another `:` follows the function. */
static int typed_arrow(struct parser *p, const struct head *head, int return_types)
{
    struct cursor saved = p->now;
    uint32_t colon = here(p);
    if (recall(p, MEMO_NOT_ARROW, head->open))
        return 0;
    advance(p);
    return_type(p);
    if (head->is_certain && !at_arrow(p))
        fail_expected(p, "'=>'", NOWHERE);
    if (at_arrow(p)) {
        uint32_t end = behind(p);
        if (has_newline(p, head->close, end)) { /* no line break may come between `)` and `=>` */
            blank(p, head->close, head->close + 1);
            blank_with(p, colon, end, NULL, ')');
        } else {
            blank(p, colon, end);
        }
        arrow_body(p, head->is_async, return_types);
        if (return_types || at(p, ':'))
            return 1;
    }
    if (head->is_certain)
        return 1;
    rewind_to(p, &saved);
    remember(p, MEMO_NOT_ARROW, head->open, 1);
    return 0;
}

/* Behind the list: the rest of the function, if it is that of an arrow function. */
static int rest_of_arrow(struct parser *p, const struct head *head, int return_types)
{
    if (at_arrow(p)) {
        arrow_body(p, head->is_async, return_types);
        return 1;
    }
    return at(p, ':') && typed_arrow(p, head, return_types);
}

static int certain_arrow(struct parser *p, int is_async, int return_types)
{
    struct head head = {.open = here(p), .is_async = is_async, .is_certain = 1};
    uint8_t in_async = p->now.in_async;
    p->now.in_async = (uint8_t)is_async;
    head.close = parameters(p, 0);
    p->now.in_async = in_async;
    if (!rest_of_arrow(p, &head, return_types))
        fail_expected(p, "'=>'", NOWHERE);
    return 1;
}

static int possible_arrow(struct parser *p, int is_possible, int is_async, int return_types)
{
    struct head head = {.open = here(p), .is_async = is_async};
    struct list list = read_list(p, is_async);
    head.close = list.close;
    head.is_certain = list.parameters_only != NOWHERE;
    if (is_possible && list.is_binding && rest_of_arrow(p, &head, return_types))
        return 1;
    if (list.parameters_only != NOWHERE)
        fail_unexpected_at(p, list.parameters_only);
    return 0;
}

/* At `(`: the list, and if it is that of an arrow function, the rest of the function. Returns
 * whether it was. Behind `async` the list may also be that of a call. */
static int list_or_arrow(struct parser *p, enum look look, int is_async, int return_types)
{
    if (!enter(p))
        return 0;
    int is_arrow = look == LOOK_PARAMETERS
                       ? certain_arrow(p, is_async, return_types)
                       : possible_arrow(p, look == LOOK_EITHER, is_async, return_types);
    leave(p);
    return is_arrow;
}

/* At `(` as the first token. */
static enum arrow_result parenthesis(struct parser *p, int return_types, struct operand *operand)
{
    *operand = (struct operand){.start = here(p)};
    if (list_or_arrow(p, look_ahead(p, 0), 0, return_types))
        return ARROW_FUNCTION;
    *operand = postfix(p, *operand);
    return ARROW_OPERAND;
}

/* Reads the type parameters at `<` again as what they turned out to be, to see that they are valid
 * as that. */
static void reread_types(struct parser *p, const struct cursor *less, int is_call)
{
    struct cursor now = p->now;
    if (now.failed)
        return;
    p->now = *less;
    p->now.made = now.made;
    if (is_call) {
        type_arguments(p, 0);
    } else {
        split_less(p);
        advance(p);
        whole_type(p);
        expect(p, '>', "'>'");
    }
    if (!p->now.failed)
        p->now = now;
}

/* At `<`, first or behind `async`: a generic arrow function, an assertion `<T>(x)`, or a call
 * `async<T>(x)`. */
static enum arrow_result generic(struct parser *p, int is_async, int return_types,
                                 struct operand *operand)
{
    struct cursor less = p->now;
    struct token next;
    split_less(p);
    peek(p, &next);
    if (!is_name(&next) && next.word != WORD_const)
        return ARROW_NOT;
    type_parameters(p);
    uint32_t open = here(p), types_end = behind(p);
    enum look look = at(p, '(') ? look_ahead(p, is_async) : LOOK_LIST;
    if (p->now.failed || look == LOOK_LIST) {
        rewind_to(p, &less);
        return ARROW_NOT;
    }
    uint32_t types = blank(p, less.token.start, types_end);
    uint32_t moved = NOWHERE;
    if (has_newline(p, less.token.start, open)) { /* no line break may come before the `(` */
        p->edits[types].head = "(";
        moved = blank(p, open, open + 1);
    }
    if (list_or_arrow(p, look, is_async, return_types))
        return ARROW_FUNCTION;
    if (!is_async)
        p->jsx = less.token.start;
    reread_types(p, &less, is_async);
    if (moved != NOWHERE) {
        p->edits[types].head = NULL;
        p->edits[moved].end = open;
    }
    if (is_async) {
        *operand = postfix(p, *operand);
    } else {
        postfix(p, *operand);
        operand->level = LEVEL_PREFIX;
        assertion_operand_ends(p, types, open);
    }
    return ARROW_OPERAND;
}

/* At `async`. */
static enum arrow_result async_arrow(struct parser *p, int return_types, struct operand *operand)
{
    struct cursor saved = p->now;
    struct token next;
    peek(p, &next);
    if (next.newline)
        return ARROW_NOT;
    *operand = (struct operand){.start = here(p)};
    if (next.kind == '(') {
        advance(p);
        if (list_or_arrow(p, look_ahead(p, 1), 1, return_types))
            return ARROW_FUNCTION;
        *operand = postfix(p, *operand);
        return ARROW_OPERAND;
    }
    if (next.kind == '<' || next.kind == TOKEN_SHIFT_LEFT) {
        advance(p);
        enum arrow_result result = generic(p, 1, return_types, operand);
        if (result == ARROW_NOT)
            rewind_to(p, &saved);
        return result;
    }
    if (is_name(&next)) {
        lex(p, next.end, &next);
        if (next.kind == TOKEN_ARROW && !next.newline) {
            advance(p);
            advance(p);
            arrow_body(p, 1, return_types);
            return ARROW_FUNCTION;
        }
    }
    return ARROW_NOT;
}

enum arrow_result arrow_or_operand(struct parser *p, int return_types, struct operand *operand)
{
    switch (p->now.token.kind) {
    case '(':
        return parenthesis(p, return_types, operand);
    case '<':
    case TOKEN_SHIFT_LEFT:
        *operand = (struct operand){.start = here(p)};
        return generic(p, 0, return_types, operand);
    }
    return at_word(p, WORD_async) ? async_arrow(p, return_types, operand) : ARROW_NOT;
}
