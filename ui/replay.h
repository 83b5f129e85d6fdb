/* replay: a session's journal played in the terminal: `handler replay`. */
#ifndef HANDLER_UI_REPLAY_H
#define HANDLER_UI_REPLAY_H

#include "client/player.h"
#include "client/record.h"

struct replay_options {
	const struct record *record; /* whose journal it is */
	double speed;                /* 1: as it was */
	double idle;       /* seconds that a pause takes at most, before speed; 0: as long as it was */
	const char *color; /* NULL: the configuration's */
};

enum { REPLAY_STEP_MS = 10000 /* an arrow key */ };

/* Returns when it was left, or the terminal is gone; the terminal is as it was found. */
int ui_replay(struct player *player, const struct replay_options *o, struct err *err);

#endif
