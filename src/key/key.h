/*
 * key: a key press, a mouse action, and the modes of a program that decide how they are told to it.
 *
 * Keys keep the model of the kitty keyboard protocol: the unshifted key, modifiers, and the text it makes.  A
 * terminal that sends only bytes gives us what can be known from them.
 */
#ifndef HANDLER_KEY_KEY_H
#define HANDLER_KEY_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The bits of kitty's modifier parameter minus one. */
enum key_mod {
	MOD_SHIFT = 1,
	MOD_ALT = 2,
	MOD_CTRL = 4,
	MOD_SUPER = 8,
	MOD_HYPER = 16,
	MOD_META = 32,
	MOD_CAPS_LOCK = 64,
	MOD_NUM_LOCK = 128,
};
#define MOD_HELD (MOD_SHIFT | MOD_ALT | MOD_CTRL | MOD_SUPER | MOD_HYPER | MOD_META) /* without the locks */

/*
 * Keys that make no text.  Names are tmux's where it has one.  KEY_OTHER is a functional key that only
 * kitty's protocol has: `number` is its code there.
 */
#define KEY_SPECIALS(X)                                                                                      \
	X(KEY_ESCAPE, "Escape")                                                                              \
	X(KEY_ENTER, "Enter")                                                                                \
	X(KEY_TAB, "Tab")                                                                                    \
	X(KEY_BACKSPACE, "BSpace")                                                                           \
	X(KEY_INSERT, "IC")                                                                                  \
	X(KEY_DELETE, "DC")                                                                                  \
	X(KEY_LEFT, "Left")                                                                                  \
	X(KEY_RIGHT, "Right")                                                                                \
	X(KEY_UP, "Up")                                                                                      \
	X(KEY_DOWN, "Down")                                                                                  \
	X(KEY_PAGE_UP, "PPage")                                                                              \
	X(KEY_PAGE_DOWN, "NPage")                                                                            \
	X(KEY_HOME, "Home")                                                                                  \
	X(KEY_END, "End")                                                                                    \
	X(KEY_F1, "F1")                                                                                      \
	X(KEY_F2, "F2")                                                                                      \
	X(KEY_F3, "F3")                                                                                      \
	X(KEY_F4, "F4")                                                                                      \
	X(KEY_F5, "F5")                                                                                      \
	X(KEY_F6, "F6")                                                                                      \
	X(KEY_F7, "F7")                                                                                      \
	X(KEY_F8, "F8")                                                                                      \
	X(KEY_F9, "F9")                                                                                      \
	X(KEY_F10, "F10")                                                                                    \
	X(KEY_F11, "F11")                                                                                    \
	X(KEY_F12, "F12")                                                                                    \
	X(KEY_KP_0, "KP0")                                                                                   \
	X(KEY_KP_1, "KP1")                                                                                   \
	X(KEY_KP_2, "KP2")                                                                                   \
	X(KEY_KP_3, "KP3")                                                                                   \
	X(KEY_KP_4, "KP4")                                                                                   \
	X(KEY_KP_5, "KP5")                                                                                   \
	X(KEY_KP_6, "KP6")                                                                                   \
	X(KEY_KP_7, "KP7")                                                                                   \
	X(KEY_KP_8, "KP8")                                                                                   \
	X(KEY_KP_9, "KP9")                                                                                   \
	X(KEY_KP_DECIMAL, "KP.")                                                                             \
	X(KEY_KP_DIVIDE, "KP/")                                                                              \
	X(KEY_KP_MULTIPLY, "KP*")                                                                            \
	X(KEY_KP_SUBTRACT, "KP-")                                                                            \
	X(KEY_KP_ADD, "KP+")                                                                                 \
	X(KEY_KP_ENTER, "KPEnter")                                                                           \
	X(KEY_KP_EQUAL, "KP=")                                                                               \
	X(KEY_KP_BEGIN, "KPBegin")                                                                           \
	X(KEY_MENU, "Menu")                                                                                  \
	X(KEY_PRINT_SCREEN, "Print")                                                                         \
	X(KEY_PAUSE, "Pause")                                                                                \
	X(KEY_SCROLL_LOCK, "ScrollLock")                                                                     \
	X(KEY_CAPS_LOCK, "CapsLock")                                                                         \
	X(KEY_NUM_LOCK, "NumLock")                                                                           \
	X(KEY_OTHER, "Other")

enum key_special {
	KEY_SPECIAL_FIRST = 0x110000,
	KEY_SPECIAL_BEFORE = KEY_SPECIAL_FIRST - 1,
#define X(name, text) name,
	KEY_SPECIALS(X)
#undef X
	    KEY_SPECIAL_END,
};

enum key_event { KEY_PRESS = 1, KEY_REPEAT = 2, KEY_RELEASE = 3 };

enum { KEY_TEXT_MAX = 31 };

struct key {
	uint32_t code;               /* the unshifted key: a scalar (lower case), KEY_*; 0: only text */
	uint32_t shifted;            /* what it is with shift; 0: unknown */
	uint32_t base;               /* the key at this place of the standard layout; 0: unknown */
	uint32_t number;             /* of KEY_OTHER: kitty's functional key code */
	uint16_t mods;               /* enum key_mod */
	uint8_t event;               /* enum key_event */
	char text[KEY_TEXT_MAX + 1]; /* UTF-8 that the press makes; "" for none (special keys, ctrl, alt) */
};

/* A press of one character, as typed: 'A' is a with shift; '!' is itself, as nobody knows the layout. */
struct key key_from_char(uint32_t cp);
bool key_equal(const struct key *a, const struct key *b); /* code, mods without locks, event */
/*
 * Whether a press (or repeat) is what a binding names.  A binding names the character that was produced,
 * whatever shift and layout it took: "?" is shift with / on one keyboard.  With ctrl or alt on a layout of
 * other letters the key of the standard layout counts; keys of the keypad count as the plain ones.
 */
bool key_matches(const struct key *binding, const struct key *pressed);
/*
 * Fills in what follows from the rest: an upper case code becomes the key with shift, a letter's shifted
 * form, and the text if the press makes one.  For keys that were put together by hand.
 */
void key_complete(struct key *k);

/*
 * Names as in tmux: "a", "C-c", "M-x", "S-Enter", "C-M-Up", "F5", "Space", "^C", "BTab"; also "Alt+x",
 * "Ctrl+Shift+Up", "Super+k", and "U+1F600".  M is alt; kitty's own meta is "Meta+".
 * key_parse returns false for what is none.  key_name writes the canonical name into out[KEY_NAME_MAX].
 */
enum { KEY_NAME_MAX = 48 };
bool key_parse(const char *name, struct key *out);
void key_name(const struct key *k, char out[KEY_NAME_MAX]);

enum mouse_action { MOUSE_PRESS, MOUSE_RELEASE, MOUSE_MOTION, MOUSE_WHEEL };
enum mouse_button {
	BUTTON_NONE,
	BUTTON_LEFT,
	BUTTON_MIDDLE,
	BUTTON_RIGHT,
	BUTTON_WHEEL_UP,
	BUTTON_WHEEL_DOWN,
	BUTTON_WHEEL_LEFT,
	BUTTON_WHEEL_RIGHT,
	BUTTON_BACK,
	BUTTON_FORWARD
};

struct mouse {
	uint8_t action; /* enum mouse_action */
	uint8_t button; /* enum mouse_button; the one held, for motion */
	uint16_t mods;
	int row, col; /* 0-based */
	int x, y;     /* pixels within the screen, or -1 */
};

/* -, 9, 1000, 1002, 1003 */
enum mouse_tracking { TRACK_NONE, TRACK_X10, TRACK_NORMAL, TRACK_BUTTON, TRACK_ANY };
/* -, 1005, 1006, 1015, 1016 */
enum mouse_format { FORMAT_X10, FORMAT_UTF8, FORMAT_SGR, FORMAT_URXVT, FORMAT_SGR_PIXELS };

/* The flags of kitty's keyboard protocol. */
enum kitty_flag {
	KITTY_DISAMBIGUATE = 1,
	KITTY_EVENTS = 2,
	KITTY_ALTERNATES = 4,
	KITTY_ALL_ESCAPES = 8,
	KITTY_TEXT = 16,
	KITTY_ALL_FLAGS = 31
};

/* Modes of the program in a pane that decide what a key or mouse action sends. */
struct key_modes {
	uint8_t kitty;             /* enum kitty_flag */
	uint8_t modify_other_keys; /* 0, 1, 2 (XTMODKEYS 4) */
	bool cursor_keys;          /* DECCKM */
	bool keypad;               /* DECKPAM / DECNKM */
	bool newline;              /* LNM: Enter sends CR LF */
	bool backspace_is_bs;      /* DECBKM */
	bool bracketed_paste;      /* 2004 */
	bool focus;                /* 1004 */
	bool alternate_scroll;     /* 1007 */
	bool alternate_screen;
	uint8_t tracking; /* enum mouse_tracking */
	uint8_t format;   /* enum mouse_format */
};

/*
 * What the program expects to read for the key (xterm ctlseqs "PC-Style Function Keys", XTMODKEYS; kitty
 * keyboard protocol).  Nothing is appended for what cannot be said (a release without KITTY_EVENTS).
 */
void key_encode(const struct key *k, const struct key_modes *m, struct buf *out);
/*
 * A report, arrows for the wheel (1007 on the alternate screen), or nothing: what the program did not ask
 * for, or what the format cannot say (a place beyond 223 in the oldest one, pixels that are unknown).  rows,
 * cols: the pane's; a place outside is moved to the border, so that the end of a drag is seen.
 */
enum { MOUSE_WHEEL_ARROWS = 3 }; /* arrow keys for one step of the wheel */
void mouse_encode(const struct mouse *e, const struct key_modes *m, int rows, int cols, struct buf *out);
/*
 * A paste: without C0 but TAB, LF, CR, without DEL and C1, line ends (LF, CR LF) as CR, what is not UTF-8 as
 * U+FFFD; framed by 200~ and 201~ if the program asked.  One call, or several with first and last set on the
 * outer ones; pieces must be cut where paste_cut says: at most max (>= UTF8_MAX) bytes of text, not inside a
 * character or CR LF; 0: all that is there may be the beginning of one of these.
 */
size_t paste_cut(const char *text, size_t len, size_t max);
void paste_encode(
    const char *text, size_t len, const struct key_modes *m, bool first, bool last, struct buf *out);
void focus_encode(bool in, const struct key_modes *m, struct buf *out);

#endif
