/* The lexer: one token at a time, at any offset, without state.
 *
 * It may assume that the text is followed by TEXT_PADDING zeros. It goes by the length, never by a
 * NUL, and takes any bytes: what is not ASCII and not a space counts as part of a name, and is the
 * engine's to judge. Two tokens need the parser: `>` is never joined here, because it may close
 * type arguments, and `/` is never a regular expression. */
#include "parser.h"

#include <string.h>

enum char_class {
    NAME_PART = 1,
    NAME_START = 2,
    DIGIT = 4,
    SPACE = 8,
    OPERATOR = 16, /* may start an operator of several characters */
    LETTER = NAME_PART | NAME_START,
};

static const uint8_t char_classes[256] = {
    ['a' ... 'z'] = LETTER, ['A' ... 'Z'] = LETTER, [0x80 ... 0xFF] = LETTER,
    ['_'] = LETTER,         ['$'] = LETTER,         ['\\'] = LETTER,
    [' '] = SPACE,          ['\t'] = SPACE,         ['\v'] = SPACE,
    ['\f'] = SPACE,         ['.'] = OPERATOR,       ['='] = OPERATOR,
    ['!'] = OPERATOR,       ['+'] = OPERATOR,       ['-'] = OPERATOR,
    ['*'] = OPERATOR,       ['%'] = OPERATOR,       ['^'] = OPERATOR,
    ['/'] = OPERATOR,       ['&'] = OPERATOR,       ['|'] = OPERATOR,
    ['?'] = OPERATOR,       ['<'] = OPERATOR,       ['0' ... '9'] = NAME_PART | DIGIT,
};

const uint8_t word_flags[WORD_COUNT] = {
    0,
#define X(name, flags) (flags),
    WORDS(X)
#undef X
};

static const struct {
    const char *text;
    uint32_t length;
} words[WORD_COUNT] = {
    {"", 0},
#define X(name, flags) {#name, sizeof #name - 1},
    WORDS(X)
#undef X
};

int is_line_separator(const uint8_t *s)
{
    return s[0] == 0xE2 && s[1] == 0x80 && (s[2] & 0xFE) == 0xA8;
}

/* The length of a white space character that is not ASCII, or 0. */
static uint32_t wide_space(const uint8_t *s)
{
    switch (s[0]) {
    case 0xC2:
        return s[1] == 0xA0 ? 2 : 0; /* no-break space */
    case 0xE1:
        return s[1] == 0x9A && s[2] == 0x80 ? 3 : 0; /* ogham space mark */
    case 0xE2:
        if (s[1] == 0x80)
            return (s[2] >= 0x80 && s[2] <= 0x8A) || is_line_separator(s) || s[2] == 0xAF ? 3 : 0;
        return s[1] == 0x81 && s[2] == 0x9F ? 3 : 0; /* medium mathematical space */
    case 0xE3:
        return s[1] == 0x80 && s[2] == 0x80 ? 3 : 0; /* ideographic space */
    case 0xEF:
        return s[1] == 0xBB && s[2] == 0xBF ? 3 : 0; /* byte order mark */
    }
    return 0;
}

static int is_newline(const uint8_t *s)
{
    return *s == '\n' || *s == '\r' || is_line_separator(s);
}

int has_newline(const struct parser *p, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (is_newline(p->text + i))
            return 1;
    return 0;
}

static uint32_t line_end(const struct parser *p, uint32_t at)
{
    while (at < p->length && !is_newline(p->text + at))
        at++;
    return at;
}

/* Past `/` `*` ... ; notes line breaks in the token, or makes it bad. */
static uint32_t block_comment_end(const struct parser *p, uint32_t at, struct token *token)
{
    const uint8_t *s = p->text;
    token->start = at;
    for (at += 2; at < p->length; at++) {
        if (s[at] == '*' && s[at + 1] == '/')
            return at + 2;
        if (is_newline(s + at))
            token->newline = 1;
    }
    token->kind = TOKEN_BAD;
    token->word = BAD_COMMENT;
    token->end = p->length;
    return p->length;
}

static uint32_t skip_space(const struct parser *p, uint32_t from, struct token *token)
{
    const uint8_t *s = p->text;
    uint32_t at = from;
    for (;;) {
        uint8_t c = s[at];
        uint32_t wide;
        if (char_classes[c] & SPACE) {
            at++;
        } else if (c == '\n' || c == '\r') {
            token->newline = 1;
            at++;
        } else if (c == '/' && s[at + 1] == '/') {
            at = line_end(p, at);
        } else if (c == '/' && s[at + 1] == '*') {
            at = block_comment_end(p, at, token);
        } else if (c == '<' && !memcmp(s + at, "<!--", 4)) {
            at = line_end(p, at); /* Annex B comments: at the end of any line ... */
        } else if (c == '-' && (token->newline || !from) && !memcmp(s + at, "-->", 3)) {
            at = line_end(p, at); /* ... and at the start of one */
        } else if (c >= 0x80 && (wide = wide_space(s + at)) != 0) {
            token->newline |= is_line_separator(s + at);
            at += wide;
        } else {
            return at;
        }
    }
}

static uint32_t name_end(const struct parser *p, uint32_t at)
{
    const uint8_t *s = p->text;
    for (; char_classes[s[at]] & NAME_PART; at++) {
        if (s[at] >= 0x80 && wide_space(s + at))
            break;
        if (s[at] == '\\') {
            if (s[at + 1] != 'u')
                break;
            at++;
            if (s[at + 1] == '{') {
                at++;
                while (char_classes[s[at + 1]] & NAME_PART)
                    at++;
                if (s[at + 1] == '}')
                    at++;
            }
        }
    }
    return at;
}

static uint8_t word_of(const uint8_t *s, uint32_t length)
{
    static uint8_t first[26]; /* by first letter; filled on first use */
    if (!first[0])
        for (int word = WORD_COUNT - 1; word > WORD_NONE; word--)
            first[words[word].text[0] - 'a'] = (uint8_t)word;
    if (s[0] < 'a' || s[0] > 'z')
        return WORD_NONE;
    for (int word = first[s[0] - 'a']; word && word < WORD_COUNT; word++) {
        if ((uint8_t)words[word].text[0] != s[0])
            break;
        if (words[word].length == length && !memcmp(words[word].text, s, length))
            return (uint8_t)word;
    }
    return WORD_NONE;
}

/* A second dot and a sign that belongs to no exponent end it; the rest is for the engine to judge.
 */
static uint32_t number_end(const struct parser *p, uint32_t at)
{
    const uint8_t *s = p->text;
    uint8_t radix = s[at + 1] | 32;
    int has_radix = s[at] == '0' && (radix == 'x' || radix == 'o' || radix == 'b');
    int has_dot = s[at] == '.';
    for (at++;; at++) {
        uint8_t c = s[at];
        if (c == '.' && !has_dot && !has_radix)
            has_dot = 1;
        else if ((c == '+' || c == '-') && (s[at - 1] | 32) == 'e' && !has_radix)
            continue;
        else if (!(char_classes[c] & NAME_PART) || c == '\\' || c >= 0x80)
            return at;
    }
}

static void lex_string(const struct parser *p, struct token *token)
{
    const uint8_t *s = p->text;
    uint8_t quote = s[token->start];
    uint32_t at = token->start + 1;
    while (at < p->length && s[at] != quote && s[at] != '\n' && s[at] != '\r') {
        if (s[at] == '\\')
            at += s[at + 1] == '\r' && s[at + 2] == '\n' ? 2 : 1;
        at++;
    }
    if (at < p->length && s[at] == quote) {
        token->kind = TOKEN_STRING;
        token->end = at + 1;
    } else {
        token->kind = TOKEN_BAD;
        token->word = BAD_STRING;
    }
}

struct operator {
    char text[5];
    uint8_t length;
    uint16_t kind;
};

/* Longer ones before their prefixes. */
static const struct operator operators[] = {
    {"...", 3, TOKEN_DOTS},      {"=>", 2, TOKEN_ARROW},     {"===", 3, TOKEN_EQUALITY},
    {"==", 2, TOKEN_EQUALITY},   {"!==", 3, TOKEN_EQUALITY}, {"!=", 2, TOKEN_EQUALITY},
    {"++", 2, TOKEN_INCREMENT},  {"+=", 2, TOKEN_ASSIGN},    {"--", 2, TOKEN_INCREMENT},
    {"-=", 2, TOKEN_ASSIGN},     {"**=", 3, TOKEN_ASSIGN},   {"**", 2, TOKEN_POWER},
    {"*=", 2, TOKEN_ASSIGN},     {"%=", 2, TOKEN_ASSIGN},    {"^=", 2, TOKEN_ASSIGN},
    {"/=", 2, TOKEN_ASSIGN},     {"&&=", 3, TOKEN_ASSIGN},   {"&&", 2, TOKEN_AND},
    {"&=", 2, TOKEN_ASSIGN},     {"||=", 3, TOKEN_ASSIGN},   {"||", 2, TOKEN_OR},
    {"|=", 2, TOKEN_ASSIGN},     {"?\?=", 3, TOKEN_ASSIGN},  {"??", 2, TOKEN_COALESCE},
    {"?.", 2, TOKEN_OPTIONAL},   {"<<=", 3, TOKEN_ASSIGN},   {"<<", 2, TOKEN_SHIFT_LEFT},
    {"<=", 2, TOKEN_LESS_EQUAL},
};

static const struct operator greater_operators[] = {
    {">>>=", 4, TOKEN_ASSIGN},    {">>>", 3, TOKEN_SHIFT_RIGHT},  {">>=", 3, TOKEN_ASSIGN},
    {">>", 2, TOKEN_SHIFT_RIGHT}, {">=", 2, TOKEN_GREATER_EQUAL},
};

#define OPERATORS (sizeof operators / sizeof *operators)
#define GREATER_OPERATORS (sizeof greater_operators / sizeof *greater_operators)

static int lex_operator(const struct operator *list, size_t count, const uint8_t *s,
                        struct token *token)
{
    s += token->start;
    for (size_t i = 0; i < count; i++) {
        if (list[i].text[0] != (char)s[0] || memcmp(list[i].text, s, list[i].length))
            continue;
        if (list[i].kind == TOKEN_OPTIONAL && char_classes[s[2]] & DIGIT)
            continue; /* a?.5:1 */
        token->kind = list[i].kind;
        token->end = token->start + list[i].length;
        return 1;
    }
    return 0;
}

void lex(const struct parser *p, uint32_t from, struct token *token)
{
    const uint8_t *s = p->text;
    token->kind = TOKEN_END;
    token->word = WORD_NONE;
    token->newline = 0;
    uint32_t start = skip_space(p, from, token);
    if (token->kind == TOKEN_BAD)
        return;
    token->start = token->end = start;
    if (start >= p->length)
        return;
    uint8_t c = s[start];
    token->end = start + 1;
    if (char_classes[c] & NAME_START) {
        token->end = name_end(p, start);
        token->kind = TOKEN_NAME;
        token->word = word_of(s + start, token->end - start);
    } else if (char_classes[c] & DIGIT || (c == '.' && char_classes[s[start + 1]] & DIGIT)) {
        token->end = number_end(p, start);
        token->kind = TOKEN_NUMBER;
    } else if (c == '"' || c == '\'') {
        lex_string(p, token);
    } else if (c == '`') {
        token->kind = TOKEN_TEMPLATE;
    } else if (c == '#') {
        token->end = name_end(p, start + 1);
        token->kind = TOKEN_PRIVATE;
    } else if (!(char_classes[c] & OPERATOR) || !lex_operator(operators, OPERATORS, s, token)) {
        token->kind = c;
    }
    int is_empty_name = token->end == start || (c == '#' && token->end == start + 1);
    if (is_empty_name || c < ' ' || c == 0x7F) {
        token->kind = TOKEN_BAD;
        token->word = BAD_CHARACTER;
        token->end = start + 1;
    }
}

void join_greater(struct parser *p)
{
    lex_operator(greater_operators, GREATER_OPERATORS, p->text, &p->now.token);
}

void split_less(struct parser *p)
{
    if (at(p, TOKEN_SHIFT_LEFT)) {
        p->now.token.kind = '<';
        p->now.token.end = here(p) + 1;
    }
}

void join_regex(struct parser *p)
{
    const uint8_t *s = p->text;
    int in_class = 0;
    uint32_t at = here(p) + 1;
    for (; s[at] != '/' || in_class; at++) {
        if (s[at] == '\\')
            at++;
        else if (s[at] == '[')
            in_class = 1;
        else if (s[at] == ']')
            in_class = 0;
        if (at >= p->length || is_newline(s + at)) {
            p->now.token.kind = TOKEN_BAD;
            p->now.token.word = BAD_REGEX;
            return;
        }
    }
    for (at++; char_classes[s[at]] & NAME_PART && s[at] < 0x80 && s[at] != '\\'; at++)
        ;
    p->now.token.kind = TOKEN_REGEX;
    p->now.token.end = at;
}

uint32_t template_chars_end(const struct parser *p, uint32_t from)
{
    const uint8_t *s = p->text;
    uint32_t at = from;
    while (at < p->length && s[at] != '`' && !(s[at] == '$' && s[at + 1] == '{'))
        at += s[at] == '\\' ? 2 : 1;
    return at < p->length ? at : p->length;
}
