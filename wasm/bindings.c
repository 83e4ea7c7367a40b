/* The functions that a program may call outside.

   A namespace is a frozen object without a prototype whose own members are the bindings; each is an
   ordinary function that needs no `this`. A call writes its argument as JSON into a CALL frame (a
   helper's call: all its arguments, as one list) and returns a promise, which a settle record of the host resolves or rejects. Each call id is answered
   once: a second answer, or one for an id that was never given, is ignored. */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "guest.h"

struct binding {
    JSAtom name;
    uint32_t space;
    bool is_helper; /* takes any number of arguments, and is not enumerable */
};

struct space {
    JSAtom name;
    JSAtom member;   /* the property of an error that names the binding */
    JSValue proto;   /* the prototype of a rejection */
};

struct call {
    uint32_t id; /* 0: the slot is free; else generation << 16 | slot */
    uint32_t binding;
    uint32_t next_free;
    JSValue resolve, reject;
    struct engine_place place;
};

#define NO_SLOT UINT32_MAX

static struct binding *bindings;
static struct space *spaces;
static struct call *calls;
static uint32_t calls_room, first_free = NO_SLOT, pending, made;
static uint16_t generation;

/* The class that a namespace's rejections have by default, made at build time. */
static JSValue default_class, class_factory;

uint32_t bindings_pending(void)
{
    return pending;
}

static struct call *take_slot(void)
{
    if (first_free == NO_SLOT) {
        uint32_t room = calls_room ? calls_room * 2 : 16;
        struct call *moved = realloc(calls, room * sizeof *moved);
        if (!moved)
            return NULL;
        calls = moved;
        for (uint32_t i = room; i-- > calls_room;) {
            calls[i] = (struct call){.next_free = first_free};
            first_free = i;
        }
        calls_room = room;
    }
    struct call *call = &calls[first_free];
    if (!++generation)
        generation = 1;
    call->id = (uint32_t)generation << 16 | first_free;
    first_free = call->next_free;
    pending++;
    return call;
}

static void free_slot(struct call *call)
{
    call->next_free = first_free;
    first_free = (uint32_t)(call - calls);
    call->id = 0;
    pending--;
}

/* The value a binding returns: a promise that is already rejected with `error`. Takes `error`. */
static JSValue rejected(JSContext *ctx, JSValue error)
{
    JSValue functions[2], promise = JS_NewPromiseCapability(ctx, functions);

    if (!JS_IsException(promise)) {
        JS_FreeValue(ctx, JS_Call(ctx, functions[1], JS_UNDEFINED, 1, (JSValueConst *)&error));
        JS_FreeValue(ctx, functions[0]);
        JS_FreeValue(ctx, functions[1]);
    }
    JS_FreeValue(ctx, error);
    return promise;
}

static JSValue refuse_call(JSContext *ctx, const struct binding *binding, const char *why,
                           size_t why_length)
{
    struct text message;
    JSValue promise;
    const char *space = JS_AtomToCString(ctx, spaces[binding->space].name);
    const char *name = JS_AtomToCString(ctx, binding->name);

    text_init(&message, 4096);
    text_addf(&message, "%s.%s was not called: ", space ? space : "", name ? name : "");
    text_add(&message, why, why_length);
    text_addc(&message, 0);
    JS_FreeCString(ctx, space);
    JS_FreeCString(ctx, name);
    JS_ThrowTypeError(ctx, "%s", message.data ? message.data : "out of memory");
    text_free(&message);
    promise = rejected(ctx, JS_GetException(ctx));
    return promise;
}

/* `await tools` looks for a `then` and, where a binding has that name, calls it as if the namespace
   were a promise. Nobody means that; without an answer the program would wait for ever. */
static JSValue refuse_await(JSContext *ctx, const struct binding *binding, JSValueConst reject)
{
    JSValue error;
    const char *space = JS_AtomToCString(ctx, spaces[binding->space].name);

    JS_ThrowTypeError(ctx, "%s cannot be awaited or returned from an async function, because one of "
                      "its members is called then: pass its members instead", space ? space : "");
    JS_FreeCString(ctx, space);
    error = JS_GetException(ctx);
    JS_FreeValue(ctx, JS_Call(ctx, reject, JS_UNDEFINED, 1, (JSValueConst *)&error));
    JS_FreeValue(ctx, error);
    return JS_UNDEFINED;
}

static JSValue emit_call(JSContext *ctx, uint32_t index, const struct text *json)
{
    JSValue functions[2], promise = JS_NewPromiseCapability(ctx, functions);
    struct call *call;
    uint32_t head[2];

    if (JS_IsException(promise))
        return promise;
    call = take_slot();
    head[0] = call ? call->id : 0;
    head[1] = index;
    if (!call || !frame_emit(FRAME_CALL, head, sizeof head, json->data, json->length)) {
        if (call)
            free_slot(call);
        JS_FreeValue(ctx, functions[0]);
        JS_FreeValue(ctx, functions[1]);
        JS_FreeValue(ctx, promise);
        return JS_ThrowOutOfMemory(ctx);
    }
    call->binding = index;
    call->resolve = functions[0];
    call->reject = functions[1];
    call->place = engine_caller(ctx);
    made++;
    return promise;
}

static JSValue refuse_count(JSContext *ctx, const struct binding *binding, const char *what,
                            uint32_t limit)
{
    struct text why;
    JSValue promise;

    text_init(&why, 200);
    text_addf(&why, "the limit of %u %s is reached", (unsigned)limit, what);
    promise = refuse_call(ctx, binding, why.data, why.length);
    text_free(&why);
    return promise;
}

static JSValue call_binding(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv,
                            int index, JSValue *data)
{
    const struct binding *binding = &bindings[index];
    struct text json, problem, lossy;
    JSValue promise;

    (void)this_value, (void)data;
    if (argc >= 2 && engine_is_resolver(argv[0]) && engine_is_resolver(argv[1]))
        return refuse_await(ctx, binding, argv[1]);
    if (made >= guest.limits.calls)
        return refuse_count(ctx, binding, "calls in one run", guest.limits.calls);
    if (pending >= guest.limits.pending_calls)
        return refuse_count(ctx, binding, "pending calls", guest.limits.pending_calls);
    text_init(&json, guest.limits.argument_bytes);
    text_init(&problem, 1024);
    text_init(&lossy, 512);
    switch (arguments_write(ctx, binding->is_helper, argc, argv, &json, &problem, &lossy)) {
    case JSON_WRITTEN:
        if (lossy.length)
            log_write(SOURCE_RUNTIME, LEVEL_WARN, lossy.data, lossy.length);
        promise = emit_call(ctx, (uint32_t)index, &json);
        break;
    case JSON_REFUSED:
        promise = refuse_call(ctx, binding, problem.data, problem.length);
        break;
    case JSON_TOO_LARGE:
        text_addf(&problem, "its argument is larger than %u bytes of JSON",
                  (unsigned)guest.limits.argument_bytes);
        promise = refuse_call(ctx, binding, problem.data, problem.length);
        break;
    default:
        promise = rejected(ctx, JS_GetException(ctx));
    }
    text_free(&lossy);
    text_free(&problem);
    text_free(&json);
    return promise;
}

/* The answer's error: {"message": …} and other members that it gets as its own. */
static JSValue make_error(JSContext *ctx, const struct call *call, const char *json, size_t length)
{
    const struct binding *binding = &bindings[call->binding];
    const struct space *space = &spaces[binding->space];
    JSValue members = json_read(ctx, json, length), error;
    JSPropertyEnum *names;
    uint32_t count;
    int line, column;

    if (JS_IsException(members))
        return JS_GetException(ctx);
    error = JS_NewError(ctx);
    JS_SetPrototype(ctx, error, space->proto);
    if (!JS_GetOwnPropertyNames(ctx, &names, &count, members, JS_GPN_STRING_MASK)) {
        for (uint32_t i = 0; i < count; i++)
            JS_DefinePropertyValue(ctx, error, names[i].atom,
                                   JS_GetProperty(ctx, members, names[i].atom),
                                   JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
        JS_FreePropertyEnum(ctx, names, count);
    }
    JS_FreeValue(ctx, members);
    JS_DefinePropertyValue(ctx, error, space->member, JS_AtomToString(ctx, binding->name),
                           JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    if (engine_locate(ctx, &call->place, &line, &column)) {
        struct text stack;
        const char *name = JS_AtomToCString(ctx, binding->name);
        text_init(&stack, 1024);
        text_addf(&stack, "    at %s (" PROGRAM_NAME ":%d:%d)\n", name ? name : "", line, column);
        JS_FreeCString(ctx, name);
        engine_set_error_stack(ctx, error, JS_NewStringLen(ctx, stack.data, stack.length));
        text_free(&stack);
    }
    return error;
}

static void settle_one(JSContext *ctx, struct call *call, uint32_t status, const char *json,
                       size_t length)
{
    JSValue value = JS_UNDEFINED, function, outcome;
    bool failed = status == SETTLE_ERROR;

    if (status == SETTLE_ERROR) {
        value = make_error(ctx, call, json, length);
    } else if (status == SETTLE_VALUE) {
        value = json_read(ctx, json, length);
        if (JS_IsException(value)) {
            value = JS_GetException(ctx);
            failed = true;
        }
    }
    function = failed ? call->reject : call->resolve;
    outcome = JS_Call(ctx, function, JS_UNDEFINED, 1, (JSValueConst *)&value);
    if (JS_IsException(outcome))
        JS_FreeValue(ctx, JS_GetException(ctx));
    JS_FreeValue(ctx, outcome);
    JS_FreeValue(ctx, value);
}

void bindings_settle(JSContext *ctx, struct reader *reader)
{
    while (reader->at < reader->end) {
        uint32_t id = read_u32(reader), status = read_u32(reader), slot = id & 0xFFFF;
        size_t length;
        const char *json = read_bytes(reader, &length);
        struct call call;

        if (reader->failed)
            return;
        if (!id || slot >= calls_room || calls[slot].id != id)
            continue;
        call = calls[slot];
        free_slot(&calls[slot]); /* first: settling may run the program's code, which may call again */
        settle_one(ctx, &call, status, json, length);
        JS_FreeValue(ctx, call.resolve);
        JS_FreeValue(ctx, call.reject);
        JS_FreeValue(ctx, call.place.function);
    }
}

/* Reads names and makes a member of each: the functions of a namespace, or its helpers. */
static bool define_members(JSContext *ctx, JSValueConst object, struct reader *reader,
                           uint32_t space, bool is_helper, uint32_t *next_binding)
{
    uint32_t count = read_u32(reader);
    size_t length;

    for (uint32_t i = 0; i < count; i++) {
        struct binding *binding = &bindings[*next_binding];
        const char *name = read_bytes(reader, &length);
        JSValue function;

        if (reader->failed)
            return false;
        binding->name = JS_NewAtomLen(ctx, name, length);
        binding->space = space;
        binding->is_helper = is_helper;
        function = JS_NewCFunctionData(ctx, call_binding, 1, (int)*next_binding, 0, NULL);
        ++*next_binding;
        if (JS_IsException(function) ||
            JS_DefinePropertyValue(ctx, object, binding->name, function,
                                   is_helper ? 0 : JS_PROP_ENUMERABLE) < 0)
            return false;
    }
    return true;
}

static bool define_space(JSContext *ctx, JSValueConst global, struct space *space,
                         struct reader *reader, uint32_t index, uint32_t *next_binding)
{
    size_t length, class_length, member_length;
    const char *name = read_bytes(reader, &length);
    const char *class_name = read_bytes(reader, &class_length);
    const char *member = read_bytes(reader, &member_length);
    JSValue object, constructor;

    if (reader->failed)
        return false;
    space->name = JS_NewAtomLen(ctx, name, length);
    space->member = JS_NewAtomLen(ctx, member, member_length);
    if (class_length == strlen(DEFAULT_ERROR_CLASS) &&
        !memcmp(class_name, DEFAULT_ERROR_CLASS, class_length)) {
        constructor = JS_DupValue(ctx, default_class);
    } else {
        JSValue argument = JS_NewStringLen(ctx, class_name, class_length);
        constructor = JS_Call(ctx, class_factory, JS_UNDEFINED, 1, (JSValueConst *)&argument);
        JS_FreeValue(ctx, argument);
        if (JS_IsException(constructor))
            return false;
    }
    space->proto = JS_GetPropertyStr(ctx, constructor, "prototype");
    JSAtom class_atom = JS_NewAtomLen(ctx, class_name, class_length);
    JS_DefinePropertyValue(ctx, global, class_atom, constructor,
                           JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    JS_FreeAtom(ctx, class_atom);
    object = JS_NewObjectProto(ctx, JS_NULL);
    if (!define_members(ctx, object, reader, index, false, next_binding) ||
        !define_members(ctx, object, reader, index, true, next_binding)) {
        JS_FreeValue(ctx, object);
        return false;
    }
    JS_PreventExtensions(ctx, object);
    return JS_DefinePropertyValue(ctx, global, space->name, object, JS_PROP_ENUMERABLE) >= 0 &&
           !reader->failed;
}

bool bindings_define(JSContext *ctx, struct reader *reader)
{
    uint32_t space_count = read_u32(reader), binding_count = read_u32(reader), next = 0;
    JSValue global;
    bool ok = true;

    if (reader->failed)
        return false;
    spaces = calloc(space_count + 1, sizeof *spaces);
    bindings = calloc(binding_count + 1, sizeof *bindings);
    if (!spaces || !bindings)
        return false;
    global = JS_GetGlobalObject(ctx);
    for (uint32_t i = 0; i < space_count && ok; i++)
        ok = define_space(ctx, global, &spaces[i], reader, i, &next);
    JS_FreeValue(ctx, global);
    return ok && next == binding_count;
}

bool bindings_init(JSContext *ctx, JSValueConst factory)
{
    JSValue name = JS_NewString(ctx, DEFAULT_ERROR_CLASS);

    class_factory = JS_DupValue(ctx, factory);
    default_class = JS_Call(ctx, class_factory, JS_UNDEFINED, 1, (JSValueConst *)&name);
    JS_FreeValue(ctx, name);
    return !JS_IsException(default_class);
}
