/* The eraser alone in a module of its own, so that a test can call it without a runtime.
 *
 * The host writes a text at alloc(length), calls run(), reads the report at the address that it
 * returns, and calls done(), which frees both. Memory is rationed: after ration(n) the n-th
 * allocation from now on fails, and so do all later ones; live() counts what is not freed. */
#include "erase.h"

/* The build names the eraser's allocator so that it is the one below. */
#undef malloc
#undef calloc
#undef realloc
#undef free
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

static int32_t allowance = -1; /* allocations that may still succeed; -1: all */
static int32_t live_count;

static int is_allowed(void)
{
    if (allowance > 0)
        allowance--;
    return allowance != 0;
}

void *rationed_malloc(size_t size);
void *rationed_calloc(size_t count, size_t size);
void *rationed_realloc(void *items, size_t size);
void rationed_free(void *items);

static void *count_new(void *items)
{
    live_count += items != NULL;
    return items;
}

void *rationed_malloc(size_t size)
{
    return is_allowed() ? count_new(malloc(size)) : NULL;
}

void *rationed_calloc(size_t count, size_t size)
{
    return is_allowed() ? count_new(calloc(count, size)) : NULL;
}

void *rationed_realloc(void *items, size_t size)
{
    if (!is_allowed())
        return NULL;
    void *moved = realloc(items, size);
    return items ? moved : count_new(moved);
}

void rationed_free(void *items)
{
    live_count -= items != NULL;
    free(items);
}

void EXPORT(ration)(int32_t allocations)
{
    allowance = allocations;
}

int32_t EXPORT(live)(void)
{
    return live_count;
}

void *EXPORT(alloc)(uint32_t length)
{
    return malloc(length ? length : 1);
}

#ifdef WITH_ERASER

static void *source;
static erase_result result;
static uint32_t report[12];

uint32_t *EXPORT(run)(char *text, uint32_t length)
{
    source = text;
    erase_program(text, length, &result);
    int is_ok = result.status == ERASE_OK;
    uint32_t values[12] = {
        result.status,
        (uint32_t)(uintptr_t)(is_ok ? result.text : result.message),
        (uint32_t)(is_ok ? result.length : strlen(result.message)),
        result.shape,
        (uint32_t)result.calls_default,
        result.last,
        result.last_start,
        result.last_end,
        result.offset,
        result.line,
        result.column,
        is_ok && result.text[result.length] != 0, /* a fault: the text must end in NUL */
    };
    memcpy(report, values, sizeof report);
    return report;
}

void EXPORT(done)(void)
{
    erase_free(&result);
    free(source);
}

#endif
