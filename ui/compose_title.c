/* compose_title: the title line of a pane (compose.h): states as a person sees them, and what there is room
 * for. */
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "ui/compose.h"

enum { TITLE_TEXT_MIN = 12 /* columns that the harness and its like have to leave for the text */ };

static const struct state_look looks[STATE_COUNT] = {
    [STATE_STARTING] = {"◌", '~', ROLE_WORKING, "starting"},
    [STATE_WORKING] = {"●", '*', ROLE_WORKING, "working"},
    [STATE_NEEDS_INPUT] = {"!", '!', ROLE_NEEDS, "needs you"},
    [STATE_DONE] = {"✓", '+', ROLE_DONE, "done"},
    [STATE_IDLE] = {"○", '.', ROLE_IDLE, "idle"},
    [STATE_LIMITED] = {"%", '%', ROLE_NEEDS, "limited"},
    [STATE_UNKNOWN] = {"?", '?', ROLE_IDLE, "unknown"},
    [STATE_SUSPENDED] = {"‖", '=', ROLE_ENDED, "suspended"},
    [STATE_STOPPED] = {"×", 'x', ROLE_ENDED, "stopped"},
    [STATE_EXITED] = {"×", 'x', ROLE_ENDED, "exited"},
    [STATE_FAILED] = {"×", 'x', ROLE_ERROR, "failed"},
    [STATE_CRASHED] = {"×", 'x', ROLE_ERROR, "crashed"},
    [STATE_LOST] = {"×", 'x', ROLE_ERROR, "lost"},
};

const struct state_look *state_look(enum session_state state)
{
	return &looks[state < STATE_COUNT ? state : STATE_UNKNOWN];
}

/* A part at the right of the title: the important ones first. */
struct piece {
	const char *text;
	enum theme_role role;
	bool wanted;
};

static int columns_of(const char *text)
{
	return utf8_columns(text, strlen(text));
}

static bool is_text(const char *s)
{
	return s && *s;
}

/* Marker, number, state and name; returns the columns used. */
static int title_left(struct surface *s, const struct pane_title *t, int cols)
{
	const struct state_look *look = state_look(t->state);
	enum theme_role role = t->focused ? ROLE_TITLE_FOCUSED : ROLE_TITLE;
	int used = surface_text(s, 0, 0, cols, t->focused ? "▌" : " ", ROLE_BORDER_FOCUSED);
	char number[16];

	if (t->number > 0) {
		snprintf(number, sizeof(number), "%d ", t->number);
		used += surface_text(s, 0, used, cols - used, number, t->focused ? role : ROLE_DIM);
		used += surface_text(s, 0, used, cols - used, t->word ? t->word : look->symbol, look->role);
		used++;
	}
	if (is_text(t->name))
		used += surface_text(s, 0, used, cols - used, t->name, role);
	return used;
}

static int title_right(struct surface *s, const struct pane_title *t, int from, int cols)
{
	const struct piece pieces[] = {
	    {" INPUT TO ALL ", ROLE_WARNING, t->input_all},
	    {t->badge, t->badge_role, is_text(t->badge)},
	    {"no sandbox", ROLE_DIM, t->unconfined},
	    {"zoomed", ROLE_DIM, t->zoomed},
	    {t->harness, ROLE_DIM, is_text(t->harness)},
	};
	int end = cols - 1;

	for (size_t i = 0; i < COUNT_OF(pieces); i++) {
		int width = pieces[i].wanted ? columns_of(pieces[i].text) : 0;
		int keep = i >= 2 && is_text(t->text) ? TITLE_TEXT_MIN : 0;

		if (!pieces[i].wanted || end - width < from + 2 + keep)
			continue;
		end -= width;
		surface_text(s, 0, end, width, pieces[i].text, pieces[i].role);
		end -= 2;
	}
	return end;
}

void compose_title(struct surface *s, const struct pane_title *t)
{
	const struct state_look *look = state_look(t->state);
	int cols = surface_cols(s), left, right;

	surface_fill(s, 0, 0, 1, cols, ROLE_TITLE);
	left = title_left(s, t, cols);
	right = title_right(s, t, left, cols);
	if (is_text(t->text) && right > left + 2)
		surface_text(s, 0, left + 2, right - left - 2, t->text,
		    state_waits(t->state) && !state_ended(t->state) ? look->role : ROLE_DIM);
}
