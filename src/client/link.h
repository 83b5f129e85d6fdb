/*
 * link: a connection of the front-end to one session, in a uv loop.
 *
 * It comes back by itself: when the worker is replaced, the link connects again, says HELLO and the last VIEW
 * again and resends input that was not yet done (wire.h INPUT_DONE).  A worker that does not answer input for
 * 2 s is replaced through the keeper.  The link of an ended session (live == false) delivers its last screen
 * from the file and answers ROWS_GET and SEARCH from the history file, so the user of a link need not care.
 */
#ifndef HANDLER_CLIENT_LINK_H
#define HANDLER_CLIENT_LINK_H

#include <uv.h>

#include "client/record.h"
#include "key/key.h"
#include "wire/wire.h"

struct link;

struct link_callbacks {
	/* A message of the worker: one of SCREEN, STATE, EVENT, ROWS, FOUND, REPLY.  SCREEN is acknowledged
	 * by the link. */
	void (*message)(
	    struct link *l, uint16_t type, uint32_t sequence, const void *data, size_t len, void *user);
	/* The connection was (re)made: what the mirror shows is void until the next SCREEN, which is whole.
	 */
	void (*connected)(struct link *l, void *user);
	/* trouble: a sentence to show while the worker is being replaced; the link goes on trying.  ended:
	 * there is nobody any more; the record on disk says how it ended (open a new link to see it). */
	void (*lost)(struct link *l, bool ended, const struct err *why, void *user);
};

struct link *link_open(
    uv_loop_t *loop, const struct record *r, const struct link_callbacks *cb, void *user, struct err *err);
/* The same of somebody who only listens: STATE and EVENT come, and it does not count as a terminal.
 * NULL with ERR_ENDED: the session has ended. */
struct link *link_watch(
    uv_loop_t *loop, const struct record *r, const struct link_callbacks *cb, void *user, struct err *err);
void link_close(struct link *l); /* no callback comes after it */

/* Returns the message's sequence number. */
uint32_t link_send(struct link *l, uint16_t type, const void *data, size_t len);
uint32_t link_send_json(struct link *l, uint16_t type, const struct json *body);
/* What is shown of the session and how large; visible false: only state changes are sent. */
void link_view(struct link *l, bool visible, bool preview, int rows, int cols, int xpixel, int ypixel);
/*
 * Says that the SCREENs which came are taken: the worker sends no more than a few beyond.  Called when what
 * had to be done with them at once, a frame, is done, as it wakes the worker; also if nothing was drawn.
 */
void link_acknowledge(struct link *l);
void link_refresh(struct link *l); /* the picture was lost: the next SCREEN is whole */
void link_key(struct link *l, const struct key *k);
void link_mouse(struct link *l, const struct mouse *m);
void link_paste(struct link *l, const char *text, size_t len, bool first, bool last);
void link_focus(struct link *l, bool in);

#endif
