/* What all files of the eraser share: limits, tokens, words, the parser's state and its primitives.
 *
 * The parser walks the text once and records edits. A failure sets the current token to TOKEN_END,
 * which ends every loop, so callers need not check after each step; only a speculation (save the
 * cursor, try, rewind) asks whether it failed. A syntax failure can be rewound, a refusal and a
 * lack of memory cannot. */
#ifndef ERASE_PARSER_H
#define ERASE_PARSER_H

#include "erase.h"

/* ---- limits ---- */

#define MAX_SOURCE_BYTES (1u << 28)
/* Counted recursions. One level of brackets costs two, one of template literals three. The deepest
   programs need 300 kB of the guest's stack and 900 kB of Wasmtime's (120 and 350 bytes a step). */
#define MAX_DEPTH 2500
/* How many bytes may be read in all, with what rewound speculations read again: this floor plus a
   multiple of the length. Real programs need little more than their length; the limit keeps hostile
   ones linear. */
#define READ_FLOOR (1u << 20)
#define READ_FACTOR 8
/* How much of the program's text a message quotes. */
#define MAX_QUOTED_BYTES 40

/* ---- tokens ---- */

enum token_kind {
    TOKEN_END = 0,
    /* 33 to 126: the punctuator that is this one character. `>` is always one of them, see
       join_greater. */
    TOKEN_NAME = 256, /* identifiers and all words */
    TOKEN_PRIVATE,    /* #name */
    TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_TEMPLATE, /* only the first backquote, see template_literal */
    TOKEN_REGEX,
    TOKEN_BAD, /* cannot be a token; its `word` is an enum bad_token */
    TOKEN_ARROW,
    TOKEN_DOTS,
    TOKEN_OPTIONAL, /* ?. */
    TOKEN_COALESCE,
    TOKEN_INCREMENT, /* ++ and -- */
    TOKEN_POWER,
    TOKEN_SHIFT_LEFT,
    TOKEN_SHIFT_RIGHT, /* >> and >>> */
    TOKEN_LESS_EQUAL,
    TOKEN_GREATER_EQUAL,
    TOKEN_EQUALITY, /* == != === !== */
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_ASSIGN, /* every assignment operator but = */
};

enum bad_token { BAD_CHARACTER, BAD_COMMENT, BAD_STRING, BAD_TEMPLATE, BAD_REGEX };

enum word_flag {
    RESERVED = 1, /* never an identifier */
    STRICT = 2,   /* not the name of a variable in strict code */
    TYPE = 4,     /* a type by itself, which takes no type arguments */
    MODIFIER = 8, /* erased before a class member or a constructor's parameter */
};

/* Sorted; word_of relies on words with the same first letter being neighbours. */
#define WORDS(X)                                                                                   \
    X(abstract, 0) X(accessor, 0) X(any, TYPE) X(arguments, STRICT) X(as, 0) X(asserts, 0)         \
    X(async, 0) X(await, STRICT) X(bigint, TYPE) X(boolean, TYPE) X(break, RESERVED)               \
    X(case, RESERVED) X(catch, RESERVED) X(class, RESERVED) X(const, RESERVED)                     \
    X(continue, RESERVED) X(debugger, RESERVED) X(declare, 0) X(default, RESERVED)                 \
    X(delete, RESERVED) X(do, RESERVED) X(else, RESERVED) X(enum, RESERVED) X(eval, STRICT)        \
    X(export, RESERVED) X(extends, RESERVED) X(false, RESERVED) X(finally, RESERVED)               \
    X(for, RESERVED) X(from, 0) X(function, RESERVED) X(get, 0) X(global, 0) X(if, RESERVED)       \
    X(implements, STRICT) X(import, RESERVED) X(in, RESERVED) X(infer, 0)                          \
    X(instanceof, RESERVED) X(interface, STRICT) X(is, 0) X(keyof, 0) X(let, STRICT) X(module, 0)  \
    X(namespace, 0) X(never, TYPE) X(new, RESERVED) X(null, RESERVED) X(number, TYPE)              \
    X(object, TYPE) X(of, 0) X(out, 0) X(override, MODIFIER) X(package, STRICT)                    \
    X(private, STRICT | MODIFIER) X(protected, STRICT | MODIFIER) X(public, STRICT | MODIFIER)     \
    X(readonly, MODIFIER) X(return, RESERVED) X(satisfies, 0) X(set, 0) X(static, STRICT)          \
    X(string, TYPE) X(super, RESERVED) X(switch, RESERVED) X(symbol, TYPE) X(this, RESERVED)       \
    X(throw, RESERVED) X(true, RESERVED) X(try, RESERVED) X(type, 0) X(typeof, RESERVED)           \
    X(undefined, TYPE) X(unique, 0) X(unknown, TYPE) X(using, 0) X(var, RESERVED)                  \
    X(void, RESERVED) X(while, RESERVED) X(with, RESERVED) X(yield, STRICT)

enum word {
    WORD_NONE,
#define X(name, flags) WORD_##name,
    WORDS(X)
#undef X
    WORD_COUNT
};

extern const uint8_t word_flags[WORD_COUNT];

struct token {
    uint32_t start, end;
    uint16_t kind;
    uint8_t word;    /* enum word of a TOKEN_NAME, else WORD_NONE */
    uint8_t newline; /* a line break stands before it */
};

/* ---- state ---- */

/* A stretch of source that is written as blanks. */
struct edit {
    uint32_t start, end;
    const char *head; /* written over its first characters, or NULL; fits on its first line */
    char tail;        /* written over its last character, or 0 */
};

struct insertion {
    uint32_t at;
    uint32_t from, length; /* in parser.inserted */
};

/* How long the lists of edits were at some moment. */
struct mark {
    uint32_t edits, insertions, inserted;
};

/* All that a speculation must put back. */
struct cursor {
    struct token token;
    uint32_t previous_end; /* of the token before it */
    struct mark made;
    uint32_t item; /* where the innermost statement of a list of statements starts */
    uint32_t depth;
    uint32_t angles; /* open type argument lists */
    uint8_t failed;
    uint8_t in_async, in_generator; /* what `await` and `yield` mean */
    uint8_t in_block;               /* in a block inside of a function's body or the program */
    uint8_t no_in;                  /* in the head of a `for`: `in` is no operator */
    uint8_t
        no_conditional; /* in the `extends` clause of a conditional type: no other one may start */
};

enum fault_kind { FAULT_SENTENCE, FAULT_UNEXPECTED, FAULT_EXPECTED, FAULT_IMPORT };

#define NOWHERE UINT32_MAX

struct fault {
    enum erase_status status;
    enum fault_kind kind;
    const char *sentence; /* FAULT_EXPECTED: what was expected */
    uint32_t offset;
    uint32_t quote_start, quote_end; /* the source that the message shows */
    uint32_t opener; /* FAULT_EXPECTED: the bracket that is not closed, or NOWHERE */
    uint32_t previous_end;
    uint32_t hopeless; /* so many of the outermost open type argument lists cannot be closed,
                          whatever follows */
};

struct span {
    uint32_t start, end;
};

struct memo_slot {
    uint32_t key, value;
};

struct parser {
    struct cursor now;
    const uint8_t
        *text; /* the source, followed by TEXT_PADDING zeros so that the lexer can look ahead */
    uint32_t length;

    struct edit *edits; /* in the order of the source */
    uint32_t edits_room;
    struct insertion *insertions;
    uint32_t insertions_room;
    char *inserted;
    uint32_t inserted_room;

    struct memo_slot *memo;
    uint32_t memo_used, memo_room;
    uint32_t *openers; /* the brackets that skip_brackets is inside of */
    uint32_t openers_count, openers_room;
    struct span *properties; /* names of the parameter properties of the constructors being read */
    uint32_t properties_count, properties_room;

    struct fault fault;
    uint64_t bytes_read;
    uint32_t jsx; /* the last `<` that had to start an operand, or NOWHERE */

    uint32_t nameless;     /* a top-level function declaration without a name, or NOWHERE */
    uint32_t default_at;   /* `export default`, or NOWHERE */
    uint32_t default_edit; /* the blank over `default` */
    struct span default_name, default_value;
};

#define TEXT_PADDING 8

/* Link-time optimisation would copy these into all of their many callers: half as much code again,
   and no faster. */
#define NOT_INLINE __attribute__((noinline))

/* ---- lexer.c ---- */

/* Reads the token that starts at or after `from`. Changes nothing but the token. */
NOT_INLINE void lex(const struct parser *p, uint32_t from, struct token *token);
/* In an expression: makes `>` the longest operator that starts with it. */
void join_greater(struct parser *p);
/* Makes `<<` the first `<` of two, where a list of types can start. */
void split_less(struct parser *p);
/* Makes `/` or `/=` the regular expression that it starts. */
void join_regex(struct parser *p);
/* The end of the template characters at `from`: the offset of a backquote or of `${`, or the
 * length. */
uint32_t template_chars_end(const struct parser *p, uint32_t from);
/* Whether the bytes of a line or paragraph separator stand at s. */
int is_line_separator(const uint8_t *s);
int has_newline(const struct parser *p, uint32_t from, uint32_t to);

/* ---- cursor.c ---- */

NOT_INLINE void advance(struct parser *p);
/* Continues with the token after `end`, as if all up to there had been read. */
void jump(struct parser *p, uint32_t end);
void peek(const struct parser *p, struct token *token);
NOT_INLINE int take(struct parser *p, int kind);
NOT_INLINE int take_word(struct parser *p, int word);
NOT_INLINE void expect(struct parser *p, int kind, const char *what);
/* Past the closing bracket of `opener`. */
void expect_closer(struct parser *p, int closer, uint32_t opener);
/* In a list: past a comma (1), or at the closer (0), or a failure (0). */
int take_comma(struct parser *p, int closer, uint32_t opener);
/* The end of a statement or field: past `;`, or where JavaScript would insert one. */
void expect_semicolon(struct parser *p);
/* Undoes a speculation, except after a refusal. */
void rewind_to(struct parser *p, const struct cursor *saved);
/* Counts a recursion; 0 and a refusal when it is one too many. leave() undoes it. */
int enter(struct parser *p);
/* The same for types, where unclosed `<` are a syntax failure: `a < b < c ...` must stay a
 * comparison. */
int enter_type(struct parser *p);
void leave(struct parser *p);
/* Room for one more item, or NULL and a failure. */
void *grow(struct parser *p, void *items, uint32_t *room, uint32_t used, size_t item_size);

static inline int at(const struct parser *p, int kind)
{
    return p->now.token.kind == kind;
}

/* Whether a list goes on: not at its closer, nor at the end of the program or after a failure. */
static inline int inside(const struct parser *p, int closer)
{
    return !at(p, closer) && !at(p, TOKEN_END);
}

static inline int at_word(const struct parser *p, int word)
{
    return p->now.token.word == word;
}

static inline int at_less(const struct parser *p)
{
    return at(p, '<') || at(p, TOKEN_SHIFT_LEFT);
}

static inline uint32_t here(const struct parser *p)
{
    return p->now.token.start;
}

static inline uint32_t behind(const struct parser *p)
{
    return p->now.previous_end;
}

static inline int is_name(const struct token *token)
{
    return token->kind == TOKEN_NAME && !(word_flags[token->word] & RESERVED);
}

static inline int at_name(const struct parser *p)
{
    return is_name(&p->now.token);
}

/* ---- memo.c ---- */

enum memo_kind { MEMO_BRACKET, MEMO_TYPE_ARGUMENTS, MEMO_INFER, MEMO_NOT_ARROW };

/* What is known of an offset: an end, MEMO_FAILED, or 0 for nothing. */
#define MEMO_FAILED UINT32_MAX
uint32_t recall(const struct parser *p, enum memo_kind kind, uint32_t offset);
void remember(struct parser *p, enum memo_kind kind, uint32_t offset, uint32_t value);

/* ---- edits.c ---- */

/* Blanks [start, end); returns the index of the edit. Edits must come in the order of the source.
 */
uint32_t blank(struct parser *p, uint32_t start, uint32_t end);
NOT_INLINE uint32_t blank_with(struct parser *p, uint32_t start, uint32_t end, const char *head,
                               char tail);
/* Blanks all from `start` to the last token, behind a `;`, in place of the edits made since. */
void erase_since(struct parser *p, uint32_t start, const struct mark *made);
/* Starts an insertion; the following insert_text and insert_source belong to it. In any order of
 * offsets. */
void insert(struct parser *p, uint32_t offset);
void insert_text(struct parser *p, const char *text);
void insert_source(struct parser *p, struct span span);
/* Writes the result's text. */
void write_output(struct parser *p, erase_result *result);

/* ---- errors.c ---- */

/* The first failure stands until it is rewound. */
NOT_INLINE void fail(struct parser *p, uint32_t offset, const char *sentence);
NOT_INLINE void fail_unexpected(struct parser *p);
void fail_unexpected_at(struct parser *p, uint32_t offset);
NOT_INLINE void fail_expected(struct parser *p, const char *what, uint32_t opener);
NOT_INLINE void refuse(struct parser *p, uint32_t offset, const char *sentence);
void refuse_decorator(struct parser *p);
void refuse_import(struct parser *p, uint32_t offset, struct span module);
void fail_memory(struct parser *p);
void report(const struct parser *p, erase_result *result);

#endif
