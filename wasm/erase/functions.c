/* Functions: patterns, parameter lists, signatures, bodies. */
#include "grammar.h"

void annotation(struct parser *p)
{
    uint32_t start = here(p);
    if (!take(p, ':'))
        return;
    whole_type(p);
    blank(p, start, behind(p));
}

void optional_type_parameters(struct parser *p)
{
    uint32_t start = here(p);
    if (!at_less(p))
        return;
    type_parameters(p);
    blank(p, start, behind(p));
}

void initializer(struct parser *p)
{
    if (take(p, '='))
        assignment(p, 1);
}

static void array_pattern(struct parser *p)
{
    uint32_t open = here(p);
    advance(p);
    while (inside(p, ']')) {
        if (take(p, ','))
            continue; /* a hole */
        take(p, TOKEN_DOTS);
        binding(p);
        initializer(p);
        if (!take_comma(p, ']', open))
            break;
    }
    expect_closer(p, ']', open);
}

static void object_pattern(struct parser *p)
{
    uint32_t open = here(p);
    advance(p);
    while (inside(p, '}')) {
        if (take(p, TOKEN_DOTS)) {
            binding(p);
        } else {
            property_name(p);
            if (take(p, ':'))
                binding(p);
            initializer(p);
        }
        if (!take_comma(p, '}', open))
            break;
    }
    expect_closer(p, '}', open);
}

void binding(struct parser *p)
{
    if (!enter(p))
        return;
    uint8_t no_in = p->now.no_in;
    p->now.no_in = 0;
    if (at(p, '['))
        array_pattern(p);
    else if (at(p, '{'))
        object_pattern(p);
    else if (at_name(p))
        advance(p);
    else
        fail_unexpected(p);
    p->now.no_in = no_in;
    leave(p);
}

/* `this: T` as the first parameter goes away, with its comma. */
static void this_parameter(struct parser *p)
{
    uint32_t start = here(p);
    advance(p);
    if (take(p, ':'))
        whole_type(p);
    take(p, ',');
    blank(p, start, behind(p));
}

/* Blanks `public`, `readonly` ...; returns whether there was one. */
static int parameter_modifiers(struct parser *p)
{
    int found = 0;
    while (word_flags[p->now.token.word] & MODIFIER) {
        struct token next;
        peek(p, &next);
        if (next.kind != TOKEN_NAME && next.kind != '{' && next.kind != '[')
            break; /* a parameter of that name */
        blank(p, here(p), p->now.token.end);
        advance(p);
        found = 1;
    }
    return found;
}

static void add_property(struct parser *p, struct span name)
{
    struct span *properties =
        grow(p, p->properties, &p->properties_room, p->properties_count, sizeof *properties);
    if (!properties)
        return;
    p->properties = properties;
    properties[p->properties_count++] = name;
}

static void parameter(struct parser *p, int allow_properties)
{
    if (at(p, '@'))
        refuse_decorator(p);
    uint32_t start = here(p);
    int is_property = parameter_modifiers(p);
    take(p, TOKEN_DOTS);
    struct span name = {here(p), p->now.token.end};
    if (is_property && (!allow_properties || !at_name(p)))
        refuse(p, start,
               "a parameter property is not supported here; declare a field and assign"
               " it in the constructor");
    binding(p);
    if (is_property)
        add_property(p, name);
    if (at(p, '?')) {
        blank(p, here(p), p->now.token.end);
        advance(p);
    }
    annotation(p);
    initializer(p);
}

uint32_t parameters(struct parser *p, int allow_properties)
{
    uint32_t open = here(p);
    uint8_t no_in = p->now.no_in;
    p->now.no_in = 0;
    expect(p, '(', "'('");
    if (at_word(p, WORD_this))
        this_parameter(p);
    while (inside(p, ')')) {
        parameter(p, allow_properties);
        if (!take_comma(p, ')', open))
            break;
    }
    uint32_t close = here(p);
    expect_closer(p, ')', open);
    p->now.no_in = no_in;
    return close;
}

void function_body(struct parser *p, int is_async, int is_generator)
{
    uint8_t in_async = p->now.in_async, in_generator = p->now.in_generator, no_in = p->now.no_in;
    uint8_t in_block = p->now.in_block;
    p->now.in_async = (uint8_t)is_async;
    p->now.in_generator = (uint8_t)is_generator;
    p->now.in_block = p->now.no_in = 0;
    block(p);
    p->now.in_async = in_async;
    p->now.in_generator = in_generator;
    p->now.in_block = in_block;
    p->now.no_in = no_in;
}

void signature(struct parser *p, int is_async, int is_generator, int allow_properties)
{
    uint8_t in_async = p->now.in_async, in_generator = p->now.in_generator;
    p->now.in_async = (uint8_t)is_async;
    p->now.in_generator = (uint8_t)is_generator;
    optional_type_parameters(p);
    parameters(p, allow_properties);
    p->now.in_async = in_async;
    p->now.in_generator = in_generator;
    uint32_t colon = here(p);
    if (take(p, ':')) {
        return_type(p);
        blank(p, colon, behind(p));
    }
}

int at_async_function(const struct parser *p)
{
    struct token next;
    if (!at_word(p, WORD_async))
        return 0;
    peek(p, &next);
    return next.word == WORD_function && !next.newline;
}

int function_rest(struct parser *p, int is_async, struct span *name)
{
    advance(p);
    int is_generator = take(p, '*');
    *name = (struct span){here(p), here(p)};
    if (at(p, TOKEN_NAME)) {
        name->end = p->now.token.end;
        advance(p);
    }
    signature(p, is_async, is_generator, 0);
    if (!at(p, '{'))
        return 0;
    function_body(p, is_async, is_generator);
    return 1;
}
