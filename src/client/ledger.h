/*
 * ledger: what is written down about a session's turns: when each began and ended, on which row, who gave its
 * prompt; which scripted prompts were given; and the last note.
 *
 * A file of one JSON object a line, appended by the worker (0600), so that numbers of turns stay the same
 * when a worker is replaced and when the session is resumed.  A line that was cut by a crash is passed over.
 * Lines:
 *   {"turn":N,"begun":TIME,"row":R,"alternate":bool,"from":ORIGIN}
 * {"turn":N,"ended":TIME,"row":R,"state","reason"}
 *   {"given":KEY}    {"given":KEY,"turn":N}: pasted; submitted        {"note":TEXT,"time":TIME,"from":ORIGIN}
 * ORIGIN: {"kind":"terminal"|"script"|"session"|"start","id","name"}; id and name with "session" only.
 */
#ifndef HANDLER_CLIENT_LEDGER_H
#define HANDLER_CLIENT_LEDGER_H

#include "base/json.h"
#include "harness/status.h"

enum { LEDGER_TURNS = 1000, LEDGER_KEYS = 256, LEDGER_KEY_SIZE = 17 };

struct turn {
	uint32_t number;
	int64_t begun, ended; /* seconds; ended < 0: it goes on */
	uint64_t row;         /* stable number of the row where its prompt stood */
	bool alternate;       /* on the alternate screen: rows by the numbers of its text (term_text_rows) */
	enum session_state state; /* that it ended in */
	char *reason;
	struct json *from; /* or NULL: nobody was seen giving it */
};

/* A prompt that a script gave under a key of its own choice. */
struct ledger_key {
	char key[LEDGER_KEY_SIZE];
	bool submitted;
	uint32_t turn;
};

struct ledger {
	char *path;         /* of the file */
	struct turn *turns; /* the last LEDGER_TURNS of them, by number */
	size_t count;
	struct ledger_key keys[LEDGER_KEYS];
	uint32_t next_key;
	struct json *note; /* {"text","time","from"} or NULL */
	size_t lines;      /* in the file */
	bool open, cut;    /* `fd` is its; it ends within a line */
	int fd;
};

/* session_path: the session's directory.  A file that is not there is an empty ledger. */
void ledger_load(struct ledger *l, const char *session_path);
void ledger_finish(struct ledger *l);

const struct turn *ledger_turn(const struct ledger *l, uint32_t number); /* NULL: not kept */
const struct turn *ledger_last(const struct ledger *l);                  /* NULL: there was none */
const struct ledger_key *ledger_key(const struct ledger *l, const char *key);
/* The rows of a turn, as far as the end of what is there (`end` is left alone then); capture_pages has those
 * of one on the alternate screen.  NULL with err: there is no such turn. */
const struct turn *turn_rows(const struct ledger *l, const char *session, int64_t number, uint64_t *from,
    uint64_t *end, struct err *err);
/* For --json: number, begun, ended, state, reason, from.  Owned. */
struct json *ledger_turn_json(const struct turn *t);

/* Each takes effect in memory and in the file; -1 with err: only in memory. */
int ledger_begin(struct ledger *l, const struct turn *t, struct err *err);
/* The rows of a turn are others now. */
int ledger_move(struct ledger *l, const struct turn *t, uint64_t row, struct err *err);
/* row: where the turn turned out to begin. */
int ledger_end(struct ledger *l, enum session_state state, const char *reason, uint64_t row, int64_t now,
    struct err *err);
int ledger_given(struct ledger *l, const char *key, struct err *err);
int ledger_submitted(struct ledger *l, const char *key, uint32_t turn, struct err *err);
int ledger_note(struct ledger *l, const char *text, const struct json *from, int64_t now, struct err *err);

#endif
