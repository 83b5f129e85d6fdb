/*
 * dcs: device control strings: questions about settings (DECRQSS) and terminfo (XTGETTCAP), the older form of
 * synchronized updates, and what programs wrap for tmux.  Sixel graphics and all others are swallowed unread.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "term/dispatch.h"
#include "term/reply.h"
#include "term/state.h"
#include "term/termcap.h"
#include "term/text.h"

bool dcs_wanted(const struct sequence *head)
{
	switch (head->final) {
	case 'q':
		return head->intermediate == '$' || head->intermediate == '+';
	case 's':
		return head->marker == '=';
	case 't':
		return head->marker == 0 && head->intermediate == 0;
	default:
		return false;
	}
}

/* --- DECRQSS --- */

static void report_sgr(struct term *t)
{
	char parameters[STYLE_SGR_MAX];

	style_sgr(&t->pen, parameters);
	reply_dcs(t, "1$r0%s%sm", *parameters ? ";" : "", parameters);
}

static void report_margins(struct term *t)
{
	reply_dcs(t, "1$r%d;%dr", t->top + 1, t->bottom + 1);
}

static void report_columns(struct term *t)
{
	reply_dcs(t, "1$r%d;%ds", t->left + 1, t->right + 1);
}

static void report_cursor(struct term *t)
{
	static const int blinking[] = {
	    [CURSOR_DEFAULT] = 1, [CURSOR_BLOCK] = 1, [CURSOR_UNDERLINE] = 3, [CURSOR_BAR] = 5};
	static const int steady[] = {
	    [CURSOR_DEFAULT] = 0, [CURSOR_BLOCK] = 2, [CURSOR_UNDERLINE] = 4, [CURSOR_BAR] = 6};

	reply_dcs(t, "1$r%d q", (t->cursor_blink ? blinking : steady)[t->cursor_shape]);
}

static void report_protection(struct term *t)
{
	reply_dcs(t, "1$r%d\"q", t->pen.attrs & ATTR_PROTECTED && t->protection == PROTECT_DEC);
}

static void report_level(struct term *t)
{
	reply_dcs(t, "1$r%d;%d\"p", t->level, t->replies_8bit ? 0 : 1);
}

static void report_extent(struct term *t)
{
	reply_dcs(t, "1$r%d*x", t->attribute_extent);
}

static void report_rows(struct term *t)
{
	reply_dcs(t, "1$r%dt", t->rows);
}

static void report_screen_rows(struct term *t)
{
	reply_dcs(t, "1$r%d*|", t->rows);
}

static void report_screen_columns(struct term *t)
{
	reply_dcs(t, "1$r%d$|", t->cols);
}

static void report_modify_keys(struct term *t)
{
	reply_dcs(t, "1$r>4;%dm", t->modify_other_keys);
}

static const struct {
	const char *setting;
	void (*report)(struct term *t);
} settings[] = {
    {"m", report_sgr},
    {"r", report_margins},
    {"s", report_columns},
    {" q", report_cursor},
    {"\"q", report_protection},
    {"\"p", report_level},
    {"*x", report_extent},
    {"t", report_rows},
    {"*|", report_screen_rows},
    {"$|", report_screen_columns},
    {">4m", report_modify_keys},
};

static void request_setting(struct term *t, const char *setting)
{
	for (size_t i = 0; i < COUNT_OF(settings); i++) {
		if (strcmp(settings[i].setting, setting) == 0) {
			settings[i].report(t);
			return;
		}
	}
	reply_dcs(t, "0$r");
}

/* --- XTGETTCAP: names in hexadecimal, one answer for each --- */

static void request_capability(struct term *t, const char *hex)
{
	AUTO_BUF name = BUF_INIT;
	AUTO_BUF value = BUF_INIT;
	const struct termcap *c;

	c = text_hex(hex, strlen(hex), &name) ? termcap_find(name.data) : NULL;
	if (!c) {
		reply_dcs(t, "0+r%s", strspn(hex, "0123456789abcdefABCDEF") == strlen(hex) ? hex : "");
		return;
	}
	if (c->value)
		text_to_hex(c->value, strlen(c->value), &value);
	reply_dcs(t, "1+r%s%s%s", hex, c->value ? "=" : "", value.data);
}

static void request_capabilities(struct term *t, char *names)
{
	char *name;

	while ((name = text_piece(&names, ';')))
		request_capability(t, name);
}

/* --- DCS = 1 s, DCS = 2 s: what mode 2026 does now --- */

static void synchronized_update(struct term *t, int which)
{
	if (which == 1 || which == 2)
		modes_set(t, true, 2026, which == 1);
}

/* --- DCS tmux; ... ST --- */

/* What a program wrapped to get it past a tmux goes through a parser of its own, once: never raw, never
 * nested. */
static void unwrap(struct term *t, const char *data, size_t len)
{
	struct parser inner;

	if (t->nested)
		return;
	t->nested = true;
	parser_init(&inner, t->engine->handler, t);
	parser_feed(&inner, (const uint8_t *)data, len);
	parser_finish(&inner);
	t->nested = false;
}

void dcs_dispatch(struct term *t, const struct sequence *head, char *data, size_t len)
{
	static const char tmux[] = "mux;";

	if (head->final == 'q' && head->intermediate == '$')
		request_setting(t, data);
	else if (head->final == 'q')
		request_capabilities(t, data);
	else if (head->final == 's')
		synchronized_update(t, sequence_value(head, 0, 0));
	else if (strncmp(data, tmux, strlen(tmux)) == 0)
		unwrap(t, data + strlen(tmux), len - strlen(tmux));
}
