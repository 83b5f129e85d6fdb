/* mouse: an action of the mouse as the report that a program asked for (xterm ctlseqs, "Mouse Tracking"). */
#include "base/utf8.h"
#include "key/key.h"

enum {
	CODE_RELEASE = 3, /* which button it was is not told */
	CODE_SHIFT = 4,
	CODE_ALT = 8,
	CODE_CTRL = 16,
	CODE_MOTION = 32,
	CODE_WHEEL = 64,
	CODE_EXTRA = 128,
	BYTE_OFFSET = 32,
	BYTE_LAST = 255,
	UTF8_LAST = 0x7FF, /* two bytes: column 2015 */
};

static const uint8_t button_codes[] = {
    [BUTTON_NONE] = CODE_RELEASE,
    [BUTTON_LEFT] = 0,
    [BUTTON_MIDDLE] = 1,
    [BUTTON_RIGHT] = 2,
    [BUTTON_WHEEL_UP] = CODE_WHEEL,
    [BUTTON_WHEEL_DOWN] = CODE_WHEEL + 1,
    [BUTTON_WHEEL_LEFT] = CODE_WHEEL + 2,
    [BUTTON_WHEEL_RIGHT] = CODE_WHEEL + 3,
    [BUTTON_BACK] = CODE_EXTRA,
    [BUTTON_FORWARD] = CODE_EXTRA + 1,
};

/* Whether the program asked to be told of this. */
static bool is_wanted(const struct mouse *e, uint8_t tracking)
{
	switch (tracking) {
	case TRACK_X10:
		return e->action == MOUSE_PRESS && e->button >= BUTTON_LEFT && e->button <= BUTTON_RIGHT;
	case TRACK_NORMAL:
		return e->action != MOUSE_MOTION;
	case TRACK_BUTTON:
		return e->action != MOUSE_MOTION || e->button != BUTTON_NONE;
	case TRACK_ANY:
		return true;
	default:
		return false;
	}
}

static int code_of(const struct mouse *e, const struct key_modes *m)
{
	bool names_release = m->format == FORMAT_SGR || m->format == FORMAT_SGR_PIXELS;
	int code = button_codes[e->button];

	if (m->tracking == TRACK_X10)
		return code;
	if (e->action == MOUSE_RELEASE && !names_release)
		code = CODE_RELEASE;
	if (e->action == MOUSE_MOTION)
		code += CODE_MOTION;
	return code + (e->mods & MOD_SHIFT ? CODE_SHIFT : 0) +
	       (e->mods & (MOD_ALT | MOD_META) ? CODE_ALT : 0) + (e->mods & MOD_CTRL ? CODE_CTRL : 0);
}

/* `CSI M` and three values, each a byte or (1005) a character of at most two bytes; nothing if one does not
 * fit. */
static void add_bytes(struct buf *out, const int values[3], bool utf8)
{
	for (int i = 0; i < 3; i++) {
		if (values[i] + BYTE_OFFSET > (utf8 ? UTF8_LAST : BYTE_LAST))
			return;
	}
	buf_adds(out, "\033[M");
	for (int i = 0; i < 3; i++) {
		if (utf8)
			buf_add_utf8(out, (uint32_t)(values[i] + BYTE_OFFSET));
		else
			buf_addc(out, (char)(values[i] + BYTE_OFFSET));
	}
}

static void add_report(const struct mouse *e, const struct key_modes *m, int row, int col, struct buf *out)
{
	int code = code_of(e, m);
	char final = e->action == MOUSE_RELEASE ? 'm' : 'M';

	switch (m->format) {
	case FORMAT_SGR:
		buf_printf(out, "\033[<%d;%d;%d%c", code, col + 1, row + 1, final);
		break;
	case FORMAT_SGR_PIXELS:
		if (e->x >= 0 && e->y >= 0)
			buf_printf(out, "\033[<%d;%d;%d%c", code, e->x + 1, e->y + 1, final);
		break;
	case FORMAT_URXVT:
		buf_printf(out, "\033[%d;%d;%dM", code + BYTE_OFFSET, col + 1, row + 1);
		break;
	default:
		add_bytes(out, (const int[]){code, col + 1, row + 1}, m->format == FORMAT_UTF8);
	}
}

/* Mode 1007: on the alternate screen the wheel is the arrow keys, for programs that know no mouse. */
static void add_arrows(const struct mouse *e, const struct key_modes *m, struct buf *out)
{
	if (!m->alternate_scroll || !m->alternate_screen)
		return;
	if (e->button != BUTTON_WHEEL_UP && e->button != BUTTON_WHEEL_DOWN)
		return;
	for (int i = 0; i < MOUSE_WHEEL_ARROWS; i++)
		buf_printf(
		    out, "\033%c%c", m->cursor_keys ? 'O' : '[', e->button == BUTTON_WHEEL_UP ? 'A' : 'B');
}

static int clip(int at, int size)
{
	if (at >= size)
		at = size - 1;
	return at < 0 ? 0 : at;
}

void mouse_encode(const struct mouse *e, const struct key_modes *m, int rows, int cols, struct buf *out)
{
	if (e->button >= sizeof(button_codes))
		return;
	if (m->tracking == TRACK_NONE && e->action == MOUSE_WHEEL)
		add_arrows(e, m, out);
	else if (is_wanted(e, m->tracking))
		add_report(e, m, clip(e->row, rows), clip(e->col, cols), out);
}

void focus_encode(bool in, const struct key_modes *m, struct buf *out)
{
	if (m->focus)
		buf_adds(out, in ? "\033[I" : "\033[O");
}
