/* What wasi-libc would import from a host, defined here, so that the module imports nothing.

   Every system interface answers "no such thing"; the clock is what the host last wrote into the
   exchange; randomness at start-up is a constant, because the engine's generator is seeded by each
   run (engine_seed). A process exit, which only abort() and failed assertions reach, is a trap. */
#include <stddef.h>
#include <stdint.h>

#include "guest.h"

#define ERRNO_BADF 8
#define ERRNO_NOSYS 52
#define IMPORTED(name) __imported_wasi_snapshot_preview1_##name

int32_t IMPORTED(clock_time_get)(int32_t id, int64_t precision, int32_t result)
{
    double ms = id == 0 ? exchange_block.wall_ms : exchange_block.elapsed_ms;
    (void)precision;
    *(uint64_t *)(uintptr_t)result = (uint64_t)(ms * 1e6);
    return 0;
}

int32_t IMPORTED(random_get)(int32_t buffer, int32_t length)
{
    for (int32_t i = 0; i < length; i++)
        ((uint8_t *)(uintptr_t)buffer)[i] = 0x5a;
    return 0;
}

int32_t IMPORTED(environ_sizes_get)(int32_t count, int32_t size)
{
    *(uint32_t *)(uintptr_t)count = 0;
    *(uint32_t *)(uintptr_t)size = 0;
    return 0;
}

int32_t IMPORTED(environ_get)(int32_t environ, int32_t buffer)
{
    (void)environ, (void)buffer;
    return 0;
}

int32_t IMPORTED(fd_close)(int32_t fd)
{
    (void)fd;
    return ERRNO_BADF;
}

int32_t IMPORTED(fd_fdstat_get)(int32_t fd, int32_t result)
{
    (void)fd, (void)result;
    return ERRNO_BADF;
}

int32_t IMPORTED(fd_seek)(int32_t fd, int64_t offset, int32_t whence, int32_t result)
{
    (void)fd, (void)offset, (void)whence, (void)result;
    return ERRNO_BADF;
}

int32_t IMPORTED(fd_write)(int32_t fd, int32_t vectors, int32_t count, int32_t result)
{
    (void)fd, (void)vectors, (void)count, (void)result;
    return ERRNO_BADF;
}

int32_t IMPORTED(fd_read)(int32_t fd, int32_t vectors, int32_t count, int32_t result)
{
    (void)fd, (void)vectors, (void)count, (void)result;
    return ERRNO_NOSYS;
}

_Noreturn void IMPORTED(proc_exit)(int32_t code)
{
    (void)code;
    __builtin_trap();
}
