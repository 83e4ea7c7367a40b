/* Values as a person wants to read them: console arguments and thrown things.

   Nothing here runs the program's code: getters are named, not called, proxies are not touched, and
   names come from data properties. What it prints is bounded in depth, items and bytes. */
#include <math.h>
#include <string.h>

#include "engine.h"
#include "guest.h"
#include "inspect_view.h"

#define MOST_ITEMS 100

static void show(struct view *view, JSValueConst value);

/* A string's text; `quoted` as in source code. */
void inspect_add_string(struct view *view, JSValueConst string, bool quoted, uint32_t most)
{
    JSValue head = engine_string_head(view->ctx, string, most);
    const char *bytes;
    size_t length;

    if (JS_IsException(head)) {
        inspect_drop_exception(view->ctx);
        text_adds(view->out, "[string too large to show]");
        return;
    }
    bytes = JS_ToCStringLen(view->ctx, &length, head);
    if (!bytes) {
        inspect_drop_exception(view->ctx);
        text_adds(view->out, "[string too large to show]");
    } else if (!quoted) {
        text_add(view->out, bytes, length);
    } else {
        size_t plain = 0;
        text_addc(view->out, '\'');
        for (size_t i = 0; i < length; i++) {
            const char *escaped = bytes[i] == '\n' ? "\\n" : bytes[i] == '\'' ? "\\'" :
                                  bytes[i] == '\\' ? "\\\\" : NULL;
            if (!escaped)
                continue;
            text_add(view->out, bytes + plain, i - plain);
            text_adds(view->out, escaped);
            plain = i + 1;
        }
        text_add(view->out, bytes + plain, length - plain);
        text_addc(view->out, '\'');
    }
    if (bytes)
        JS_FreeCString(view->ctx, bytes);
    if (engine_string_length(string) > most)
        text_adds(view->out, "…");
    JS_FreeValue(view->ctx, head);
}

static void add_atom(struct view *view, JSAtom atom)
{
    size_t length;
    const char *name = JS_AtomToCStringLen(view->ctx, &length, atom);

    if (!name) {
        inspect_drop_exception(view->ctx);
        return;
    }
    text_add(view->out, name, text_cut(name, length, 200));
    JS_FreeCString(view->ctx, name);
}

static void add_key(struct view *view, JSAtom atom)
{
    size_t length, good = 0;
    const char *name = JS_AtomToCStringLen(view->ctx, &length, atom);

    if (!name) {
        inspect_drop_exception(view->ctx);
        return;
    }
    while (good < length && (((name[good] | 32) >= 'a' && (name[good] | 32) <= 'z') ||
                             name[good] == '_' || name[good] == '$' ||
                             (good && name[good] >= '0' && name[good] <= '9')))
        good++;
    length = text_cut(name, length, 200);
    if (good && good >= length)
        text_add(view->out, name, length);
    else
        json_write_string(view->out, name, length);
    JS_FreeCString(view->ctx, name);
}

/* "Name " before the braces of a class instance; nothing for a plain object. */
static void add_class(struct view *view, JSValueConst object, const char *plain)
{
    JSAtom name = engine_constructor_name(view->ctx, object);
    const char *bytes = name == JS_ATOM_NULL ? NULL : JS_AtomToCString(view->ctx, name);

    if (bytes && strcmp(bytes, plain)) {
        add_atom(view, name);
        text_addc(view->out, ' ');
    }
    if (bytes)
        JS_FreeCString(view->ctx, bytes);
    JS_FreeAtom(view->ctx, name);
}

/* A member's value; takes what the descriptor holds. */
static void show_property(struct view *view, const JSPropertyDescriptor *property)
{
    if (property->flags & JS_PROP_GETSET)
        text_adds(view->out, "[Getter]");
    else
        show(view, property->value);
    JS_FreeValue(view->ctx, property->value);
    JS_FreeValue(view->ctx, property->getter);
    JS_FreeValue(view->ctx, property->setter);
}

/* Own enumerable members; `skip_indices` for arrays. Returns how many were written. */
static int add_members(struct view *view, JSValueConst object, bool skip_indices, int written)
{
    JSPropertyEnum *names;
    uint32_t count;

    if (JS_GetOwnPropertyNames(view->ctx, &names, &count, object,
                               JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY)) {
        inspect_drop_exception(view->ctx);
        return written;
    }
    for (uint32_t i = 0; i < count && !view->out->overflowed; i++) {
        JSPropertyDescriptor property;

        if (skip_indices && engine_is_index(names[i].atom))
            continue;
        if (written >= MOST_ITEMS) {
            text_addf(view->out, ", ... %u more", (unsigned)(count - i));
            break;
        }
        if (JS_GetOwnProperty(view->ctx, &property, object, names[i].atom) <= 0) {
            inspect_drop_exception(view->ctx);
            continue;
        }
        text_adds(view->out, written++ ? ", " : " ");
        add_key(view, names[i].atom);
        text_adds(view->out, ": ");
        show_property(view, &property);
    }
    JS_FreePropertyEnum(view->ctx, names, count);
    return written;
}

static void show_array(struct view *view, JSValueConst array)
{
    int64_t length = 0, holes = 0;
    int written = 0;

    if (JS_GetLength(view->ctx, array, &length))
        inspect_drop_exception(view->ctx);
    text_addc(view->out, '[');
    for (int64_t i = 0; i < length && !view->out->overflowed; i++) {
        JSPropertyDescriptor property;
        JSAtom atom;
        int has;

        if (written >= MOST_ITEMS || holes > MOST_ITEMS) {
            text_addf(view->out, ", ... %lld more items", (long long)(length - i));
            break;
        }
        atom = JS_NewAtomUInt32(view->ctx, (uint32_t)i);
        has = JS_GetOwnProperty(view->ctx, &property, array, atom);
        JS_FreeAtom(view->ctx, atom);
        text_adds(view->out, written++ ? ", " : " ");
        if (has <= 0) {
            holes++;
            text_adds(view->out, "<empty>");
            continue;
        }
        show_property(view, &property);
    }
    written = add_members(view, array, true, written);
    text_adds(view->out, written ? " ]" : "]");
}

struct entries {
    struct view *view;
    int written;
    bool pairs;
};

static bool show_entry(void *opaque, JSValueConst key, JSValueConst value)
{
    struct entries *entries = opaque;

    if (entries->written >= MOST_ITEMS || entries->view->out->overflowed)
        return false;
    text_adds(entries->view->out, entries->written++ ? ", " : " ");
    show(entries->view, key);
    if (entries->pairs) {
        text_adds(entries->view->out, " => ");
        show(entries->view, value);
    }
    return true;
}

static void show_collection(struct view *view, JSValueConst collection, bool pairs)
{
    struct entries entries = {view, 0, pairs};
    long long size = engine_collection_size(collection);

    text_addf(view->out, "%s(%lld) {", pairs ? "Map" : "Set", size);
    engine_each_entry(view->ctx, collection, show_entry, &entries);
    if (size > entries.written)
        text_addf(view->out, ", ... %lld more items", size - entries.written);
    text_adds(view->out, entries.written ? " }" : "}");
}

static void show_error(struct view *view, JSValueConst error)
{
    text_addc(view->out, '[');
    inspect_thrown(view->ctx, view->out, error);
    text_addc(view->out, ']');
}

static void show_function(struct view *view, JSValueConst function)
{
    JSValue name = inspect_data(view->ctx, function, "name");

    text_adds(view->out, "[Function");
    if (JS_IsString(name) && engine_string_length(name)) {
        text_adds(view->out, ": ");
        inspect_add_string(view, name, false, 100);
    }
    text_addc(view->out, ']');
    JS_FreeValue(view->ctx, name);
}

/* Built-ins whose text the engine makes. */
static void show_by_engine(struct view *view, JSValueConst value, const char *around,
                           const char *fallback)
{
    JSValue text = engine_text(view->ctx, value);

    if (JS_IsString(text)) {
        text_adds(view->out, around);
        inspect_add_string(view, text, false, 1000);
        text_adds(view->out, around);
    } else {
        inspect_drop_exception(view->ctx);
        text_adds(view->out, fallback);
    }
    JS_FreeValue(view->ctx, text);
}

static void show_object(struct view *view, JSValueConst object)
{
    enum engine_kind kind = engine_kind(view->ctx, object);
    int written;

    switch (kind) {
    case KIND_FUNCTION: show_function(view, object); return;
    case KIND_PROXY: text_adds(view->out, "[Proxy]"); return;
    case KIND_ERROR: show_error(view, object); return;
    case KIND_DATE: show_by_engine(view, object, "", "Invalid Date"); return;
    case KIND_REGEXP: show_by_engine(view, object, "/", "[RegExp]"); return;
    case KIND_PROMISE:
        switch (JS_PromiseState(view->ctx, object)) {
        case JS_PROMISE_PENDING: text_adds(view->out, "Promise { <pending> }"); return;
        case JS_PROMISE_REJECTED: text_adds(view->out, "Promise { <rejected> }"); return;
        default: text_adds(view->out, "Promise { <resolved> }"); return;
        }
    case KIND_WEAK: text_adds(view->out, "[WeakCollection]"); return;
    case KIND_BUFFER: text_adds(view->out, "[ArrayBuffer]"); return;
    default: break;
    }
    for (int i = 0; i < view->depth; i++) {
        if (view->open[i] == JS_VALUE_GET_PTR(object)) {
            text_adds(view->out, "[Circular]");
            return;
        }
    }
    if (view->depth > MOST_DEPTH || engine_stack_low(view->ctx)) {
        text_adds(view->out, kind == KIND_ARRAY ? "[Array]" : "[Object]");
        return;
    }
    view->open[view->depth++] = JS_VALUE_GET_PTR(object);
    switch (kind) {
    case KIND_ARRAY:
        show_array(view, object);
        break;
    case KIND_TYPED_ARRAY:
        add_class(view, object, "");
        show_array(view, object);
        break;
    case KIND_MAP:
    case KIND_SET:
        show_collection(view, object, kind == KIND_MAP);
        break;
    case KIND_BOXED: {
        JSValue inner = engine_unbox(view->ctx, object);
        text_addc(view->out, '[');
        show(view, inner);
        text_addc(view->out, ']');
        JS_FreeValue(view->ctx, inner);
        break;
    }
    default:
        add_class(view, object, "Object");
        text_addc(view->out, '{');
        written = add_members(view, object, false, 0);
        text_adds(view->out, written ? " }" : "}");
    }
    view->depth--;
}

static void show_primitive(struct view *view, JSValueConst value, bool quoted)
{
    if (JS_IsString(value)) {
        /* one unit has at least one byte: more than the buffer's room need not be converted */
        size_t room = view->out->limit - view->out->length;
        inspect_add_string(view, value, quoted, quoted ? MOST_STRING : (uint32_t)room + 1);
    } else if (JS_IsSymbol(value)) {
        JSValue description = engine_text(view->ctx, value);
        text_adds(view->out, "Symbol(");
        if (JS_IsString(description))
            inspect_add_string(view, description, false, 200);
        text_addc(view->out, ')');
        JS_FreeValue(view->ctx, description);
    } else if (JS_VALUE_GET_NORM_TAG(value) == JS_TAG_FLOAT64 && JS_VALUE_GET_FLOAT64(value) == 0 &&
               signbit(JS_VALUE_GET_FLOAT64(value))) {
        text_adds(view->out, "-0");
    } else {
        size_t length;
        const char *bytes = JS_ToCStringLen(view->ctx, &length, value);
        if (!bytes) {
            inspect_drop_exception(view->ctx);
            return;
        }
        text_add(view->out, bytes, length);
        if (JS_IsBigInt(value))
            text_addc(view->out, 'n');
        JS_FreeCString(view->ctx, bytes);
    }
}

static void show(struct view *view, JSValueConst value)
{
    if (JS_IsObject(value))
        show_object(view, value);
    else
        show_primitive(view, value, true);
}

void inspect(JSContext *ctx, struct text *out, JSValueConst value)
{
    struct view view = {.ctx = ctx, .out = out};

    if (engine_kind(ctx, value) == KIND_ERROR)
        inspect_thrown(ctx, out, value);
    else if (JS_IsObject(value))
        show_object(&view, value);
    else
        show_primitive(&view, value, false);
}
