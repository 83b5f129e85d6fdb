/* keyboard: see keyboard.h.  kitty keyboard protocol ("Progressive enhancement"); xterm ctlseqs, XTMODKEYS.
 */
#include "term/keyboard.h"

#include <string.h>

#include "term/reply.h"
#include "term/state.h"

enum { KITTY_FLAGS = KITTY_DISAMBIGUATE | KITTY_EVENTS | KITTY_ALTERNATES | KITTY_ALL_ESCAPES | KITTY_TEXT };
enum { SET_EXACTLY = 1, SET_MORE = 2, SET_FEWER = 3 };
enum { MODIFY_OTHER_KEYS = 4, MODIFY_MOST = 2 };

static struct keyboard *current(struct term *t)
{
	return &t->keyboard[on_alternate(t)];
}

void keyboard_update(struct term *t)
{
	const struct key_modes modes = {
	    .kitty = current(t)->flags,
	    .modify_other_keys = t->modify_other_keys,
	    .cursor_keys = mode(t, MODE_CURSOR_KEYS),
	    .keypad = mode(t, MODE_KEYPAD),
	    .newline = mode(t, MODE_NEWLINE),
	    .backspace_is_bs = mode(t, MODE_BACKSPACE),
	    .bracketed_paste = mode(t, MODE_BRACKETED_PASTE),
	    .focus = mode(t, MODE_FOCUS),
	    .alternate_scroll = mode(t, MODE_ALTERNATE_SCROLL),
	    .alternate_screen = on_alternate(t),
	    .tracking = t->tracking,
	    .format = t->format,
	};

	if (memcmp(&modes, &t->key_modes, sizeof(modes)) == 0)
		return;
	t->key_modes = modes;
	event_number(t, TERM_KEY_MODES, 0, 0);
}

void keyboard_reset(struct term *t)
{
	memset(t->keyboard, 0, sizeof(t->keyboard));
	t->modify_other_keys = 0;
	keyboard_update(t);
}

void csi_kitty_query(struct term *t, const struct sequence *s)
{
	(void)s;
	reply_csi(t, "?%du", current(t)->flags);
}

void csi_kitty_push(struct term *t, const struct sequence *s)
{
	struct keyboard *k = current(t);

	if (k->depth == TERM_KITTY_STACK) {
		memmove(&k->stack[0], &k->stack[1], TERM_KITTY_STACK - 1);
		k->depth--;
	}
	k->stack[k->depth++] = k->flags;
	k->flags = (uint8_t)(sequence_value(s, 0, 0) & KITTY_FLAGS);
	keyboard_update(t);
}

void csi_kitty_pop(struct term *t, const struct sequence *s)
{
	struct keyboard *k = current(t);

	for (int n = least(sequence_count(s, 0), TERM_KITTY_STACK + 1); n > 0; n--)
		k->flags = k->depth > 0 ? k->stack[--k->depth] : 0;
	keyboard_update(t);
}

void csi_kitty_set(struct term *t, const struct sequence *s)
{
	struct keyboard *k = current(t);
	uint8_t flags = (uint8_t)(sequence_value(s, 0, 0) & KITTY_FLAGS);

	switch (sequence_count(s, 1)) {
	case SET_EXACTLY:
		k->flags = flags;
		break;
	case SET_MORE:
		k->flags |= flags;
		break;
	case SET_FEWER:
		k->flags &= (uint8_t)~flags;
		break;
	}
	keyboard_update(t);
}

/* Of XTMODKEYS' resources only modifyOtherKeys changes what is sent; without a value it gets its first one
 * back. */
void csi_modify_keys(struct term *t, const struct sequence *s)
{
	if (s->count == 0 || s->value[0] == MODIFY_OTHER_KEYS)
		t->modify_other_keys = (uint8_t)least(sequence_value(s, 1, 0), MODIFY_MOST);
	keyboard_update(t);
}

void csi_unmodify_keys(struct term *t, const struct sequence *s)
{
	if (sequence_value(s, 0, 0) == MODIFY_OTHER_KEYS)
		t->modify_other_keys = 0;
	keyboard_update(t);
}

void csi_query_modify_keys(struct term *t, const struct sequence *s)
{
	if (sequence_value(s, 0, 0) == MODIFY_OTHER_KEYS)
		reply_csi(t, ">%d;%dm", MODIFY_OTHER_KEYS, t->modify_other_keys);
}

const struct key_modes *term_key_modes(const struct term *t)
{
	return &t->key_modes;
}
