/* parts: the worker's state, and what its parts offer each other.  Included by src/session/worker*.c and the
 * parts only. */
#ifndef HANDLER_SESSION_PARTS_H
#define HANDLER_SESSION_PARTS_H

#include <uv.h>

#include "cell/history.h"
#include "client/ledger.h"
#include "client/record.h"
#include "harness/config.h"
#include "harness/status.h"
#include "session/state_file.h"
#include "session/worker.h"
#include "term/term.h"
#include "wire/delta.h"
#include "wire/message.h"
#include "wire/wire.h"

enum {
	FRAME_INTERVAL_MS = 8,
	FLOOD_INTERVAL_MS = 32,
	FLOOD_BYTES = 32 << 10, /* of output within FRAME_INTERVAL_MS */
	FLOOD_REST_MS = 2,      /* without output: the flood rests */
	GATHER_MS = 3,
	GATHER_BYTES = 1 << 10,   /* more of an output of this size is waited for */
	SYNC_HOLD_MS = 150,       /* how long a 2026 update is waited for */
	RESIZE_SETTLE_MS = 120,   /* after the last change of a gesture */
	OWNER_QUIET_MS = 300,     /* before the ownership of the size moves */
	VIEWED_MS = 2000,         /* in view: done becomes idle */
	INPUT_DONE_MS = 100,      /* a front-end that gets no frame is told by then which input was done */
	REST_MS = 150,            /* without output: the program rests */
	RECORD_TITLE_MS = 1000,   /* a title that changes all the time is written that often */
	OUTPUT_SLICE = 128 << 10, /* parsed before keys and frames have their turn */
	PIECE = 2 << 10,          /* parsed before the pty is looked at again, which waits meanwhile */
	FLOOD_AWAIT_NS = 20000,   /* its next piece is looked for so long before the worker sleeps */
	ECHO_AWAIT_NS = 200000,   /* and so long a key's echo */
	CHUNK = 16 << 10, /* read ahead at most, and parsed at once by a successor: what is left out if it
			     dies of it */
	CREDIT_FRAMES = 2,
	CREDIT_BYTES = 64 << 10,
	PEER_OUT_MAX = 8 << 20, /* a client that lets so much wait is dropped */
	/* Above this clients are not read from until the program has taken some; more than one of them keeps,
	 * or its PING is not read and it takes us for hung. */
	INPUT_QUEUE_MAX = 8 << 20,
	PEERS_MAX = 64,
	WORKER_MEMORY_MAX = 1 << 30, /* beyond what it begins with: one that wants more is replaced */
};

struct worker;
struct recorder;

/* What a peer is told once state.json says so, too. */
struct held {
	uint64_t state; /* by its number, see state_file.h */
	struct buf bytes;
};

/* One connection. */
struct peer {
	struct peer *next;
	struct worker *worker;
	uv_pipe_t pipe;
	struct wire_reader reader;
	bool hello, terminal; /* said HELLO; is a front-end, not a command */
	bool listens;         /* is told what changes: a front-end, or somebody who only listens */
	bool asks_again;      /* knows BYE "replaced" (wire.h) */
	bool at_once;         /* does not wait for state.json */
	struct held held[2];  /* for the write that goes on, and for the one after it */
	bool closing, paused;
	uint64_t token, id;
	int64_t last_input;  /* ms */
	int64_t last_used;   /* ms: its start, or the last input */
	char *ssh_agent;     /* where its login has an SSH agent, or NULL */
	struct json *origin; /* who is at its other end (ledger.h) */
	struct wire_view view;
	struct delta_sender *delta;
	bool pending;          /* something has changed that it was not sent yet */
	int frames_out;        /* not acknowledged */
	size_t bytes_out;      /* waiting in libuv */
	size_t unacknowledged; /* bytes of them */
	uint32_t frame_sequence;
	uint32_t input_done; /* its last input that reached the program */
	bool done_waits;     /* it was not told so yet */
};

/* Input on its way to the program: which message ends where. */
struct input_mark {
	uint64_t end; /* offset in the stream of input */
	uint64_t peer, token;
	uint32_t sequence;
	bool paste_closes;
};

enum { TURN_PROMPTS = 16 /* turns whose prompts are known by their words */ };

struct worker {
	uv_loop_t loop;
	char id[SESSION_ID_LENGTH + 1];
	char *path; /* the session's directory */
	int directory, channel, master;
	struct handover *shared;
	bool successor;                   /* another worker was here before */
	struct record record;             /* as session.json says */
	char *fault;                      /* what is wrong with its ports, or NULL */
	int history_error_told;           /* errno */
	bool ports_ours;                  /* its own programs listen on all of them */
	int64_t listen_next, listen_wait; /* ms: when ports may be looked at again, and the wait after that */
	bool learn_due;                   /* a turn has begun, and its conversation was not seen since */
	int64_t learn_next;               /* ms: when the conversation's file may be looked for again */
	char *forwarded;           /* the SSH agent that the session's link leads to, as far as we know */
	uint64_t start_time;       /* own, field 22 of /proc/PID/stat */
	uint64_t checkpoint_tried; /* offset */
	int64_t clock_offset;      /* ms, of worker_seconds; of the first worker, for all that follow */
	struct config *config;

	uv_poll_t pty_poll, channel_poll;
	int pty_events; /* what pty_poll waits for; 0: it is stopped */
	uv_pipe_t listener;
	uv_fs_event_t record_watch;
	uv_timer_t frame_timer, resize_timer, viewed_timer, rest_timer, status_timer, record_timer,
	    prompt_timer, done_timer, wait_timer, leave_timer, return_timer, journal_timer, sync_timer,
	    listen_timer, learn_timer;
	uv_check_t check;

	struct term *term;
	struct history *history;
	struct status *status;
	char *cwd;
	bool shell_edits; /* its program was seen editing a line: a shell at its prompt */
	int progress_state, progress_value;
	uint64_t key_written; /* ns of uv_hrtime: the last input that has seen no output since; 0: none */
	bool echoes_quickly;  /* the one before did soon */
	int64_t last_output;  /* ms; before the first: when the worker began */
	bool pty_over;        /* nothing more will come */
	bool raw_told;

	struct buf input;       /* to the program */
	uint64_t input_written; /* offset of input.data[0] in the stream */
	struct input_mark *marks;
	size_t mark_count, mark_cap;
	int draft;            /* characters typed by people since the last submit */
	uint64_t paste_token; /* of the client whose paste is open */

	struct peer *peers;
	int peer_count;
	uint64_t next_peer;
	struct peer *owner;   /* of the size; NULL: nobody */
	uint64_t owner_token; /* of the predecessor's, who is about to come back; 0: nobody is awaited */
	int want_rows, want_cols, want_xpixel, want_ypixel; /* to be set when the gesture rests */
	bool pinned; /* the size was set by hand (`handler resize`) and stays */
	bool dirty, echo_due;
	bool sync_on;       /* the program is inside a 2026 update */
	int64_t held_since; /* a frame waits for the end of the update since; 0: none does */
	int64_t last_frame, frame_due;
	int64_t dirty_since;
	uint64_t sent_parsed;  /* offset of output that the last frame shows */
	uint64_t frame_parsed; /* offset of output when it was last decided when a frame is due */

	bool record_dirty, state_dirty;
	bool stopping, leader_told, ending;
	bool leaving; /* for a successor, once what cannot be handed over is finished */
	int64_t leave_deadline;
	int exit_status;

	struct ledger ledger;
	struct json *submitter; /* who pressed Enter last, until that begins a turn */
	int64_t submitted_at;   /* ms */
	uint64_t composer_row;  /* where what stands in the composer begins */
	bool composer_row_known;
	uint64_t text_row; /* on the alternate screen: where its text ended when Enter was pressed */
	uint64_t run_row;  /* a turn that nobody was seen giving begins there: with the run, or after the last
			      turn */
	char *composer_text;              /* of that row when Enter was pressed, or NULL */
	char *prompt_words[TURN_PROMPTS]; /* the same of the last turns, by number */

	struct prompt *prompt; /* scripted prompts, first one in progress */
	int queued_told;       /* how many of them wait, as last told */
	bool first_prompt;     /* of the launch plan, still to be given */
	struct waiter *waiters;
	struct search_job *searches;
	struct recorder *recorder; /* NULL: no journal is kept */
	struct state_file *state_file;
};

/* Seconds since 1970 by the clock as it was when the session began: setting the clock does not touch them. */
int64_t worker_seconds(const struct worker *w);
int64_t worker_now(struct worker *w); /* ms, the loop's clock */

/* output.c */
void output_start(struct worker *w);
void output_recover(struct worker *w); /* a new worker: replays quietly what its predecessors have parsed */
void output_drain(struct worker *w);   /* all that waits, at the end of the session */
void output_poll(struct worker *w);    /* sets what the pty is polled for */
void output_await_echo(struct worker *w); /* input was written */

/* input.c */
void input_bytes(
    struct worker *w, const void *data, size_t len); /* queues; written as the program takes it */
void input_key(struct worker *w, struct peer *p, uint32_t sequence, const struct key *k);
void input_mouse(struct worker *w, struct peer *p, uint32_t sequence, const struct mouse *m);
void input_paste(struct worker *w, struct peer *p, uint32_t sequence, const struct wire_paste *paste);
void input_focus(struct worker *w, struct peer *p, uint32_t sequence, bool on);
void input_count_draft(struct worker *w, int draft); /* characters in the composer, as far as is known */
bool input_submits(const struct key *k);             /* Enter, without a modifier */
void input_flush(struct worker *w);
void input_tell_done(struct peer *p);
bool input_is_new(
    struct worker *w, uint64_t token, uint32_t sequence); /* false: it was done before (sent again) */
void input_recover(struct worker *w);
void input_client(struct worker *w, uint64_t token);                   /* a client is there (again) */
void input_paste_text(struct worker *w, const char *text, size_t len); /* a whole paste of our own */

/* peers.c */
int peers_listen(struct worker *w, int fd, struct err *err);
void peer_send(struct peer *p, enum wire_type type, uint32_t sequence, const void *data, size_t len);
void peer_send_json(struct peer *p, enum wire_type type, uint32_t sequence, const struct json *j);
void peer_drop(
    struct peer *p, const char *reason, const char *message); /* with a BYE, if there is a reason */
struct peer *peer_by_id(struct worker *w, uint64_t id);
void peers_pause(struct worker *w, bool pause);
void peers_state_written(void *worker);
void peers_send_terminals(struct worker *w, enum wire_type type, const struct json *j);

/* frames.c */
void frames_dirty(struct worker *w); /* the screen has changed */
void frames_view(struct peer *p, const struct wire_view *v);
void frames_ack(struct peer *p);
void frames_input(struct peer *p); /* a key, paste or click reached the session through it */
void frames_gone(struct peer *p);
void frames_sync(struct worker *w, bool on);
void frames_flush(struct worker *w); /* what is due is sent now */
void frames_resize(struct worker *w, int rows, int cols, int xpixel, int ypixel); /* at once */
void frames_timers_init(struct worker *w);

/* report.c */
int report_init(struct worker *w, struct err *err);
void report_events(struct worker *w);         /* what the emulator has to say after a feed */
void report_changed(struct worker *w);        /* the status view may have changed */
void report_save(struct worker *w);           /* what a successor has to know */
void report_flush(struct worker *w);          /* has the record written if something waits */
struct json *report_state(struct worker *w);  /* for STATE and state.json */
bool report_history_failed(struct worker *w); /* since it was asked last: a report is due */
void report_rest(struct worker *w);           /* output rests */
void report_ended(struct worker *w);          /* the leader has ended: status, mark, modes */
void report_output(struct worker *w);
void report_watch(struct worker *w); /* looks again once the program rests: something may have changed */
void report_viewed_check(struct worker *w);
void report_record_changed(struct worker *w); /* session.json was replaced (rename) */

/* requests.c */
void request_serve(struct peer *p, uint32_t sequence, const struct json *body);
void request_search(struct peer *p, uint32_t sequence, const struct json *body);
void request_rows(struct peer *p, uint32_t sequence, const struct wire_rows_get *g);
void searches_end(struct worker *w);
void request_reply_error(struct peer *p, uint32_t sequence, const struct err *err);

/* waiters.c */
int waiter_request(struct peer *p, uint32_t sequence, const struct json *body, struct err *err);
void waiters_check(struct worker *w);
void waiters_gone(struct peer *p);
void waiters_end(struct worker *w); /* the session is over */

/* turns.c */
void turns_init(struct worker *w);   /* after report_init: numbers go on where they were */
void turns_update(struct worker *w); /* the status has changed: a turn may have begun or ended */
void turns_submitted(struct worker *w, const struct json *origin); /* Enter is about to be pressed for them */
/* After that, where the text is known: some programs hide the cursor and leave it anywhere. */
void turns_submitted_text(struct worker *w, const char *text, size_t len);
void turns_composing(struct worker *w); /* the first character of a draft is about to be written */
struct json *turns_origin(struct worker *w, const struct json *hello);
struct json *turns_starter(struct worker *w); /* whoever started the session */
/* A new width breaks lines anew: the rows of turns are found again by how many lines they are above the
 * cursor. */
struct turn_lines {
	size_t first; /* index of the first turn that was measured */
	int *lines;
	int composer;
};
void turns_before_resize(struct worker *w, int rows, int cols, struct turn_lines *out);
void turns_after_resize(struct worker *w, struct turn_lines *lines);
/* On the alternate screen rows of a page may come and go above a prompt: where those of the last turns stand
 * is looked for before that is asked for, and before there is another one. */
void turns_settle(struct worker *w);
void turns_reset_modes(struct worker *w); /* term_reset_modes, and turns go along with the text they are */
int turns_note(struct worker *w, const char *text, const struct json *origin, struct err *err);
void turns_finish(struct worker *w);

/* prompt.c */
int prompt_queued(const struct worker *w); /* how many wait to be given */
void prompt_request(struct peer *p, uint32_t sequence, const struct json *body);
void prompt_first(struct worker *w);   /* the first prompt of the launch plan, if it is to be typed */
void prompt_advance(struct worker *w); /* something changed: output, state, time */
void prompt_gone(struct peer *p);
void prompt_end(struct worker *w);
bool prompt_under_way(const struct worker *w); /* one is being typed: not a moment to leave in */
bool prompt_waits_for(const struct peer *p);   /* one of his waits for its turn */
bool prompt_first_waits(const struct worker *w);

/* leave.c */
void leave_begin(struct worker *w); /* as soon as nothing is left that a successor could not go on with */
void leave_now(struct worker *w);

/* learn.c */
void learn_init(struct worker *w);
void learn_turn_begun(struct worker *w);
void learn_output(struct worker *w); /* until the first look of a turn that finds it: a turn may be long */
void learn_look(struct worker *w);   /* a turn ended, or output rests: which conversation is it? */
void learn_from_screen(struct worker *w); /* the program has ended: its last lines may name it */

/* forward.c */
void forward_hello(struct peer *p, const struct json *hello);
void forward_update(struct worker *w); /* a terminal came, went or was used */

/* listen.c */
void listen_init(struct worker *w);
void listen_look(struct worker *w); /* output rests: who listens on the session's ports */

/* last.c */
void last_write(struct worker *w); /* last.frames */

/* worker.c */
void worker_term_options(struct worker *w, struct term_options *out); /* without a history */
void worker_finish(struct worker *w, int exit_status);                /* closes everything; the loop ends */

#endif
