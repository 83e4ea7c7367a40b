/* Operators: binary ones with their precedence, casts, conditionals, assignments.
 *
 * Precedence matters for one thing: an erased cast must not change what an operator beside it
 * applies to. */
#include "grammar.h"

enum level binary_level(const struct parser *p)
{
    switch (p->now.token.kind) {
    case TOKEN_COALESCE:
    case TOKEN_OR:
        return LEVEL_OR;
    case TOKEN_AND:
        return LEVEL_AND;
    case '|':
        return LEVEL_BIT_OR;
    case '^':
        return LEVEL_BIT_XOR;
    case '&':
        return LEVEL_BIT_AND;
    case TOKEN_EQUALITY:
        return LEVEL_EQUALITY;
    case '<':
    case '>':
    case TOKEN_LESS_EQUAL:
    case TOKEN_GREATER_EQUAL:
        return LEVEL_RELATION;
    case TOKEN_SHIFT_LEFT:
    case TOKEN_SHIFT_RIGHT:
        return LEVEL_SHIFT;
    case '+':
    case '-':
        return LEVEL_SUM;
    case '*':
    case '/':
    case '%':
        return LEVEL_PRODUCT;
    case TOKEN_POWER:
        return LEVEL_POWER;
    }
    if (at_word(p, WORD_instanceof) || (at_word(p, WORD_in) && !p->now.no_in))
        return LEVEL_RELATION;
    return LEVEL_NONE;
}

int at_cast(const struct parser *p)
{
    return at_word(p, WORD_as) || at_word(p, WORD_satisfies);
}

/* `left as T`, `left satisfies T`. */
static void cast(struct parser *p, struct operand *left)
{
    uint32_t start = here(p);
    advance(p);
    whole_type(p); /* `const` too is read as a type */
    uint32_t edit = blank(p, start, behind(p));
    if (!left->is_cast) {
        left->cast_edit = edit;
        left->level_without_cast = left->level;
    }
    left->is_cast = 1;
    left->is_binding = 0;
    left->level = LEVEL_RELATION;
}

/* `a + b as T * c` is `(a + b) * c`: when an erased cast becomes the left side of an operator that
   binds tighter than what the cast was of, what it was of needs parentheses. */
static void protect_cast(struct parser *p, const struct operand *left, enum level level)
{
    if (!left->is_cast || p->now.failed)
        return;
    enum level inner = left->level_without_cast;
    if (inner >= level && !(inner == LEVEL_PREFIX && level == LEVEL_POWER))
        return;
    insert(p, left->start);
    if (left->start == p->now.item) {
        insert_text(p, ";"); /* the line before may have ended without one */
        p->now.item = NOWHERE;
    }
    insert_text(p, "(");
    p->edits[left->cast_edit].tail = ')';
}

static struct operand binary(struct parser *p, struct operand left, enum level above)
{
    while (!p->now.failed) {
        if (at(p, '>'))
            join_greater(p);
        if (at_cast(p) && !p->now.token.newline) {
            if (LEVEL_RELATION <= above)
                break;
            cast(p, &left);
            continue;
        }
        enum level level = binary_level(p);
        if (!level || (level == LEVEL_POWER ? level < above : level <= above))
            break;
        protect_cast(p, &left, level);
        advance(p);
        if (!enter(p))
            break;
        binary(p, unary(p), level);
        leave(p);
        left = (struct operand){.start = left.start, .level = (uint8_t)level};
    }
    return left;
}

/* Whether the `?` at hand is that of an optional parameter, `(a, b?: T) => c`: no expression
 * follows it. */
static int at_optional_mark(const struct parser *p)
{
    struct token next;
    peek(p, &next);
    return next.kind == ':' || next.kind == ',' || next.kind == ')' || next.kind == '=';
}

/* From the operator on: `=>` after a single name, a conditional, an assignment. */
static struct operand assignment_tail(struct parser *p, struct operand left, int return_types)
{
    struct operand result = {.start = left.start};
    if (at(p, TOKEN_ARROW) && !p->now.token.newline && left.level == LEVEL_NAME) {
        arrow_body(p, 0, return_types);
        return result;
    }
    if (at(p, '?') && !at_optional_mark(p)) {
        uint8_t no_in = p->now.no_in;
        p->now.no_in = 0;
        advance(p);
        assignment(p, 0);
        p->now.no_in = no_in;
        expect(p, ':', "':'");
        assignment(p, return_types);
        return result;
    }
    if (at(p, '=') || at(p, TOKEN_ASSIGN)) {
        result.is_binding = at(p, '=') && left.is_binding;
        advance(p);
        assignment(p, return_types);
        return result;
    }
    return left;
}

/* At `yield` in a generator. */
static void yield_expression(struct parser *p, int return_types)
{
    advance(p);
    if (take(p, '*')) {
        assignment(p, return_types);
        return;
    }
    if (p->now.token.newline || at_word(p, WORD_in) || at_word(p, WORD_of))
        return;
    switch (p->now.token.kind) {
    case ')':
    case ']':
    case '}':
    case ',':
    case ';':
    case ':':
    case TOKEN_END:
        return;
    }
    assignment(p, return_types);
}

static struct operand assignment_unguarded(struct parser *p, int return_types)
{
    struct operand left = {.start = here(p)};
    if (p->now.in_generator && at_word(p, WORD_yield)) {
        yield_expression(p, return_types);
        return left;
    }
    switch (arrow_or_operand(p, return_types, &left)) {
    case ARROW_FUNCTION:
        return left;
    case ARROW_OPERAND:
        break;
    case ARROW_NOT:
        left = unary(p);
        break;
    }
    left = binary(p, left, LEVEL_NONE);
    return assignment_tail(p, left, return_types);
}

struct operand assignment(struct parser *p, int return_types)
{
    struct operand result = {.start = here(p)};
    if (!enter(p))
        return result;
    result = assignment_unguarded(p, return_types);
    leave(p);
    return result;
}

void expression(struct parser *p)
{
    do
        assignment(p, 1);
    while (take(p, ','));
}
