/* The bracketed lists of types: what skips over brackets, type parameters, type arguments.
 *
 * What such a list is depends on its text alone, whoever reads it, so its end, or that it has none,
 * is remembered by offset. That is what keeps `a < b, c, a < b, c ...` and other towers linear. */
#include "grammar.h"

/* ---- brackets ---- */

static int closer_of(uint8_t opener)
{
    return opener == '(' ? ')' : opener == '[' ? ']' : '}';
}

static void push_opener(struct parser *p)
{
    uint32_t *openers = grow(p, p->openers, &p->openers_room, p->openers_count, sizeof *openers);
    if (!openers)
        return;
    p->openers = openers;
    openers[p->openers_count++] = here(p);
}

static void pop_opener(struct parser *p)
{
    uint32_t opener = p->openers[p->openers_count - 1];
    int closer = closer_of(p->text[opener]);
    if (!at(p, closer)) {
        expect_closer(p, closer, opener);
        return;
    }
    p->openers_count--;
    remember(p, MEMO_BRACKET, opener, p->now.token.end);
}

/* An operator that stands in no type: `a < { b: c / 2 } > (d)` is a comparison. */
static int at_value_operator(const struct parser *p)
{
    switch (p->now.token.kind) {
    case '/':
    case '*':
    case '%':
    case '^':
    case '~':
    case TOKEN_POWER:
    case TOKEN_AND:
    case TOKEN_OR:
    case TOKEN_COALESCE:
    case TOKEN_EQUALITY:
    case TOKEN_INCREMENT:
    case TOKEN_ASSIGN:
        return 1;
    }
    return 0;
}

/* One token, or a whole bracket whose end is known. */
static void skip_in_brackets(struct parser *p, enum brackets what)
{
    uint32_t opener, known;
    switch (p->now.token.kind) {
    case '(':
    case '[':
    case '{':
        known = recall(p, MEMO_BRACKET, here(p));
        if (known == MEMO_FAILED)
            fail_unexpected(p);
        else if (known)
            p->now.token.end = known;
        else
            push_opener(p);
        break;
    case ')':
    case ']':
    case '}':
        pop_opener(p);
        break;
    case TOKEN_TEMPLATE:
        template_literal(p, 1);
        return;
    case TOKEN_END:
        opener = p->openers[p->openers_count - 1];
        expect_closer(p, closer_of(p->text[opener]), opener);
        return;
    }
    if (what == BRACKETS_OF_TYPES && at_value_operator(p))
        fail_unexpected(p);
    advance(p);
}

void skip_brackets(struct parser *p, enum brackets what)
{
    uint32_t base = p->openers_count;
    do
        skip_in_brackets(p, what);
    while (p->openers_count > base && !p->now.failed);
    if (p->now.failed && p->fault.status == ERASE_SYNTAX)
        for (uint32_t i = base; i < p->openers_count; i++)
            remember(p, MEMO_BRACKET, p->openers[i], MEMO_FAILED);
    p->openers_count = base;
}

/* ---- type parameters and arguments ---- */

void type_parameters(struct parser *p)
{
    split_less(p);
    expect(p, '<', "'<'");
    do {
        struct token next;
        while (at_word(p, WORD_const) || at_word(p, WORD_in) || at_word(p, WORD_out)) {
            peek(p, &next);
            if (!is_name(&next) && next.word != WORD_in && next.word != WORD_const)
                break; /* `out` as the name itself */
            advance(p);
        }
        if (at(p, '>'))
            break; /* after a comma */
        if (!at_name(p))
            fail_unexpected(p);
        advance(p);
        if (take_word(p, WORD_extends))
            whole_type(p);
        if (take(p, '='))
            whole_type(p);
    } while (take(p, ','));
    expect(p, '>', "'>'");
}

/* At `<`: up to its `>`. */
static void type_argument_list(struct parser *p)
{
    uint32_t open = here(p);
    uint32_t known = recall(p, MEMO_TYPE_ARGUMENTS, open);
    if (known && known != MEMO_FAILED) {
        p->now.token.end = known - 1;
        advance(p);
        return;
    }
    if (known)
        fail_unexpected(p);
    p->now.angles++;
    advance(p);
    while (inside(p, '>')) {
        whole_type(p);
        if (!take(p, ','))
            break;
    }
    if (!at(p, '>'))
        fail_expected(p, "'>'", NOWHERE);
    uint32_t level = p->now.angles--;
    if (!p->now.failed)
        remember(p, MEMO_TYPE_ARGUMENTS, open, p->now.token.end);
    else if (p->fault.status == ERASE_SYNTAX && level <= p->fault.hopeless)
        remember(p, MEMO_TYPE_ARGUMENTS, open, MEMO_FAILED);
}

void type_arguments(struct parser *p, int in_expression)
{
    split_less(p);
    type_argument_list(p);
    if (in_expression && at(p, '>'))
        join_greater(p); /* a >> b: the comparison and shift that they are */
    expect(p, '>', "'>'");
}
