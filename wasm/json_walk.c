/* Paths into a value ("args.items[2]"), for refusals and notes. */
#include "engine.h"
#include "json_walk.h"

static bool is_identifier(const char *name, size_t length)
{
    if (!length || (name[0] >= '0' && name[0] <= '9'))
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        if (!((c | 32) >= 'a' && (c | 32) <= 'z') && !(c >= '0' && c <= '9') && c != '_' && c != '$')
            return false;
    }
    return true;
}

#define PATH_STEPS 24 /* of a deeper path only the last ones are named */

static void add_path(struct walk *walk, struct text *out, const struct step *step)
{
    const struct step *steps[PATH_STEPS];
    size_t count = 0;

    text_adds(out, walk->root);
    for (; step && count < PATH_STEPS; step = step->parent)
        steps[count++] = step;
    if (step)
        text_adds(out, "…");
    while (count--) {
        const char *name;
        size_t length;

        if (steps[count]->key == JS_ATOM_NULL) {
            text_addf(out, "[%lld]", (long long)steps[count]->index);
            continue;
        }
        name = JS_AtomToCStringLen(walk->ctx, &length, steps[count]->key);
        if (!name) {
            JS_FreeValue(walk->ctx, JS_GetException(walk->ctx));
            continue;
        }
        if (is_identifier(name, length)) {
            text_addc(out, '.');
            text_add(out, name, length);
        } else {
            text_addc(out, '[');
            json_write_string(out, name, text_cut(name, length, 80));
            text_addc(out, ']');
        }
        JS_FreeCString(walk->ctx, name);
    }
}

enum json_outcome json_refuse(struct walk *walk, const struct step *step, const char *what,
                              const char *advice)
{
    text_addf(walk->problem, "%s at ", what);
    add_path(walk, walk->problem, step);
    if (advice)
        text_addf(walk->problem, ": %s", advice);
    return JSON_REFUSED;
}

static void note_lossy(struct walk *walk, const struct step *step, const char *what,
                       const char *advice)
{
    if (walk->lossy->length)
        return;
    add_path(walk, walk->lossy, step);
    text_addf(walk->lossy, " is %s, which JSON writes as {}: %s", what, advice);
}

void json_note_kind(struct walk *walk, JSValueConst object, const struct step *step)
{
    switch (engine_kind(walk->ctx, object)) {
    case KIND_MAP:
        note_lossy(walk, step, "a Map", "use Object.fromEntries(map) or [...map]");
        break;
    case KIND_SET:
        note_lossy(walk, step, "a Set", "use [...set]");
        break;
    case KIND_ERROR:
        note_lossy(walk, step, "an Error", "use its .message");
        break;
    case KIND_REGEXP:
        note_lossy(walk, step, "a RegExp", "use its .source");
        break;
    case KIND_BUFFER:
        note_lossy(walk, step, "an ArrayBuffer", "use Array.from(new Uint8Array(buffer))");
        break;
    default:
        break;
    }
}
