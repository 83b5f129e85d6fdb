/*
 * export_cast: the journal as an asciicast, version 2: a line of JSON about the recording, then one for each
 * event, [seconds, "o", bytes] or [seconds, "r", "COLSxROWS"].
 *
 * The bytes are painted from the screens (painter.h), so a player shows what was shown and is asked, titled
 * or given nothing else.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/export.h"
#include "client/painter.h"
#include "client/player.h"

enum { IDLE_SECONDS = 2 }; /* what players shorten a pause to */

static void add_line(struct buf *out, struct json *j)
{
	AUTO_FREE char *text = json_print(j, false);

	buf_printf(out, "%s\n", text);
	json_free(j);
}

static void add_event(struct buf *out, double seconds, const char *code, const char *data)
{
	AUTO_FREE char *time = mem_printf("%.3f", seconds);
	struct json *j = json_new_string(data);
	AUTO_FREE char *text = json_print(j, false);

	buf_printf(out, "[%s, \"%s\", %s]\n", time, code, text);
	json_free(j);
}

static void find_size(struct player *p, int *rows, int *cols)
{
	while (player_next(p)) {
		const struct screen *s = player_screen(p);

		*rows = s->rows > *rows ? s->rows : *rows;
		*cols = s->cols > *cols ? s->cols : *cols;
	}
	player_seek(p, player_begin(p));
}

static void add_header(struct buf *out, const struct record *r, struct player *p, int rows, int cols)
{
	struct json *j = json_new_object(), *env;

	json_set_number(j, "version", 2);
	json_set_number(j, "width", cols);
	json_set_number(j, "height", rows);
	json_set_number(j, "timestamp", (double)(player_begin(p) / 1000));
	json_set_number(j, "duration", (double)(player_end(p) - player_begin(p)) / 1000);
	json_set_number(j, "idle_time_limit", IDLE_SECONDS);
	json_set_string(j, "title", r->name);
	env = json_set(j, "env", json_new_object());
	json_set_string(env, "TERM", "xterm-256color");
	add_line(out, j);
}

/* A place where something is missing: players that know markers show it. */
static void add_gap(struct buf *out, const struct player *p, double seconds)
{
	if (player_gap(p))
		add_event(out, seconds, "m", player_gap(p));
}

static void add_screens(struct buf *out, struct player *p, int rows, int cols)
{
	struct painter *painter = painter_create();
	AUTO_BUF bytes = BUF_INIT;

	do {
		const struct screen *s = player_screen(p);
		double seconds = (double)(player_time(p) - player_begin(p)) / 1000;

		add_gap(out, p, seconds);
		if (s->rows != rows || s->cols != cols) {
			AUTO_FREE char *size = mem_printf("%dx%d", s->cols, s->rows);

			rows = s->rows;
			cols = s->cols;
			add_event(out, seconds, "r", size);
		}
		buf_clear(&bytes);
		if (painter_paint(painter, s, &bytes))
			add_event(out, seconds, "o", bytes.data);
	} while (player_next(p));
	painter_destroy(painter);
}

int export_cast(const struct record *r, struct buf *out, struct err *err)
{
	struct player *p = player_open(r->path, err);
	int rows = 0, cols = 0;

	if (!p)
		return -1;
	find_size(p, &rows, &cols);
	add_header(out, r, p, rows, cols);
	add_screens(out, p, rows, cols);
	/* Of a session that runs the newest record may be on its way to the disk. */
	if (player_damage(p) && !r->live)
		print_note("%s", player_damage(p));
	player_close(p);
	return 0;
}
