/*
 * player: a session's journal as screens, one after the other, with their times.
 *
 * What the clock of the machine did is not passed on: times never go back.  Damaged places are left out and
 * counted; the next segment begins with a whole screen.
 */
#ifndef HANDLER_CLIENT_PLAYER_H
#define HANDLER_CLIENT_PLAYER_H

#include "wire/delta.h"

struct player;

/* dir: the session's directory.  NULL with err: there is no journal, or none of it can be read. */
struct player *player_open(const char *dir, struct err *err);
/* One segment's bytes alone (borrowed), for tests. */
struct player *player_open_bytes(const void *data, size_t len, struct err *err);
void player_close(struct player *p);

/* Goes to the next screen; false at the end. */
bool player_next(struct player *p);
/* When the next one comes; false, and *time as it was: it is in another segment, or there is none. */
bool player_peek(const struct player *p, int64_t *time);
/* To the last screen that was there at a time (ms since 1970); before the first: to the first. */
void player_seek(struct player *p, int64_t time);
void player_seek_end(struct player *p);

const struct screen *player_screen(const struct player *p); /* until the next call that moves */
int64_t player_time(const struct player *p);                /* of that screen, ms since 1970 */
int64_t player_begin(const struct player *p);               /* of the first one */
int64_t player_end(const struct player *p);                 /* of the last record */
const char *player_state(const struct player *p);           /* "working: ..." then, "" if none was told */
/* Why something is missing before this screen, NULL: nothing is.  Damage: the last place that was found. */
const char *player_gap(const struct player *p);
const char *player_damage(const struct player *p); /* NULL: none so far */

#endif
