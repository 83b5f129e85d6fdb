/* last_screen: see last_screen.h. */
#include "client/last_screen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "client/player.h"
#include "client/record.h"
#include "wire/wire.h"

enum { LAST_SCREEN_MAX = 64 << 20 };

static int load_file(const char *path, struct mirror *m, struct err *err)
{
	AUTO_FREE char *text = NULL;
	size_t len;
	struct wire_reader reader;
	struct wire_frame frame;
	int got = 0, result = 0;
	if (path_read_file(path, LAST_SCREEN_MAX, &text, &len, err) < 0)
		return -1;
	wire_reader_init(&reader);
	wire_reader_feed(&reader, text, len);
	while (result == 0 && (got = wire_reader_next(&reader, &frame, err)) > 0)
		if (frame.type == WIRE_SCREEN)
			result = mirror_apply(m, frame.payload, frame.length, err);
	wire_reader_finish(&reader);
	return got < 0 ? -1 : result;
}

/* The screen as a client would have been sent it. */
static int copy_screen(const struct screen *s, struct mirror *m, struct err *err)
{
	struct delta_sender *sender = delta_sender_create();
	AUTO_BUF delta = BUF_INIT;
	int result = 0;
	do {
		buf_clear(&delta);
		if (!delta_encode(sender, s, &delta))
			break;
		result = mirror_apply(m, delta.data, delta.len, err);
	} while (result == 0 && delta_sender_more(sender));
	delta_sender_destroy(sender);
	return result;
}

/* Rows that are in history by now have left the screen: the journal's last one may be older by a moment. */
static void scroll_to(struct screen *s, uint64_t history_end)
{
	while (s->top < history_end) {
		struct row *first = s->row[0];
		memmove(s->row, s->row + 1, (size_t)(s->rows - 1) * sizeof *s->row);
		s->row[s->rows - 1] = first;
		row_erase(first, 0, first->cols, 0);
		first->flags = 0;
		s->cursor.row -= s->cursor.row > 0;
		s->top =
		    history_end - s->top > (uint64_t)s->rows ? history_end - (uint64_t)s->rows : s->top + 1;
	}
}

/* A session that was killed with its worker could write no last screen: the journal has it. */
static int load_journal(const char *session_path, struct mirror *m, struct err *err)
{
	struct player *p = player_open(session_path, err);
	if (!p)
		return -1;
	player_seek_end(p);
	int result = copy_screen(player_screen(p), m, err);
	player_close(p);
	int dirfd = open(session_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct history *h = dirfd < 0 ? NULL : history_open_readonly(dirfd, RECORD_HISTORY_FILE, NULL);
	if (dirfd >= 0)
		close(dirfd);
	if (h && result == 0)
		scroll_to(&m->screen, history_end(h));
	history_destroy(h);
	return result;
}

int last_screen_load(const char *session_path, struct mirror *m, struct err *err)
{
	AUTO_FREE char *path = path_join(session_path, RECORD_SCREEN_FILE);
	if (access(path, F_OK) == 0)
		return load_file(path, m, err);
	return load_journal(session_path, m, err);
}

/* The journal's last screen as a worker would have written it down. */
static int journal_frames(const char *session_path, struct buf *out, struct err *err)
{
	struct cell_table *table = table_create();
	struct delta_sender *sender = delta_sender_create();
	struct mirror m;
	AUTO_BUF delta = BUF_INIT;
	uint32_t sequence = 0;
	mirror_init(&m, table);
	int result = load_journal(session_path, &m, err);
	while (result == 0 && (sequence == 0 || delta_sender_more(sender))) {
		buf_clear(&delta);
		delta_encode(sender, &m.screen, &delta);
		result = wire_frame_write(out, WIRE_SCREEN, 0, ++sequence, delta.data, delta.len, err);
	}
	mirror_finish(&m);
	delta_sender_destroy(sender);
	table_destroy(table);
	return result;
}

int last_screen_frames(const char *session_path, struct buf *out, struct err *err)
{
	AUTO_FREE char *path = path_join(session_path, RECORD_SCREEN_FILE);
	AUTO_FREE char *text = NULL;
	size_t len;
	if (access(path, F_OK) < 0)
		return journal_frames(session_path, out, err);
	if (path_read_file(path, LAST_SCREEN_MAX, &text, &len, err) < 0)
		return -1;
	buf_add(out, text, len);
	return 0;
}

static struct history *open_history(const char *session_path, uint64_t limit_rows, struct err *err)
{
	int dirfd = open(session_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dirfd < 0) {
		err_sys(err, errno, "cannot open %s", session_path);
		return NULL;
	}
	struct history *h = history_create(dirfd, RECORD_HISTORY_FILE, limit_rows, err);
	close(dirfd);
	return h;
}

static void append_rows(struct history *h, const struct screen *s)
{
	int used = s->rows;
	while (used > 0 && row_used(s->row[used - 1]) == 0)
		used--;
	for (int i = 0; i < used; i++)
		history_append(h, s->row[i], s->table);
}

int last_screen_to_history(const char *session_path, uint64_t limit_rows, uint64_t *end, struct err *err)
{
	struct cell_table *table = table_create();
	struct mirror m;
	struct history *h = NULL;
	mirror_init(&m, table);
	if (last_screen_load(session_path, &m, err) == 0 &&
	    (h = open_history(session_path, limit_rows, err))) {
		*end = history_end(h);
		append_rows(h, &m.screen);
	}
	history_destroy(h);
	mirror_finish(&m);
	table_destroy(table);
	return h ? 0 : -1;
}

void last_screen_take_back(const char *session_path, uint64_t limit_rows, uint64_t end)
{
	struct history *h = open_history(session_path, limit_rows, NULL);
	if (h)
		history_truncate(h, end);
	history_destroy(h);
}
