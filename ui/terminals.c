/* terminals: see terminals.h.  What each takes is from its own documentation, as of the versions Debian 12
 * and 13 have. */
#include "ui/terminals.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	PLAIN = FEATURE_16 | FEATURE_256 | FEATURE_SCROLL | FEATURE_TITLE | FEATURE_ASK_CSI,
	XTERM_LIKE = PLAIN | FEATURE_STRIKE | FEATURE_FOCUS | FEATURE_CURSOR_SHAPE | FEATURE_CURSOR_COLOR |
		     FEATURE_LINKS | FEATURE_ASK_STRINGS,
	MODERN = XTERM_LIKE | FEATURE_TRUE | FEATURE_UNDERLINES | FEATURE_UNDERLINE_COLOR,
};

static const struct terminal terminals[] = {
    {"kitty", "xterm-kitty", MODERN | FEATURE_CLIPBOARD, MUX_NONE},
    {"foot", "foot", MODERN | FEATURE_OVERLINE | FEATURE_CLIPBOARD | FEATURE_OTHER_KEYS, MUX_NONE},
    {"ghostty", "xterm-ghostty", MODERN | FEATURE_OVERLINE | FEATURE_CLIPBOARD | FEATURE_OTHER_KEYS,
	MUX_NONE},
    {"WezTerm", "wezterm", MODERN | FEATURE_OVERLINE | FEATURE_CLIPBOARD, MUX_NONE},
    {"alacritty", "alacritty", MODERN | FEATURE_CLIPBOARD, MUX_NONE},
    {"contour", "contour", MODERN | FEATURE_OVERLINE | FEATURE_CLIPBOARD, MUX_NONE},
    {"Rio", "rio", MODERN | FEATURE_CLIPBOARD, MUX_NONE},
    {"iTerm2", NULL, MODERN | FEATURE_OTHER_KEYS, MUX_NONE},
    {"mintty", "mintty", MODERN | FEATURE_OVERLINE | FEATURE_CLIPBOARD | FEATURE_OTHER_KEYS, MUX_NONE},
    {"VTE", "vte", MODERN | FEATURE_OVERLINE, MUX_NONE},
    {"Konsole", "konsole", XTERM_LIKE | FEATURE_TRUE | FEATURE_OVERLINE, MUX_NONE},
    {"XTerm", NULL, (XTERM_LIKE | FEATURE_TRUE | FEATURE_OTHER_KEYS) & ~FEATURE_LINKS, MUX_NONE},
    /* tmux converts colours for the terminal that it runs in itself. */
    {"tmux", "tmux", MODERN | FEATURE_OVERLINE | FEATURE_CLIPBOARD | FEATURE_OTHER_KEYS, MUX_TMUX},
    {"Zellij", NULL, MODERN | FEATURE_CLIPBOARD, MUX_ZELLIJ},
    {"handler", NULL, MODERN | FEATURE_OVERLINE | FEATURE_CLIPBOARD | FEATURE_OTHER_KEYS, MUX_HANDLER},
    /* screen hands the text of a DCS to the terminal outside. */
    {NULL, "screen", PLAIN, MUX_SCREEN},
    {NULL, "st-", XTERM_LIKE | FEATURE_TRUE, MUX_NONE},
    {NULL, "rxvt", PLAIN | FEATURE_ASK_STRINGS, MUX_NONE},
    {NULL, "linux", FEATURE_16 | FEATURE_SCROLL, MUX_NONE},
    {NULL, "cygwin", FEATURE_16 | FEATURE_SCROLL, MUX_NONE},
    {NULL, "ansi", FEATURE_16, MUX_NONE},
    {NULL, "vt", FEATURE_SCROLL, MUX_NONE},
    {NULL, "xterm", XTERM_LIKE, MUX_NONE},
    {NULL, "", PLAIN & ~FEATURE_TITLE, MUX_NONE},
};

/* Terminals that are named by a variable of their own. */
static const struct terminal windows_terminal = {
    NULL, NULL, MODERN | FEATURE_OVERLINE | FEATURE_CLIPBOARD, MUX_NONE};
static const struct terminal vscode = {NULL, NULL, MODERN | FEATURE_OVERLINE | FEATURE_CLIPBOARD, MUX_NONE};
/* It prints a DCS that it does not know, and has no colours beyond 256. */
static const struct terminal apple = {
    NULL, NULL, (XTERM_LIKE & ~FEATURE_ASK_STRINGS) | FEATURE_TITLE, MUX_NONE};

static bool starts_with(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

const struct terminal *terminal_by_version(const char *version)
{
	for (size_t i = 0; i < COUNT_OF(terminals); i++) {
		if (terminals[i].version && starts_with(version, terminals[i].version))
			return &terminals[i];
	}
	return NULL;
}

static const struct terminal *by_term(const char *term)
{
	for (size_t i = 0; i < COUNT_OF(terminals); i++) {
		if (terminals[i].term && starts_with(term, terminals[i].term))
			return &terminals[i];
	}
	return &terminals[COUNT_OF(terminals) - 1];
}

/*
 * A terminal that was started from inside a multiplexer inherits its variables; TERM tells which of the two
 * it is. Zellij and we ourselves leave TERM alone or have a common one, so their variables have to do until
 * XTVERSION's answer.
 */
const struct terminal *terminal_by_env(const struct probe_env *env)
{
	const char *term = env->term ? env->term : "";
	bool screen = starts_with(term, "screen");

	if (starts_with(term, "tmux") || (screen && env->tmux))
		return terminal_by_version("tmux");
	if (screen)
		return by_term(term);
	if (env->zellij)
		return terminal_by_version("Zellij");
	if (env->handler_session)
		return terminal_by_version("handler");
	if (!starts_with(term, "xterm") || starts_with(term, "xterm-kitty") ||
	    starts_with(term, "xterm-ghostty"))
		return by_term(term);
	if (env->wt_session)
		return &windows_terminal;
	if (env->term_program && strcmp(env->term_program, "vscode") == 0)
		return &vscode;
	if (env->term_program && strcmp(env->term_program, "Apple_Terminal") == 0)
		return &apple;
	if (env->konsole_version)
		return terminal_by_version("Konsole");
	if (env->vte_version && atoi(env->vte_version) >= 5200)
		return terminal_by_version("VTE");
	return by_term(term);
}

const char *multiplexer_prefix(uint8_t multiplexer)
{
	static const char *const prefixes[] = {[MUX_NONE] = "",
	    [MUX_TMUX] = "C-b",
	    [MUX_SCREEN] = "C-a",
	    [MUX_ZELLIJ] = "C-b",
	    [MUX_HANDLER] = "C-b"};

	return multiplexer < COUNT_OF(prefixes) ? prefixes[multiplexer] : "";
}
