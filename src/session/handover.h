/*
 * handover: the memory that a keeper holds and its workers, one after the other, work in: the ring of the
 * program's recent output and what the next worker must know.
 *
 * It crosses an exec, possibly into another version of the program, older or newer: members are only ever
 * added at the end of struct handover, which has room for them up to `header_size`, and the sizes of ring and
 * slots never change.  `version` says which members its keeper knows; those that it does not know are zero at
 * first.  So each version works with the memory of any other.  The same holds for the descriptors and the
 * messages of the channel below: numbers are added, unknown messages passed over.  A golden test pins all of
 * it (tests/unit/session_handover.c).  All numbers are in the machine's byte order.
 *
 * Reading the pty loses nothing to SIGKILL: the worker fills as much of the ring as a pty gives at once with
 * a pattern, stores `intent`, reads, advances `head`, clears `intent`.  A worker that finds an intent takes
 * the bytes in which the pattern has changed: they were read by its predecessor, who died before it could say
 * so.
 */
#ifndef HANDLER_SESSION_HANDOVER_H
#define HANDLER_SESSION_HANDOVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
	HANDOVER_MAGIC = 0x72646e68, /* "hndr" */
	HANDOVER_VERSION = 2,        /* 2: members from worker_version on */
	HANDOVER_OLDEST = 1,
	HANDOVER_RING = 512 << 10,
	HANDOVER_READ = 4096, /* read at once: Linux gives no more from a pty (N_TTY_BUF_SIZE) */
	HANDOVER_UNPARSED_MAX = HANDOVER_RING - HANDOVER_READ,
	HANDOVER_RESIZES = 64,
	HANDOVER_SKIPS = 8,
	HANDOVER_INPUTS = 16,
	HANDOVER_STATE = 4096,
	HANDOVER_NEAR = 1 << 20, /* two deaths within this many bytes are one cause */
	HANDOVER_SLOTS = 2,
	HANDOVER_INTERRUPTED = 2, /* stopped_by_us: nobody asked for it, the keeper was sent SIGTERM */
	HANDOVER_SLOT = 4 << 20,  /* room of a checkpoint; only what is used takes memory */
	HANDOVER_TEXT = 32,
};

struct handover_resize {
	uint64_t offset; /* of output at which the size changed */
	uint16_t rows, cols;
	uint32_t spare;
};

struct handover_skip {
	uint64_t from, to; /* output that no worker survives: never parsed again */
};

struct handover_input {
	uint64_t token;    /* of a client */
	uint32_t sequence; /* its last input that reached the program */
	uint32_t spare;
};

/* The emulator's state (term_save) at an offset of the output; its bytes lie behind the ring. */
struct handover_slot {
	_Atomic uint64_t sequence; /* grows with each checkpoint; 0: none, or one that is being written */
	uint64_t offset;           /* output that it holds the effect of */
	uint64_t history_end;      /* rows of history then */
	uint64_t resizes;          /* resize_count then */
	uint64_t size;             /* bytes */
};

struct handover {
	uint32_t magic, version, header_size, ring_size;

	/* Offsets count the bytes that the program ever wrote.  Written by the worker. */
	_Atomic uint64_t head;        /* read from the pty */
	_Atomic uint64_t intent;      /* what is about to be read at head ends there, 0: nothing is */
	_Atomic uint64_t parsed;      /* taken by the emulator */
	_Atomic uint64_t begun;       /* offset of the chunk that is being parsed */
	_Atomic uint64_t begun_size;  /* 0: none is */
	_Atomic uint64_t history_end; /* rows of history at `parsed` */
	_Atomic uint32_t paste_open;  /* ESC [ 200 ~ was sent and not closed */
	_Atomic uint32_t input_next;  /* next slot of inputs to be used */
	_Atomic uint64_t resize_count;
	uint16_t rows, cols, xpixel, ypixel; /* as last told to the program */
	struct handover_resize resize[HANDOVER_RESIZES];
	struct handover_input inputs[HANDOVER_INPUTS];

	/* Written by the keeper. */
	uint32_t workers; /* started so far */
	uint32_t deaths;  /* at about death_offset */
	uint64_t death_offset;
	uint32_t skip_count;
	uint32_t raw; /* output is no longer parsed at all */
	struct handover_skip skips[HANDOVER_SKIPS];
	int32_t leader;
	uint32_t leader_ended, stopped_by_us;
	int32_t wait_status;
	uint32_t left;      /* processes that outlived the leader */
	uint32_t announced; /* deaths that were marked in history */

	/* Written by the worker: status_to_json, so that the next one goes on with it. */
	char state[HANDOVER_STATE];

	/* Written by the worker: two checkpoints in turn, so that one is always whole. */
	struct handover_slot slots[HANDOVER_SLOTS];

	/* Version 2. */
	char worker_version[HANDOVER_TEXT]; /* of the program; by the worker before CHANNEL_READY */
	uint64_t paste_token;               /* by a worker that leaves: the client whose paste is open */
};

/* The descriptors that a worker is given; from an exec they are 3, 4, 5 ... in this order. */
enum worker_fd { WORKER_CHANNEL, WORKER_MEMORY, WORKER_PTY, WORKER_LISTENER, WORKER_DIRECTORY, WORKER_FDS };
enum {
	WORKER_FIRST_FD = 3,
	WORKER_LEFT = 3, /* exit status of a worker that made way for another one */
};

/* Messages of the channel between keeper and worker: SOCK_SEQPACKET, one struct each. */
enum channel_type {
	CHANNEL_READY = 1,     /* worker: it serves */
	CHANNEL_LEADER = 2,    /* keeper: the leader has ended; the rest is in the memory */
	CHANNEL_GONE = 3,      /* keeper: the whole tree has ended: write the last screen and exit */
	CHANNEL_SUSPENDED = 4, /* keeper: the leader is stopped (value 1) or goes on (0) */
	CHANNEL_STOPPING = 5,  /* keeper: a stop has begun */
	CHANNEL_REBIND = 6,    /* keeper: make the socket again */
	CHANNEL_LEAVE = 7,     /* keeper: hand over to another worker and exit, see leave.c */
	CHANNEL_STAYS = 8,     /* worker: it cannot leave now */
	CHANNEL_NO_EXEC = 9,   /* what was to become a worker: execveat(2) failed with errno `value` */
};
struct channel_message {
	uint32_t type;
	int32_t value;
};

/* Makes the memory (memfd) and maps it; *fd is close-on-exec. */
struct handover *handover_create(int *fd, struct err *err);
/* Maps a memory that was handed over, after checking it. */
struct handover *handover_map(int fd, struct err *err);
void handover_unmap(struct handover *h);
uint8_t *handover_ring(struct handover *h);

/* The ring's bytes from an offset on that lie in one piece: at most max; NULL and 0 if they are no longer (or
 * not yet) kept. */
const uint8_t *handover_bytes(struct handover *h, uint64_t offset, size_t max, size_t *len);
/* The oldest offset still kept: the next read may overwrite what is before it. */
uint64_t handover_tail(struct handover *h);

/*
 * Reads what waits at fd, which is non-blocking, into the ring: at most max bytes and HANDOVER_READ, what
 * fits in one piece.  Returns the number, 0 if there is no room, -1 with errno.
 */
ssize_t handover_read(struct handover *h, int fd, size_t max);
/* Takes the bytes of an intent that the predecessor could not finish; returns how many. */
size_t handover_repair(struct handover *h);

/*
 * Keeps a checkpoint of `size` bytes in the older slot; false: it is too large.  handover_checkpoint finds
 * the newest one from which the ring still leads up to `parsed`; NULL: there is none.
 */
bool handover_save(struct handover *h, const void *data, size_t size, uint64_t history_end);
const struct handover_slot *handover_checkpoint(struct handover *h, const void **data);
/* Makes a checkpoint that turned out useless unfindable. */
void handover_discard(struct handover *h, const struct handover_slot *slot);

void handover_resized(struct handover *h, int rows, int cols, int xpixel, int ypixel);
/* Whether offset lies in a skipped range; then *to is its end.  If not, *to is where the next one begins
 * (UINT64_MAX: none does). */
bool handover_skipped(const struct handover *h, uint64_t offset, uint64_t *to);
/* A worker died: counts, and decides what the next one leaves out.  Returns true if it died while parsing. */
bool handover_died(struct handover *h);

#endif
