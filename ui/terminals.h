/*
 * terminals: what is known of terminals by their names alone, in one table.  For ui/probe.c, which asks, too;
 * nothing here is final but what a terminal could not be asked for.
 */
#ifndef HANDLER_UI_TERMINALS_H
#define HANDLER_UI_TERMINALS_H

#include "ui/probe.h"

enum terminal_feature {
	FEATURE_16 = 1 << 0,
	FEATURE_256 = 1 << 1,
	FEATURE_TRUE = 1 << 2,
	FEATURE_STRIKE = 1 << 3,
	FEATURE_UNDERLINES = 1 << 4, /* SGR 4:N */
	FEATURE_UNDERLINE_COLOR = 1 << 5,
	FEATURE_OVERLINE = 1 << 6,
	FEATURE_LINKS = 1 << 7,
	FEATURE_CLIPBOARD = 1 << 8,
	FEATURE_FOCUS = 1 << 9,
	FEATURE_TITLE = 1 << 10,
	FEATURE_CURSOR_SHAPE = 1 << 11,
	FEATURE_CURSOR_COLOR = 1 << 12,
	FEATURE_SCROLL = 1 << 13,
	FEATURE_OTHER_KEYS = 1 << 14,  /* modifyOtherKeys */
	FEATURE_ASK_CSI = 1 << 15,     /* control sequences that it does not know do no harm */
	FEATURE_ASK_STRINGS = 1 << 16, /* nor do OSC and DCS */
};

struct terminal {
	const char *version; /* how XTVERSION's answer begins; NULL: it gives none */
	const char *term;    /* how TERM begins; NULL: it has none of its own */
	uint32_t features;   /* enum terminal_feature */
	uint8_t multiplexer; /* enum outer_multiplexer */
};

/* NULL: unknown. */
const struct terminal *terminal_by_version(const char *version);
/* The environment's first guess.  Never NULL. */
const struct terminal *terminal_by_env(const struct probe_env *env);
/* The default prefix of a multiplexer; "" for MUX_NONE. */
const char *multiplexer_prefix(uint8_t multiplexer);

#endif
