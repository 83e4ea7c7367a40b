/* The engine's allocator: libc's, with one addition: a failed allocation is remembered, because the
   program may catch the error and the host must still know. */
#include <malloc.h>
#include <stdlib.h>

#include "guest.h"

/* Two reserves: the first is given back when an allocation fails, so that the engine has room for the
   error that the program may catch; the second when the run ends, for the report to the host. */
#define ERROR_RESERVE_BYTES (16u << 10)
#define REPORT_RESERVE_BYTES (64u << 10)
static void *error_reserve, *report_reserve;

bool memory_reserve(void)
{
    error_reserve = malloc(ERROR_RESERVE_BYTES);
    report_reserve = malloc(REPORT_RESERVE_BYTES);
    return error_reserve && report_reserve;
}

void memory_release_reserve(void)
{
    free(report_reserve);
    report_reserve = NULL;
}

static void *noted(void *block)
{
    if (!block) {
        exchange_block.flags |= FLAG_OUT_OF_MEMORY;
        free(error_reserve);
        error_reserve = NULL;
    }
    return block;
}

static void *guest_calloc(void *opaque, size_t count, size_t size)
{
    (void)opaque;
    return noted(calloc(count, size));
}

static void *guest_malloc(void *opaque, size_t size)
{
    (void)opaque;
    return noted(malloc(size));
}

static void guest_free(void *opaque, void *block)
{
    (void)opaque;
    free(block);
}

static void *guest_realloc(void *opaque, void *block, size_t size)
{
    (void)opaque;
    return noted(realloc(block, size));
}

static size_t guest_usable_size(const void *block)
{
    return malloc_usable_size((void *)block);
}

JSRuntime *memory_runtime(void)
{
    static const JSMallocFunctions functions = {guest_calloc, guest_malloc, guest_free, guest_realloc,
                                                guest_usable_size};
    return JS_NewRuntime2(&functions, NULL);
}
