/* doctor_terminal: what the terminal answered, and what is lost without it. */
#include <stddef.h>

#include "base/mem.h"
#include "cli/doctor.h"
#include "harness/config.h"
#include "ui/examine.h"
#include "ui/widths.h"

/* What can be there or not: how it is asked, and what its absence costs. */
static const struct {
	const char *name, *asked, *without;
	size_t offset;
	bool small; /* hardly anybody misses it */
} abilities[] = {
    {"synchronized updates", "DECRQM 2026", "a frame may be seen half drawn",
	offsetof(struct outer_caps, sync), false},
    {"grapheme clusters", "DECRQM 2027",
	"emoji and flags are measured one by one, and rows with doubtful ones moved into place",
	offsetof(struct outer_caps, graphemes), true},
    {"kitty keyboard", "CSI ? u",
	"Shift+Enter, Ctrl+Enter and keys with several modifiers may look like plain ones; prefix Enter is a "
	"newline",
	offsetof(struct outer_caps, kitty_keyboard), false},
    {"modifyOtherKeys", "its name", "nothing, where the kitty keyboard is there",
	offsetof(struct outer_caps, modify_other_keys), true},
    {"underline styles", "XTGETTCAP Smulx, DECRQSS", "curly and dotted underlines are plain ones",
	offsetof(struct outer_caps, styled_underline), false},
    {"underline colour", "XTGETTCAP Setulc", "underlines have the colour of their text",
	offsetof(struct outer_caps, underline_color), false},
    {"strike-through", "its name", "text that is struck out looks like any other",
	offsetof(struct outer_caps, strike), true},
    {"overline", "its name", "text with a line above looks like any other",
	offsetof(struct outer_caps, overline), true},
    {"links", "its name", "OSC 8 links of agents cannot be clicked", offsetof(struct outer_caps, hyperlinks),
	false},
    {"clipboard", "XTGETTCAP Ms, DA1 52",
	"copies need \"terminal\": {\"copy_command\": [...]} in config.json, or tmux",
	offsetof(struct outer_caps, osc52), false},
    {"focus", "DECRQM 1004", "agents cannot tell whether you look at them",
	offsetof(struct outer_caps, focus), false},
    {"theme", "DECRQM 2031, CSI ? 996 n", "a change between dark and light is not followed",
	offsetof(struct outer_caps, theme_updates), true},
    {"size in band", "DECRQM 2048", "nothing: the kernel tells the size",
	offsetof(struct outer_caps, size_reports), true},
    {"left and right margins", "DECRQM 69", "a pane beside another one is drawn anew where it could scroll",
	offsetof(struct outer_caps, margins), true},
    {"scroll region", "its name", "scrolling draws every line", offsetof(struct outer_caps, scroll_region),
	false},
    {"mouse in pixels", "DECRQM 1016", "programs get the mouse in cells",
	offsetof(struct outer_caps, sgr_pixels), true},
    {"title", "its name", "the window's title does not say which session waits",
	offsetof(struct outer_caps, title), true},
    {"cursor shape", "its name", "the cursor looks the same in every pane",
	offsetof(struct outer_caps, cursor_shape), true},
    {"cursor colour", "its name", "the cursor keeps the terminal's colour",
	offsetof(struct outer_caps, cursor_color), true},
};

static bool is_there(const struct outer_caps *caps, size_t i)
{
	return *(const bool *)((const char *)caps + abilities[i].offset);
}

static void check_name(struct findings *f, const struct outer_caps *caps, bool answered)
{
	static const char *const multiplexers[] = {
	    [MUX_TMUX] = "tmux", [MUX_SCREEN] = "screen", [MUX_ZELLIJ] = "zellij", [MUX_HANDLER] = "handler"};

	if (answered)
		finding_add(f, FINDING_OK, "answers (DA1)", NULL, "it answers questions");
	else
		finding_add(f, FINDING_WARN, "answers (DA1)",
		    "Is something between that swallows answers, or TERM wrong? What follows goes by names "
		    "alone.",
		    "no answer within %d s", PROBE_TIMEOUT_MS / 1000);
	finding_add(
	    f, FINDING_INFO, "name (XTVERSION)", NULL, "%s", *caps->name ? caps->name : "it does not say");
	if (caps->multiplexer != MUX_NONE)
		finding_add(f, FINDING_INFO, "multiplexer",
		    "What it does not hand on is lost: start handler outside of it.", "it is %s%s%s",
		    multiplexers[caps->multiplexer], *caps->multiplexer_prefix ? ", with the prefix " : "",
		    caps->multiplexer_prefix);
}

static void check_colors(struct findings *f, const struct outer_caps *caps)
{
	static const char *const depths[] = {
	    [DEPTH_MONO] = "none", [DEPTH_16] = "16", [DEPTH_256] = "256", [DEPTH_TRUE] = "all (24 bits)"};
	bool all = caps->depth == DEPTH_TRUE;

	finding_add(f, all ? FINDING_OK : FINDING_WARN, "colours (DECRQSS, XTGETTCAP RGB, COLORTERM)",
	    all ? NULL : "Set COLORTERM=truecolor if it has them, or --color truecolor.", "%s%s",
	    depths[caps->depth], all ? "" : ": others are replaced by the nearest");
	bool told = caps->bg != OUTER_COLOR_UNKNOWN && caps->fg != OUTER_COLOR_UNKNOWN;
	if (told)
		finding_add(f, FINDING_OK, "its colours (OSC 10, 11)", NULL, "text #%06x on #%06x, %s",
		    (unsigned)caps->fg, (unsigned)caps->bg, caps->dark ? "dark" : "light");
	else
		finding_add(f, FINDING_INFO, "its colours (OSC 10, 11)",
		    "Say it: \"theme\": \"dark\" or \"light\" in config.json.",
		    "unknown: it is taken for a %s one, and agents are told so",
		    caps->dark ? "dark" : "light");
	if (caps->cell_width)
		finding_add(f, FINDING_OK, "cell (CSI 16 t)", NULL, "%dx%d pixels", caps->cell_width,
		    caps->cell_height);
	else
		finding_add(
		    f, FINDING_INFO, "cell (CSI 16 t)", NULL, "unknown: programs are told 10x20 pixels");
}

static void check_widths(struct findings *f, const struct outer_caps *caps)
{
	int doubtful = __builtin_popcount(caps->doubtful);

	if (doubtful)
		finding_add(f, FINDING_INFO, "widths (CPR)", NULL,
		    "%d of %d kinds of characters may have other columns than here: their rows are kept in "
		    "line",
		    doubtful, (int)WIDTH_CLASSES - 1);
	else
		finding_add(f, FINDING_OK, "widths (CPR)", NULL, "as wide as they are taken for");
}

int doctor_terminal(struct findings *f, struct err *err)
{
	struct config *config = config_load();
	struct outer_caps caps;
	bool answered = false;
	int result = examine_terminal(config, &caps, &answered, err);

	config_destroy(config);
	if (result < 0)
		return -1;
	f->section = "terminal";
	check_name(f, &caps, answered);
	check_colors(f, &caps);
	check_widths(f, &caps);
	for (size_t i = 0; i < COUNT_OF(abilities); i++) {
		AUTO_FREE char *name = mem_printf("%s (%s)", abilities[i].name, abilities[i].asked);

		if (is_there(&caps, i))
			finding_add(f, FINDING_OK, name, NULL, "yes");
		else
			finding_add(f, abilities[i].small ? FINDING_INFO : FINDING_WARN, name, NULL, "no: %s",
			    abilities[i].without);
	}
	return 0;
}
