/*
 * replay: see replay.h.
 *
 * `position` is a time of the recording; a timer moves it to that of the next screen.  Nothing is asked of
 * the terminal: what it can do is taken from the environment.
 */
#include "ui/replay.h"

#include <stdlib.h>
#include <time.h>
#include <uv.h>

#include "base/mem.h"
#include "harness/config.h"
#include "ui/compose.h"
#include "ui/tty.h"

enum { SPEED_MAX = 64 };

struct replay {
	struct replay_options options;
	uv_loop_t loop;
	uv_timer_t timer;
	struct tty *tty;
	struct probe *probe;
	struct display *display;
	struct canvas *canvas;
	struct surface *line;
	struct player *player;
	int64_t position; /* ms since 1970 */
	double speed;
	bool paused, ended, gone;
};

/* --- drawing --- */

static void make_surfaces(struct replay *r)
{
	int rows = display_rows(r->display), cols = display_cols(r->display);

	canvas_destroy(r->canvas);
	r->canvas = canvas_create(r->display, (struct rect){.rows = rows - 1, .cols = cols});
	r->line = surface_create(r->display, rows - 1, 0, 1, cols);
}

static char *duration(int64_t ms)
{
	int64_t seconds = ms > 0 ? ms / 1000 : 0;
	int hours = (int)(seconds / 3600), minutes = (int)(seconds / 60 % 60), rest = (int)(seconds % 60);

	return hours ? mem_printf("%d:%02d:%02d", hours, minutes, rest)
		     : mem_printf("%d:%02d", minutes, rest);
}

/* When it was, by the clock of who looks. */
static void clock_text(int64_t ms, char out[32])
{
	time_t seconds = (time_t)(ms / 1000);
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || strftime(out, 32, "%F %T", &tm) == 0)
		out[0] = '\0';
}

static void draw_title(struct replay *r)
{
	const char *text = player_state(r->player), *colon = strchr(text, ':');
	AUTO_FREE char *word = mem_strndup(text, colon ? (size_t)(colon - text) : strlen(text));
	int state = state_from_name(word);
	struct pane_title title = {.number = r->options.record->number,
	    .name = r->options.record->name,
	    .harness = r->options.record->agent,
	    .text = colon ? colon + 2 : NULL,
	    .state = state < 0 ? STATE_UNKNOWN : (enum session_state)state,
	    .focused = true,
	    .badge = player_gap(r->player) ? "something is missing here" : NULL,
	    .badge_role = ROLE_NEEDS};

	canvas_title(r->canvas, &title);
}

static void draw_line(struct replay *r)
{
	AUTO_FREE char *at = duration(r->position - player_begin(r->player));
	AUTO_FREE char *all = duration(player_end(r->player) - player_begin(r->player));
	char when[32], speed[24] = "";
	int cols = surface_cols(r->line);

	clock_text(r->position, when);
	if (r->speed != 1)
		snprintf(speed, sizeof(speed), "  x%g", r->speed);
	AUTO_FREE char *left = mem_printf(" %s %s / %s  %s%s",
	    r->ended    ? "end"
	    : r->paused ? "paused"
			: "playing",
	    at, all, when, speed);
	const char *keys = "Space pause  Left Right 10 s  + - speed  q leaves ";

	surface_fill(r->line, 0, 0, 1, cols, ROLE_STATUS);
	int used = surface_text(r->line, 0, 0, cols, left, ROLE_STATUS);
	if (used + 2 + (int)strlen(keys) <= cols)
		surface_text(r->line, 0, cols - (int)strlen(keys), (int)strlen(keys), keys, ROLE_DIM);
}

static void draw(struct replay *r)
{
	const struct screen *s = player_screen(r->player);
	struct pane_view view = {.screen = s};
	AUTO_BUF out = BUF_INIT;
	int row, col;

	if (r->gone || tty_busy(r->tty))
		return; /* `drained` draws */
	draw_title(r);
	draw_line(r);
	canvas_draw(r->canvas, &view);
	if (canvas_cursor(r->canvas, &view, &row, &col))
		display_cursor(r->display, row, col, s->cursor.shape, s->cursor.blink, COLOR_DEFAULT);
	else
		display_cursor(r->display, -1, 0, CURSOR_DEFAULT, false, COLOR_DEFAULT);
	if (display_frame(r->display, &out))
		tty_write(r->tty, &out);
}

/* --- time --- */

static void on_timer(uv_timer_t *timer);

static void schedule(struct replay *r)
{
	int64_t next = r->position;
	double wait;

	uv_timer_stop(&r->timer);
	if (r->paused || r->ended)
		return;
	player_peek(r->player, &next);
	wait = next > r->position ? (double)(next - r->position) : 0;
	if (r->options.idle > 0 && wait > r->options.idle * 1000)
		wait = r->options.idle * 1000;
	uv_timer_start(&r->timer, on_timer, (uint64_t)(wait / r->speed), 0);
}

static void step(struct replay *r)
{
	r->ended = !player_next(r->player);
	r->position = player_time(r->player);
}

static void on_timer(uv_timer_t *timer)
{
	struct replay *r = timer->data;

	step(r);
	draw(r);
	schedule(r);
}

static void go_to(struct replay *r, int64_t position)
{
	int64_t begin = player_begin(r->player), end = player_end(r->player);

	r->position = position < begin ? begin : position > end ? end : position;
	player_seek(r->player, r->position);
	r->ended = r->position >= end;
	canvas_forget(r->canvas);
}

/* --- what the terminal says --- */

static void finish_loop(struct replay *r)
{
	uv_timer_stop(&r->timer);
	uv_stop(&r->loop);
}

static void toggle_pause(struct replay *r)
{
	if (r->ended)
		go_to(r, player_begin(r->player));
	else
		r->paused = !r->paused;
}

static void change_speed(struct replay *r, double factor)
{
	double speed = r->speed * factor;

	if (speed >= 1.0 / SPEED_MAX && speed <= SPEED_MAX)
		r->speed = speed;
}

static bool leaves(const struct key *k)
{
	bool control = k->mods & MOD_CTRL;

	return k->code == KEY_ESCAPE || (k->code == 'q' && !control) ||
	       ((k->code == 'c' || k->code == 'd') && control);
}

static void take_key(struct replay *r, const struct key *k)
{
	if (leaves(k)) {
		finish_loop(r);
		return;
	}
	if (k->code == ' ')
		toggle_pause(r);
	else if (k->code == KEY_LEFT)
		go_to(r, r->position - REPLAY_STEP_MS);
	else if (k->code == KEY_RIGHT)
		go_to(r, r->position + REPLAY_STEP_MS);
	else if (k->code == KEY_HOME)
		go_to(r, player_begin(r->player));
	else if (k->code == KEY_END)
		go_to(r, player_end(r->player));
	else if (k->code == '+' || k->code == '-')
		change_speed(r, k->code == '+' ? 2 : 0.5);
	else if (k->code == '.' && r->paused)
		step(r);
	draw(r);
	schedule(r);
}

static void on_input(void *owner, const struct input *in)
{
	if (in->type == INPUT_KEY && in->key.event != KEY_RELEASE)
		take_key(owner, &in->key);
}

static void on_resized(void *owner, struct tty_size size)
{
	struct replay *r = owner;

	canvas_destroy(r->canvas);
	r->canvas = NULL;
	display_resize(r->display, size.rows, size.cols);
	make_surfaces(r);
	draw(r);
}

static void on_resumed(void *owner)
{
	struct replay *r = owner;

	display_invalidate(r->display);
	draw(r);
}

static void on_drained(void *owner)
{
	draw(owner);
}

static void on_gone(void *owner, enum tty_gone why)
{
	struct replay *r = owner;

	(void)why;
	r->gone = true;
	finish_loop(r);
}

/* --- beginning and end --- */

static int open_terminal(struct replay *r, const struct config *config, struct err *err)
{
	static const struct tty_events events = {.input = on_input,
	    .resized = on_resized,
	    .resumed = on_resumed,
	    .drained = on_drained,
	    .gone = on_gone};
	struct probe_env env = probe_env_read();
	struct probe_options wishes = {
	    .color = r->options.color ? r->options.color : config_string(config, "terminal.color"),
	    .keys = "plain",
	    .sync = config_string(config, "terminal.sync")};
	struct tty_options options = {0};
	struct tty_modes modes = {0};
	struct tty_size size;

	if (tty_open(&r->tty, &r->loop, &options, &events, r, err) < 0)
		return -1;
	r->probe = probe_create(&env, &wishes);
	size = tty_size(r->tty);
	r->display = display_create(size.rows, size.cols, err);
	if (!r->display)
		return -1;
	display_set_caps(r->display, probe_caps(r->probe));
	display_set_theme(r->display, probe_caps(r->probe)->dark, probe_caps(r->probe)->depth == DEPTH_MONO);
	make_surfaces(r);
	return tty_enter(r->tty, &modes, err);
}

static void play(struct replay *r)
{
	step(r);
	draw(r);
	schedule(r);
	uv_run(&r->loop, UV_RUN_DEFAULT);
}

static void give_back(struct replay *r)
{
	AUTO_BUF bytes = BUF_INIT;

	if (r->tty && r->display && !r->gone) {
		display_leave(r->display, &bytes);
		tty_write(r->tty, &bytes);
		tty_leave(r->tty);
	}
	tty_close(r->tty);
	uv_close((uv_handle_t *)&r->timer, NULL);
	uv_run(&r->loop, UV_RUN_DEFAULT);
	uv_loop_close(&r->loop);
	canvas_destroy(r->canvas);
	display_destroy(r->display);
	probe_destroy(r->probe);
}

int ui_replay(struct player *player, const struct replay_options *o, struct err *err)
{
	struct replay r = {.options = *o, .player = player, .speed = o->speed};
	struct config *config = config_load();
	int result;

	uv_loop_init(&r.loop);
	uv_timer_init(&r.loop, &r.timer);
	r.timer.data = &r;
	result = open_terminal(&r, config, err);
	if (result == 0)
		play(&r);
	give_back(&r);
	config_destroy(config);
	return result;
}
