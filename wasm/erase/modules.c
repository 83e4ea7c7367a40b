/* Imports and exports.
 *
 * There are no modules. What is only for types goes away; `export` before a declaration goes away;
 * `export default` says what the program's value is; everything else is refused with what to write
 * instead. */
#include "grammar.h"

#define USE_RETURN "export is not possible: the program is the body of a function; use return"

/* ---- import ---- */

int at_import_declaration(const struct parser *p)
{
    struct token next;
    if (!at_word(p, WORD_import))
        return 0;
    peek(p, &next);
    return next.kind != '(' && next.kind != '.';
}

/* The module's name in the import at `start`: the first string before its end. Looked for only when
 * the import is refused, so that a file of imports is not read again for each. */
static struct span imported_module(const struct parser *p, uint32_t start)
{
    struct token token;
    lex(p, start, &token);
    while (token.kind != TOKEN_STRING && token.kind != ';' && token.kind != TOKEN_END &&
           token.kind != TOKEN_BAD)
        lex(p, token.end, &token);
    if (token.kind != TOKEN_STRING)
        return (struct span){0, 0};
    return (struct span){token.start, token.end};
}

/* At `type` behind `import`: whether it is the modifier, and not the name of what is imported. */
static int is_type_import(const struct parser *p)
{
    struct token next, second;
    peek(p, &next);
    if (next.word == WORD_from) {
        lex(p, next.end, &second);
        return second.kind != TOKEN_STRING;
    }
    return next.kind == '{' || next.kind == '*' || is_name(&next);
}

/* In braces, at a specifier: past it, and whether it is only a type. `type` itself may be a name: {
   type }, { type as x } and { type as as x } import a value, { type as } and { type as as } ... see
   tsc's parser. */
static int type_specifier(struct parser *p)
{
    int is_type = 0;
    if (take_word(p, WORD_type)) {
        is_type = !at(p, ',') && !at(p, '}');
        if (take_word(p, WORD_as) && !at(p, ',') && !at(p, '}')) {
            advance(p);
            is_type = !at(p, ',') && !at(p, '}');
        }
    }
    while (!at(p, ',') && !at(p, '}') && !at(p, TOKEN_END))
        advance(p);
    return is_type;
}

/* At `{`: past the `}`; returns how many specifiers are values. */
static uint32_t value_specifiers(struct parser *p, uint32_t *count)
{
    uint32_t open = here(p), values = 0;
    *count = 0;
    advance(p);
    while (inside(p, '}')) {
        values += !type_specifier(p);
        ++*count;
        if (!take_comma(p, '}', open))
            break;
    }
    expect_closer(p, '}', open);
    return values;
}

/* The end of an import or export that goes away. */
static void module_source(struct parser *p)
{
    expect(p, TOKEN_STRING, "the module's name");
    if (take_word(p, WORD_with) && at(p, '{'))
        skip_brackets(p, BRACKETS_OF_ANYTHING);
}

/* Behind `import type`. */
static void type_import(struct parser *p)
{
    if (at_name(p)) {
        advance(p);
        if (take(p, '=')) { /* import type A = require("a"), import type A = B.C */
            do
                expect(p, TOKEN_NAME, "a name");
            while (take(p, '.'));
            if (at(p, '('))
                skip_brackets(p, BRACKETS_OF_ANYTHING);
            return;
        }
        take(p, ',');
    }
    if (at(p, '{')) {
        skip_brackets(p, BRACKETS_OF_ANYTHING);
    } else if (take(p, '*')) {
        take_word(p, WORD_as);
        advance(p);
    }
    if (!take_word(p, WORD_from))
        fail_expected(p, "'from'", NOWHERE);
    module_source(p);
}

enum statement_kind import_declaration(struct parser *p)
{
    uint32_t start = here(p);
    struct mark made = p->now.made;
    uint32_t count = 0;
    advance(p);
    if (at_word(p, WORD_type) && is_type_import(p)) {
        advance(p);
        type_import(p);
    } else if (at(p, '{') && !value_specifiers(p, &count) && count) {
        if (!take_word(p, WORD_from))
            fail_expected(p, "'from'", NOWHERE);
        module_source(p);
    } else {
        refuse_import(p, start, imported_module(p, start));
    }
    expect_semicolon(p);
    erase_since(p, start, &made);
    return STATEMENT_ERASED;
}

/* ---- export ---- */

/* At `{`, `type {` or `type *`: exports of names, which may stay if they are of types. */
static enum statement_kind export_list(struct parser *p, uint32_t start, const struct mark *made)
{
    uint32_t count = 0, values = 0;
    if (take_word(p, WORD_type)) {
        count = 1;
        if (at(p, '{')) {
            skip_brackets(p, BRACKETS_OF_ANYTHING);
        } else {
            advance(p);
            if (take_word(p, WORD_as))
                advance(p);
        }
    } else {
        values = value_specifiers(p, &count);
    }
    if (values || (!count && at_word(p, WORD_from)))
        refuse(p, start, USE_RETURN);
    if (take_word(p, WORD_from))
        module_source(p);
    expect_semicolon(p);
    erase_since(p, start, made);
    return STATEMENT_ERASED;
}

static void second_default(struct parser *p, uint32_t start)
{
    refuse(p, start,
           "`export default` must come last: there can only be one, and it is the value"
           " of the program");
}

/* The declaration or expression behind `export default`. */
static enum statement_kind default_value(struct parser *p, struct span *name)
{
    struct token next;
    uint32_t start = here(p);
    struct mark made = p->now.made;
    peek(p, &next);
    if (at_word(p, WORD_function) || at_async_function(p)) {
        int is_async = take_word(p, WORD_async);
        if (function_rest(p, is_async, name))
            return STATEMENT_FUNCTION;
        expect_semicolon(p); /* an overload */
        erase_since(p, start, &made);
        return STATEMENT_ERASED;
    }
    if (at_word(p, WORD_abstract) && next.word == WORD_class && !next.newline) {
        blank(p, here(p), p->now.token.end);
        advance(p);
    }
    if (at_word(p, WORD_class)) {
        class_rest(p, name);
        return STATEMENT_DECLARATION;
    }
    if (at_interface(p))
        return type_declaration(p);
    assignment(p, 1);
    return STATEMENT_EXPRESSION;
}

/* At `default`, behind the blanked `export`. */
static enum statement_kind export_default(struct parser *p, uint32_t start)
{
    uint32_t edit = blank(p, here(p), p->now.token.end);
    struct span name = {0, 0};
    advance(p);
    uint32_t value_start = here(p);
    enum statement_kind kind = default_value(p, &name);
    if (kind == STATEMENT_ERASED)
        return kind;
    if (p->default_at != NOWHERE)
        second_default(p, start);
    p->default_at = start;
    p->default_edit = edit;
    p->default_name = name;
    p->default_value = (struct span){value_start, behind(p)};
    if (kind == STATEMENT_EXPRESSION && !take(p, ';') && !at(p, TOKEN_END) && !p->now.token.newline)
        fail_expected(p, "';'", NOWHERE);
    return kind;
}

static enum statement_kind export_declaration(struct parser *p)
{
    struct token next;
    uint32_t start = here(p), end = p->now.token.end;
    struct mark made = p->now.made;
    advance(p);
    peek(p, &next);
    int is_type_list = at_word(p, WORD_type) && (next.kind == '{' || next.kind == '*');
    if (at(p, '{') || is_type_list)
        return export_list(p, start, &made);
    if (at(p, '*') || at(p, '=') || at_word(p, WORD_import) || at_word(p, WORD_as))
        refuse(p, start, USE_RETURN);
    blank(p, start, end);
    if (at_word(p, WORD_default))
        return export_default(p, start);
    uint32_t declaration = here(p);
    enum statement_kind kind = list_item(p);
    if (kind != STATEMENT_ERASED && kind != STATEMENT_FUNCTION && kind != STATEMENT_DECLARATION &&
        !p->now.failed)
        fail_unexpected_at(p, declaration);
    return kind;
}

enum statement_kind module_item(struct parser *p)
{
    return at_word(p, WORD_export) ? export_declaration(p) : list_item(p);
}
