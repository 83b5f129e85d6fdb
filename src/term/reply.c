/*
 * reply: see reply.h.  DEC STD 070, xterm ctlseqs ("Device Attributes", "Device Status Report", XTWINOPS);
 * mode 2031's and 2048's specifications for theirs.
 *
 * What is claimed is there: VT220 with selective erase (6), colour (22), rectangles (28) and OSC 52 (52). Not
 * 64, which programs that look for a 4 (sixel) in it would misread.
 */
#include "term/reply.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "term/scroll.h"
#include "term/state.h"

static const char attributes[] = "?62;6;22;28;52c";

static void reply(struct term *t, char introducer, const char *end, const char *fmt, va_list ap)
    __attribute__((format(printf, 4, 0)));

static void reply(struct term *t, char introducer, const char *end, const char *fmt, va_list ap)
{
	size_t before = t->replies.len;

	if (t->flags & TERM_QUIET)
		return;
	if (t->replies_8bit) {
		buf_addc(&t->replies, (char)(introducer + 0x40));
	} else {
		buf_addc(&t->replies, '\033');
		buf_addc(&t->replies, introducer);
	}
	buf_vprintf(&t->replies, fmt, ap);
	buf_adds(&t->replies, end);
	if (t->replies.len > TERM_REPLIES_MAX)
		buf_truncate(&t->replies, before);
}

static const char *string_terminator(const struct term *t)
{
	return t->replies_8bit ? "\x9c" : "\033\\";
}

void reply_csi(struct term *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	reply(t, '[', "", fmt, ap);
	va_end(ap);
}

void reply_dcs(struct term *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	reply(t, 'P', string_terminator(t), fmt, ap);
	va_end(ap);
}

void reply_osc(struct term *t, bool bel, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	reply(t, ']', bel ? "\a" : string_terminator(t), fmt, ap);
	va_end(ap);
}

void reply_theme(struct term *t)
{
	reply_csi(t, "?997;%dn", t->outer.dark ? 1 : 2);
}

void reply_in_band_resize(struct term *t)
{
	reply_csi(t, "48;%d;%d;%d;%dt", t->rows, t->cols, t->rows * t->outer.cell_height,
	    t->cols * t->outer.cell_width);
}

void csi_attributes(struct term *t, const struct sequence *s)
{
	if (sequence_value(s, 0, 0) == 0)
		reply_csi(t, "%s", attributes);
}

/* "0.1.0" in "handler(0.1.0)" as 100: major * 10000 + minor * 100 + patch. */
static int version_number(const char *version)
{
	int number = 0;
	const char *at = version + strcspn(version, "0123456789");

	for (int part = 0; part < 3; part++) {
		char *end;

		number = number * 100 + (int)(strtol(at, &end, 10) % 100);
		at = *end == '.' ? end + 1 : end;
	}
	return number;
}

void csi_secondary_attributes(struct term *t, const struct sequence *s)
{
	if (sequence_value(s, 0, 0) == 0)
		reply_csi(t, ">1;%d;0c", version_number(t->version));
}

void csi_tertiary_attributes(struct term *t, const struct sequence *s)
{
	if (sequence_value(s, 0, 0) == 0)
		reply_dcs(t, "!|00000000");
}

static int reported_row(const struct term *t)
{
	return t->row + 1 - (mode(t, MODE_ORIGIN) ? t->top : 0);
}

static int reported_col(const struct term *t)
{
	return t->col + 1 - (mode(t, MODE_ORIGIN) ? t->left : 0);
}

void csi_status(struct term *t, const struct sequence *s)
{
	switch (sequence_value(s, 0, 0)) {
	case 5:
		reply_csi(t, "0n");
		break;
	case 6:
		reply_csi(t, "%d;%dR", reported_row(t), reported_col(t));
		break;
	}
}

/* DEC's reports about what a pane does not have. */
static const struct {
	int asked;
	const char *answer;
} device_reports[] = {
    {15, "?13n"},                              /* no printer */
    {25, "?21n"},                              /* user-defined keys are locked */
    {26, "?27;1n"},                            /* North American keyboard */
    {53, "?50n"},                              /* no locator */
    {55, "?50n"}, {56, "?57;0n"}, {62, "0*{"}, /* no space for macros */
    {75, "?70n"},                              /* no fault */
    {85, "?83n"},                              /* not configured for several sessions */
};

void csi_dec_status(struct term *t, const struct sequence *s)
{
	int asked = sequence_value(s, 0, 0);

	if (asked == 6)
		reply_csi(t, "?%d;%dR", reported_row(t), reported_col(t));
	else if (asked == 63)
		reply_dcs(t, "%d!~0000", sequence_value(s, 1, 0));
	else if (asked == 996)
		reply_theme(t);
	for (size_t i = 0; i < sizeof(device_reports) / sizeof(device_reports[0]); i++) {
		if (device_reports[i].asked == asked)
			reply_csi(t, "%s", device_reports[i].answer);
	}
}

void csi_version(struct term *t, const struct sequence *s)
{
	if (sequence_value(s, 0, 0) == 0)
		reply_dcs(t, ">|%s", t->version);
}

void csi_terminal_parameters(struct term *t, const struct sequence *s)
{
	int which = sequence_value(s, 0, 0);

	if (which <= 1)
		reply_csi(t, "%d;1;1;128;128;1;0x", which + 2);
}

/* --- XTWINOPS --- */

static void window_size(struct term *t, int which)
{
	int height = t->outer.cell_height, width = t->outer.cell_width;

	switch (which) {
	case 11: /* not iconified */
		reply_csi(t, "1t");
		break;
	case 13: /* position */
		reply_csi(t, "3;0;0t");
		break;
	case 14: /* text area, pixels */
		reply_csi(t, "4;%d;%dt", t->rows * height, t->cols * width);
		break;
	case 15: /* screen, pixels: the pane is all there is */
		reply_csi(t, "5;%d;%dt", t->rows * height, t->cols * width);
		break;
	case 16: /* a cell, pixels */
		reply_csi(t, "6;%d;%dt", height, width);
		break;
	case 18:
		reply_csi(t, "8;%d;%dt", t->rows, t->cols);
		break;
	case 19:
		reply_csi(t, "9;%d;%dt", t->rows, t->cols);
		break;
	}
}

/*
 * Titles are not read back: what a program puts there must not become typed input.  The answer is an empty
 * title; in a build for tests, the true one.
 */
static void window_title(struct term *t, char kind, const char *title)
{
#ifndef HANDLER_TEST
	title = NULL;
#endif
	reply_osc(t, false, "%c%s", kind, title ? title : "");
}

/* The size of a pane is decided by the person who looks at it: requests for another one are ignored. */
void csi_window(struct term *t, const struct sequence *s)
{
	int which = sequence_value(s, 0, 0), part = sequence_value(s, 1, TITLE_BOTH);

	switch (which) {
	case 20:
		window_title(t, 'L', t->titles.icon);
		break;
	case 21:
		window_title(t, 'l', t->titles.window);
		break;
	case 22:
		title_push(t);
		break;
	case 23:
		if (part <= TITLE_WINDOW)
			title_pop(t, (enum title_part)part);
		break;
	default:
		window_size(t, which);
	}
}
