/* state_file: see state_file.h. */
#include "session/state_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "client/record.h"

enum phase {
	IDLE,
	WRITING, /* the request is with the pool, and `writing` with it */
	WAITED   /* the write has ended, and the loop has not heard of it yet */
};

struct state_file {
	uv_work_t request;
	uv_sem_t ended; /* posted by the pool's thread */
	uv_loop_t *loop;
	state_file_written *written;
	void *user;
	int directory;
	enum phase phase;
	char *writing, *next; /* NULL: none */
	uint64_t given, started, done;
	int error; /* of the write */
};

struct state_file *state_file_create(uv_loop_t *loop, int directory, state_file_written *written, void *user)
{
	struct state_file *f = mem_zalloc(1, sizeof(*f));

	f->request.data = f;
	uv_sem_init(&f->ended, 0);
	f->loop = loop;
	f->directory = directory;
	f->written = written;
	f->user = user;
	return f;
}

void state_file_destroy(struct state_file *f)
{
	if (!f)
		return;
	uv_sem_destroy(&f->ended);
	free(f->writing);
	free(f->next);
	free(f);
}

uint64_t state_file_given(const struct state_file *f)
{
	return f->given;
}

uint64_t state_file_done(const struct state_file *f)
{
	return f->done;
}

/* --- one write --- */

static void take_next(struct state_file *f)
{
	f->writing = f->next;
	f->next = NULL;
	f->started = f->given;
}

/* In a thread of the pool, or in the loop's own: of `f` nothing else is touched. */
static void write_file(struct state_file *f)
{
	f->error = record_replace_state(f->directory, f->writing, strlen(f->writing));
}

static void finish_write(struct state_file *f)
{
	if (f->error)
		log_error("state_file", RECORD_STATE_FILE " cannot be written: %s", strerror(f->error));
	free(f->writing);
	f->writing = NULL;
	f->done = f->started;
}

/* --- in the pool --- */

static void on_work(uv_work_t *request)
{
	struct state_file *f = request->data;

	write_file(f);
	uv_sem_post(&f->ended);
}

static void start(struct state_file *f);

static void on_ended(uv_work_t *request, int status)
{
	struct state_file *f = request->data;
	bool news = f->phase == WRITING;

	(void)status; /* UV_ECANCELED: what it had to write was written otherwise */
	if (news) {
		uv_sem_wait(&f->ended);
		finish_write(f);
	}
	f->phase = IDLE;
	start(f);
	if (news)
		f->written(f->user);
}

static void start(struct state_file *f)
{
	if (f->phase != IDLE || !f->next)
		return;
	take_next(f);
	f->phase = WRITING;
	uv_queue_work(f->loop, &f->request, on_work, on_ended);
}

void state_file_write(struct state_file *f, char *text)
{
	free(f->next);
	f->next = text;
	f->given++;
	start(f);
}

/* --- at once --- */

/* One that the pool has not begun is taken back: there is a newer one, or it is the one to be written. */
static void await_pool(struct state_file *f)
{
	if (f->phase != WRITING)
		return;
	f->phase = WAITED;
	if (uv_cancel((uv_req_t *)&f->request) < 0) {
		uv_sem_wait(&f->ended);
		finish_write(f);
		return;
	}
	if (f->next)
		free(f->writing);
	else
		f->next = f->writing;
	f->writing = NULL;
}

void state_file_flush(struct state_file *f)
{
	if (!f || f->done == f->given)
		return;
	await_pool(f);
	if (f->next) {
		take_next(f);
		write_file(f);
		finish_write(f);
	}
	f->written(f->user);
}
