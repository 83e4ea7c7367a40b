/* The two buffers between guest and host. */
#include <stdlib.h>
#include <string.h>

#include "guest.h"

struct exchange exchange_block = {.version = ABI_VERSION};

/* The host may look at the exchange while the guest stands still between any two instructions, so
   what it sees must be true at each: the buffer first, then the length. */
#define published (*(volatile struct exchange *)&exchange_block)

static uint8_t *outbox;
static uint32_t outbox_capacity;
static uint8_t *inbox;

void frames_drop(void)
{
    published.outbox_length = 0;
}

static bool outbox_room(size_t more)
{
    uint64_t needed = (uint64_t)exchange_block.outbox_length + more;
    uint32_t capacity = outbox_capacity ? outbox_capacity : 4096;
    uint8_t *bigger, *old = outbox;

    if (needed <= outbox_capacity)
        return true;
    if (needed > UINT32_MAX / 2)
        return false;
    while (capacity < needed)
        capacity *= 2;
    bigger = malloc(capacity);
    if (!bigger) {
        exchange_block.flags |= FLAG_OUT_OF_MEMORY;
        return false;
    }
    memcpy(bigger, outbox, exchange_block.outbox_length);
    outbox = bigger;
    outbox_capacity = capacity;
    published.outbox_pointer = (uint32_t)(uintptr_t)bigger;
    free(old);
    return true;
}

bool frame_emit(enum frame kind, const void *head, size_t head_length, const void *body,
                size_t body_length)
{
    uint32_t header[2] = {kind, (uint32_t)(head_length + body_length)};
    uint8_t *at;

    if (!outbox_room(sizeof header + head_length + body_length))
        return false;
    at = outbox + exchange_block.outbox_length;
    memcpy(at, header, sizeof header);
    if (head_length)
        memcpy(at + sizeof header, head, head_length);
    if (body_length)
        memcpy(at + sizeof header + head_length, body, body_length);
    __asm__ volatile("" : : : "memory");
    published.outbox_length = (uint32_t)(at - outbox + sizeof header + head_length + body_length);
    return true;
}

bool inbox_reserve(uint32_t length)
{
    uint32_t capacity = 16384;
    uint8_t *bigger;

    if (length <= exchange_block.inbox_capacity)
        return true;
    if (length > UINT32_MAX / 2)
        return false;
    while (capacity < length)
        capacity *= 2;
    if (capacity - length > length / 4 && length > 1 << 20)
        capacity = length; /* a large answer needs its own size, not twice that */
    free(inbox);
    inbox = NULL;
    exchange_block.inbox_capacity = 0;
    bigger = malloc(capacity);
    if (!bigger)
        return false;
    inbox = bigger;
    exchange_block.inbox_pointer = (uint32_t)(uintptr_t)bigger;
    exchange_block.inbox_capacity = capacity;
    return true;
}

#define LARGE_INBOX (1u << 20)
#define SMALL_INBOX (1u << 14)

void inbox_trim(void)
{
    if (exchange_block.inbox_capacity > LARGE_INBOX) {
        free(inbox);
        inbox = NULL;
        exchange_block.inbox_capacity = 0;
        inbox_reserve(SMALL_INBOX); /* if that fails, the next turn asks for its own */
    }
}

uint8_t *inbox_bytes(void)
{
    return inbox;
}

static const uint8_t *take(struct reader *reader, size_t length)
{
    const uint8_t *at = reader->at;

    if (reader->failed || length > (size_t)(reader->end - at)) {
        reader->failed = true;
        return NULL;
    }
    reader->at += length;
    return at;
}

uint32_t read_u32(struct reader *reader)
{
    uint32_t number = 0;
    const uint8_t *at = take(reader, sizeof number);

    if (at)
        memcpy(&number, at, sizeof number);
    return number;
}

uint64_t read_u64(struct reader *reader)
{
    uint64_t number = 0;
    const uint8_t *at = take(reader, sizeof number);

    if (at)
        memcpy(&number, at, sizeof number);
    return number;
}

const char *read_bytes(struct reader *reader, size_t *length)
{
    *length = read_u32(reader);
    return (const char *)take(reader, *length);
}
