/* The guest's own state and the functions its files offer each other. One run lives in one instance:
   everything here is written by `init` at build time, snapshotted, and filled by OP_START. */
#ifndef CODEMODE_GUEST_H
#define CODEMODE_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"
#include "quickjs.h"

#define PROGRAM_NAME "program.ts" /* the file name in stacks and positions */

extern struct exchange exchange_block;

struct limits {
    uint32_t log_bytes;      /* all log entries of the run, as JSON */
    uint32_t value_bytes;    /* the completion value, as JSON */
    uint32_t argument_bytes; /* one call's argument, as JSON */
    uint32_t calls;          /* calls in the whole run */
    uint32_t pending_calls;  /* calls without an answer at one time */
    uint32_t timers;         /* timers pending at one time */
    uint32_t depth;          /* nesting of any JSON that crosses */
};

struct guest {
    JSRuntime *rt;
    JSContext *ctx;
    struct limits limits;
    JSValue completion;   /* the program's promise; JS_UNDEFINED before it started */
    bool calls_value;     /* the completion value, if it is a function, is to be called */
    bool last_is_expression; /* the program's last statement is an expression */
    bool did_print;       /* a console entry was written */
    uint32_t log_bytes_used;
    bool log_closed;
    uint64_t random_state;
};
extern struct guest guest;

/* text.c: a growing byte buffer. Writing never fails loudly: after a failed allocation `failed` is
   set; what does not fit in `limit` bytes is cut at a character and `overflowed` is set. Later writes
   then do nothing. */
struct text {
    char *data;
    size_t length, capacity, limit;
    bool failed, overflowed;
};
void text_init(struct text *text, size_t limit);
void text_free(struct text *text);
void text_add(struct text *text, const void *bytes, size_t length);
void text_adds(struct text *text, const char *string);
void text_addc(struct text *text, char c);
void text_addf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_u32(struct text *text, uint32_t number);
/* The largest prefix of at most `length` bytes that ends between two characters. */
size_t text_cut(const char *bytes, size_t length, size_t most);

/* frames.c: the outbox and the inbox. */
void frames_drop(void); /* what this turn has written, when there is no room for its report */
bool frame_emit(enum frame kind, const void *head, size_t head_length, const void *body,
                size_t body_length);
bool inbox_reserve(uint32_t length);
void inbox_trim(void); /* gives a large inbox back, once it was read */
struct reader {
    const uint8_t *at, *end;
    bool failed;
};
uint8_t *inbox_bytes(void);
uint32_t read_u32(struct reader *reader);
uint64_t read_u64(struct reader *reader);
/* A u32 length and that many bytes; the bytes stay in the inbox. */
const char *read_bytes(struct reader *reader, size_t *length);

/* json_write.c */
enum json_outcome { JSON_WRITTEN, JSON_UNDEFINED, JSON_REFUSED, JSON_TOO_LARGE, JSON_THROWN };
/* Writes `value` as JSON.stringify would, and refuses what that would corrupt. `root` is the name of
   the whole value in messages. JSON_REFUSED: `problem` says what and where ("NaN at args.items[2]").
   JSON_THROWN: the exception is pending. `lossy` gets one sentence about the first value that JSON
   writes as {} although it holds data (a Map, an Error), or stays empty. */
enum json_outcome json_write(JSContext *ctx, struct text *out, JSValueConst value, const char *root,
                             struct text *problem, struct text *lossy);
/* arguments.c: what a call passes. Without an argument it is an empty object, a helper's an empty list. */
enum json_outcome arguments_write(JSContext *ctx, bool is_helper, int argc, JSValueConst *argv,
                                  struct text *json, struct text *problem, struct text *lossy);
/* A JSON string literal of WTF-8 bytes. */
void json_write_string(struct text *out, const char *bytes, size_t length);

/* json_read.c: JSON text to a value, iteratively; an exception (SyntaxError) on anything else. */
JSValue json_read(JSContext *ctx, const char *bytes, size_t length);

/* inspect.c: a value as a person wants to read it. Runs no code of the program. */
void inspect(JSContext *ctx, struct text *out, JSValueConst value);
/* "Name: message" of an error, or the inspected value. */
void inspect_thrown(JSContext *ctx, struct text *out, JSValueConst thrown);
/* A data property of `object` or of its prototypes, read without running code; JS_UNDEFINED if there
   is none. The caller frees it. */
JSValue inspect_data(JSContext *ctx, JSValueConst object, const char *name);

/* console.c */
bool console_init(JSContext *ctx);
void log_write(enum log_source source, enum log_level level, const char *text, size_t length);

/* bindings.c */
#define DEFAULT_ERROR_CLASS "ToolCallError"
/* `factory` makes an error class from its name. */
bool bindings_init(JSContext *ctx, JSValueConst factory);
bool bindings_define(JSContext *ctx, struct reader *reader);
void bindings_settle(JSContext *ctx, struct reader *reader);
uint32_t bindings_pending(void);

/* timers.c */
bool timers_init(JSContext *ctx);
void timers_fire(JSContext *ctx);
double timers_due(void); /* negative: none */

/* rejections.c: promises that were rejected and that nobody has looked at. */
void rejections_init(JSRuntime *rt);
void rejections_report(JSContext *ctx);
/* An error that a callback threw, where no promise carries it. Takes `error`. */
void rejections_add_error(JSContext *ctx, JSValue error);

/* failure.c */
void failure_emit(JSContext *ctx, enum fault fault, JSValueConst thrown);
void failure_emit_text(enum fault fault, const char *name, const char *message, const char *stack);

/* positions.c: keeps the erased text (and frees it never: it lives as long as the run). */
void positions_keep(char *text, size_t length);
/* Adds the stack to `out` with its places in the program's own columns. */
void positions_translate(const char *stack, size_t length, struct text *out);

/* start.c */
void start_program(JSContext *ctx, struct reader *reader);

/* memory.c: a runtime of the engine whose failed allocations set FLAG_OUT_OF_MEMORY. */
JSRuntime *memory_runtime(void);

bool memory_reserve(void);
void memory_release_reserve(void);

/* prelude_natives.c: evaluates prelude.js at build time. */
bool prelude_init(JSContext *ctx);

/* guest.c: runs the engine's job queue until it is empty. */
void run_jobs(JSContext *ctx);
uint64_t guest_random(void);

#endif
