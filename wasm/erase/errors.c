/* Failures and their messages.
 *
 * Recording one is cheap, because most belong to a speculation and are rewound; the message is
 * written in the end. */
#include "parser.h"

#include <string.h>

static void record(struct parser *p, struct fault fault)
{
    if (p->now.failed)
        return;
    fault.previous_end = behind(p);
    fault.hopeless = NOWHERE;
    p->fault = fault;
    p->now.failed = 1;
    p->now.token.kind = TOKEN_END;
    p->now.token.word = WORD_NONE;
}

void fail(struct parser *p, uint32_t offset, const char *sentence)
{
    record(p, (struct fault){.status = ERASE_SYNTAX, .offset = offset, .sentence = sentence});
}

/* What TypeScript's parser lets through and JavaScript does not. */
static int fail_broken_arrow(struct parser *p)
{
    int is_broken = at(p, TOKEN_ARROW) && p->now.token.newline;
    if (is_broken)
        fail(p, here(p), "a line break must not come before '=>'");
    return is_broken;
}

void fail_expected(struct parser *p, const char *what, uint32_t opener)
{
    if (fail_broken_arrow(p))
        return;
    record(p, (struct fault){.status = ERASE_SYNTAX,
                             .kind = FAULT_EXPECTED,
                             .sentence = what,
                             .offset = here(p),
                             .quote_start = here(p),
                             .quote_end = p->now.token.end,
                             .opener = opener});
}

static void record_unexpected(struct parser *p, const struct token *token)
{
    record(p, (struct fault){.status = ERASE_SYNTAX,
                             .kind = FAULT_UNEXPECTED,
                             .offset = token->start,
                             .quote_start = token->start,
                             .quote_end = token->end});
}

void fail_unexpected(struct parser *p)
{
    if (!fail_broken_arrow(p))
        record_unexpected(p, &p->now.token);
}

void fail_unexpected_at(struct parser *p, uint32_t offset)
{
    struct token token;
    lex(p, offset, &token);
    record_unexpected(p, &token);
}

void refuse(struct parser *p, uint32_t offset, const char *sentence)
{
    record(p, (struct fault){.status = ERASE_REFUSED, .offset = offset, .sentence = sentence});
}

void refuse_decorator(struct parser *p)
{
    refuse(p, here(p),
           "decorators are not supported; call the function yourself, as in `const b = wrap(a)`");
}

void refuse_import(struct parser *p, uint32_t offset, struct span module)
{
    record(p, (struct fault){.status = ERASE_REFUSED,
                             .kind = FAULT_IMPORT,
                             .offset = offset,
                             .quote_start = module.start,
                             .quote_end = module.end});
}

void fail_memory(struct parser *p)
{
    p->now.failed = 0; /* it outranks whatever failed before */
    record(p, (struct fault){.status = ERASE_NO_MEMORY, .sentence = "out of memory"});
}

/* ---- the report ---- */

struct message {
    char *text;
    size_t used, room;
};

static void add(struct message *m, const char *text)
{
    for (; *text && m->used + 1 < m->room; text++)
        m->text[m->used++] = *text;
}

static void add_number(struct message *m, uint32_t number)
{
    char digits[12];
    size_t i = sizeof digits;
    digits[--i] = 0;
    do
        digits[--i] = (char)('0' + number % 10);
    while (number /= 10);
    add(m, digits + i);
}

/* The length of the well-formed UTF-8 sequence at s, or 0. */
static uint32_t sequence_length(const uint8_t *s)
{
    uint32_t length = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (s[0] > 0xF4 || (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] >= 0xA0) ||
        (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] >= 0x90))
        return 0;
    for (uint32_t i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

/* Source text, always well-formed, on one line and not too long. */
static void add_quote(struct message *m, const struct parser *p, uint32_t start, uint32_t end)
{
    const uint8_t *s = p->text;
    for (uint32_t i = start; i < end;) {
        uint32_t length = sequence_length(s + i);
        if (i + length - start > MAX_QUOTED_BYTES) {
            add(m, "...");
            return;
        }
        char copy[5] = "?";
        if (length && s[i] >= ' ' && s[i] != 0x7F)
            memcpy(copy, s + i, length);
        add(m, copy);
        i += length ? length : 1;
    }
}

struct position {
    uint32_t line, column;
};

static struct position position_of(const struct parser *p, uint32_t offset)
{
    const uint8_t *s = p->text;
    struct position position = {1, 1};
    for (uint32_t i = 0; i < offset && i < p->length; i++) {
        int is_separator = is_line_separator(s + i);
        if (s[i] == '\n' || (s[i] == '\r' && s[i + 1] != '\n') || is_separator) {
            position.line++;
            position.column = 1;
            i += is_separator ? 2 : 0;
        } else if ((s[i] & 0xC0) != 0x80) {
            position.column += s[i] >= 0xF0 ? 2 : 1;
        }
    }
    return position;
}

static void add_found(struct message *m, const struct parser *p, const struct fault *fault)
{
    if (fault->quote_start >= p->length) {
        add(m, "the end of the program");
    } else {
        add(m, "'");
        add_quote(m, p, fault->quote_start, fault->quote_end);
        add(m, "'");
    }
}

static void add_expected(struct message *m, const struct parser *p, const struct fault *fault)
{
    add(m, "expected ");
    add(m, fault->sentence);
    add(m, " before ");
    add_found(m, p, fault);
    if (fault->opener == NOWHERE)
        return;
    struct position opener = position_of(p, fault->opener);
    add(m, ", to close the '");
    add_quote(m, p, fault->opener, fault->opener + (p->text[fault->opener] == '$' ? 2 : 1));
    add(m, "' at line ");
    add_number(m, opener.line);
    add(m, ", column ");
    add_number(m, opener.column);
}

static void add_import(struct message *m, const struct parser *p, const struct fault *fault)
{
    add(m, "import");
    if (fault->quote_start < fault->quote_end) {
        add(m, " of ");
        add_quote(m, p, fault->quote_start, fault->quote_end);
    }
    add(m, " is not available: there are no modules, the tools are the global `tools.*`;"
           " remove the import (`import type` may stay)");
}

static int contains(const struct parser *p, uint32_t from, const char *pair)
{
    for (uint32_t i = from; i + 1 < p->length; i++)
        if (p->text[i] == (uint8_t)pair[0] && p->text[i + 1] == (uint8_t)pair[1])
            return 1;
    return 0;
}

/* Replaces what the parser saw by what the author most likely did. */
static struct fault explain(const struct parser *p)
{
    static const char await[] = "await";
    struct fault fault = p->fault;
    if (fault.status != ERASE_SYNTAX)
        return fault;
    if (p->jsx != NOWHERE && fault.offset >= p->jsx &&
        (contains(p, p->jsx, "</") || contains(p, p->jsx, "/>"))) {
        fault.status = ERASE_REFUSED;
        fault.kind = FAULT_SENTENCE;
        fault.offset = p->jsx;
        fault.sentence = "JSX is not supported; return plain data or text";
        return fault;
    }
    uint32_t length = sizeof await - 1;
    uint32_t start = fault.previous_end - length;
    if (fault.kind != FAULT_SENTENCE && fault.previous_end >= length &&
        fault.quote_start < p->length && !memcmp(p->text + start, await, length) &&
        (!start || p->text[start - 1] <= '-' || p->text[start - 1] == '=')) {
        fault.kind = FAULT_SENTENCE;
        fault.offset = start;
        fault.sentence = "await is only allowed in an async function; write `async` before the"
                         " function around it";
    }
    return fault;
}

void report(const struct parser *p, erase_result *result)
{
    struct fault fault = explain(p);
    struct position position = position_of(p, fault.offset);
    struct message m = {result->message, 0, sizeof result->message};
    result->status = fault.status;
    result->offset = fault.offset;
    result->line = position.line;
    result->column = position.column;
    switch (fault.kind) {
    case FAULT_SENTENCE:
        add(&m, fault.sentence);
        break;
    case FAULT_UNEXPECTED:
        add(&m, "unexpected ");
        if (fault.quote_start >= p->length)
            add(&m, "end of the program");
        else
            add_found(&m, p, &fault);
        break;
    case FAULT_EXPECTED:
        add_expected(&m, p, &fault);
        break;
    case FAULT_IMPORT:
        add_import(&m, p, &fault);
        break;
    }
    m.text[m.used] = 0;
}
