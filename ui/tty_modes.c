/*
 * tty_modes: see tty_modes.h.  Sources: xterm ctlseqs (DECSET, XTMODKEYS, XTWINOPS), kitty keyboard protocol
 * ("Progressive enhancement": the flags are a stack of the screen that is shown, so they are pushed after the
 * alternate screen was entered and popped before it is left).
 */
#include "ui/tty_modes.h"

#include <stddef.h>

#include "base/mem.h"

static const struct {
	size_t offset; /* of the bool in struct tty_modes */
	const char *on, *off;
} switches[] = {
    {offsetof(struct tty_modes, modify_other_keys), "\033[>4;2m", "\033[>4m"},
    {offsetof(struct tty_modes, focus), "\033[?1004h", "\033[?1004l"},
    {offsetof(struct tty_modes, theme_updates), "\033[?2031h", "\033[?2031l"},
    {offsetof(struct tty_modes, graphemes), "\033[?2027h", "\033[?2027l"},
};

static bool is_on(const struct tty_modes *m, size_t i)
{
	return *(const bool *)((const char *)m + switches[i].offset);
}

/* 1002 and 1003 are one setting: resetting either ends reports, so off comes before on. */
static void change_mouse(uint8_t from, uint8_t to, struct buf *out)
{
	if (from == to)
		return;
	if (from != TTY_MOUSE_OFF)
		buf_adds(out, "\033[?1003l\033[?1002l\033[?1006l");
	if (to != TTY_MOUSE_OFF)
		buf_adds(out, to == TTY_MOUSE_ALL ? "\033[?1003h\033[?1006h" : "\033[?1002h\033[?1006h");
}

static void change_kitty(uint8_t from, uint8_t to, struct buf *out)
{
	if (from == to)
		return;
	if (from == 0)
		buf_printf(out, "\033[>%uu", to);
	else if (to == 0)
		buf_adds(out, "\033[<u");
	else
		buf_printf(out, "\033[=%u;1u", to);
}

void tty_modes_change(struct tty_state *state, const struct tty_modes *modes, struct buf *out)
{
	change_kitty(state->modes.kitty, modes->kitty, out);
	for (size_t i = 0; i < COUNT_OF(switches); i++) {
		if (is_on(&state->modes, i) != is_on(modes, i))
			buf_adds(out, is_on(modes, i) ? switches[i].on : switches[i].off);
	}
	change_mouse(state->modes.mouse, modes->mouse, out);
	state->modes = *modes;
}

/* Without DECAWM: a cluster that the terminal gives more columns than we do would go on in the next row. */
void tty_modes_enter(struct tty_state *state, const struct tty_modes *modes, struct buf *out)
{
	buf_adds(out, "\033[?1049h\033[?2004h\033[?7l\033[H\033[2J");
	state->entered = true;
	state->modes = (struct tty_modes){0};
	tty_modes_change(state, modes, out);
}

void tty_modes_restore(const struct tty_state *state, struct buf *out)
{
	struct tty_state off = *state;

	if (!state->entered)
		return;
	/* ST ends a string that was cut, and its ESC a control sequence; then the synchronized update of a
	 * cut frame. */
	buf_adds(out, "\033\\\033[?2026l");
	tty_modes_change(&off, &(struct tty_modes){0}, out);
	buf_adds(out, "\033[?2004l");
	if (state->takes_strings)
		buf_adds(out, "\033]8;;\033\\");
	if (state->color)
		buf_adds(out, "\033]112\033\\");
	if (state->shape)
		buf_adds(out, "\033[0 q");
	buf_adds(out, "\033[?69l\033[r\033[?7h\033[0m\033[?25h\033[?1049l");
	if (state->title_saved)
		buf_adds(out, "\033[23;0t");
}
