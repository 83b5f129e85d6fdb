/*
 * link_ended: a link to a session that has ended: its last screen, rows of its history and searches, from its
 * files.
 *
 * Must not know: connections.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "client/find.h"
#include "client/last_screen.h"
#include "client/link_private.h"

struct offline_job {
	struct offline_job *next;
	uint16_t type;
	uint32_t sequence;
	size_t len;
	char data[];
};

static void offline_deliver(struct link *l)
{
	AUTO_BUF frames = BUF_INIT;
	struct wire_reader reader;
	struct wire_frame frame;
	l->offline_delivered = true;
	l->cb.connected(l, l->user);
	if (l->closed || last_screen_frames(l->record.path, &frames, NULL) < 0)
		return;
	wire_reader_init(&reader);
	wire_reader_feed(&reader, frames.data, frames.len);
	while (!l->closed && wire_reader_next(&reader, &frame, NULL) > 0) {
		if (frame.type != WIRE_SCREEN ||
		    mirror_apply(&l->mirror, frame.payload, frame.length, NULL) < 0)
			break;
		l->cb.message(l, WIRE_SCREEN, frame.sequence, frame.payload, frame.length, l->user);
	}
	wire_reader_finish(&reader);
}

static void offline_rows(struct link *l, const struct offline_job *job)
{
	struct wire_rows_get g;
	AUTO_BUF out = BUF_INIT;
	if (wire_rows_get_decode(job->data, job->len, &g, NULL) < 0)
		return;
	delta_encode_rows(l->history, &l->mirror.screen, g.from, g.count, &out);
	l->cb.message(l, WIRE_ROWS, job->sequence, out.data, out.len, l->user);
}

static void offline_search(struct link *l, const struct offline_job *job)
{
	struct err err = ERR_INIT;
	struct json *body = json_parse(job->data, job->len, "search", &err);
	struct find *find = body ? find_create(body, &err) : NULL;
	struct json *found = find ? NULL : find_error(&err);
	while (!found)
		found = find_step(find, l->history, &l->mirror.screen);
	AUTO_FREE char *text = json_print(found, false);
	json_free(found);
	json_free(body);
	find_destroy(find);
	l->cb.message(l, WIRE_FOUND, job->sequence, text, strlen(text), l->user);
}

static void on_offline(uv_idle_t *idle)
{
	struct link *l = idle->data;
	struct offline_job *job = l->jobs;
	l->open_handles++;
	if (!l->offline_delivered) {
		offline_deliver(l);
	} else if (job) {
		l->jobs = job->next;
		if (job->type == WIRE_ROWS_GET)
			offline_rows(l, job);
		else if (job->type == WIRE_SEARCH)
			offline_search(l, job);
		free(job);
	}
	if (!l->jobs && !l->closed)
		uv_idle_stop(&l->offline_idle);
	link_release(l);
}

void link_ended_send(struct link *l, uint16_t type, uint32_t sequence, const void *data, size_t len)
{
	struct offline_job *job = mem_alloc(sizeof *job + len + 1), **at = &l->jobs;
	*job = (struct offline_job){.type = type, .sequence = sequence, .len = len};
	if (len)
		memcpy(job->data, data, len);
	job->data[len] = '\0';
	while (*at)
		at = &(*at)->next;
	*at = job;
	uv_idle_start(&l->offline_idle, on_offline);
}

void link_ended_open(struct link *l)
{
	int dirfd = open(l->record.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	l->offline = true;
	l->table = table_create();
	mirror_init(&l->mirror, l->table);
	if (dirfd >= 0) {
		l->history = history_open_readonly(dirfd, RECORD_HISTORY_FILE, NULL);
		close(dirfd);
	}
	uv_idle_init(l->loop, &l->offline_idle);
	l->offline_idle.data = l;
	l->open_handles++;
	uv_idle_start(&l->offline_idle, on_offline);
}

void link_ended_close(struct link *l)
{
	while (l->jobs) {
		struct offline_job *job = l->jobs;
		l->jobs = job->next;
		free(job);
	}
}
