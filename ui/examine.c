/* examine: see examine.h.  A loop of its own, as long as the terminal takes to answer. */
#include "ui/examine.h"

#include <uv.h>

#include "ui/alarm.h"
#include "ui/tty.h"

struct examination {
	uv_loop_t loop;
	struct tty *tty;
	struct probe *probe;
	struct alarm *alarm;
	bool gone;
};

static void await_answers(struct examination *e)
{
	decoder_expect_replies(tty_decoder(e->tty), !probe_done(e->probe));
	tty_expect_replies(e->tty, !probe_done(e->probe));
	decoder_expect_cursor(tty_decoder(e->tty), probe_cursor_reports(e->probe));
}

static void on_input(void *owner, const struct input *in)
{
	struct examination *e = owner;

	if (in->type != INPUT_REPLY)
		return;
	probe_reply(e->probe, in);
	await_answers(e);
	if (probe_done(e->probe))
		uv_stop(&e->loop);
}

static void on_gone(void *owner, enum tty_gone why)
{
	struct examination *e = owner;

	(void)why;
	e->gone = true;
	uv_stop(&e->loop);
}

static void on_alarm(void *user)
{
	uv_stop(&((struct examination *)user)->loop);
}

static int ask(struct examination *e, struct err *err)
{
	static const struct tty_modes plain = {.mouse = TTY_MOUSE_OFF};
	AUTO_BUF queries = BUF_INIT;

	if (tty_enter(e->tty, &plain, err) < 0)
		return -1;
	probe_start(e->probe, &queries);
	await_answers(e);
	tty_write(e->tty, &queries);
	e->alarm = alarm_create(&e->loop, on_alarm, e);
	alarm_set(e->alarm, PROBE_TIMEOUT_MS);
	uv_run(&e->loop, UV_RUN_DEFAULT);
	if (e->gone)
		return err_set(err, ERR_CLOSED, "The terminal went away.");
	tty_leave(e->tty);
	return 0;
}

int examine_terminal(const struct config *config, struct outer_caps *caps, bool *answered, struct err *err)
{
	static const struct tty_events events = {.input = on_input, .gone = on_gone};
	struct examination e = {.gone = false};
	struct tty_options options = {.stdin_taken = false};
	struct probe_env env = probe_env_read();
	struct probe_options wishes = {.color = config_string(config, "terminal.color"),
	    .keys = config_string(config, "terminal.keys"),
	    .sync = config_string(config, "terminal.sync")};

	if (uv_loop_init(&e.loop) < 0)
		return err_set(err, ERR_FAILED, "There is no memory for a loop.");
	e.probe = probe_create(&env, &wishes);
	int result = tty_open(&e.tty, &e.loop, &options, &events, &e, err);
	if (result == 0) {
		result = ask(&e, err);
		tty_close(e.tty);
	}
	alarm_destroy(e.alarm);
	uv_run(&e.loop, UV_RUN_DEFAULT);
	uv_loop_close(&e.loop);
	*caps = *probe_caps(e.probe);
	*answered = probe_done(e.probe);
	probe_destroy(e.probe);
	return result;
}
