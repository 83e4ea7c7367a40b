/* Drives the fuzz target where libFuzzer is missing: every corpus file, then seeded mutants of them.
 *
 * usage: standalone <mutants> <file>... ; the same arguments run the same inputs. It is not guided by
 * coverage, so it finds less in the same time. A failing input is written to `crash.ts`. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" void __sanitizer_set_death_callback(void (*callback)(void));

enum { LARGEST = 1 << 14, MOST_FILES = 1000 };

static const char *const fragments[] = {
    "<",        ">",      "(",        ")",       "[",         "]",           "{",      "}",
    "`",        "${",     "'",        "\"",      "/",         "/*",          "*/",     "//",
    "\\",       "\\u{",   "\n",       "\r",      "\xe2\x80\xa8", "\xf0\x9f\x99\x82", "\xed\xa0\x80",
    "\xff",     "#",      "@",        "=>",      ":",         "?",           "!",      " as T",
    "async ",   "export default ",    "import ", "enum E{",   "class ",      "constructor(public x){",
    "declare ", "namespace N{",       "abstract ", "<T>",     "infer U extends ", "asserts x is ",
    "type ",    "function ", "...",   "satisfies T", "using ", "= 1",        ";",      "readonly ",
};

static uint64_t state = 88172645463325252u;

static uint32_t random_below(uint32_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % limit;
}

struct input {
    uint8_t *bytes;
    size_t size;
};

static input files[MOST_FILES];
static uint32_t file_count;

static void read_file(const char *path)
{
    static uint8_t buffer[LARGEST];
    FILE *file = fopen(path, "rb");
    if (!file || file_count == MOST_FILES) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    size_t size = fread(buffer, 1, sizeof buffer, file);
    fclose(file);
    files[file_count].bytes = (uint8_t *)malloc(size + 1);
    files[file_count].size = size;
    memcpy(files[file_count++].bytes, buffer, size);
}

static const uint8_t *tested;
static size_t tested_size;

/* The sanitizers call this when they end the process. */
static void write_tested(void)
{
    FILE *file = fopen("crash.ts", "wb");
    if (!file)
        return;
    fwrite(tested, 1, tested_size, file);
    fclose(file);
}

/* The target calls abort() when a promise is broken. */
static void on_abort(int)
{
    write_tested();
}

/* A copy in a block of exactly its size, so that ASan sees any byte read beyond. */
static void test(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = (uint8_t *)malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    tested = copy;
    tested_size = size;
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static size_t replace(uint8_t *bytes, size_t size, size_t from, size_t to, const uint8_t *with,
                      size_t length)
{
    if (size - (to - from) + length > LARGEST)
        return size;
    memmove(bytes + from + length, bytes + to, size - to);
    memcpy(bytes + from, with, length);
    return size - (to - from) + length;
}

static size_t mutate(uint8_t *bytes, size_t size)
{
    size_t at = random_below((uint32_t)size + 1);
    size_t end = at + random_below(20);
    const input *other = &files[random_below(file_count)];
    const char *fragment = fragments[random_below(sizeof fragments / sizeof *fragments)];
    uint8_t byte = (uint8_t)random_below(256);
    end = end < size ? end : size;
    switch (random_below(8)) {
    case 0:
        return replace(bytes, size, at, end, (const uint8_t *)"", 0);
    case 1:
        return replace(bytes, size, at, at, &byte, 1);
    case 2: {
        size_t from = random_below((uint32_t)other->size + 1);
        size_t length = random_below(60);
        length = length < other->size - from ? length : other->size - from;
        return replace(bytes, size, at, at, other->bytes + from, length);
    }
    case 3:
        return at;
    case 4:
        for (uint32_t i = random_below(300); i; i--)
            size = replace(bytes, size, at, at, (const uint8_t *)fragment, strlen(fragment));
        return size;
    default:
        return replace(bytes, size, at, at, (const uint8_t *)fragment, strlen(fragment));
    }
}

int main(int count, char **arguments)
{
    static uint8_t bytes[LARGEST];
    if (count < 3) {
        fprintf(stderr, "usage: standalone <mutants> <file>...\n");
        return 2;
    }
    signal(SIGABRT, on_abort);
    __sanitizer_set_death_callback(write_tested);
    for (int i = 2; i < count; i++)
        read_file(arguments[i]);
    for (uint32_t i = 0; i < file_count; i++)
        test(files[i].bytes, files[i].size);
    for (long i = strtol(arguments[1], NULL, 10); i > 0; i--) {
        const input *file = &files[random_below(file_count)];
        size_t size = file->size;
        memcpy(bytes, file->bytes, size);
        for (uint32_t step = 1 + random_below(6); step; step--)
            size = mutate(bytes, size);
        test(bytes, size);
    }
    printf("%u files and %s mutants: no fault\n", file_count, arguments[1]);
    for (uint32_t i = 0; i < file_count; i++)
        free(files[i].bytes);
    return 0;
}
