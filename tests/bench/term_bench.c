/*
 * term_bench: how fast the emulator alone is, in MB of output per second of CPU time, and what memory it
 *takes.
 *
 *	make build/release/term_bench && build/release/term_bench [-e native|libvterm] [MiB] [workload]
 *
 * Five workloads: lines of a log, the same with a colour for each word, repaints of a full-screen program on
 *the main and on the alternate screen, and lines of CJK, emoji and combining marks.  Each runs five times
 *with history, five times without; the median counts.  Memory: what a terminal takes from malloc, new and
 *after the log, without history.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "term/term.h"

enum { ROWS = 50, COLS = 120, RUNS = 5, CHUNK = 65536 };

static uint32_t state;

static uint32_t below(uint32_t n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % n;
}

static const char *word(void)
{
	static const char *const words[] = {"request", "worker", "session", "terminal", "src/render.c",
	    "line", "commit", "passed", "token", "stream", "update", "queue", "retry", "GET", "/api/v1/items",
	    "200", "12ms", "INFO", "WARN"};

	return words[below(COUNT_OF(words))];
}

static void log_line(struct buf *out)
{
	for (int n = 8 + (int)below(7); n > 0; n--)
		buf_printf(out, "%s ", word());
	buf_adds(out, "\r\n");
}

static void color_line(struct buf *out)
{
	for (int n = 8 + (int)below(4); n > 0; n--)
		buf_printf(out, "\033[38;2;%u;%u;%um%s\033[39m ", below(256), below(256), below(256), word());
	buf_adds(out, "\r\n");
}

static void repaint(struct buf *out)
{
	buf_adds(out, "\033[?2026h\033[?25l");
	for (int row = 1; row <= ROWS; row++) {
		buf_printf(out, "\033[%d;1H\033[38;5;%um", row, below(256));
		for (int n = 10; n > 0; n--)
			buf_printf(out, "%s ", word());
		buf_adds(out, "\033[0m\033[K");
	}
	buf_adds(out, "\033[28;5H\033[?25h\033[?2026l");
}

/* The same on the alternate screen, where each frame is held against the one before (seen.h). */
static void repaint_alternate(struct buf *out)
{
	buf_adds(out, "\033[?47h");
	repaint(out);
}

static void unicode_line(struct buf *out)
{
	static const uint32_t emoji[] = {0x1f680, 0x1f525, 0x2705, 0x1f389, 0x1f916};

	for (int n = 8; n > 0; n--) {
		uint32_t kind = below(10);

		for (int k = 5; kind < 6 && k > 0; k--)
			buf_add_utf8(out, 0x4e00 + below(0x5000));
		if (kind == 6 || kind == 7)
			buf_add_utf8(out, emoji[below(COUNT_OF(emoji))]);
		if (kind == 8)
			buf_adds(out, "na\xc3\xafve \xce\xa9\xce\xbc\xce\xad\xce\xb3\xce\xb1");
		if (kind == 9)
			buf_adds(out, "e\xcc\x81"
				      "a\xcc\x88o\xcc\x82");
		buf_addc(out, ' ');
	}
	buf_adds(out, "\r\n");
}

static const struct {
	const char *name;
	void (*add)(struct buf *out);
} workloads[] = {{"log", log_line}, {"color", color_line}, {"repaint", repaint},
    {"alternate", repaint_alternate}, {"unicode", unicode_line}};

static void feed(struct term *t, const struct buf *text)
{
	for (size_t at = 0; at < text->len; at += CHUNK)
		term_feed(t, text->data + at, text->len - at < CHUNK ? text->len - at : CHUNK, 0);
}

static double run(enum term_engine engine, const struct buf *text, bool with_history)
{
	struct history *h = with_history ? history_create(-1, NULL, HISTORY_DEFAULT_ROWS, NULL) : NULL;
	struct term_options o = {.engine = engine, .rows = ROWS, .cols = COLS, .history = h};
	struct term *t = term_create(&o, NULL);
	clock_t start = clock();
	double seconds;

	feed(t, text);
	seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	term_destroy(t);
	history_destroy(h);
	return (double)text->len / 1e6 / seconds;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(enum term_engine engine, const struct buf *text, bool with_history)
{
	double speed[RUNS];

	for (int i = 0; i < RUNS; i++)
		speed[i] = run(engine, text, with_history);
	qsort(speed, RUNS, sizeof(speed[0]), by_size);
	return speed[RUNS / 2];
}

static void memory(enum term_engine engine)
{
	struct term_options o = {.engine = engine, .rows = ROWS, .cols = COLS};
	struct buf text = BUF_INIT;
	size_t before, new;
	struct term *t;

	state = 1;
	while (text.len < 1 << 20)
		log_line(&text);
	before = mallinfo2().uordblks;
	t = term_create(&o, NULL);
	term_feed(t, "x", 1, 0);
	new = mallinfo2().uordblks - before;
	feed(t, &text);
	printf("memory: %zu KiB new, %zu KiB after 1 MiB of log\n", new >> 10,
	    (mallinfo2().uordblks - before) >> 10);
	term_destroy(t);
	buf_free(&text);
}

int main(int argc, char **argv)
{
	enum term_engine engine = TERM_NATIVE;
	const char *only;
	size_t size;

	if (getopt(argc, argv, "e:") == 'e' && strcmp(optarg, "libvterm") == 0)
		engine = TERM_LIBVTERM;
	argv += optind;
	size = (*argv ? strtoul(*argv, NULL, 10) : 16) << 20;
	only = *argv ? argv[1] : NULL;
	printf("%-10s %12s %12s  (MB/s of CPU time)\n", "", "with history", "without");
	for (size_t i = 0; i < COUNT_OF(workloads); i++) {
		struct buf text = BUF_INIT;

		if (only && strcmp(only, workloads[i].name) != 0)
			continue;
		state = 1;
		while (text.len < size)
			workloads[i].add(&text);
		printf("%-10s %12.0f %12.0f\n", workloads[i].name, median(engine, &text, true),
		    median(engine, &text, false));
		buf_free(&text);
	}
	memory(engine);
	return 0;
}
