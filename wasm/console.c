/* The program's console and the log's budget.

   A console call never throws and never runs the program's code. Every entry is charged what it costs
   as a JSON object, so that a million empty lines count too. The first entry that does not fit is
   cut at a character, one marker entry follows, and the rest is dropped; the run goes on. */
#include <string.h>

#include "engine.h"
#include "guest.h"

/* {"source":"console","level":"error","text":""}, and the comma */
#define ENTRY_COST 48

/* What the marker itself costs, kept free for it. */
#define MARKER_COST 120

static size_t byte_cost(const char *text, size_t at, size_t length)
{
    uint8_t c = (uint8_t)text[at];

    if (c < 0x20)
        return c == '\n' || c == '\r' || c == '\t' ? 2 : 6;
    if (c == '"' || c == '\\')
        return 2;
    if (c == 0xED && at + 1 < length && (uint8_t)text[at + 1] >= 0xA0)
        return 4; /* half a surrogate pair: \udXXX for its three bytes */
    return 1;
}

/* The longest prefix that costs at most `room`; *cost is what it costs. */
static size_t fitting_prefix(const char *text, size_t length, size_t room, size_t *cost)
{
    *cost = ENTRY_COST;
    if (*cost > room)
        return 0;
    for (size_t i = 0; i < length; i++) {
        size_t more = byte_cost(text, i, length);
        if (*cost + more > room)
            return text_cut(text, length, i);
        *cost += more;
    }
    return length;
}

static void emit(enum log_source source, enum log_level level, const char *text, size_t length)
{
    uint8_t head[2] = {(uint8_t)source, (uint8_t)level};
    frame_emit(FRAME_LOG, head, sizeof head, text, length);
}

static void close_log(void)
{
    struct text marker;

    guest.log_closed = true;
    text_init(&marker, 200);
    text_addf(&marker, "[codemode] log cut at %u bytes; later output is dropped",
              (unsigned)guest.limits.log_bytes);
    emit(SOURCE_RUNTIME, LEVEL_WARN, marker.data, marker.length);
    text_free(&marker);
}

void log_write(enum log_source source, enum log_level level, const char *text, size_t length)
{
    size_t cost, room, fitting;

    if (guest.log_closed)
        return;
    room = guest.limits.log_bytes - guest.log_bytes_used;
    room = room > MARKER_COST ? room - MARKER_COST : 0;
    fitting = fitting_prefix(text, length, room, &cost);
    if (cost <= room && (fitting || !length)) {
        guest.log_bytes_used += (uint32_t)cost;
        emit(source, level, text, fitting);
    }
    if (fitting < length || cost > room)
        close_log();
}

static JSValue console_call(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv,
                            int level)
{
    struct text line;

    (void)this_value;
    guest.did_print = true;
    if (guest.log_closed)
        return JS_UNDEFINED;
    /* one byte more than fits, so that an entry that is too long is seen to be */
    text_init(&line, guest.limits.log_bytes + 1);
    for (int i = 0; i < argc && !line.overflowed; i++) {
        if (i)
            text_addc(&line, ' ');
        inspect(ctx, &line, argv[i]);
    }
    log_write(SOURCE_CONSOLE, (enum log_level)level, line.data ? line.data : "", line.length);
    text_free(&line);
    return JS_UNDEFINED;
}

bool console_init(JSContext *ctx)
{
    static const struct {
        const char *name;
        enum log_level level;
    } methods[] = {{"log", LEVEL_LOG}, {"info", LEVEL_INFO}, {"warn", LEVEL_WARN},
                   {"error", LEVEL_ERROR}, {"debug", LEVEL_DEBUG}};
    JSValue global = JS_GetGlobalObject(ctx), console = JS_NewObject(ctx);
    bool ok = true;

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        JSValue method = JS_NewCFunctionMagic(ctx, console_call, methods[i].name, 0,
                                              JS_CFUNC_generic_magic, methods[i].level);
        ok = ok && JS_DefinePropertyValueStr(ctx, console, methods[i].name, method,
                                             JS_PROP_C_W_E) >= 0;
    }
    ok = ok && JS_DefinePropertyValueStr(ctx, global, "console", console,
                                         JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE) >= 0;
    JS_FreeValue(ctx, global);
    return ok;
}
