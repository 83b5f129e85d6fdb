/*
 * ui: what modes and actions may see of the terminal client and ask of it.  The client itself is client*.c.
 *
 * Nothing here draws at once: the next turn of the loop makes one frame of everything that was asked for.
 */
#ifndef HANDLER_UI_UI_H
#define HANDLER_UI_UI_H

#include "harness/config.h"
#include "harness/descriptor.h"
#include "ui/bindings.h"
#include "ui/display.h"
#include "ui/messages.h"
#include "ui/roster.h"
#include "ui/spawn.h"
#include "ui/views.h"

struct ui;
struct mode;
struct uv_loop_s;

/* --- parts --- */
struct uv_loop_s *ui_loop(struct ui *ui);
struct display *ui_display(struct ui *ui);
struct roster *ui_roster(struct ui *ui);
struct views *ui_views(struct ui *ui);
struct view *ui_view(struct ui *ui); /* the current one, NULL: the start screen */
struct messages *ui_messages(struct ui *ui);
const struct bindings *ui_bindings(const struct ui *ui);
const struct config *ui_config(const struct ui *ui);
const struct harness_set *ui_harnesses(struct ui *ui); /* read when first asked for */
const char *ui_self(const struct ui *ui);              /* path of our own binary */
const char *ui_prefix(const struct ui *ui);            /* "C-b" */
bool ui_is_prefix(const struct ui *ui, const struct key *k);
bool ui_vi_keys(const struct ui *ui);    /* in the history: vi's keys, else emacs' */
const char *ui_directory(struct ui *ui); /* of the session in focus, else the working directory */

/* --- saying things --- */
void ui_say(struct ui *ui, enum message_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void ui_say_err(struct ui *ui, const struct err *err); /* message and hint */

/* --- modes --- */
void ui_push(struct ui *ui, struct mode *m); /* takes it */
void ui_pop(struct ui *ui, struct mode *m);  /* leaves it; it is gone when this returns */
struct mode *ui_pane_mode(
    struct ui *ui, int pane); /* the history of a pane, NULL: it shows the live screen */
void ui_set_pane_mode(
    struct ui *ui, int pane, struct mode *m); /* takes it; NULL: leaves the one that is there */
void ui_command(struct ui *ui, enum command_id id, const char *argument);
void ui_key(struct ui *ui, const struct key *k);          /* a key as it comes from the terminal */
void ui_key_to_panes(struct ui *ui, const struct key *k); /* as if typed into the pane with the focus */

void ui_paste_to_panes(struct ui *ui, const char *text, size_t len, bool first, bool last);

/* --- asking for a new picture --- */
void ui_redraw(struct ui *ui);   /* dialogs, titles, lines */
void ui_arranged(struct ui *ui); /* the view, its layout, focus or zoom changed: it is shown and saved */

/* --- sessions and panes --- */
struct seat *ui_focused(struct ui *ui); /* session in the pane with the focus; NULL: none */
int ui_focused_pane(struct ui *ui);     /* 0: none */
bool ui_pane_content(struct ui *ui, int pane, struct rect *out); /* on the screen; false: not shown */
struct rect ui_area(struct ui *ui);                              /* where panes can be */

void ui_close_pane(struct ui *ui); /* the one with the focus; with the last one its view goes */
void ui_draw_number(struct ui *ui, int pane, int number);    /* large, over the pane's content */
bool ui_view_allowed(const struct view *v, void *ui);        /* no other terminal shows it */
void ui_load_views(struct ui *ui);                           /* other terminals may have changed theirs */
void ui_save_left_view(struct ui *ui, const struct view *v); /* it was changed as it was left */
void ui_forget_view(struct ui *ui, const char *name);

enum placement { PLACE_GO, PLACE_RIGHT, PLACE_BELOW };
void ui_go(struct ui *ui, struct seat *s); /* going to a session */
/* Shows a session that way; says so and returns false if there is no room. */
bool ui_place(struct ui *ui, struct seat *s, enum placement where);
/* The size that a session placed that way would have. */
void ui_placement_size(struct ui *ui, enum placement where, int *rows, int *cols);

struct new_session {
	const char *agent, *dir, *name, *prompt; /* name, prompt: NULL or "" for none */
	enum placement where;
};
/* Runs `handler new`; `done` (may be NULL) with err NULL when the session is there and placed. */
void ui_start_session(
    struct ui *ui, const struct new_session *n, void (*done)(const struct err *err, void *user), void *user);
void ui_stop_session(struct ui *ui, struct seat *s);
void ui_resume_session(struct ui *ui, struct seat *s);
/* Several at once, in their places; what became of each is said. */
void ui_resume_sessions(struct ui *ui, const char *const *ids, size_t count);
/* The agent started last here, and directories, most recent first; for the new-session dialog.  Owned lists.
 */
char *ui_last_agent(struct ui *ui);
char **ui_recent_dirs(struct ui *ui);

/* --- the rest --- */
void ui_copy(struct ui *ui, const char *text, size_t len); /* to the clipboard, saying where it went */
const struct buf *ui_copied(const struct ui *ui);          /* what was copied last here */
bool ui_sync(const struct ui *ui);                         /* typing into all shown panes */
void ui_set_sync(struct ui *ui, bool on);
int ui_shown_panes(struct ui *ui, int *panes, int max); /* in reading order */
void ui_set_mouse(struct ui *ui, int on);               /* 1, 0, -1: the other */
void ui_set_sidebar(struct ui *ui, const char *form);   /* "full", "line", "off"; "" the next */
void ui_fold_ended(struct ui *ui);                      /* in the sidebar: in one line, or each */
void ui_redraw_all(struct ui *ui);
void ui_leave(struct ui *ui);

#endif
