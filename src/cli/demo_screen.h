/*
 * demo_screen: what the demo agent draws: lines that go up into history, and below them a footer that is
 * drawn anew.
 *
 * Inline, on the main screen: the footer is erased, new history is printed, the footer follows; all in one
 * synchronized update (mode 2026).  Knows no agent and reads no input.
 */
#ifndef HANDLER_CLI_DEMO_SCREEN_H
#define HANDLER_CLI_DEMO_SCREEN_H

#include "base/buf.h"

struct demo_screen {
	int rows, cols;
	int cursor_row;     /* rows of the footer above the cursor; 0 before the first one */
	struct buf history; /* lines that the next draw prints above the footer */
	struct buf out;     /* bytes for the terminal; the caller writes and clears them */
};

/* What the footer shows; texts are borrowed, well-formed UTF-8 without controls but LF in `composer`. */
struct demo_footer {
	const char *line;     /* the unfinished line of an answer, or "" */
	const char *status;   /* "working (Esc interrupts)" */
	const char *question; /* instead of the composer: a question and its choices, lines; NULL: none */
	const char *composer; /* the draft */
	const char *info;     /* the last line */
};

void demo_screen_init(struct demo_screen *s, int rows, int cols);
void demo_screen_finish(struct demo_screen *s);
/* One line for history; what cannot be shown in it is replaced; sgr: parameters of its style ("2"), or "". */
void demo_screen_line(struct demo_screen *s, const char *sgr, const char *text);
/* Every line of text, each behind prefix. */
void demo_screen_text(
    struct demo_screen *s, const char *sgr, const char *prefix, const char *text, int max_lines);
void demo_screen_draw(struct demo_screen *s, const struct demo_footer *f);
/* The footer away, the cursor at its place: before the program ends. */
void demo_screen_leave(struct demo_screen *s);

#endif
