/* What the guest needs of QuickJS beyond its public header. */
#ifndef CODEMODE_ENGINE_H
#define CODEMODE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "quickjs.h"

enum engine_body { ENGINE_STATEMENTS, ENGINE_EXPRESSION };

/* Compiles `text` as the whole body of a strict async function without parameters and returns that
   function, or an exception. The text ends at its end and nowhere else: no brace in it can close the
   function, because there is no wrapper to close. ENGINE_EXPRESSION takes one expression and returns
   its value. `text[length]` must be 0. Lines count from 1, columns count bytes from 1; a syntax error's
   stack always names its place. */
JSValue engine_compile(JSContext *ctx, const char *text, size_t length, const char *filename,
                       enum engine_body body);

/* True when so little stack is left that a recursion of ours must stop. */
bool engine_stack_low(JSContext *ctx);

/* Sets an own, plain data member of a fresh object. Takes `value`, not `name`. */
int engine_set_member(JSContext *ctx, JSValueConst object, JSAtom name, JSValue value);

/* The place from which the running native function was called, kept cheaply: a reference to the
   calling function (JS_UNDEFINED if there is none) and a position in its code. */
struct engine_place {
    JSValue function;
    uint32_t position;
};
struct engine_place engine_caller(JSContext *ctx);
/* Line and column of a place, from 1; false if it is unknown. */
bool engine_locate(JSContext *ctx, const struct engine_place *place, int *line, int *column);

/* The first `units` UTF-16 units of a string (all of it, if it is shorter), without making a long
   string's bytes first. */
JSValue engine_string_head(JSContext *ctx, JSValueConst string, uint32_t units);
uint32_t engine_string_length(JSValueConst string);

/* True for the name of an array's item. */
bool engine_is_index(JSAtom name);

/* The text of a Date (ISO), a RegExp (its pattern) or a symbol (its description), made without the
   program's code. An exception for an invalid date. */
JSValue engine_text(JSContext *ctx, JSValueConst value);

/* Gives Math.random its state. */
void engine_seed(JSContext *ctx, uint64_t seed);

/* What kind of built-in `value` is, seen through no getter and no prototype. */
enum engine_kind {
    KIND_OTHER, KIND_ARRAY, KIND_ERROR, KIND_BOXED, KIND_DATE, KIND_REGEXP, KIND_MAP, KIND_SET,
    KIND_WEAK, KIND_PROMISE, KIND_PROXY, KIND_BUFFER, KIND_TYPED_ARRAY, KIND_FUNCTION, KIND_RAW_JSON
};
enum engine_kind engine_kind(JSContext *ctx, JSValueConst value);

/* True for the two functions that a promise hands to a `then` method. */
bool engine_is_resolver(JSValueConst value);

/* The primitive inside `new String(...)`, `Object(1n)` and their like. */
JSValue engine_unbox(JSContext *ctx, JSValueConst boxed);

/* The number of entries of a Map or Set. */
int64_t engine_collection_size(JSValueConst collection);

/* The stack that the engine recorded in an Error, whatever its `stack` property says now; JS_UNDEFINED
   if there is none. And a way to record another. Takes `stack`. */
JSValue engine_error_stack(JSContext *ctx, JSValueConst error);
void engine_set_error_stack(JSContext *ctx, JSValueConst error, JSValue stack);

/* Calls `visit` for each live entry, in order, without running any of the program's code. The
   visitor must not change the collection. Stops when it returns false. */
void engine_each_entry(JSContext *ctx, JSValueConst collection,
                       bool (*visit)(void *opaque, JSValueConst key, JSValueConst value),
                       void *opaque);

/* The class's name as its constructor had it: the name of the function at `constructor` of the
   prototype, read as data properties only. Returns an atom the caller frees, or JS_ATOM_NULL. */
JSAtom engine_constructor_name(JSContext *ctx, JSValueConst object);

#endif
