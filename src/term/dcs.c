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

/* There is no status line, so the cursor is in the main display. */
static void report_status_display(struct term *t)
{
	reply_dcs(t, "1$r0$}");
}

static void report_status_line(struct term *t)
{
	reply_dcs(t, "1$r0$~");
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
    {"$}", report_status_display},
    {"$~", report_status_line},
    {">4m", report_modify_keys},
};

static void request_setting(struct term *t, const struct sequence *head, char *setting, size_t len)
{
	(void)head;
	(void)len;
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

static void request_capabilities(struct term *t, const struct sequence *head, char *names, size_t len)
{
	char *name;

	(void)head;
	(void)len;
	while ((name = text_piece(&names, ';')))
		request_capability(t, name);
}

/* --- DCS = 1 s, DCS = 2 s: what mode 2026 does now --- */

static void synchronized_update(struct term *t, const struct sequence *head, char *data, size_t len)
{
	int which = sequence_value(head, 0, 0);

	(void)data;
	(void)len;
	if (which == 1 || which == 2)
		modes_set(t, true, 2026, which == 1);
}

/* --- DCS tmux; ... ST --- */

/* What a program wrapped to get it past a tmux goes through a parser of its own, once: never raw, never
 * nested. */
static void unwrap(struct term *t, const struct sequence *head, char *data, size_t len)
{
	static const char tmux[] = "mux;";
	const size_t skipped = strlen(tmux);
	struct parser inner;

	(void)head;
	if (t->nested || strncmp(data, tmux, skipped) != 0)
		return;
	t->nested = true;
	parser_init(&inner, t->engine->handler, t);
	parser_feed(&inner, (const uint8_t *)data + skipped, len - skipped);
	parser_finish(&inner);
	t->nested = false;
}

/* --- which there are --- */

static const struct dcs_command {
	char marker, intermediate, final;
	const char *name;
	void (*run)(struct term *t, const struct sequence *head, char *data, size_t len);
} commands[] = {
    {0, '$', 'q', "DECRQSS", request_setting},
    {0, '+', 'q', "XTGETTCAP", request_capabilities},
    {'=', 0, 's', "synchronized update", synchronized_update},
    {0, 0, 't', "tmux passthrough", unwrap},
};

static const struct dcs_command *find(const struct sequence *head)
{
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		const struct dcs_command *c = &commands[i];

		if (c->final == head->final && c->intermediate == head->intermediate &&
		    c->marker == head->marker)
			return c;
	}
	return NULL;
}

bool dcs_wanted(const struct sequence *head)
{
	return find(head) != NULL;
}

void dcs_dispatch(struct term *t, const struct sequence *head, char *data, size_t len)
{
	const struct dcs_command *c = find(head);

	if (c)
		c->run(t, head, data, len);
}
