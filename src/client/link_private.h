/* link_private: the state of a link, for link.c, and link_ended.c, which serves those to ended sessions. */
#ifndef HANDLER_CLIENT_LINK_PRIVATE_H
#define HANDLER_CLIENT_LINK_PRIVATE_H

#include "client/link.h"
#include "wire/delta.h"
#include "wire/message.h"

/* A message of input that the worker has not yet said is done. */
struct undone {
	struct undone *next;
	uint16_t type;
	uint32_t sequence;
	size_t len;
	char data[];
};

struct link {
	uv_loop_t *loop;
	struct link_callbacks cb;
	void *user;
	struct record record;
	uint64_t token;
	char token_text[17];
	bool listens_only;

	uv_pipe_t pipe;
	uv_timer_t retry, hang;
	int open_handles; /* whose close callbacks are still to come */
	bool pipe_open, pipe_closing, welcomed, closed, trouble_told, ended_told;
	bool other_version; /* the worker and we do not speak a common one */
	bool pinged;        /* since then nothing came from the worker */
	struct wire_reader reader;
	uint32_t sequence;
	unsigned acks; /* of the screens up to ack_sequence that are still to be sent */
	uint32_t ack_sequence;
	struct wire_view view;
	char *outer; /* the last OUTER message, said again to a new worker */
	bool has_view;
	bool view_told, outer_told; /* to this worker */
	struct undone *undone, **undone_end;
	size_t undone_bytes;

	/* An ended session: no connection but its files. */
	uv_idle_t offline_idle;
	bool offline, offline_delivered;
	struct history *history;
	struct mirror mirror;
	struct cell_table *table;
	struct offline_job *jobs;
};

/* Frees the link if it is closed and this was the last handle, or call, that held it. */
void link_release(struct link *l);

/* link_ended.c: answers come from the session's files, one in each turn of the loop. */
void link_ended_open(struct link *l);
void link_ended_close(struct link *l);
void link_ended_send(struct link *l, uint16_t type, uint32_t sequence, const void *data, size_t len);

#endif
