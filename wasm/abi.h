/* The contract between the guest and its host. The host's side is runtime/_abi.py, which a test
   compares with this file.

   The guest imports nothing. Data crosses in two places of the guest's memory only:

   - the inbox: the host writes `inbox_length` bytes at `inbox_pointer` before it calls `turn`;
   - the outbox: the host reads whole frames from `outbox_pointer` when `turn` has returned, or while
     the guest is suspended between two instructions. `outbox_length` grows only after a frame is
     complete, and the host sets it to 0 before the next `turn`, so the host never sees half a frame, nor
   one twice.

   Both are described by one `struct exchange` at a fixed address, which the export `exchange`
   returns. Numbers are little endian. All text is UTF-8 in which a lone surrogate is its three-byte
   form (WTF-8). The host owns none of the guest's memory and the guest none of the host's. */
#ifndef CODEMODE_ABI_H
#define CODEMODE_ABI_H

#include <stdint.h>

#define ABI_VERSION 2

/* What the host asks of a `turn`. */
enum op {
    OP_START = 1,   /* inbox: a start record (start.c) */
    OP_SETTLE = 2,  /* inbox: settle records, one for each answered call */
    OP_TIMERS = 3,  /* no inbox: fire the timers that are due */
    OP_RESERVE = 4  /* make room for `inbox_length` bytes of inbox */
};

/* What the guest says when a `turn` has returned. */
enum state {
    STATE_WAITING = 1, /* calls or timers are pending: the host settles them and calls again */
    STATE_DONE = 2,    /* the outbox ends with one RESULT or ERROR frame: the run is over */
    STATE_RESERVED = 3, /* the answer to OP_RESERVE: the inbox has the room */
    STATE_REFUSED = 4  /* the answer to OP_RESERVE: no memory */
};

/* Frames of the outbox: u32 kind, u32 length of the payload, payload, no padding. */
enum frame {
    FRAME_CALL = 1,   /* u32 call id, u32 function index, JSON of the one argument, or of a
                         helper's arguments as one list */
    FRAME_LOG = 2,    /* u8 source, u8 level, text */
    FRAME_RESULT = 3, /* JSON of the completion value; empty: undefined */
    FRAME_ERROR = 4   /* u8 fault, then four strings: name, message, stack, JSON of own members */
};

enum log_source { SOURCE_CONSOLE = 0, SOURCE_RUNTIME = 1 };

enum log_level { LEVEL_LOG = 0, LEVEL_INFO = 1, LEVEL_WARN = 2, LEVEL_ERROR = 3, LEVEL_DEBUG = 4 };

/* Why a program failed, as far as the guest can know. */
enum fault {
    FAULT_EXCEPTION = 0,      /* the program threw, or did not compile */
    FAULT_INVALID_OUTPUT = 1, /* the completion value is not JSON */
    FAULT_OUTPUT_LIMIT = 2,   /* the completion value is larger than the limit */
    FAULT_MEMORY = 3,         /* the program's memory ran out */
    FAULT_STALLED = 4,        /* it waits for a promise that nothing can settle */
    FAULT_REFUSED = 5         /* the text is not a program that can run: the eraser says why */
};

/* How a call was answered: u32 call id, u32 status, u32 length, payload. */
enum settle { SETTLE_VALUE = 0, SETTLE_UNDEFINED = 1, SETTLE_ERROR = 2 };

/* `flags` of the exchange. */
enum flag { FLAG_OUT_OF_MEMORY = 1 };

struct exchange {
    uint32_t version;
    uint32_t op;            /* host to guest */
    uint32_t inbox_length;  /* host to guest */
    uint32_t outbox_length; /* the host sets it to 0 before a turn; the guest adds */
    double wall_ms;         /* host to guest: milliseconds since 1970 */
    double elapsed_ms;      /* host to guest: milliseconds since the run began, monotonic */
    double timer_due_ms;    /* on the clock of elapsed_ms; negative: no timer is pending */
    uint32_t state;
    uint32_t inbox_pointer;
    uint32_t inbox_capacity;
    uint32_t outbox_pointer;
    uint32_t pending_calls;
    uint32_t flags;
};

#endif
