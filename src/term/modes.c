/*
 * modes: see modes.h.  Numbers and meanings: ECMA-48 7.2, DEC STD 070, xterm ctlseqs (DECSET), and the pages
 * of modes 2004, 2026, 2027, 2031 and 2048.
 */
#include "term/modes.h"

#include <stddef.h>

#include "base/mem.h"
#include "term/cursor.h"
#include "term/erase.h"
#include "term/reply.h"
#include "term/save.h"
#include "term/scroll.h"
#include "term/screens.h"
#include "term/sgr.h"
#include "term/state.h"

/* What DECRPM says of a mode. */
enum { UNKNOWN, SET, RESET, ALWAYS_SET, ALWAYS_RESET };

/*
 * A mode is a bit of t->modes (with a hook for what else changing it does), a value of the group of mouse
 * trackings or mouse formats, fixed, or has functions of its own.
 */
struct mode_entry {
	int number;
	bool dec;
	enum { KIND_BIT, KIND_TRACKING, KIND_FORMAT, KIND_FIXED, KIND_OWN } kind;
	int value; /* enum mode_index, enum mouse_tracking, enum mouse_format, or what DECRPM says */
	void (*changed)(struct term *t, bool on);
	bool (*is_set)(const struct term *t);
};

#define BIT(index) ((modes_t)1 << (index))

static const modes_t initial = BIT(MODE_AUTOWRAP) | BIT(MODE_CURSOR_VISIBLE) | BIT(MODE_ALTERNATE_SCROLL);

/* --- hooks --- */

static void home(struct term *t, bool on)
{
	(void)on;
	cursor_address(t, 0, 0);
}

/* DECCOLM clears the screen and resets margins; how wide a pane is, is not the program's choice. */
static void columns(struct term *t, bool on)
{
	(void)on;
	if (!mode(t, MODE_ALLOW_COLUMNS)) {
		t->modes &= ~BIT(MODE_COLUMNS);
		return;
	}
	t->modes &= ~BIT(MODE_MARGINS);
	margins_reset(t);
	erase_display(t, 2, ERASE_PLAIN);
	cursor_address(t, 0, 0);
}

static void margins(struct term *t, bool on)
{
	(void)on;
	t->left = 0;
	t->right = t->cols - 1;
}

static void synchronized(struct term *t, bool on)
{
	event_number(t, TERM_SYNC, on, 0);
	if (!on && on_alternate(t))
		seen_update_ended(t);
}

static void in_band_resize(struct term *t, bool on)
{
	if (on)
		reply_in_band_resize(t);
}

static void blink(struct term *t, bool on)
{
	t->cursor_blink = on;
}

static bool blinks(const struct term *t)
{
	return t->cursor_blink;
}

/* 47: the other screen as it is.  1047: cleared when it is left.  1049: cursor saved, cleared when it is
 * entered. */
static void alternate(struct term *t, bool on)
{
	screens_show(t, on);
}

static void alternate_cleared(struct term *t, bool on)
{
	if (!on && on_alternate(t))
		erase_display(t, 2, ERASE_PLAIN);
	screens_show(t, on);
}

static void save_cursor(struct term *t, bool on)
{
	if (on)
		cursor_save(t);
	else
		cursor_restore(t);
}

static void alternate_saved(struct term *t, bool on)
{
	if (on && !on_alternate(t))
		cursor_save(t);
	screens_show(t, on);
	if (on)
		erase_display(t, 2, ERASE_PLAIN);
	else
		cursor_restore(t);
}

static bool never(const struct term *t)
{
	(void)t;
	return false;
}

/* --- the table --- */

#define ANSI_BIT(number, index)                                                                              \
	{                                                                                                    \
		number, false, KIND_BIT, index, NULL, NULL                                                   \
	}
#define ANSI_FIXED(number, state)                                                                            \
	{                                                                                                    \
		number, false, KIND_FIXED, state, NULL, NULL                                                 \
	}
#define DEC_BIT(number, index, changed)                                                                      \
	{                                                                                                    \
		number, true, KIND_BIT, index, changed, NULL                                                 \
	}
#define DEC_FIXED(number, state)                                                                             \
	{                                                                                                    \
		number, true, KIND_FIXED, state, NULL, NULL                                                  \
	}
#define DEC_TRACKING(number, tracking)                                                                       \
	{                                                                                                    \
		number, true, KIND_TRACKING, tracking, NULL, NULL                                            \
	}
#define DEC_FORMAT(number, format)                                                                           \
	{                                                                                                    \
		number, true, KIND_FORMAT, format, NULL, NULL                                                \
	}
#define DEC_OWN(number, changed, is_set)                                                                     \
	{                                                                                                    \
		number, true, KIND_OWN, 0, changed, is_set                                                   \
	}

static const struct mode_entry entries[] = {
    ANSI_FIXED(1, ALWAYS_RESET), /* GATM */
    ANSI_FIXED(2, ALWAYS_RESET), /* KAM: no program locks the keyboard */
    ANSI_BIT(4, MODE_INSERT),
    ANSI_FIXED(5, ALWAYS_RESET),  /* SRTM */
    ANSI_FIXED(7, ALWAYS_RESET),  /* VEM */
    ANSI_FIXED(10, ALWAYS_RESET), /* HEM */
    ANSI_FIXED(11, ALWAYS_RESET), /* PUM */
    ANSI_FIXED(12, ALWAYS_SET),   /* SRM: no local echo */
    ANSI_FIXED(13, ALWAYS_RESET), /* FEAM */
    ANSI_FIXED(14, ALWAYS_RESET), /* FETM */
    ANSI_FIXED(15, ALWAYS_RESET), /* MATM */
    ANSI_FIXED(16, ALWAYS_RESET), /* TTM */
    ANSI_FIXED(17, ALWAYS_RESET), /* SATM */
    ANSI_FIXED(18, ALWAYS_RESET), /* TSM */
    ANSI_FIXED(19, ALWAYS_RESET), /* EBM */
    ANSI_BIT(20, MODE_NEWLINE),

    DEC_BIT(1, MODE_CURSOR_KEYS, NULL),
    DEC_FIXED(2, ALWAYS_SET), /* DECANM: never a VT52 */
    DEC_BIT(3, MODE_COLUMNS, columns),
    DEC_FIXED(4, ALWAYS_RESET), /* DECSCLM: no smooth scroll */
    DEC_BIT(5, MODE_REVERSE, NULL),
    DEC_BIT(6, MODE_ORIGIN, home),
    DEC_BIT(7, MODE_AUTOWRAP, NULL),
    DEC_FIXED(8, ALWAYS_SET), /* DECARM: keys repeat as the outer terminal says */
    DEC_TRACKING(9, TRACK_X10),
    DEC_OWN(12, blink, blinks),
    DEC_BIT(25, MODE_CURSOR_VISIBLE, NULL),
    DEC_BIT(40, MODE_ALLOW_COLUMNS, NULL),
    DEC_BIT(45, MODE_REVERSE_WRAP, NULL),
    DEC_OWN(47, alternate, on_alternate),
    DEC_FIXED(60, ALWAYS_RESET), /* DECHCCM: the screen is never wider than what is seen of it */
    DEC_BIT(66, MODE_KEYPAD, NULL),
    DEC_BIT(67, MODE_BACKSPACE, NULL),
    DEC_BIT(69, MODE_MARGINS, margins),
    DEC_TRACKING(1000, TRACK_NORMAL),
    DEC_TRACKING(1002, TRACK_BUTTON),
    DEC_TRACKING(1003, TRACK_ANY),
    DEC_BIT(1004, MODE_FOCUS, NULL),
    DEC_FORMAT(1005, FORMAT_UTF8),
    DEC_FORMAT(1006, FORMAT_SGR),
    DEC_BIT(1007, MODE_ALTERNATE_SCROLL, NULL),
    DEC_FORMAT(1015, FORMAT_URXVT),
    DEC_FORMAT(1016, FORMAT_SGR_PIXELS),
    DEC_FIXED(1034, ALWAYS_RESET), /* Meta sets no eighth bit */
    DEC_FIXED(1036, ALWAYS_SET),   /* it sends ESC */
    DEC_BIT(1045, MODE_EXTENDED_WRAP, NULL),
    DEC_OWN(1047, alternate_cleared, on_alternate),
    DEC_OWN(1048, save_cursor, never),
    DEC_OWN(1049, alternate_saved, on_alternate),
    DEC_BIT(2004, MODE_BRACKETED_PASTE, NULL),
    DEC_BIT(2026, MODE_SYNCHRONIZED, synchronized),
    DEC_FIXED(2027, ALWAYS_SET), /* grapheme clusters */
    DEC_BIT(2031, MODE_THEME, NULL),
    DEC_BIT(2048, MODE_IN_BAND_RESIZE, in_band_resize),
};
_Static_assert(COUNT_OF(entries) <= 64, "t->saved_modes has a bit for each");

static const struct mode_entry *find(const struct term *t, bool dec, int number)
{
	if (dec && number == 69 && t->level < LEVEL_MARGINS)
		return NULL;
	for (size_t i = 0; i < COUNT_OF(entries); i++) {
		if (entries[i].number == number && entries[i].dec == dec)
			return &entries[i];
	}
	return NULL;
}

/* Of a group one mode is on at most; resetting another one than that does nothing to a format, all to a
 * tracking. */
static void set_group(struct term *t, const struct mode_entry *e, bool on)
{
	if (e->kind == KIND_TRACKING)
		t->tracking = on ? (uint8_t)e->value : TRACK_NONE;
	else if (on)
		t->format = (uint8_t)e->value;
	else if (t->format == e->value)
		t->format = FORMAT_X10;
}

static void set_entry(struct term *t, const struct mode_entry *e, bool on)
{
	switch (e->kind) {
	case KIND_BIT:
		t->modes = on ? t->modes | BIT(e->value) : t->modes & ~BIT(e->value);
		break;
	case KIND_TRACKING:
	case KIND_FORMAT:
		set_group(t, e, on);
		break;
	case KIND_FIXED:
		return;
	case KIND_OWN:
		break;
	}
	if (e->changed)
		e->changed(t, on);
	charset_update(t);
	keyboard_update(t);
}

static bool entry_is_set(const struct term *t, const struct mode_entry *e)
{
	switch (e->kind) {
	case KIND_BIT:
		return (t->modes & BIT(e->value)) != 0;
	case KIND_TRACKING:
		return t->tracking == e->value;
	case KIND_FORMAT:
		return t->format == e->value;
	case KIND_FIXED:
		return e->value == ALWAYS_SET;
	case KIND_OWN:
		return e->is_set(t);
	}
	return false;
}

void modes_set(struct term *t, bool dec, int number, bool on)
{
	const struct mode_entry *e = find(t, dec, number);

	if (e)
		set_entry(t, e, on);
}

int modes_query(const struct term *t, bool dec, int number)
{
	const struct mode_entry *e = find(t, dec, number);

	if (!e)
		return UNKNOWN;
	if (e->kind == KIND_FIXED)
		return e->value;
	return entry_is_set(t, e) ? SET : RESET;
}

void modes_reset(struct term *t)
{
	t->modes = initial;
	t->saved_modes = 0;
	t->tracking = TRACK_NONE;
	t->format = FORMAT_X10;
	t->cursor_shape = CURSOR_DEFAULT;
	t->cursor_blink = false;
	t->replies_8bit = false;
	charset_update(t);
	keyboard_update(t);
}

void modes_soft_reset(struct term *t)
{
	const modes_t cleared = BIT(MODE_INSERT) | BIT(MODE_ORIGIN) | BIT(MODE_KEYPAD) |
				BIT(MODE_CURSOR_KEYS) | BIT(MODE_REVERSE_WRAP) | BIT(MODE_EXTENDED_WRAP) |
				BIT(MODE_MARGINS);

	t->modes = (t->modes & ~cleared) | BIT(MODE_CURSOR_VISIBLE) | BIT(MODE_AUTOWRAP);
	charset_update(t);
	keyboard_update(t);
}

/* --- sequences --- */

static void set_all(struct term *t, const struct sequence *s, bool dec, bool on)
{
	for (int i = 0; i < s->count; i++)
		modes_set(t, dec, s->value[i], on);
}

void csi_set_mode(struct term *t, const struct sequence *s)
{
	set_all(t, s, false, true);
}

void csi_reset_mode(struct term *t, const struct sequence *s)
{
	set_all(t, s, false, false);
}

void csi_set_dec_mode(struct term *t, const struct sequence *s)
{
	set_all(t, s, true, true);
}

void csi_reset_dec_mode(struct term *t, const struct sequence *s)
{
	set_all(t, s, true, false);
}

void csi_request_mode(struct term *t, const struct sequence *s)
{
	int number = sequence_value(s, 0, 0);

	if (t->level < LEVEL_REQUESTS)
		return;
	reply_csi(t, "%d;%d$y", number, modes_query(t, false, number));
}

void csi_request_dec_mode(struct term *t, const struct sequence *s)
{
	int number = sequence_value(s, 0, 0);

	if (t->level < LEVEL_REQUESTS)
		return;
	reply_csi(t, "?%d;%d$y", number, modes_query(t, true, number));
}

/* XTSAVE keeps one state of each mode: t->saved_modes has a bit for each entry of the table. */
static modes_t saved_bit(const struct mode_entry *e)
{
	return (modes_t)1 << (e - entries);
}

void csi_save_modes(struct term *t, const struct sequence *s)
{
	for (int i = 0; i < s->count; i++) {
		const struct mode_entry *e = find(t, true, s->value[i]);

		if (!e)
			continue;
		t->saved_modes &= ~saved_bit(e);
		if (entry_is_set(t, e))
			t->saved_modes |= saved_bit(e);
	}
}

void csi_restore_modes(struct term *t, const struct sequence *s)
{
	for (int i = 0; i < s->count; i++) {
		const struct mode_entry *e = find(t, true, s->value[i]);

		if (e && entry_is_set(t, e) != ((t->saved_modes & saved_bit(e)) != 0))
			set_entry(t, e, !entry_is_set(t, e));
	}
}

/* --- saving --- */

static bool is_saved(const struct mode_entry *e)
{
	return e->kind == KIND_BIT || e->kind == KIND_TRACKING || e->kind == KIND_FORMAT;
}

void modes_save(const struct term *t, struct buf *out)
{
	for (size_t i = 0; i < COUNT_OF(entries); i++) {
		const struct mode_entry *e = &entries[i];

		save_u16(out, (unsigned)e->number);
		save_u8(out, e->dec);
		save_u8(out, is_saved(e) && entry_is_set(t, e));
		save_u8(out, (t->saved_modes & saved_bit(e)) != 0);
	}
}

void modes_load(struct term *t, struct load *in)
{
	t->modes = t->saved_modes = 0;
	t->tracking = TRACK_NONE;
	t->format = FORMAT_X10;
	while (in->at < in->end) {
		int number = (int)load_u16(in);
		const struct mode_entry *e = find(t, load_u8(in) != 0, number);
		bool on = load_u8(in) != 0, saved = load_u8(in) != 0;

		if (!e)
			continue;
		if (e->kind == KIND_BIT && on)
			t->modes |= BIT(e->value);
		else if ((e->kind == KIND_TRACKING || e->kind == KIND_FORMAT) && on)
			set_group(t, e, true);
		t->saved_modes |= saved ? saved_bit(e) : 0;
	}
}
