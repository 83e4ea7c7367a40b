/* The TypeScript eraser: one pass that blanks the types out of a program and leaves JavaScript to
 * the engine.
 *
 * Every token that stays keeps its line and its column (in UTF-16 units), except after an inserted
 * parenthesis and inside lowered enums and parameter properties. Plain JavaScript comes back byte
 * for byte, apart from `export`. */
#ifndef ERASE_H
#define ERASE_H

#include <stddef.h>
#include <stdint.h>

enum erase_status { ERASE_OK, ERASE_SYNTAX, ERASE_REFUSED, ERASE_NO_MEMORY };

enum erase_shape {
    ERASE_SHAPE_EMPTY,      /* nothing is left to run */
    ERASE_SHAPE_BODY,       /* statements: the body of an async function */
    ERASE_SHAPE_EXPRESSION, /* `;`s, one expression, `;`s, and nothing else */
};

/* The kind of the last top-level statement that is left. */
enum erase_last {
    ERASE_LAST_NONE,
    ERASE_LAST_EXPRESSION,
    ERASE_LAST_FUNCTION, /* a function declaration, also a nameless one */
    ERASE_LAST_RETURN,
    ERASE_LAST_OTHER,
};

typedef struct {
    enum erase_status status;
    char *text; /* ERASE_OK: the JavaScript, length bytes and one NUL; erase_free frees it */
    size_t length;
    enum erase_shape shape;
    int calls_default; /* 1: the value came from `export default`: if it is a function the caller
                          calls it */
    enum erase_last last;
    uint32_t last_start, last_end; /* the last statement's byte span in the source */
    uint32_t offset;               /* otherwise: byte offset of the fault in the source */
    uint32_t line, column;         /* of the fault, from 1; the column counts UTF-16 units */
    char message[240]; /* one sentence; says what to write instead where there is something */
} erase_result;

/* Erases source[0, length). The source need not end in NUL and may hold any bytes. */
void erase_program(const char *source, size_t length, erase_result *result);

/* Frees result->text. */
void erase_free(erase_result *result);

#endif
