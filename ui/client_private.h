/* client_private: the state of the terminal client, for client*.c alone.  Modes and actions see ui.h. */
#ifndef HANDLER_UI_CLIENT_PRIVATE_H
#define HANDLER_UI_CLIENT_PRIVATE_H

#include <uv.h>

#include "ui/alarm.h"
#include "ui/client.h"
#include "ui/mode.h"
#include "ui/stage.h"
#include "ui/tty.h"
#include "ui/ui.h"
#include "ui/view_files.h"
#include "client/watch.h"

enum dirty {
	DIRTY_PICTURE = 1, /* dialogs, titles, lines */
	DIRTY_PANES = 2,   /* some mirror changed */
	DIRTY_LAYOUT = 4,  /* surfaces have to be made anew */
	DIRTY_SAVE = 8,    /* the view has to be written */
};

enum { UI_MESSAGE_MS = 8000, UI_PRESSED_MAX = 16, UI_FOLLOW_MS = 1000, UI_FIRST_MS = 50 };

struct pane_mode {
	int pane;
	char session[SESSION_ID_LENGTH + 1];
	struct mode *mode;
};

/* What the mouse button that is held down does. */
enum drag { DRAG_NONE, DRAG_DIVIDER, DRAG_SELECT, DRAG_PROGRAM, DRAG_DIALOG };

struct ui {
	uv_loop_t loop;
	uv_prepare_t before_wait; /* one frame for everything that happened in a turn of the loop */
	struct ui_options options;
	const char *note; /* to be said at first, or NULL */
	struct config *config;
	struct bindings *bindings;
	struct harness_set harnesses;
	bool harnesses_loaded;
	bool vi_keys;
	struct chord prefix;
	char prefix_name[KEY_NAME_MAX];
	bool tmux_prefix_known; /* tmux has said what its prefix is */

	/* the outer terminal */
	struct tty *tty;
	struct probe *probe;
	struct display *display;
	struct buf outbound; /* bytes to go out with the next frame: clipboard, bells */
	struct alarm *probe_alarm;
	bool mouse, outer_focus, caps_changed;
	bool accessible; /* config.json: states in words, no decoration */
	char *title;     /* the window's, as last set */

	/* sessions */
	struct roster *roster;
	struct watch *watch;
	char ancestor[SESSION_ID_LENGTH + 1]; /* session that we run in, "" */

	/* arrangement */
	struct views views;
	struct view_files *files;
	struct view *saved; /* copy of the current view as last written */
	struct stage *stage;
	enum sidebar_form sidebar;
	bool unfolded; /* ended sessions are listed each */
	struct pane_mode *pane_modes;
	size_t pane_mode_count;
	char focus_told[SESSION_ID_LENGTH + 1]; /* session that was told that it has the focus */

	/* modes */
	struct mode *modes; /* the topmost dialog */
	struct mode *start; /* the start screen, while there is no view */
	bool sync;
	int sync_panes;      /* how many there were when it was agreed to */
	char *sync_sessions; /* whose: their ids, with blanks between */

	/* saying */
	struct messages messages;
	struct alarm *message_alarm, *age_alarm;
	struct alarm *first_alarm; /* until the first frame, which waits no longer when it rings */
	bool waited;
	struct buf copied;

	/* input */
	struct pressed {
		uint32_t code;
		char session[SESSION_ID_LENGTH + 1];
	} pressed[UI_PRESSED_MAX]; /* keys whose press went to a session: their release does, too */
	struct paste_target {      /* of a paste that has begun: all its pieces go there */
		char session[SESSION_ID_LENGTH + 1];
	} paste_to[VIEW_PANES_MAX];
	size_t paste_count;
	bool paste_passed; /* through a dialog */
	struct {
		enum drag what;
		int pane;
		int row, col; /* where it began, then where it was last */
		bool moved;
		int clicks;   /* 2: double */
		int64_t time; /* of the last press */
	} drag;

	unsigned dirty;
	bool leaving;
	int gone;       /* enum tty_gone + 1; 0: the terminal is there */
	char *farewell; /* a sentence for after the terminal was given back, or NULL */
};

/* client_input.c */
void client_input(struct ui *ui, const struct input *in);
/* client_mouse.c */
void client_mouse(struct ui *ui, const struct mouse *e);
/* client_frame.c */
void client_frame(struct ui *ui); /* draws what is dirty and writes it, unless the terminal is busy */
void client_resize(struct ui *ui, int rows, int cols);
void client_pane_view(struct ui *ui, int pane, struct pane_view *v);
/* The line of the sidebar that ended sessions are folded into. */
bool client_fold_at(struct ui *ui, enum hit where, int row);
struct seat *client_listed_at(struct ui *ui, enum hit where, int row, int col); /* NULL: none */
/* client_outer.c */
void client_outer_init(struct ui *ui);
struct tty_modes client_tty_modes(const struct outer_caps *caps, bool mouse, bool motion);
void client_reply(struct ui *ui, const struct input *in);
void client_caps_changed(struct ui *ui);
void client_set_tty_modes(struct ui *ui);
void client_notify_waiting(struct ui *ui, struct seat *s);
void client_pane_event(struct ui *ui, struct seat *s, const struct json *event);
void client_title(struct ui *ui);
/* client_sessions.c */
extern const struct roster_events client_roster_events;
void client_watched(enum watch_what what, const char *id, void *user);
/* client_arrange.c */
void client_arrange(struct ui *ui); /* surfaces, and which sessions are shown how large */
void client_open_first_view(struct ui *ui);
void client_lock_view(struct ui *ui); /* the current one is ours, maybe under another name then */
void client_save_view(struct ui *ui);
void client_prune_views(struct ui *ui); /* sessions that are gone leave all views */
void client_choose_view(struct ui *ui); /* if there is no current one: another, or the start screen */
void client_tell_focus(struct ui *ui);
void client_drop_pane_modes(struct ui *ui, bool all);
struct pane_mode *client_pane_mode(struct ui *ui, int pane);

#endif
