/* Classes: members, their modifiers, constructors.
 *
 * A member that leaves nothing (an overload, an abstract or declared one, an index signature)
 * becomes a `;`, and so does the modifier that a member starts with: a field before it may have
 * ended without one. */
#include "grammar.h"

#include <string.h>

struct class {
    uint32_t open; /* the offset behind its `{` */
    int is_derived;
};

struct member {
    uint32_t start;
    struct mark made;
    int is_async, is_generator, is_static;
    int is_erased; /* abstract or declared */
};

/* Whether a modifier is at hand and not a member of that name. */
static int at_modifier(const struct parser *p, const struct member *member)
{
    struct token next;
    uint8_t word = p->now.token.word;
    int may_break = word == WORD_static || word == WORD_get || word == WORD_set;
    switch (word) {
    case WORD_abstract:
    case WORD_declare:
    case WORD_accessor:
    case WORD_async:
    case WORD_get:
    case WORD_set:
        break;
    case WORD_static:
        if (member->is_static)
            return 0;
        break;
    default:
        if (!(word_flags[word] & MODIFIER))
            return 0;
    }
    peek(p, &next);
    if (next.newline && !may_break)
        return 0;
    switch (next.kind) {
    case TOKEN_NAME:
    case TOKEN_STRING:
    case TOKEN_NUMBER:
    case TOKEN_PRIVATE:
    case '[':
        return 1;
    case '*':
        return word != WORD_get && word != WORD_set;
    case '{':
        return word == WORD_static;
    }
    return 0;
}

static void modifiers(struct parser *p, struct member *member)
{
    while (at_modifier(p, member)) {
        switch (p->now.token.word) {
        case WORD_accessor:
            refuse(p, here(p), "'accessor' fields are not supported; write a getter and a setter");
            break;
        case WORD_async:
            member->is_async = 1;
            break;
        case WORD_static:
            member->is_static = 1;
            break;
        case WORD_get:
        case WORD_set:
            break;
        case WORD_abstract:
        case WORD_declare:
            member->is_erased = 1;
            /* fall through */
        default:
            blank_with(p, here(p), p->now.token.end, here(p) == member->start ? ";" : NULL, 0);
        }
        advance(p);
        if (at(p, '{'))
            return; /* a static block */
    }
}

/* `[key: string]: T`; returns whether it was one. */
static int index_signature(struct parser *p, const struct member *member)
{
    struct token name, colon;
    if (!at(p, '['))
        return 0;
    peek(p, &name);
    lex(p, name.end, &colon);
    if (name.kind != TOKEN_NAME || colon.kind != ':')
        return 0;
    skip_brackets(p, BRACKETS_OF_TYPES);
    annotation(p);
    if (!take(p, ','))
        expect_semicolon(p);
    erase_since(p, member->start, &member->made);
    return 1;
}

/* `super(...)` as a statement. */
static int at_super_call(const struct parser *p)
{
    struct token next;
    if (!at_word(p, WORD_super))
        return 0;
    peek(p, &next);
    return next.kind == '(';
}

/* At `{`; returns the offset where `this` can first be assigned to: behind the `{`, or behind
 * `super(...)`. */
static uint32_t constructor_body(struct parser *p, const struct class *class)
{
    uint32_t open = here(p);
    uint32_t body_at = class->is_derived ? 0 : p->now.token.end;
    uint8_t in_block = p->now.in_block;
    p->now.in_block = 0;
    expect(p, '{', "'{'");
    while (inside(p, '}')) {
        int is_super = at_super_call(p);
        list_item(p);
        if (is_super && !body_at)
            body_at = behind(p);
    }
    p->now.in_block = in_block;
    expect_closer(p, '}', open);
    return body_at;
}

static void constructor(struct parser *p, const struct class *class, const struct member *member)
{
    uint32_t first = p->properties_count;
    signature(p, 0, 0, 1);
    if (!at(p, '{')) {
        expect_semicolon(p);
        erase_since(p, member->start, &member->made);
    } else {
        p->now.in_async = p->now.in_generator = 0;
        uint32_t body_at = constructor_body(p, class);
        if (p->properties_count > first && !body_at)
            refuse(p, member->start,
                   "parameter properties in a derived class need super(...) as a"
                   " statement of the constructor");
        if (!p->now.failed)
            lower_properties(p, first, class->open, body_at);
    }
    p->properties_count = first;
}

static void method(struct parser *p, const struct member *member)
{
    signature(p, member->is_async, member->is_generator, 0);
    if (at(p, '{')) {
        function_body(p, member->is_async, member->is_generator);
    } else {
        expect_semicolon(p);
        erase_since(p, member->start, &member->made);
    }
}

static void field(struct parser *p, const struct member *member)
{
    annotation(p);
    p->now.in_async = p->now.in_generator = 0;
    initializer(p);
    expect_semicolon(p);
    if (member->is_erased)
        erase_since(p, member->start, &member->made);
}

static int is_text(const struct parser *p, struct span span, const char *text)
{
    size_t length = strlen(text);
    return span.end - span.start == length && !memcmp(p->text + span.start, text, length);
}

static void member(struct parser *p, const struct class *class)
{
    struct member member = {.start = here(p), .made = p->now.made};
    if (at(p, '@'))
        refuse_decorator(p);
    modifiers(p, &member);
    if (member.is_static && at(p, '{')) {
        function_body(p, 0, 0);
        return;
    }
    member.is_generator = take(p, '*');
    if (index_signature(p, &member))
        return;
    struct span name = {here(p), p->now.token.end};
    property_name(p);
    int is_constructor = !member.is_static &&
                         (is_text(p, name, "constructor") || is_text(p, name, "'constructor'") ||
                          is_text(p, name, "\"constructor\""));
    if (at(p, '?') || (at(p, '!') && !p->now.token.newline)) {
        blank(p, here(p), p->now.token.end);
        advance(p);
    }
    if (!at(p, '(') && !at_less(p))
        field(p, &member);
    else if (is_constructor)
        constructor(p, class, &member);
    else
        method(p, &member);
}

static void class_name(struct parser *p, struct span *name)
{
    struct token next;
    *name = (struct span){here(p), here(p)};
    if (!at(p, TOKEN_NAME) || at_word(p, WORD_extends))
        return;
    if (at_word(p, WORD_implements)) {
        peek(p, &next);
        if (next.kind != '{' && next.word != WORD_extends)
            return; /* not a class of that name */
    }
    name->end = p->now.token.end;
    advance(p);
}

static void implements(struct parser *p)
{
    uint32_t start = here(p);
    if (!take_word(p, WORD_implements))
        return;
    heritage_types(p);
    blank(p, start, behind(p));
}

void class_rest(struct parser *p, struct span *name)
{
    struct class class = {0, 0};
    uint8_t in_async = p->now.in_async, in_generator = p->now.in_generator, no_in = p->now.no_in;
    if (!enter(p))
        return;
    advance(p);
    class_name(p, name);
    optional_type_parameters(p);
    if (take_word(p, WORD_extends)) {
        class.is_derived = 1;
        heritage(p);
    }
    implements(p);
    uint32_t open = here(p);
    class.open = p->now.token.end;
    expect(p, '{', "'{'");
    p->now.no_in = 0;
    while (inside(p, '}')) {
        if (take(p, ';'))
            continue;
        member(p, &class);
        p->now.in_async = in_async;
        p->now.in_generator = in_generator;
    }
    p->now.no_in = no_in;
    expect_closer(p, '}', open);
    leave(p);
}
