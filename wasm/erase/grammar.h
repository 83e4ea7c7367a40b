/* The recognisers, by file. Each starts at its first token and ends at the token after its last. */
#ifndef ERASE_GRAMMAR_H
#define ERASE_GRAMMAR_H

#include "parser.h"

/* ---- types.c ---- */

void whole_type(struct parser *p);
/* Behind `implements`, or the `extends` of an interface. */
void heritage_types(struct parser *p);
/* After `:` of a function: a type or a type predicate. */
void return_type(struct parser *p);

/* ---- type_lists.c ---- */

/* At `<`. */
void type_parameters(struct parser *p);
/* At `<`; in an expression the last `>` must stand alone. */
void type_arguments(struct parser *p, int in_expression);
/* At an opening bracket: past its partner. Only brackets, strings and templates are looked at; in
 * brackets of types also whether a token stands there that none can hold. */
enum brackets { BRACKETS_OF_TYPES, BRACKETS_OF_ANYTHING };
void skip_brackets(struct parser *p, enum brackets what);

/* ---- expressions.c ---- */

/* How tightly the outermost operator binds; a larger number binds tighter. */
enum level {
    LEVEL_NONE,
    LEVEL_OR, /* also ?? */
    LEVEL_AND,
    LEVEL_BIT_OR,
    LEVEL_BIT_XOR,
    LEVEL_BIT_AND,
    LEVEL_EQUALITY,
    LEVEL_RELATION, /* also `as` and `satisfies` */
    LEVEL_SHIFT,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_POWER,
    LEVEL_PREFIX = LEVEL_POWER,
    LEVEL_POSTFIX,
    LEVEL_NAME, /* an identifier and nothing else */
};

struct operand {
    uint32_t start;
    uint32_t cast_edit; /* is_cast: the blank over the first `as` or `satisfies` at its end */
    uint8_t level;
    uint8_t level_without_cast;
    uint8_t is_cast;
    uint8_t is_binding; /* it could also be a parameter: a name or a pattern, with or without a
                           default */
};

/* With commas. */
void expression(struct parser *p);
/* Without. `return_types`: an arrow function may have a return type here without a `:` after it. */
struct operand assignment(struct parser *p, int return_types);
/* Of the operator at hand, LEVEL_NONE if it is not binary. */
enum level binary_level(const struct parser *p);
/* At `as` or `satisfies`. */
int at_cast(const struct parser *p);

/* ---- operands.c ---- */

struct operand unary(struct parser *p);
/* What can follow a primary expression: member access, calls, type arguments, `!`, `++`. */
struct operand postfix(struct parser *p, struct operand operand);
/* What can follow `extends` in a class. */
void heritage(struct parser *p);
/* After the operand of `<T>operand`, whose type is blanked by `edit`. */
void assertion_operand_ends(struct parser *p, uint32_t edit, uint32_t operand_start);

/* ---- arrows.c ---- */

enum arrow_result {
    ARROW_NOT,      /* nothing was read */
    ARROW_FUNCTION, /* an arrow function was read */
    ARROW_OPERAND,  /* what looked like one was something else, and was read as that: *operand */
};

/* At `(`, `<` or `async` where an assignment expression starts. */
enum arrow_result arrow_or_operand(struct parser *p, int return_types, struct operand *operand);
/* At `=>`: the rest. */
void arrow_body(struct parser *p, int is_async, int return_types);

/* ---- literals.c ---- */

/* Each returns whether it could also be a binding pattern. */
int array_literal(struct parser *p);
int object_literal(struct parser *p);
/* A literal, or a template literal type. */
void template_literal(struct parser *p, int in_type);
void property_name(struct parser *p);
void call_arguments(struct parser *p);

/* ---- functions.c ---- */

void annotation(struct parser *p);
void optional_type_parameters(struct parser *p);
void initializer(struct parser *p);
/* A name, or a destructuring pattern. */
void binding(struct parser *p);
/* At `(`. Parameter properties are added to p->properties if allowed, else refused; returns the
 * offset of `)`. */
uint32_t parameters(struct parser *p, int allow_properties);
/* At `{`. */
void function_body(struct parser *p, int is_async, int is_generator);
/* Type parameters, parameters, return type. */
void signature(struct parser *p, int is_async, int is_generator, int allow_properties);
/* At `function`; *name is its name, empty if it has none. Returns 0 if there was no body. */
int function_rest(struct parser *p, int is_async, struct span *name);
/* Whether `async function` starts here. */
int at_async_function(const struct parser *p);

/* ---- classes.c ---- */

/* At `class`; *name as above. */
void class_rest(struct parser *p, struct span *name);

/* ---- lowering.c ---- */

/* At `enum`, in a declaration that starts at `start`. */
void enum_declaration(struct parser *p, uint32_t start);
/* The names in p->properties from `first` on become fields after `class_open` and assignments at
 * `body_at`. */
void lower_properties(struct parser *p, uint32_t first, uint32_t class_open, uint32_t body_at);

/* ---- declarations.c: what leaves nothing behind ---- */

enum statement_kind {
    STATEMENT_NONE, /* no declaration starts here; nothing was read */
    STATEMENT_ERASED,
    STATEMENT_EMPTY,
    STATEMENT_EXPRESSION,
    STATEMENT_FUNCTION,
    STATEMENT_DECLARATION,
    STATEMENT_RETURN,
    STATEMENT_OTHER,
};

/* At a name: a type, interface, namespace, `declare` ... declaration, or STATEMENT_NONE. */
enum statement_kind type_declaration(struct parser *p);
int at_interface(const struct parser *p);

/* ---- statements.c ---- */

enum statement_kind statement(struct parser *p);
/* A statement of a list, where an empty one may be put before it. */
enum statement_kind list_item(struct parser *p);
void block(struct parser *p);

/* ---- modules.c ---- */

/* A statement, import or export at the top level. */
enum statement_kind module_item(struct parser *p);
/* At `import` that starts a declaration. */
enum statement_kind import_declaration(struct parser *p);
int at_import_declaration(const struct parser *p);

#endif
