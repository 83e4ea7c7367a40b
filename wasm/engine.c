/* QuickJS-ng, and the few doors into it that its public header lacks.

   This is the one file that sees the engine's internals: it includes quickjs.c. The names it uses
   below belong to the pinned version (pins.json); another version may need other words here, and
   nowhere else. */

/* QuickJS measures its stack by the address of a frame. In WebAssembly that address is on the shadow
   stack, which small functions do not use at all, so recursion through them would reach the end of
   the real stack unseen, and a trap cannot be caught by the program. The mark below makes every
   function that checks its depth use at least STACK_MARK_BYTES of shadow stack, which bounds the ratio
   between the two stacks (tests/runtime/test_recursion.py drives each known recursion). */
#define STACK_MARK_BYTES 256
#define __builtin_frame_address(level)                                                             \
    ({                                                                                             \
        char stack_mark[STACK_MARK_BYTES];                                                         \
        __asm__ volatile("" : : "r"(stack_mark) : "memory");                                       \
        (void *)stack_mark;                                                                        \
    })

#include "quickjs.c"

#include "engine.h"

/* A `using` declaration at the body's top level needs the body's end to dispose what it declared,
   on the normal way and when something was thrown. */
static void leave_using_scope(JSParseState *s, JSFunctionDef *fd)
{
    pop_break_entry(fd);
    if (js_is_live_code(s)) {
        emit_op(s, OP_drop);
        emit_op(s, OP_using_dispose_init);
        emit_op(s, OP_dispose_scope);
        emit_u16(s, fd->body_scope);
        emit_op(s, OP_using_dispose_end);
        emit_return(s, false);
    }
    emit_label(s, fd->scopes[fd->body_scope].using_label_catch);
    emit_op(s, OP_dispose_scope);
    emit_u16(s, fd->body_scope);
    emit_op(s, OP_throw);
    emit_label(s, fd->scopes[fd->body_scope].using_label_end);
}

static int parse_statements(JSParseState *s, JSFunctionDef *fd)
{
    BlockEnv using_block;
    bool has_using = false;

    if (js_parse_directives(s))
        return -1;
    while (s->token.val != TOK_EOF) {
        emit_source_loc(s); /* the engine marks calls only; this gives other faults their statement */
        if (js_parse_source_element(s))
            return -1;
        if (!has_using && fd->scopes[fd->body_scope].has_using) {
            has_using = true;
            push_break_entry(fd, &using_block, JS_ATOM_NULL, -1, -1, 1);
            using_block.has_using = true;
            using_block.using_scope_level = fd->body_scope;
        }
    }
    if (has_using)
        leave_using_scope(s, fd);
    else if (js_is_live_code(s))
        emit_return(s, false);
    return 0;
}

static int skip_semicolons(JSParseState *s)
{
    while (s->token.val == ';') {
        if (next_token(s))
            return -1;
    }
    return 0;
}

static int parse_expression(JSParseState *s)
{
    if (skip_semicolons(s))
        return -1;
    emit_source_loc(s);
    if (js_parse_expr(s))
        return -1;
    emit_return(s, true);
    if (skip_semicolons(s))
        return -1;
    if (s->token.val != TOK_EOF) {
        js_parse_error(s, "unexpected text after the expression");
        return -1;
    }
    return 0;
}

/* A fault inside a regular expression, and a few others, come without a place: they get the token's. */
static void place_error(JSParseState *s)
{
    JSContext *ctx = s->ctx;
    JSValueConst error = ctx->rt->current_exception;
    char place[96];

    if (JS_VALUE_GET_TAG(error) != JS_TAG_OBJECT ||
        JS_VALUE_GET_OBJ(error)->class_id != JS_CLASS_ERROR ||
        (JS_IsString(JS_VALUE_GET_OBJ(error)->u.object_data) &&
         engine_string_length(JS_VALUE_GET_OBJ(error)->u.object_data)))
        return;
    snprintf(place, sizeof place, "    at %.40s:%d:%d\n", s->filename, s->token.line_num,
             s->token.col_num);
    engine_set_error_stack(ctx, error, JS_NewString(ctx, place));
}

JSValue engine_compile(JSContext *ctx, const char *text, size_t length, const char *filename,
                       enum engine_body body)
{
    JSParseState state, *s = &state;
    JSFunctionDef *fd;
    JSValue code;
    int failed;

    js_parse_init(ctx, s, text, length, filename, 1);
    skip_shebang(&s->buf_ptr, s->buf_end);
    fd = js_new_function_def(ctx, NULL, false, false, filename, 1, 1);
    if (!fd)
        return JS_EXCEPTION;
    s->cur_func = fd;
    s->is_module = false;
    s->allow_html_comments = true;
    /* Neither of the two flags of an eval: declarations are the function's own variables. */
    fd->eval_type = JS_EVAL_TYPE_DIRECT;
    fd->is_global_var = false;
    fd->is_strict_mode = true;
    fd->func_kind = JS_FUNC_ASYNC;
    fd->func_type = JS_PARSE_FUNC_STATEMENT;
    fd->func_name = JS_DupAtom(ctx, JS_ATOM_empty_string);
    fd->has_this_binding = true;
    fd->has_arguments_binding = true;
    fd->arguments_allowed = true;
    fd->has_simple_parameter_list = true;
    fd->in_function_body = true;
    fd->backtrace_barrier = true;
    push_scope(s);
    fd->body_scope = fd->scope_level;

    failed = next_token(s);
    if (!failed)
        failed = body == ENGINE_EXPRESSION ? parse_expression(s) : parse_statements(s, fd);
    if (!failed) {
        fd->source_len = 0;
        fd->source = js_strndup(ctx, "", 0);
        failed = fd->source == NULL;
    }
    if (failed) {
        place_error(s);
        free_token(s, &s->token);
        js_free_function_def(ctx, fd);
        return JS_EXCEPTION;
    }
    code = js_create_function(ctx, fd);
    if (JS_IsException(code))
        return JS_EXCEPTION;
    return js_closure(ctx, code, NULL, NULL);
}

bool engine_stack_low(JSContext *ctx)
{
    return js_check_stack_overflow(ctx->rt, 8192);
}

int engine_set_member(JSContext *ctx, JSValueConst object, JSAtom name, JSValue value)
{
    JSObject *p = JS_VALUE_GET_OBJ(object);
    JSProperty *slot;

    if (find_own_property1(p, name)) /* a repeated key: the last one wins, as in JSON.parse */
        return JS_DefinePropertyValue(ctx, object, name, value, JS_PROP_C_W_E);
    slot = add_property(ctx, p, name, JS_PROP_C_W_E);
    if (!slot) {
        JS_FreeValue(ctx, value);
        return -1;
    }
    slot->u.value = value;
    return 0;
}

struct engine_place engine_caller(JSContext *ctx)
{
    JSStackFrame *native = ctx->rt->current_stack_frame;
    JSStackFrame *caller = native ? native->prev_frame : NULL;
    struct engine_place place = {JS_UNDEFINED, 0};

    if (caller && caller->cur_pc && JS_VALUE_GET_TAG(caller->cur_func) == JS_TAG_OBJECT &&
        js_class_has_bytecode(JS_VALUE_GET_OBJ(caller->cur_func)->class_id)) {
        JSFunctionBytecode *code = JS_VALUE_GET_OBJ(caller->cur_func)->u.func.function_bytecode;
        place.function = JS_DupValue(ctx, caller->cur_func);
        place.position = (uint32_t)(caller->cur_pc - code->byte_code_buf - 1);
    }
    return place;
}

bool engine_locate(JSContext *ctx, const struct engine_place *place, int *line, int *column)
{
    JSFunctionBytecode *code;

    if (JS_VALUE_GET_TAG(place->function) != JS_TAG_OBJECT)
        return false;
    code = JS_VALUE_GET_OBJ(place->function)->u.func.function_bytecode;
    *line = find_line_num(ctx, code, place->position, column);
    return *line > 0;
}

uint32_t engine_string_length(JSValueConst string)
{
    if (JS_VALUE_GET_TAG(string) == JS_TAG_STRING_ROPE)
        return ((JSStringRope *)JS_VALUE_GET_PTR(string))->len;
    return JS_VALUE_GET_STRING(string)->len;
}

JSValue engine_string_head(JSContext *ctx, JSValueConst string, uint32_t units)
{
    JSValue flat;

    if (engine_string_length(string) <= units)
        return JS_DupValue(ctx, string);
    flat = JS_ToString(ctx, string);
    if (JS_VALUE_GET_TAG(flat) == JS_TAG_STRING_ROPE) {
        JSValue line = js_linearize_string_rope(ctx, flat);
        flat = line;
    }
    if (JS_IsException(flat))
        return flat;
    JSValue head = js_sub_string(ctx, JS_VALUE_GET_STRING(flat), 0, (int)units);
    JS_FreeValue(ctx, flat);
    return head;
}

bool engine_is_index(JSAtom name)
{
    return __JS_AtomIsTaggedInt(name);
}

#define DATE_AS_ISO 0x23 /* the magic of Date.prototype.toISOString */

JSValue engine_text(JSContext *ctx, JSValueConst value)
{
    if (JS_IsSymbol(value))
        return js_symbol_get_description(ctx, value);
    if (JS_VALUE_GET_OBJ(value)->class_id == JS_CLASS_DATE)
        return get_date_string(ctx, value, 0, NULL, DATE_AS_ISO);
    return JS_DupValue(ctx, JS_MKPTR(JS_TAG_STRING, JS_VALUE_GET_OBJ(value)->u.regexp.pattern));
}

void engine_seed(JSContext *ctx, uint64_t seed)
{
    /* One round of splitmix64: neighbouring seeds give unlike states; xorshift must not be 0. */
    seed += UINT64_C(0x9e3779b97f4a7c15);
    seed = (seed ^ (seed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    seed = (seed ^ (seed >> 27)) * UINT64_C(0x94d049bb133111eb);
    seed ^= seed >> 31;
    ctx->random_state = seed ? seed : 1;
}

enum engine_kind engine_kind(JSContext *ctx, JSValueConst value)
{
    if (JS_VALUE_GET_TAG(value) != JS_TAG_OBJECT)
        return KIND_OTHER;
    uint32_t class_id = JS_VALUE_GET_OBJ(value)->class_id;
    if (class_id >= JS_CLASS_UINT8C_ARRAY && class_id <= JS_CLASS_DATAVIEW)
        return KIND_TYPED_ARRAY;
    switch (class_id) {
    case JS_CLASS_ARRAY: return KIND_ARRAY;
    case JS_CLASS_ERROR: return KIND_ERROR;
    case JS_CLASS_NUMBER: case JS_CLASS_STRING: case JS_CLASS_BOOLEAN: case JS_CLASS_SYMBOL:
    case JS_CLASS_BIG_INT: return KIND_BOXED;
    case JS_CLASS_DATE: return KIND_DATE;
    case JS_CLASS_REGEXP: return KIND_REGEXP;
    case JS_CLASS_MAP: return KIND_MAP;
    case JS_CLASS_SET: return KIND_SET;
    case JS_CLASS_WEAKMAP: case JS_CLASS_WEAKSET: case JS_CLASS_WEAK_REF:
    case JS_CLASS_FINALIZATION_REGISTRY: return KIND_WEAK;
    case JS_CLASS_PROMISE: return KIND_PROMISE;
    case JS_CLASS_PROXY: return KIND_PROXY;
    case JS_CLASS_ARRAY_BUFFER: case JS_CLASS_SHARED_ARRAY_BUFFER: return KIND_BUFFER;
    case JS_CLASS_RAWJSON: return KIND_RAW_JSON;
    default: return JS_IsFunction(ctx, value) ? KIND_FUNCTION : KIND_OTHER;
    }
}

bool engine_is_resolver(JSValueConst value)
{
    if (JS_VALUE_GET_TAG(value) != JS_TAG_OBJECT)
        return false;
    uint32_t class_id = JS_VALUE_GET_OBJ(value)->class_id;
    return class_id == JS_CLASS_PROMISE_RESOLVE_FUNCTION ||
           class_id == JS_CLASS_PROMISE_REJECT_FUNCTION ||
           class_id == JS_CLASS_ASYNC_FUNCTION_RESOLVE ||
           class_id == JS_CLASS_ASYNC_FUNCTION_REJECT;
}

JSValue engine_unbox(JSContext *ctx, JSValueConst boxed)
{
    return JS_DupValue(ctx, JS_VALUE_GET_OBJ(boxed)->u.object_data);
}

int64_t engine_collection_size(JSValueConst collection)
{
    return JS_VALUE_GET_OBJ(collection)->u.map_state->record_count;
}

JSValue engine_error_stack(JSContext *ctx, JSValueConst error)
{
    return JS_DupValue(ctx, JS_VALUE_GET_OBJ(error)->u.object_data);
}

void engine_set_error_stack(JSContext *ctx, JSValueConst error, JSValue stack)
{
    set_value(ctx, &JS_VALUE_GET_OBJ(error)->u.object_data, stack);
}

void engine_each_entry(JSContext *ctx, JSValueConst collection,
                       bool (*visit)(void *opaque, JSValueConst key, JSValueConst value),
                       void *opaque)
{
    struct list_head *at;
    JSMapState *map = JS_VALUE_GET_OBJ(collection)->u.map_state;

    (void)ctx;
    list_for_each(at, &map->records) {
        JSMapRecord *record = list_entry(at, JSMapRecord, link);
        if (!record->empty && !visit(opaque, record->key, record->value))
            return;
    }
}

/* An own data property of an ordinary object, or JS_UNDEFINED: no getter, no proxy, no lazy value. */
static JSValueConst data_property(JSObject *object, JSAtom name)
{
    JSProperty *property;
    JSShapeProperty *shape = find_own_property(&property, object, name);

    if (!shape || (shape->flags & JS_PROP_TMASK) != JS_PROP_NORMAL)
        return JS_UNDEFINED;
    return property->u.value;
}

JSAtom engine_constructor_name(JSContext *ctx, JSValueConst value)
{
    JSObject *object = JS_VALUE_GET_OBJ(value);
    JSObject *proto;
    JSValueConst constructor, name;

    if (object->class_id == JS_CLASS_PROXY)
        return JS_ATOM_NULL;
    proto = object->shape->proto;
    if (!proto || proto->class_id == JS_CLASS_PROXY)
        return JS_ATOM_NULL;
    constructor = data_property(proto, JS_ATOM_constructor);
    if (JS_VALUE_GET_TAG(constructor) != JS_TAG_OBJECT ||
        JS_VALUE_GET_OBJ(constructor)->class_id == JS_CLASS_PROXY)
        return JS_ATOM_NULL;
    name = data_property(JS_VALUE_GET_OBJ(constructor), JS_ATOM_name);
    if (!JS_IsString(name))
        return JS_ATOM_NULL;
    return JS_ValueToAtom(ctx, name);
}
