/* What cannot be erased but is written out in JavaScript, on the same lines: enums and parameter
 * properties. */
#include "grammar.h"

#include <string.h>

/* The enum's object and the last member's value, inside of the function that fills it. */
#define OBJECT "$enum"
#define VALUE "$value"

struct key {
    struct span span;
    int is_quoted;
};

static void insert_key(struct parser *p, const struct key *key)
{
    insert_text(p, key->is_quoted ? "" : "\"");
    insert_source(p, key->span);
    insert_text(p, key->is_quoted ? "" : "\"");
}

/* Later members may name this one, so it becomes a variable too, if its name can be one. */
static void insert_variable(struct parser *p, const struct key *key)
{
    struct span name = key->span;
    struct token token;
    if (key->is_quoted) {
        name.start++;
        name.end--;
    }
    lex(p, name.start, &token);
    int is_variable = is_name(&token) && !(word_flags[token.word] & STRICT) &&
                      token.start == name.start && token.end == name.end;
    for (uint32_t i = name.start; i < name.end && key->is_quoted; i++)
        if (p->text[i] >= 0x80 || p->text[i] == '\\')
            is_variable = 0;
    if (!is_variable)
        return;
    insert_text(p, "let ");
    insert_source(p, name);
    insert_text(p, "=");
}

/* let A=$value=$enum["A"]= */
static void insert_target(struct parser *p, const struct key *key)
{
    insert_variable(p, key);
    insert_text(p, VALUE "=" OBJECT "[");
    insert_key(p, key);
    insert_text(p, "]=");
}

/* Numbers also map back to the name. */
static void insert_reverse(struct parser *p, const struct key *key)
{
    insert_text(p, ";typeof " VALUE "==='string'||(" OBJECT "[" VALUE "]=");
    insert_key(p, key);
    insert_text(p, ");");
}

enum member_before { BEFORE_FIRST, BEFORE_NUMBER, BEFORE_STRING };

/* One member; returns what the next one counts on from. */
static enum member_before enum_member(struct parser *p, enum member_before before)
{
    struct key key = {{here(p), p->now.token.end}, at(p, TOKEN_STRING)};
    if (at(p, '['))
        refuse(p, here(p), "computed names of enum members are not supported; write a plain name");
    if (!at(p, TOKEN_NAME) && !key.is_quoted)
        fail_unexpected(p);
    if (has_newline(p, key.span.start, key.span.end)) /* written twice, it would move all lines */
        refuse(p, key.span.start, "an enum member's name must not have a line break in it");
    advance(p);
    if (!at(p, '=')) {
        if (before == BEFORE_STRING)
            refuse(p, key.span.start,
                   "an enum member after one with a text needs a value of its own, as in `A = 1`");
        blank(p, key.span.start, key.span.end);
        insert(p, key.span.end);
        insert_target(p, &key);
        insert_text(p, before == BEFORE_FIRST ? "0" : VALUE "+1");
        insert_reverse(p, &key);
        return BEFORE_NUMBER;
    }
    blank(p, key.span.start, p->now.token.end);
    insert(p, key.span.start);
    insert_target(p, &key);
    insert_text(p, "(");
    advance(p);
    struct token next;
    peek(p, &next);
    int is_string = at(p, TOKEN_STRING) && (next.kind == ',' || next.kind == '}');
    assignment(p, 1);
    insert(p, behind(p));
    insert_text(p, ")");
    insert_reverse(p, &key);
    return is_string ? BEFORE_STRING : BEFORE_NUMBER;
}

/* enum E { A, B = 2 } becomes var E;(function($enum){let $value; ... })(E||(E={})); with `let` in a
   block, where a `var` would reach the variables of the function around it. */
void enum_declaration(struct parser *p, uint32_t start)
{
    uint8_t in_async = p->now.in_async, in_generator = p->now.in_generator;
    enum member_before before = BEFORE_FIRST;
    advance(p);
    struct span name = {here(p), p->now.token.end};
    if (!at(p, TOKEN_NAME))
        fail_unexpected(p);
    advance(p);
    uint32_t open = here(p);
    blank(p, start, p->now.token.end);
    insert(p, start);
    insert_text(p, p->now.in_block ? "let " : "var ");
    insert_source(p, name);
    insert_text(p, ";(function(" OBJECT "){let " VALUE ";");
    expect(p, '{', "'{'");
    p->now.in_async = p->now.in_generator = 0; /* the members' values stand in a function */
    while (inside(p, '}')) {
        before = enum_member(p, before);
        if (at(p, ','))
            blank(p, here(p), p->now.token.end);
        if (!take_comma(p, '}', open))
            break;
    }
    p->now.in_async = in_async;
    p->now.in_generator = in_generator;
    blank(p, here(p), p->now.token.end);
    insert(p, p->now.token.end);
    insert_text(p, "})(");
    insert_source(p, name);
    insert_text(p, "||(");
    insert_source(p, name);
    insert_text(p, "={}));");
    expect_closer(p, '}', open);
}

void lower_properties(struct parser *p, uint32_t first, uint32_t class_open, uint32_t body_at)
{
    if (p->properties_count == first)
        return;
    insert(p, class_open);
    for (uint32_t i = first; i < p->properties_count; i++) {
        insert_source(p, p->properties[i]);
        insert_text(p, ";");
    }
    insert(p, body_at);
    if (p->text[body_at - 1] != ';' && p->text[body_at - 1] != '{')
        insert_text(p, ";"); /* behind `super(...)` and a line break */
    for (uint32_t i = first; i < p->properties_count; i++) {
        insert_text(p, "this.");
        insert_source(p, p->properties[i]);
        insert_text(p, "=");
        insert_source(p, p->properties[i]);
        insert_text(p, ";");
    }
}
