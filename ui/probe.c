/*
 * probe: see probe.h.  `known` is what has been told or guessed; `caps` is that with the user's settings put
 * over it.
 */
#include "ui/probe.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "ui/terminals.h"
#include "ui/widths.h"

enum setting { AUTO, ON, OFF };

struct probe {
	struct outer_caps known, caps;
	uint32_t features; /* of the terminal as it is named */
	int forced_depth;  /* -1: none */
	enum setting keys, sync;
	struct widths widths;
	bool theme_told; /* by the terminal itself: its background's colour is no evidence any more */
	bool truecolor;  /* told by COLORTERM: stays, whatever the name says */
	bool widths_asked;
	bool done;
};

struct probe_env probe_env_read(void)
{
	return (struct probe_env){
	    .term = getenv("TERM"),
	    .colorterm = getenv("COLORTERM"),
	    .no_color = getenv("NO_COLOR"),
	    .term_program = getenv("TERM_PROGRAM"),
	    .vte_version = getenv("VTE_VERSION"),
	    .konsole_version = getenv("KONSOLE_VERSION"),
	    .wt_session = getenv("WT_SESSION"),
	    .tmux = getenv("TMUX"),
	    .sty = getenv("STY"),
	    .zellij = getenv("ZELLIJ"),
	    .handler_session = getenv("HANDLER_SESSION"),
	};
}

/* --- the first guess --- */

static uint8_t depth_of_features(uint32_t features)
{
	if (features & FEATURE_TRUE)
		return DEPTH_TRUE;
	if (features & FEATURE_256)
		return DEPTH_256;
	return features & FEATURE_16 ? DEPTH_16 : DEPTH_MONO;
}

static void raise_depth(struct outer_caps *c, uint8_t depth)
{
	if (c->depth < depth)
		c->depth = depth;
}

static void take_terminal(struct probe *p, const struct terminal *t)
{
	struct outer_caps *c = &p->known;
	uint32_t f = t->features;

	p->features = f;
	c->depth = p->truecolor ? DEPTH_TRUE : depth_of_features(f);
	c->strike = f & FEATURE_STRIKE;
	c->styled_underline = f & FEATURE_UNDERLINES;
	c->underline_color = f & FEATURE_UNDERLINE_COLOR;
	c->overline = f & FEATURE_OVERLINE;
	c->hyperlinks = f & FEATURE_LINKS;
	c->osc52 = f & FEATURE_CLIPBOARD;
	c->focus = f & FEATURE_FOCUS;
	c->title = f & FEATURE_TITLE;
	c->cursor_shape = f & FEATURE_CURSOR_SHAPE;
	c->cursor_color = f & FEATURE_CURSOR_COLOR;
	c->scroll_region = f & FEATURE_SCROLL;
	c->modify_other_keys = f & FEATURE_OTHER_KEYS;
	c->multiplexer = t->multiplexer;
	memset(c->multiplexer_prefix, 0, sizeof(c->multiplexer_prefix));
	snprintf(
	    c->multiplexer_prefix, sizeof(c->multiplexer_prefix), "%s", multiplexer_prefix(t->multiplexer));
}

static bool has_suffix(const char *s, const char *suffix)
{
	size_t len = strlen(s), tail = strlen(suffix);

	return len >= tail && strcmp(s + len - tail, suffix) == 0;
}

static bool names_truecolor(const char *colorterm)
{
	return colorterm && (strcmp(colorterm, "truecolor") == 0 || strcmp(colorterm, "24bit") == 0);
}

/* What TERM says of colours beside the name: a bare "xterm" promises eight, "-mono" and "-m" none. */
static void guess_depth(struct probe *p, const char *term)
{
	struct outer_caps *c = &p->known;

	if (has_suffix(term, "-mono") || has_suffix(term, "-m"))
		c->depth = DEPTH_MONO;
	else if (has_suffix(term, "-direct"))
		c->depth = DEPTH_TRUE;
	else if (has_suffix(term, "-256color"))
		raise_depth(c, DEPTH_256);
	else if (c->depth == DEPTH_256 && (strcmp(term, "xterm") == 0 || has_suffix(term, "-color") ||
					      strcmp(term, "screen") == 0 || strcmp(term, "rxvt") == 0))
		c->depth = DEPTH_16;
}

static void guess(struct probe *p, const struct probe_env *env)
{
	const struct terminal *t = terminal_by_env(env);
	struct outer_caps *c = &p->known;

	/* screen draws 256 colours at most, but hands the variable of the terminal outside on */
	p->truecolor = names_truecolor(env->colorterm) && t->multiplexer != MUX_SCREEN;
	take_terminal(p, t);
	guess_depth(p, env->term ? env->term : "");
	if (p->truecolor)
		c->depth = DEPTH_TRUE;
	c->plain_chrome = env->no_color && env->no_color[0];
	c->dark = true;
	c->fg = c->bg = c->cursor = OUTER_COLOR_UNKNOWN;
	for (size_t i = 0; i < COUNT_OF(c->palette); i++)
		c->palette[i] = OUTER_COLOR_UNKNOWN;
}

/* --- the user's settings --- */

static int parse_depth(const char *s)
{
	static const char *const names[] = {
	    [DEPTH_MONO] = "mono", [DEPTH_16] = "16", [DEPTH_256] = "256", [DEPTH_TRUE] = "truecolor"};

	for (int i = 0; s && i < (int)COUNT_OF(names); i++) {
		if (strcmp(s, names[i]) == 0)
			return i;
	}
	return -1;
}

static enum setting parse_setting(const char *s, const char *on, const char *off)
{
	if (s && strcmp(s, on) == 0)
		return ON;
	return s && strcmp(s, off) == 0 ? OFF : AUTO;
}

/* Makes caps from what is known; true: they are others than before. */
static bool apply_settings(struct probe *p)
{
	struct outer_caps caps;

	p->known.doubtful = widths_doubtful(&p->widths, p->known.graphemes);
	memcpy(&caps, &p->known, sizeof(caps)); /* with its padding, so that they can be compared */
	if (p->forced_depth >= 0)
		caps.depth = (uint8_t)p->forced_depth;
	if (p->sync != AUTO)
		caps.sync = p->sync == ON;
	if (p->keys == ON)
		caps.kitty_keyboard = true;
	if (p->keys == OFF)
		caps.kitty_keyboard = caps.modify_other_keys = false;
	if (memcmp(&caps, &p->caps, sizeof(caps)) == 0)
		return false;
	memcpy(&p->caps, &caps, sizeof(caps));
	return true;
}

struct probe *probe_create(const struct probe_env *env, const struct probe_options *options)
{
	struct probe *p = mem_zalloc(1, sizeof(*p));

	p->forced_depth = parse_depth(options->color);
	p->keys = parse_setting(options->keys, "kitty", "plain");
	p->sync = parse_setting(options->sync, "on", "off");
	widths_init(&p->widths);
	guess(p, env);
	apply_settings(p);
	return p;
}

void probe_destroy(struct probe *p)
{
	free(p);
}

/* --- questions --- */

/*
 * In this order: the name goes first, because the other answers are put over what it promises; DA1 goes last,
 * because every terminal answers it.  DECRQSS is asked while a pen is set: who keeps 1,2,3 has 24-bit
 * colours.
 */
static const struct {
	uint32_t needs;
	const char *bytes;
} queries[] = {
    {FEATURE_ASK_CSI, "\033[>0q"},
    {FEATURE_ASK_STRINGS, "\033[48;2;1;2;3;4:3m\033P$qm\033\\\033[m"},
    {FEATURE_ASK_STRINGS, "\033P+q524742\033\\"},       /* RGB */
    {FEATURE_ASK_STRINGS, "\033P+q536d756c78\033\\"},   /* Smulx: underline styles */
    {FEATURE_ASK_STRINGS, "\033P+q536574756c63\033\\"}, /* Setulc: underline colour */
    {FEATURE_ASK_STRINGS, "\033P+q4d73\033\\"},         /* Ms: clipboard */
    {FEATURE_ASK_CSI, "\033[?2026$p\033[?2027$p\033[?2031$p"},
    {FEATURE_ASK_CSI, "\033[?2048$p\033[?1016$p\033[?1004$p\033[?69$p"},
    {FEATURE_ASK_CSI, "\033[?u\033[?4m\033[?996n"},
    {FEATURE_ASK_CSI, "\033[14t\033[16t"},
};

void probe_ask_colors(const struct probe *p, struct buf *out)
{
	if (!(p->features & FEATURE_ASK_STRINGS))
		return;
	buf_adds(out, "\033]10;?\033\\\033]11;?\033\\\033]12;?\033\\");
	for (size_t i = 0; i < COUNT_OF(p->known.palette); i++)
		buf_printf(out, "\033]4;%zu;?\033\\", i);
}

static void ask_widths(struct probe *p, bool graphemes, struct buf *out)
{
	widths_ask(&p->widths, graphemes, out);
	p->widths_asked = true;
}

/* In one synchronized update with the whole frame that follows. */
bool probe_ask_widths(struct probe *p, struct buf *out)
{
	if (!p->done || !p->known.graphemes || p->widths.graphemes)
		return false;
	if (p->caps.sync)
		buf_adds(out, "\033[?2026h");
	ask_widths(p, true, out);
	buf_adds(out, "\033[c");
	p->done = false;
	return true;
}

void probe_start(struct probe *p, struct buf *out)
{
	for (size_t i = 0; i < COUNT_OF(queries); i++) {
		if (p->features & queries[i].needs)
			buf_adds(out, queries[i].bytes);
	}
	probe_ask_colors(p, out);
	if (p->features & FEATURE_ASK_CSI)
		ask_widths(p, false, out);
	buf_adds(out, "\033[c");
	p->done = false;
}

/* --- answers --- */

/* Printable ASCII only: it goes into messages. */
static void take_version(struct probe *p, const struct input *r)
{
	struct outer_caps *c = &p->known;
	const struct terminal *t;
	size_t len = 0;

	for (size_t i = 0; i < r->text_len && len + 1 < sizeof(c->name); i++) {
		if (r->text[i] >= 0x20 && r->text[i] < 0x7F)
			c->name[len++] = r->text[i];
	}
	memset(c->name + len, 0, sizeof(c->name) - len);
	t = terminal_by_version(c->name);
	if (t) {
		take_terminal(p, t);
	} else if (len) { /* some terminal of its own: not the one that the variables name */
		c->multiplexer = MUX_NONE;
		memset(c->multiplexer_prefix, 0, sizeof(c->multiplexer_prefix));
	}
}

/* DECRPM: 1 set, 2 reset, 3 always set: it can be relied on; 0 unknown, 4 always reset. */
static void take_mode(struct probe *p, int mode, int value)
{
	struct outer_caps *c = &p->known;
	bool *const flags[] = {&c->sync, &c->graphemes, &c->theme_updates, &c->size_reports, &c->sgr_pixels,
	    &c->focus, &c->margins};
	static const int modes[COUNT_OF(flags)] = {2026, 2027, 2031, 2048, 1016, 1004, 69};

	for (size_t i = 0; i < COUNT_OF(flags); i++) {
		if (modes[i] == mode)
			*flags[i] = value >= 1 && value <= 3;
	}
}

/* Whether the list "name=value;name=value" (names in hexadecimal) has the name. */
static bool has_termcap(const struct input *r, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i + len <= r->text_len; i++) {
		if ((i == 0 || r->text[i - 1] == ';') && strncasecmp(r->text + i, name, len) == 0 &&
		    (i + len == r->text_len || r->text[i + len] == '=' || r->text[i + len] == ';'))
			return true;
	}
	return false;
}

static void take_termcap(struct probe *p, const struct input *r)
{
	struct outer_caps *c = &p->known;

	if (has_termcap(r, "524742"))
		c->depth = DEPTH_TRUE;
	c->styled_underline |= has_termcap(r, "536d756c78");
	c->underline_color |= has_termcap(r, "536574756c63");
	c->osc52 |= has_termcap(r, "4d73");
}

static bool contains(const struct input *r, const char *s)
{
	return memmem(r->text, r->text_len, s, strlen(s)) != NULL;
}

/* The pen that was set in front of the question, as the terminal kept it. */
static void take_pen(struct probe *p, const struct input *r)
{
	if (r->text_len == 0 || r->text[r->text_len - 1] != 'm')
		return;
	if (contains(r, "48:2::1:2:3") || contains(r, "48:2:1:2:3") || contains(r, "48;2;1;2;3"))
		p->known.depth = DEPTH_TRUE;
	if (contains(r, "4:3"))
		p->known.styled_underline = true;
}

/* Rec. 709 luma, of 255. */
static int brightness(int rgb)
{
	return ((rgb >> 16 & 0xFF) * 2126 + (rgb >> 8 & 0xFF) * 7152 + (rgb & 0xFF) * 722) / 10000;
}

static void take_color(struct probe *p, const struct input *r)
{
	struct outer_caps *c = &p->known;
	int rgb = r->number[2];

	if (r->number[0] == 4 && r->number[1] < (int)COUNT_OF(c->palette))
		c->palette[r->number[1]] = rgb;
	else if (r->number[0] == 10)
		c->fg = rgb;
	else if (r->number[0] == 11)
		c->bg = rgb;
	else if (r->number[0] == 12)
		c->cursor = rgb;
	if (r->number[0] == 11 && !p->theme_told)
		c->dark = brightness(rgb) < 128;
}

static void take_theme(struct probe *p, int theme)
{
	if (theme != 1 && theme != 2)
		return;
	p->theme_told = true;
	p->known.dark = theme == 1;
}

/* 22: colours; 52: the clipboard can be set. */
static void take_attributes(struct probe *p, const struct input *r)
{
	for (int i = 1; i < r->count; i++) {
		if (r->number[i] == 22)
			raise_depth(&p->known, DEPTH_16);
		if (r->number[i] == 52)
			p->known.osc52 = true;
	}
	p->done = true;
}

static void take_pixels(int *height, int *width, const struct input *r)
{
	if (r->number[0] <= 0 || r->number[1] <= 0 || r->number[0] > 65535 || r->number[1] > 65535)
		return;
	*height = r->number[0];
	*width = r->number[1];
}

bool probe_reply(struct probe *p, const struct input *r)
{
	struct outer_caps *c = &p->known;

	switch (r->reply) {
	case REPLY_XTVERSION:
		take_version(p, r);
		break;
	case REPLY_DECRPM:
		take_mode(p, r->number[0], r->number[1]);
		break;
	case REPLY_KITTY_FLAGS:
		c->kitty_keyboard = true;
		break;
	case REPLY_KEY_MODIFIERS:
		c->modify_other_keys |= r->number[0] == 4;
		break;
	case REPLY_TERMCAP:
		take_termcap(p, r);
		break;
	case REPLY_SETTING:
		take_pen(p, r);
		break;
	case REPLY_CURSOR:
		widths_answer(&p->widths, r->number[0], r->number[1]);
		break;
	case REPLY_COLOR:
		take_color(p, r);
		break;
	case REPLY_THEME:
		take_theme(p, r->number[0]);
		break;
	case REPLY_CELL_PIXELS:
		take_pixels(&c->cell_height, &c->cell_width, r);
		break;
	case REPLY_AREA_PIXELS:
		take_pixels(&c->area_height, &c->area_width, r);
		break;
	case REPLY_DA1:
		take_attributes(p, r);
		break;
	default:
		return false;
	}
	return apply_settings(p);
}

void probe_expire(struct probe *p)
{
	p->done = true;
}

bool probe_done(const struct probe *p)
{
	return p->done;
}

int probe_cursor_reports(const struct probe *p)
{
	return p->widths_asked && !p->done ? WIDTH_PROBES - p->widths.answers : 0;
}

const struct outer_caps *probe_caps(const struct probe *p)
{
	return &p->caps;
}
