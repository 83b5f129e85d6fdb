/*
 * commands: everything a key of `handler terminal` can do, in one table: name, argument, default keys, help.
 *
 * Help (`?`), the popup of a pending prefix, the palette and the page handler-keys(7) are made from it or
 * checked against it.  What a command does is written in action*.c; this file does not know.
 */
#ifndef HANDLER_UI_COMMANDS_H
#define HANDLER_UI_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum command_group { GROUP_SESSIONS, GROUP_PANES, GROUP_HISTORY, GROUP_VIEWS, GROUP_PROGRAM, GROUP_COUNT };

enum command_flag {
	COMMAND_REPEATS = 1, /* after it, its key works again for a moment without the prefix */
	COMMAND_VIEWS = 2,   /* works without a session in view (on the start screen) */
};

/* clang-format off */
/*
 * id, name, argument, keys of the preset tmux, keys of the preset vi (NULL: the same), group, flags, in a few words (for
 * the popup), help.
 * Keys are separated by spaces; KEY=ARGUMENT binds the command with an argument.
 */
#define COMMANDS(X) \
	X(NEW_SESSION, "new-session", "[AGENT]", "c", NULL, GROUP_SESSIONS, COMMAND_VIEWS, \
	  "new session", "start a session; Enter at once makes one more like this") \
	X(FIND_SESSION, "find-session", "", "s", NULL, GROUP_SESSIONS, COMMAND_VIEWS, \
	  "find a session", "find a session: type to filter, with a live preview") \
	X(NEXT_SESSION, "go-next", "", "n", NULL, GROUP_SESSIONS, COMMAND_VIEWS, \
	  "next session", "go to the next session") \
	X(PREVIOUS_SESSION, "go-previous", "", "p", NULL, GROUP_SESSIONS, COMMAND_VIEWS, \
	  "previous session", "go to the previous session") \
	X(GO_TO, "go-to", "[SESSION]", "' 0=0 1=1 2=2 3=3 4=4 5=5 6=6 7=7 8=8 9=9", NULL, GROUP_SESSIONS, COMMAND_VIEWS, \
	  "session by number", "go to a session by its number or name") \
	X(UNDO_GO_TO, "go-undo", "", "l", "BSpace", GROUP_SESSIONS, COMMAND_VIEWS, \
	  "undo last go-to", "undo the last going to a session, layout included") \
	X(GO_TO_WAITING, "go-waiting", "", "a", NULL, GROUP_SESSIONS, COMMAND_VIEWS, \
	  "longest waiting", "go to the session that has waited longest for you") \
	X(RENAME_SESSION, "rename-session", "[NAME]", ",", NULL, GROUP_SESSIONS, 0, \
	  "rename session", "rename the session") \
	X(STOP_SESSION, "stop-session", "", "X", NULL, GROUP_SESSIONS, 0, \
	  "stop session", "stop the session with all its processes, after asking") \
	X(RESUME_SESSION, "resume-session", "", "r", NULL, GROUP_SESSIONS, 0, \
	  "resume session", "resume the session, if it ended or is suspended") \
	X(NEWLINE, "newline", "", "Enter", NULL, GROUP_SESSIONS, 0, \
	  "newline in agent", "a new line in the agent's prompt, on every terminal") \
	X(SPLIT_RIGHT, "split-right", "[SESSION]", "% v", NULL, GROUP_PANES, 0, \
	  "split right", "split the pane: a session to the right of it") \
	X(SPLIT_BELOW, "split-below", "[SESSION]", "\" -", NULL, GROUP_PANES, 0, \
	  "split below", "split the pane: a session below it") \
	X(FOCUS_LEFT, "focus-left", "", "Left", "Left h", GROUP_PANES, 0, \
	  "focus left", "move the focus to the left") \
	X(FOCUS_DOWN, "focus-down", "", "Down", "Down j", GROUP_PANES, 0, \
	  "focus down", "move the focus down") \
	X(FOCUS_UP, "focus-up", "", "Up", "Up k", GROUP_PANES, 0, \
	  "focus up", "move the focus up") \
	X(FOCUS_RIGHT, "focus-right", "", "Right", "Right l", GROUP_PANES, 0, \
	  "focus right", "move the focus to the right") \
	X(FOCUS_NEXT, "focus-next", "", "o", NULL, GROUP_PANES, 0, \
	  "next pane", "move the focus to the next pane") \
	X(LAST_PANE, "last-pane", "", ";", NULL, GROUP_PANES, 0, \
	  "last pane", "move the focus to the pane that had it before") \
	X(RESIZE_LEFT, "resize-left", "[CELLS]", "C-Left M-Left=5", "C-Left M-Left=5 H", GROUP_PANES, COMMAND_REPEATS, \
	  "border left", "move the pane's border to the left") \
	X(RESIZE_DOWN, "resize-down", "[CELLS]", "C-Down M-Down=5", "C-Down M-Down=5 J", GROUP_PANES, COMMAND_REPEATS, \
	  "border down", "move the pane's border down") \
	X(RESIZE_UP, "resize-up", "[CELLS]", "C-Up M-Up=5", "C-Up M-Up=5 K", GROUP_PANES, COMMAND_REPEATS, \
	  "border up", "move the pane's border up") \
	X(RESIZE_RIGHT, "resize-right", "[CELLS]", "C-Right M-Right=5", "C-Right M-Right=5 L", GROUP_PANES, COMMAND_REPEATS, \
	  "border right", "move the pane's border to the right") \
	X(EQUAL_SIZES, "equal-sizes", "", "E", NULL, GROUP_PANES, 0, \
	  "equal sizes", "make all panes the same size") \
	X(SWAP_PREVIOUS, "swap-previous", "", "{", NULL, GROUP_PANES, 0, \
	  "swap with previous", "swap the pane with the one before it") \
	X(SWAP_NEXT, "swap-next", "", "}", NULL, GROUP_PANES, 0, \
	  "swap with next", "swap the pane with the one after it") \
	X(BREAK_PANE, "break-pane", "", "!", NULL, GROUP_PANES, 0, \
	  "pane to own view", "move the pane to a view of its own") \
	X(ZOOM, "zoom", "", "z", NULL, GROUP_PANES, 0, \
	  "zoom", "show the pane alone, and again all of them") \
	X(NEXT_LAYOUT, "next-layout", "[columns|rows|tiled|main-left|main-top]", "Space", NULL, GROUP_PANES, 0, \
	  "next layout", "arrange the panes in the next layout") \
	X(CLOSE_PANE, "close-pane", "", "x", NULL, GROUP_PANES, 0, \
	  "close pane", "close the pane; its session goes on") \
	X(PANE_NUMBERS, "pane-numbers", "", "q", NULL, GROUP_PANES, 0, \
	  "pane numbers", "show the panes' numbers; a digit moves the focus there") \
	X(TYPE_INTO_ALL, "type-into-all", "", "S", NULL, GROUP_PANES, 0, \
	  "type into all", "type into all shown panes, after asking; again to end it") \
	X(HISTORY, "history", "", "[", NULL, GROUP_HISTORY, 0, \
	  "history, copy", "scroll, search and copy the pane's history") \
	X(HISTORY_PAGE_UP, "history-page-up", "", "PPage", NULL, GROUP_HISTORY, 0, \
	  "history, page up", "history, one page up") \
	X(PASTE, "paste", "", "] IC", NULL, GROUP_HISTORY, 0, \
	  "paste", "paste what was copied last") \
	X(VIEWS, "views", "[VIEW]", "w", NULL, GROUP_VIEWS, COMMAND_VIEWS, \
	  "views", "the list of views: go to one, or forget it") \
	X(SIDEBAR, "sidebar", "[full|line|off]", "b", NULL, GROUP_VIEWS, COMMAND_VIEWS, \
	  "sidebar", "sidebar: full, one line, off") \
	X(FOLD_ENDED, "fold-ended", "", "e", NULL, GROUP_VIEWS, COMMAND_VIEWS, \
	  "ended ones", "sidebar: ended sessions in one line, or each") \
	X(MOUSE, "mouse", "[on|off]", "m", NULL, GROUP_VIEWS, COMMAND_VIEWS, \
	  "mouse on, off", "mouse on or off; off leaves it to the outer terminal") \
	X(MESSAGES, "messages", "", "~", NULL, GROUP_VIEWS, COMMAND_VIEWS, \
	  "messages", "the messages shown so far") \
	X(REDRAW, "redraw", "", "C-l", NULL, GROUP_VIEWS, COMMAND_VIEWS, \
	  "draw anew", "draw the whole screen anew") \
	X(HELP, "help", "", "?", NULL, GROUP_PROGRAM, COMMAND_VIEWS, \
	  "all keys", "these keys") \
	X(PALETTE, "palette", "", ":", NULL, GROUP_PROGRAM, COMMAND_VIEWS, \
	  "run a command", "run a command by its name") \
	X(LEAVE, "leave", "", "d", NULL, GROUP_PROGRAM, COMMAND_VIEWS, \
	  "leave", "leave; all sessions go on") \
	X(SEND_PREFIX, "send-prefix", "", "", NULL, GROUP_PROGRAM, 0, \
	  "prefix to pane", "the prefix itself, to the pane")
/* clang-format on */

enum command_id {
#define X(id, name, argument, keys, vi_keys, group, flags, brief, help) CMD_##id,
	COMMANDS(X)
#undef X
	    CMD_COUNT,
	CMD_NONE = -1
};

struct ui_command {
	enum command_id id;
	const char *name;     /* "split-right" */
	const char *argument; /* "[SESSION]"; "" for none */
	const char *keys;     /* of the preset tmux */
	const char *vi_keys;  /* of the preset vi, where they differ; else NULL: commands_keys */
	enum command_group group;
	unsigned flags;    /* enum command_flag */
	const char *brief; /* a few words */
	const char *help;  /* one sentence */
};

const struct ui_command *commands_get(enum command_id id); /* NULL for CMD_NONE */
const char *commands_keys(const struct ui_command *c, bool vi);
/*
 * "resize-left 5": the command (its name may be cut as long as it stays the only one) and where the argument
 * begins in `line` ("" for none).  CMD_NONE: no such command, or several.
 */
enum command_id commands_parse(const char *line, const char **argument);
const char *commands_group_title(enum command_group g);
/* The table as handler-keys(7) holds it, in mdoc(7): keys, name and argument, what it does. */
void commands_print(struct buf *out);

#endif
