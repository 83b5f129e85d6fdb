/*
 * theme: the table of styles.  Colours that carry meaning are among the first 16 of the palette and always
 * come together with a shape, a letter or an attribute; greys of the 256 are only backgrounds that may get
 * lost.
 */
#include "ui/theme.h"

enum { BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, BRIGHT = 8 };

#define INDEX(i)    COLOR_INDEX(i)
#define DARK_GREY   COLOR_INDEX(238) /* nearest of 16: bright black */
#define DARK_INPUT  COLOR_INDEX(235)
#define LIGHT_GREY  COLOR_INDEX(254) /* nearest of 16: white, which is a light grey */
#define LIGHT_INPUT COLOR_INDEX(255)

static const struct style dark_styles[ROLE_COUNT] = {
    [ROLE_TEXT] = {0},
    [ROLE_DIM] = {.attrs = ATTR_DIM},
    [ROLE_TITLE] = {0},
    [ROLE_TITLE_FOCUSED] = {.fg = INDEX(BRIGHT + CYAN), .attrs = ATTR_BOLD},
    [ROLE_BORDER] = {.attrs = ATTR_DIM},
    [ROLE_BORDER_FOCUSED] = {.fg = INDEX(CYAN)},
    [ROLE_STATUS] = {0},
    [ROLE_STATUS_KEY] = {.fg = INDEX(CYAN)},
    [ROLE_SELECTED] = {.bg = DARK_GREY},
    [ROLE_INPUT] = {.bg = DARK_INPUT},
    [ROLE_ERROR] = {.fg = INDEX(BRIGHT + RED), .attrs = ATTR_BOLD},
    [ROLE_WARNING] = {.fg = INDEX(BLACK), .bg = INDEX(YELLOW), .attrs = ATTR_BOLD},
    [ROLE_WORKING] = {.fg = INDEX(BRIGHT + BLUE)},
    [ROLE_NEEDS] = {.fg = INDEX(BRIGHT + YELLOW), .attrs = ATTR_BOLD},
    [ROLE_DONE] = {.fg = INDEX(BRIGHT + GREEN)},
    [ROLE_IDLE] = {.attrs = ATTR_DIM},
    [ROLE_ENDED] = {.attrs = ATTR_DIM},
    [ROLE_SELECTION] = {.attrs = ATTR_REVERSE},
    [ROLE_MATCH] = {.fg = INDEX(BRIGHT + YELLOW), .underline = UNDERLINE_SINGLE},
    [ROLE_MATCH_CURRENT] = {.fg = INDEX(BLACK), .bg = INDEX(YELLOW), .attrs = ATTR_BOLD},
    [ROLE_HISTORY] = {.fg = INDEX(BLACK), .bg = INDEX(CYAN)},
    [ROLE_FILL] = {.attrs = ATTR_DIM},
};

static const struct style light_styles[ROLE_COUNT] = {
    [ROLE_TEXT] = {0},
    [ROLE_DIM] = {.attrs = ATTR_DIM},
    [ROLE_TITLE] = {0},
    [ROLE_TITLE_FOCUSED] = {.fg = INDEX(BLUE), .attrs = ATTR_BOLD},
    [ROLE_BORDER] = {.attrs = ATTR_DIM},
    [ROLE_BORDER_FOCUSED] = {.fg = INDEX(BLUE)},
    [ROLE_STATUS] = {0},
    [ROLE_STATUS_KEY] = {.fg = INDEX(BLUE)},
    [ROLE_SELECTED] = {.bg = LIGHT_GREY},
    [ROLE_INPUT] = {.bg = LIGHT_INPUT},
    [ROLE_ERROR] = {.fg = INDEX(RED), .attrs = ATTR_BOLD},
    [ROLE_WARNING] = {.fg = INDEX(BLACK), .bg = INDEX(BRIGHT + YELLOW), .attrs = ATTR_BOLD},
    [ROLE_WORKING] = {.fg = INDEX(BLUE)},
    [ROLE_NEEDS] = {.fg = INDEX(RED), .attrs = ATTR_BOLD},
    [ROLE_DONE] = {.fg = INDEX(GREEN)},
    [ROLE_IDLE] = {.attrs = ATTR_DIM},
    [ROLE_ENDED] = {.attrs = ATTR_DIM},
    [ROLE_SELECTION] = {.attrs = ATTR_REVERSE},
    [ROLE_MATCH] = {.fg = INDEX(MAGENTA), .underline = UNDERLINE_SINGLE},
    [ROLE_MATCH_CURRENT] = {.fg = INDEX(BLACK), .bg = INDEX(BRIGHT + YELLOW), .attrs = ATTR_BOLD},
    [ROLE_HISTORY] = {.fg = INDEX(BRIGHT + 7), .bg = INDEX(BLUE)},
    [ROLE_FILL] = {.attrs = ATTR_DIM},
};

static const struct style mono_styles[ROLE_COUNT] = {
    [ROLE_TEXT] = {0},
    [ROLE_DIM] = {.attrs = ATTR_DIM},
    [ROLE_TITLE] = {0},
    [ROLE_TITLE_FOCUSED] = {.attrs = ATTR_BOLD},
    [ROLE_BORDER] = {.attrs = ATTR_DIM},
    [ROLE_BORDER_FOCUSED] = {0},
    [ROLE_STATUS] = {0},
    [ROLE_STATUS_KEY] = {.attrs = ATTR_BOLD},
    [ROLE_SELECTED] = {.attrs = ATTR_REVERSE},
    [ROLE_INPUT] = {.underline = UNDERLINE_SINGLE},
    [ROLE_ERROR] = {.attrs = ATTR_BOLD},
    [ROLE_WARNING] = {.attrs = ATTR_BOLD | ATTR_REVERSE},
    [ROLE_WORKING] = {0},
    [ROLE_NEEDS] = {.attrs = ATTR_BOLD},
    [ROLE_DONE] = {.attrs = ATTR_BOLD},
    [ROLE_IDLE] = {.attrs = ATTR_DIM},
    [ROLE_ENDED] = {.attrs = ATTR_DIM},
    [ROLE_SELECTION] = {.attrs = ATTR_REVERSE},
    [ROLE_MATCH] = {.attrs = ATTR_BOLD, .underline = UNDERLINE_SINGLE},
    [ROLE_MATCH_CURRENT] = {.attrs = ATTR_BOLD | ATTR_REVERSE, .underline = UNDERLINE_SINGLE},
    [ROLE_HISTORY] = {.attrs = ATTR_REVERSE},
    [ROLE_FILL] = {.attrs = ATTR_DIM},
};

static const char *const role_names[ROLE_COUNT] = {
#define X(role, help) [role] = #role,
    THEME_ROLES(X)
#undef X
};

const struct style *theme_style(enum theme_role role, bool dark, bool mono)
{
	if (role <= ROLE_NONE || role >= ROLE_COUNT)
		role = ROLE_TEXT;
	if (mono)
		return &mono_styles[role];
	return dark ? &dark_styles[role] : &light_styles[role];
}

const char *theme_role_name(enum theme_role role)
{
	return role > ROLE_NONE && role < ROLE_COUNT ? role_names[role] : "ROLE_NONE";
}

struct style theme_merge(const struct style *base, const struct style *over)
{
	struct style s = *base;
	uint16_t attrs = over->attrs;

	if (base->bg != COLOR_DEFAULT || base->attrs & ATTR_REVERSE)
		attrs &= (uint16_t)~ATTR_DIM; /* hard to read on a background of its own */
	if (over->bg != COLOR_DEFAULT) {
		s.bg = over->bg;
		s.attrs &= (uint16_t)~ATTR_REVERSE;
		s.fg = over->fg;
	} else if (over->fg != COLOR_DEFAULT) {
		s.fg = over->fg;
	}
	if (over->fg != COLOR_DEFAULT)
		s.attrs &= (uint16_t)~ATTR_DIM;
	s.attrs = (uint16_t)((s.attrs | (attrs & ~ATTR_REVERSE)) ^ (attrs & ATTR_REVERSE));
	if (over->underline != UNDERLINE_NONE) {
		s.underline = over->underline;
		s.underline_color = over->underline_color;
	}
	return s;
}
