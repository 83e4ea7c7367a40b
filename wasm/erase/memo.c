/* What speculations have learned, so that no stretch of text is judged twice.
 *
 * Each entry is a pure fact of the text from one offset on, whatever led there, so entries stay
 * true when the parser rewinds. Open addressing, one table for all kinds. Offsets are below
 * MAX_SOURCE_BYTES, so a key never overflows. */
#include "parser.h"

#include <stdlib.h>

#define FIRST_ROOM 64u

static uint32_t find(const struct memo_slot *slots, uint32_t room, uint32_t key)
{
    uint32_t i = (key * 2654435761u) >> 7 & (room - 1);
    while (slots[i].key && slots[i].key != key)
        i = (i + 1) & (room - 1);
    return i;
}

static uint32_t key_of(enum memo_kind kind, uint32_t offset)
{
    return (offset << 2 | (uint32_t)kind) + 1; /* 0 is a free slot */
}

uint32_t recall(const struct parser *p, enum memo_kind kind, uint32_t offset)
{
    if (!p->memo_used)
        return 0;
    uint32_t key = key_of(kind, offset);
    const struct memo_slot *slot = &p->memo[find(p->memo, p->memo_room, key)];
    return slot->key == key ? slot->value : 0;
}

static int widen(struct parser *p)
{
    uint32_t room = p->memo_room ? p->memo_room * 2 : FIRST_ROOM;
    struct memo_slot *slots = calloc(room, sizeof *slots);
    if (!slots) {
        fail_memory(p);
        return 0;
    }
    for (uint32_t i = 0; i < p->memo_room; i++)
        if (p->memo[i].key)
            slots[find(slots, room, p->memo[i].key)] = p->memo[i];
    free(p->memo);
    p->memo = slots;
    p->memo_room = room;
    return 1;
}

void remember(struct parser *p, enum memo_kind kind, uint32_t offset, uint32_t value)
{
    if (p->memo_used * 2 >= p->memo_room && !widen(p))
        return;
    uint32_t key = key_of(kind, offset);
    struct memo_slot *slot = &p->memo[find(p->memo, p->memo_room, key)];
    p->memo_used += !slot->key;
    slot->key = key;
    slot->value = value;
}
