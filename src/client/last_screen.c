/* last_screen: see last_screen.h. */
#include "client/last_screen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "client/record.h"
#include "wire/wire.h"

enum { LAST_SCREEN_MAX = 64 << 20 };

int last_screen_load(const char *session_path, struct mirror *m, struct err *err)
{
	AUTO_FREE char *path = path_join(session_path, RECORD_SCREEN_FILE);
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
