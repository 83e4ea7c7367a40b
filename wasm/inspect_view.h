/* What inspect.c and inspect_error.c share. */
#ifndef CODEMODE_INSPECT_VIEW_H
#define CODEMODE_INSPECT_VIEW_H

#include "guest.h"

#define MOST_DEPTH 4
#define MOST_STRING 10000 /* UTF-16 units of one nested string */

struct view {
    JSContext *ctx;
    struct text *out;
    const void *open[MOST_DEPTH + 2];
    int depth;
};

/* A string's text, its first `most` units; `quoted` as in source code. */
void inspect_add_string(struct view *view, JSValueConst string, bool quoted, uint32_t most);

/* Forgets an exception of the engine (memory) that inspection met. */
void inspect_drop_exception(JSContext *ctx);

#endif
