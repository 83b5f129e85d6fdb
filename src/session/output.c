/*
 * output: from the pty through the ring into the emulator, and the quiet replay by which a new worker catches
 * up.
 *
 * Around every piece that is parsed, the shared memory says which: a keeper whose worker died knows of what.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "base/log.h"
#include "base/mem.h"
#include "session/checkpoint.h"
#include "session/parts.h"

#ifdef HANDLER_TEST
/* Test builds only: a worker that dies of its input, hangs, or grows, as a fault of the parser would let it.
 */
static void die_on_request(const void *data, size_t len)
{
	const char *bytes = getenv("HANDLER_TEST_ABORT_ON");
	if (bytes && *bytes && memmem(data, len, bytes, strlen(bytes)))
		abort();
	const char *hang = getenv("HANDLER_TEST_HANG_ON");
	if (hang && *hang && memmem(data, len, hang, strlen(hang)))
		for (volatile int forever = 1; forever;)
			;
	const char *grow = getenv("HANDLER_TEST_GROW_ON");
	while (grow && *grow && memmem(data, len, grow, strlen(grow)))
		mem_alloc(16 << 20);
}
#else
#define die_on_request(data, len) ((void)0)
#endif

/* In a flood nearly every read gives HANDOVER_READ bytes; one far below says that the program is waited for.
 */
enum { SHORT_READ = HANDOVER_READ / 4 };

static void feed(struct worker *w, const void *data, size_t len, unsigned flags)
{
	if (!w->shared->raw) {
		die_on_request(data, len);
		term_feed(w->term, data, len, flags);
	} else if (!w->raw_told) {
		w->raw_told = true;
		turns_reset_modes(w);
		term_mark(w->term,
		    "[the screen cannot be shown: its output ends the emulator; the program goes on]");
	}
}

/* How much is parsed at once: never into what is left out. */
static size_t chunk(uint64_t left, uint64_t before_skip)
{
	uint64_t n = left < before_skip ? left : before_skip;
	return n < CHUNK ? (size_t)n : CHUNK;
}

/* Parses what lies in the ring from `parsed` on, at most `max` bytes.  Returns the bytes taken. */
static size_t parse(struct worker *w, size_t max)
{
	struct handover *h = w->shared;
	size_t done = 0;
	while (done < max) {
		uint64_t at = h->parsed, to;
		size_t len;
		if (handover_skipped(h, at, &to)) {
			h->parsed = to > h->head ? h->head : to;
			continue;
		}
		const uint8_t *data = handover_bytes(h, at, chunk(max - done, to - at), &len);
		if (!data)
			break;
		h->begun = at;
		h->begun_size = len;
		feed(w, data, len, 0);
		h->history_end = w->history ? history_end(w->history) : 0;
		h->parsed = at + len;
		h->begun_size = 0;
		done += len;
		checkpoint_due(w);
		report_events(w);
		struct buf *replies = term_replies(w->term);
		if (replies->len) {
			input_bytes(w, replies->data, replies->len);
			buf_clear(replies);
		}
	}
	return done;
}

static void took_output(struct worker *w)
{
	uv_update_time(&w->loop); /* the turn may have taken longer than a flood's rest */
	w->last_output = worker_now(w);
	if (w->key_written)
		w->echoes_quickly = uv_hrtime() - w->key_written < 2 * ECHO_AWAIT_NS;
	w->key_written = 0;
	report_output(w);
	frames_dirty(w);
}

static bool output_waits(int fd)
{
	int waiting = 0;
	return ioctl(fd, FIONREAD, &waiting) < 0 ||
	       waiting > 0; /* that it cannot be asked is for read(2) to say */
}

/*
 * Looks for output that is as good as there, instead of sleeping: to be woken takes as long as all of this,
 * much longer where a hypervisor has to wake the processor.  Whoever else wants the processor has it
 * meanwhile.
 */
static bool await_output(int fd, uint64_t ns)
{
	uint64_t end = uv_hrtime() + ns;
	while (!output_waits(fd)) {
		if (uv_hrtime() >= end)
			return false;
		sched_yield();
	}
	return true;
}

/* Not for a program that takes its time, or one that echoes nothing: a miss ends it until an echo is quick
 * again. */
void output_await_echo(struct worker *w)
{
	w->key_written = uv_hrtime();
	if (w->echoes_quickly)
		w->echoes_quickly = await_output(w->master, ECHO_AWAIT_NS);
}

/* Into the ring.  Returns the bytes; 0 or less: none waited. */
static ssize_t read_piece(struct worker *w)
{
	ssize_t n;
	do
		n = handover_read(w->shared, w->master, CHUNK);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno != EAGAIN) {
		w->pty_over = true;
		output_poll(w);
	}
	return n;
}

/* The program is ahead of us, and by so little that it soon has to wait. */
static bool may_read_ahead(struct worker *w)
{
	return w->shared->head - w->shared->parsed < CHUNK && output_waits(w->master);
}

/*
 * One turn: at most OUTPUT_SLICE, so that keys and frames are not kept waiting by a flood.
 *
 * The pty holds 12 KiB and gives 4 at once.  In a flood it is emptied while what came before is parsed, or
 * whoever fills it would come to rest and have to be woken for each of its pieces.
 */
static void read_output(struct worker *w)
{
	ssize_t last = read_piece(w);
	size_t total = 0, n;
	do {
		n = parse(w, PIECE);
		total += n;
		if (n > 0 && total < OUTPUT_SLICE && may_read_ahead(w)) {
			last = read_piece(w);
		} else if (n == 0 && total < OUTPUT_SLICE && last >= SHORT_READ) {
			await_output(w->master, FLOOD_AWAIT_NS);
			last = read_piece(w);
			n = last > 0 ? (size_t)last : 0;
		}
	} while (n > 0);
	if (last < SHORT_READ) /* that was all: no read only to hear so */
		term_rest(w->term);
	if (total)
		took_output(w);
}

static void on_pty(uv_poll_t *handle, int status, int events)
{
	struct worker *w = handle->data;
	if (status < 0) /* libuv has stopped */
		w->pty_events = 0;
	if (status < 0 || (events & UV_READABLE))
		read_output(w);
	if (events & UV_WRITABLE)
		input_flush(w);
}

void output_poll(struct worker *w)
{
	int events = (w->pty_over ? 0 : UV_READABLE) | (w->input.len ? UV_WRITABLE : 0);
	if (w->ending)
		events = 0;
	if (events ==
	    w->pty_events) /* each start costs two calls of the system, also one that changes nothing */
		return;
	w->pty_events = events;
	if (events)
		uv_poll_start(&w->pty_poll, events, on_pty);
	else
		uv_poll_stop(&w->pty_poll);
}

void output_start(struct worker *w)
{
	uv_poll_init(&w->loop, &w->pty_poll, w->master);
	w->pty_poll.data = w;
	output_poll(w);
}

/* --- recovery --- */

/*
 * Feeds again what predecessors have parsed, from an offset on, with the changes of size from number `resize`
 * on where they happened.  With `history`, rows that leave the screen are appended once more (the file was
 * cut back to the checkpoint); what the emulator answers and announces was said before, and is dropped.
 */
static void replay(struct worker *w, uint64_t from, uint64_t resize, bool history)
{
	struct handover *h = w->shared;
	uint64_t to = h->parsed, skip;
	for (;;) {
		uint64_t end = to;
		while (resize < h->resize_count) {
			const struct handover_resize *r = &h->resize[resize % HANDOVER_RESIZES];
			if (r->offset > from) {
				end = r->offset < to ? r->offset : to;
				break;
			}
			term_resize(w->term, r->rows, r->cols);
			resize++;
		}
		if (from >= to)
			break;
		if (handover_skipped(h, from, &skip)) {
			from = skip;
			continue;
		}
		size_t len;
		const uint8_t *data = handover_bytes(h, from, chunk(end - from, skip - from), &len);
		if (!data)
			break;
		h->begun = from;
		h->begun_size = len;
		feed(w, data, len, history ? 0 : TERM_QUIET | TERM_NO_HISTORY);
		term_rest(w->term);
		h->begun_size = 0;
		from += len;
		checkpoint_forget_events(w);
	}
}

/*
 * Without a checkpoint that can be used: what the ring still holds is fed to an empty terminal.  Text and
 * modes come back as far as the ring reaches, the rows of history are those in the file.
 */
static void recover_from_ring(struct worker *w)
{
	struct handover *h = w->shared;
	uint64_t count = h->resize_count, first = count > HANDOVER_RESIZES ? count - HANDOVER_RESIZES : 0;
	uint64_t tail = handover_tail(h);
	/* The size in force at the ring's oldest byte. */
	while (first + 1 < count && h->resize[(first + 1) % HANDOVER_RESIZES].offset <= tail)
		first++;
	history_truncate(w->history, h->history_end);
	replay(w, tail, first, false);
	term_set_history(w->term, w->history);
}

static void mark_deaths(struct worker *w)
{
	struct handover *h = w->shared;
	if (h->deaths < 2 || h->announced >= h->deaths)
		return;
	h->announced = h->deaths;
	term_mark(w->term,
	    h->raw ? "[the program's output can no longer be shown]" : "[some output could not be shown]");
	checkpoint_take(w);
}

void output_recover(struct worker *w)
{
	struct handover *h = w->shared;
	size_t repaired = handover_repair(h);
	uint64_t from, resizes;
	if (checkpoint_load(w, &from, &resizes))
		replay(w, from, resizes, true);
	else
		recover_from_ring(w);
	w->sync_on = (term_screen(w->term)->modes & SCREEN_SYNCHRONIZED) != 0;
	mark_deaths(w);
	log_info(
	    "output", "recovered up to %llu, %zu bytes repaired", (unsigned long long)h->parsed, repaired);
	parse(w, HANDOVER_RING);
}

void output_drain(struct worker *w)
{
	while (!w->pty_over) {
		if (read_piece(w) <= 0)
			break;
		parse(w, HANDOVER_RING);
	}
	parse(w, HANDOVER_RING);
	frames_dirty(w);
}
