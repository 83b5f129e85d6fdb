/*
 * roster: all sessions as this terminal knows them: their records, a link to each that lives, and of those
 * that are shown a mirror of the screen and rows of the history.
 *
 * Where a session is shown, and how, is the caller's.  A seat stays where it is until the roster says that it
 * is gone.
 */
#ifndef HANDLER_UI_ROSTER_H
#define HANDLER_UI_ROSTER_H

#include "client/record.h"
#include "key/key.h"
#include "wire/delta.h"

struct uv_loop_s;
struct link;
struct roster;

struct seat {
	struct record record;
	struct mirror mirror;  /* mirror.valid: there is something to show */
	struct row_cache rows; /* of history, while keeps_rows > 0 */
	int keeps_rows;        /* how many look at them */
	bool left_out;         /* this terminal runs inside it: never shown, only listed */
	bool bell;             /* rang since it was last looked at */
	char *trouble;         /* why nothing comes at the moment (the worker is being replaced), or NULL */
	char *repository;      /* that its directory belongs to (repository.h) */
	/* the rest is the roster's own */
	struct roster *roster;
	uint64_t waits_order; /* grows with each session that begins to wait: seconds alone do not tell who
				 was first */
	struct link *link;
	struct json *told; /* the state as it was told last over the link; NULL: it was not, or has ended */
	bool greeted;      /* the link had a worker once: another one is a new one */
	bool mirrored, found; /* mirror is initialised; seen in the last reading of records */
	bool visible, preview;
	int view_rows, view_cols;
	int64_t view_since;   /* clock_mono_ms when they last changed */
	uint64_t asked_from;  /* rows asked for last */
	uint32_t asked_count; /* 0: the answer has come */
	uint32_t asked_sequence;
};

/* Any of them may be called from the loop or from within roster_reload. */
struct roster_events {
	void (*listed)(void *user);               /* sessions came or went */
	void (*gone)(struct seat *s, void *user); /* this one is removed after the call */
	void (*changed)(
	    struct seat *s, enum session_state before, void *user); /* of its record, or trouble */
	void (*screen)(struct seat *s, void *user);                 /* the mirror has changed */
	void (*event)(struct seat *s, const struct json *event, void *user);
	void (*rows)(struct seat *s, void *user); /* rows of history came */
	void (*found)(struct seat *s, uint32_t sequence, const struct json *found, void *user);
	void (*replaced)(struct seat *s, void *user); /* its worker ended, another one is there */
};

struct roster *roster_create(struct uv_loop_s *loop, const struct roster_events *events, void *user);
void roster_destroy(struct roster *r);
/* Reads all records.  ancestor: id of the session that this terminal runs in, or NULL: it and its parents are
 * left out. */
int roster_load(struct roster *r, const char *ancestor, struct err *err);
void roster_update(struct roster *r, const char *id); /* reads one record; NULL: all */

size_t roster_count(const struct roster *r);
struct seat *roster_at(const struct roster *r, size_t i);         /* by number */
struct seat *roster_find(const struct roster *r, const char *id); /* NULL: none */
/* id, name, number or the beginning of one; NULL with err. */
struct seat *roster_named(const struct roster *r, const char *word, struct err *err);
/* The next (1) or previous (-1) one by number that is not left out, from `id` on, around; NULL: there is no
 * other. */
struct seat *roster_next(const struct roster *r, const char *id, int step);
struct seat *roster_waiting(
    const struct roster *r); /* that has waited longest for the user; NULL: nobody waits */

/*
 * What is shown of a session and how large.  An ended one gets its last screen when it is first shown.
 * cell_width and cell_height: pixels of a cell, 0: unknown.
 */
void roster_show(struct seat *s, bool preview, int rows, int cols, int cell_width, int cell_height);
void roster_hide(struct seat *s);
bool seat_live(const struct seat *s);

void seat_key(struct seat *s, const struct key *k);
void seat_mouse(struct seat *s, const struct mouse *m);
void seat_paste(struct seat *s, const char *text, size_t len, bool first, bool last);
void seat_focus(struct seat *s, bool in);
void roster_tell_outer(
    struct roster *r, const struct json *outer); /* the OUTER message, now and to later links */

/* A cache of history rows, for as long as somebody looks at them; as many times false as true. */
void roster_keep_rows(struct seat *s, bool keep);
void seat_ask_rows(struct seat *s, uint64_t from, uint32_t count);
/* The answer comes as `found`.  Returns the question's sequence. */
uint32_t seat_search(struct seat *s, const char *pattern, bool regex, bool forward, uint64_t row, int column);

/* Tells the workers that their screens are taken (link_acknowledge): after each frame, drawn or not. */
void roster_acknowledge(struct roster *r);
/*
 * If the table of styles and glyphs is nearly full: drops what is in no mirror, no cache, and not marked by
 * `mark`.
 */
void roster_sweep(struct roster *r, void (*mark)(void *user), void *user);

#endif
