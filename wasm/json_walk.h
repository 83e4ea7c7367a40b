/* Where json_write.c stands in a value, and what it has to say about a place in it. */
#ifndef CODEMODE_JSON_WALK_H
#define CODEMODE_JSON_WALK_H

#include "guest.h"

/* Where the walk is; lives on the C stack. */
struct step {
    const struct step *parent;
    JSValueConst object; /* the container */
    JSAtom key;          /* JS_ATOM_NULL: `index` counts */
    int64_t index;
    uint32_t depth;
};

struct walk {
    JSContext *ctx;
    struct text *out, *problem, *lossy;
    const char *root;
};

/* Writes "<what> at <path>: <advice>" to the walk's problem. */
enum json_outcome json_refuse(struct walk *walk, const struct step *step, const char *what,
                              const char *advice);

/* Notes an object whose data JSON does not show. */
void json_note_kind(struct walk *walk, JSValueConst object, const struct step *step);

#endif
