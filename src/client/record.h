/*
 * record: what is written down about a session, and finding sessions by it.
 *
 * $XDG_STATE_HOME/handler/sessions/ID/ (0700) holds
 *   session.json  identity: written at the start and by rename
 *   state.json    what it is doing, written by its worker at each change, by its keeper at the end
 *   lock          held by the keeper as long as it lives (asked with F_OFD_GETLK, never taken by others)
 *   ctl/          sockets of worker (w.sock) and keeper (k.sock); or a link to where they are
 *   box/          what may be shown to a sandbox
 *   history       rows that left the screen
 *   journal/      what was on screen, with times (journal.h)
 *   turns         when turns began and ended, and who gave them (ledger.h)
 *   last.frames   the last screen of an ended session, as wire frames
 *
 * Everybody sees the same list: nothing here depends on the login that looks.
 */
#ifndef HANDLER_CLIENT_RECORD_H
#define HANDLER_CLIENT_RECORD_H

#include <sys/types.h>

#include "base/json.h"
#include "harness/status.h"

enum { SESSION_ID_LENGTH = 6, SESSION_NAME_MAX = 64 };

struct record {
	char id[SESSION_ID_LENGTH + 1];
	int number; /* in the sidebar: lowest free one when it was made */
	char *name;
	char *agent, *harness, *harness_title;
	char *dir;       /* where it runs */
	char *path;      /* its directory below the state directory */
	char *parent;    /* id of the session it was started from, or NULL */
	int64_t created; /* seconds since 1970 */
	char *sandbox;
	char *conversation;      /* the harness's id of the conversation, or NULL */
	char *instructions_hash; /* or NULL */
	char **notes;            /* said at its start */
	unsigned may;            /* enum agent_may */
	char *boot_id, *host;
	pid_t keeper;
	uint64_t keeper_start; /* field 22 of /proc/PID/stat */
	pid_t leader;
	uint64_t leader_start;
	pid_t worker; /* the one that wrote the state last; 0: none did */
	uint64_t worker_start;

	enum session_state state; /* STATE_LOST if it should be alive and its keeper is gone */
	char *reason;
	int64_t since;
	uint32_t turn;
	char *explain;         /* which signal decided */
	char *title;           /* sanitized */
	char *cwd;             /* OSC 7, or NULL */
	char *program_version; /* of its worker; NULL: older than this was written down */
	int rows, cols;
	int left;            /* processes that outlived the leader */
	char *fault;         /* what is wrong with it beside its state, or NULL */
	bool interrupted;    /* ended by a SIGTERM that its keeper was sent: the machine went down */
	char *journal;       /* "on", "off", "stopped"; NULL: an older worker said nothing */
	char *journal_error; /* why it stopped, or NULL */
	bool viewed;
	int queued;        /* prompts that wait to be given */
	struct json *from; /* who gave the turn's prompt (ledger.h), or NULL */
	struct json *note; /* {"text","time","from"}, or NULL */

	bool live;            /* its keeper holds the lock */
	struct json *session; /* session.json whole */
};

/* Names inside a session's directory. */
#define RECORD_SESSION_FILE  "session.json"
#define RECORD_STATE_FILE    "state.json"
#define RECORD_LOCK_FILE     "lock"
#define RECORD_CTL_DIR       "ctl"
#define RECORD_BOX_DIR       "box"
#define RECORD_HISTORY_FILE  "history"
#define RECORD_JOURNAL_DIR   "journal"
#define RECORD_TURNS_FILE    "turns" /* see ledger.h */
#define RECORD_SCREEN_FILE   "last.frames"
#define RECORD_WORKER_SOCKET "w.sock"
#define RECORD_KEEPER_SOCKET "k.sock"

bool record_is_id(const char *s);                                         /* of this form */
bool record_is_number(const char *s);                                     /* all digits */
char *sessions_dir(struct err *err);                                      /* made if missing; owned */
int record_load(const char *dir_path, struct record *r, struct err *err); /* dir_path: .../sessions/ID */
void record_finish(struct record *r);
struct json *record_to_json(const struct record *r); /* the shape of `handler ls --json` (handler(1)) */

/* A STATE message: the members that it holds are changed. */
void record_merge(struct record *r, const struct json *state);
/* It was not its own end, or anybody's wish: a restart, a crash, a keeper that was killed or sent SIGTERM. */
bool record_was_cut_off(const struct record *r);
bool record_still_live(const struct record *r); /* asks again: a session may end at any time */

struct record_list {
	struct record *items; /* sorted by number */
	size_t count;
	size_t faulty; /* directories that could not be read as a record */
};
int record_list_load(struct record_list *list, struct err *err);
size_t record_count(void); /* how many there are, without reading them; 0 if that cannot be known */
void record_list_finish(struct record_list *list);

/*
 * The directory descriptor that the sockets of the session are reached by (fd.h sock_connect): its ctl/, or
 * below /tmp/handler-UID where its file system has no sockets (then owner and mode are checked).  -1 with
 * err.
 */
int record_open_ctl(const struct record *r, struct err *err);
/*
 * Makes that directory for a new session and says in *elsewhere (owned) where it is if not in path; NULL
 * otherwise.  Whether there are sockets is seen by making the keeper's, which is left open in *listener; -1
 * elsewhere.
 */
int record_make_ctl(const char *path, const char *id, char **elsewhere, int *listener, struct err *err);

/* Times of a state as status_to_json gives them, in seconds, become RFC 3339 as in every other JSON of ours.
 */
void record_state_times(struct json *state);
/* session.json and state.json are replaced whole. */
int record_write_session(const char *path, const struct json *session, struct err *err);
/* The harness's id of the conversation, in session.json.  Without `wait` it fails if somebody changes a
 * record. */
int record_set_conversation(const char *path, const char *id, bool wait, struct err *err);
/* Changes nothing, so that whoever watches the session reads it again. */
int record_touch(const char *path, struct err *err);
int record_write_state(const char *path, const struct json *state, struct err *err);
/*
 * The same of a session whose directory is open: no path is resolved anew, a link is replaced and not
 * followed, and nothing is allocated, so a thread of libuv's pool may do it.  The temporary file has the name
 * of this process, which is to call it once at a time.  0, or errno.
 */
int record_replace_state(int directory, const char *text, size_t len);

/*
 * SESSION as people write it: id, name, number, "." (ours: $HANDLER_SESSION); with `prefix` also an
 * unambiguous prefix of an id or name.  NULL with ERR_NO_SESSION (nearest name as hint) or ERR_AMBIGUOUS.
 */
struct record *record_find(struct record_list *list, const char *word, bool prefix, struct err *err);

/* A valid new name: 1..SESSION_NAME_MAX columns, no control characters, not all digits, not "." or with '@'
 * first. */
int record_check_name(const char *name, struct err *err);
/* Changes the name in session.json after checking that it is unique; the worker learns it through inotify. */
int record_rename(const struct record *r, const char *name, struct err *err);

/*
 * Makes the directory of a new session under the lock of the list: id, lowest free number, unique name
 * (`wanted` or DIR-AGENT, "-2" for twins; a taken `wanted` is ERR_USAGE).  Fills id, number, name, path of r.
 */
int record_reserve(struct record *r, const char *wanted, const char *dir, const char *agent, struct err *err);
/* Removes the directory of a session that is not live; ERR_LIVE otherwise.  Also undoes record_reserve. */
int record_remove(const char *path, struct err *err);

#endif
