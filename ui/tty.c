/* tty: see tty.h.  What to send is decided in tty_modes.c; what happens when the process dies, in
 * tty_restore.c. */
#include "ui/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "ui/terminals.h"
#include "ui/tty_modes.h"
#include "ui/tty_restore.h"

enum {
	READ_MAX = 65536,
	QUEUE_KEEP = 256 << 10, /* a larger buffer is freed when it has been written */
	TITLE_COLUMNS = 200,
};

static const int watched_signals[] = {SIGWINCH, SIGCONT, SIGTSTP, SIGTERM, SIGINT, SIGHUP};

struct tty {
	struct tty_events events;
	void *owner;
	int fd;
	struct termios saved;
	struct tty_size size;
	struct tty_state state;
	struct decoder *decoder;
	char *title;
	struct buf out;
	size_t sent;    /* of out */
	bool suspended; /* given back until SIGCONT */
	bool replies_awaited;
	bool gone;   /* events.gone was called */
	bool failed; /* a write failed; told when the loop comes around */
	bool closing;
	int handles; /* not yet closed */
	uv_poll_t poll;
	int watched;      /* what poll waits for; 0: it is stopped */
	uv_timer_t timer; /* the decoder's deadline */
	uv_signal_t signals[COUNT_OF(watched_signals)];
};

static void on_poll(uv_poll_t *handle, int status, int events);
static void on_deadline(uv_timer_t *handle);
static void on_signal(uv_signal_t *handle, int number);

/* --- opening --- */

static int check_term(struct err *err)
{
	const char *term = getenv("TERM");

	if (term && term[0] && strcmp(term, "dumb") != 0 && strcmp(term, "unknown") != 0)
		return 0;
	if (term && term[0])
		err_set(err, ERR_USAGE, "TERM is \"%s\", a terminal that cannot move its cursor.", term);
	else
		err_set(err, ERR_USAGE, "TERM is not set, so the terminal is not known.");
	return err_hint(err, "Set it to what the terminal is, for example: TERM=xterm-256color handler");
}

/* The terminal on descriptor 0, opened anew; -1 if it has no name here or belongs to somebody else. */
static int open_by_name(void)
{
	char name[128];
	struct stat there, here;
	int fd;

	if (ttyname_r(STDIN_FILENO, name, sizeof(name)) != 0)
		return -1;
	fd = open(name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &there) == 0 && fstat(STDIN_FILENO, &here) == 0 && there.st_rdev == here.st_rdev)
		return fd;
	close(fd);
	return -1;
}

static int open_device(const struct tty_options *options, struct err *err)
{
	int fd = -1;

	if (!options->stdin_taken) {
		if (!isatty(STDIN_FILENO)) {
			err_set(err, ERR_USAGE, "Standard input is not a terminal; the front-end needs one.");
			err_hint(err, "Scripts use handler new, send, wait and capture.");
			return -1;
		}
		fd = open_by_name();
	}
	if (fd < 0)
		fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		err_sys(err, errno, "The terminal cannot be opened: /dev/tty");
	return fd;
}

/* false: it cannot be asked; *out is the usual size then. */
static bool ask_size(int fd, struct tty_size *out)
{
	struct winsize w = {0};
	bool known = ioctl(fd, TIOCGWINSZ, &w) == 0;

	*out = (struct tty_size){
	    .rows = w.ws_row ? w.ws_row : 24,
	    .cols = w.ws_col ? w.ws_col : 80,
	    .width = w.ws_xpixel,
	    .height = w.ws_ypixel,
	};
	return known;
}

static struct tty_size read_size(int fd)
{
	struct tty_size size;

	ask_size(fd, &size);
	return size;
}

bool tty_likely_size(struct tty_size *out)
{
	return ask_size(STDOUT_FILENO, out) || ask_size(STDIN_FILENO, out);
}

static void init_handles(struct tty *t, uv_loop_t *loop)
{
	uv_poll_init(loop, &t->poll, t->fd);
	t->poll.data = t;
	uv_timer_init(loop, &t->timer);
	t->timer.data = t;
	for (size_t i = 0; i < COUNT_OF(watched_signals); i++) {
		uv_signal_init(loop, &t->signals[i]);
		t->signals[i].data = t;
	}
	t->handles = 2 + (int)COUNT_OF(watched_signals);
}

static void start_signals(struct tty *t)
{
	for (size_t i = 0; i < COUNT_OF(watched_signals); i++)
		uv_signal_start(&t->signals[i], on_signal, watched_signals[i]);
}

int tty_open(struct tty **out, uv_loop_t *loop, const struct tty_options *options,
    const struct tty_events *events, void *owner, struct err *err)
{
	struct probe_env env = probe_env_read();
	struct termios saved;
	struct tty *t;
	int fd;

	if (check_term(err) < 0)
		return -1;
	fd = open_device(options, err);
	if (fd < 0)
		return -1;
	if (tcgetattr(fd, &saved) < 0) {
		err_sys(err, errno, "The terminal does not say its settings");
		close(fd);
		return -1;
	}
	t = mem_zalloc(1, sizeof(*t));
	t->events = *events;
	t->owner = owner;
	t->fd = fd;
	t->saved = saved;
	t->state.takes_strings = terminal_by_env(&env)->features & FEATURE_ASK_STRINGS;
	t->decoder = decoder_create();
	decoder_set_erase(t->decoder, saved.c_cc[VERASE]);
	buf_init(&t->out);
	init_handles(t, loop);
	start_signals(t);
	t->size = read_size(fd); /* after SIGWINCH is watched: a change in between is not missed */
	*out = t;
	return 0;
}

static void on_closed(uv_handle_t *handle)
{
	struct tty *t = handle->data;

	if (--t->handles > 0)
		return;
	close(t->fd);
	decoder_destroy(t->decoder);
	buf_free(&t->out);
	free(t->title);
	free(t);
}

void tty_close(struct tty *t)
{
	if (!t || t->closing)
		return;
	tty_leave(t);
	t->closing = true;
	uv_close((uv_handle_t *)&t->poll, on_closed);
	uv_close((uv_handle_t *)&t->timer, on_closed);
	for (size_t i = 0; i < COUNT_OF(watched_signals); i++)
		uv_close((uv_handle_t *)&t->signals[i], on_closed);
}

/* --- bytes out --- */

bool tty_busy(const struct tty *t)
{
	return t->out.len > t->sent;
}

/* Each start costs three calls of the system, also one that changes nothing. */
static void watch(struct tty *t)
{
	int events = UV_READABLE | UV_DISCONNECT | (tty_busy(t) ? UV_WRITABLE : 0);

	if (events != t->watched)
		uv_poll_start(&t->poll, events, on_poll);
	t->watched = events;
}

static void clear_queue(struct tty *t)
{
	t->sent = 0;
	if (t->out.cap > QUEUE_KEEP)
		buf_free(&t->out);
	else
		buf_clear(&t->out);
}

/* Writes what the terminal takes now. */
static void flush(struct tty *t)
{
	while (tty_busy(t)) {
		ssize_t n = write(t->fd, t->out.data + t->sent, t->out.len - t->sent);

		if (n >= 0) {
			t->sent += (size_t)n;
		} else if (errno != EINTR) {
			t->failed = errno != EAGAIN && errno != EWOULDBLOCK;
			break;
		}
	}
	if (t->failed) {
		clear_queue(t);
		uv_timer_start(&t->timer, on_deadline, 0, 0);
	} else if (!tty_busy(t)) {
		clear_queue(t);
	}
}

static void send_queue(struct tty *t)
{
	if (!t->state.entered || t->gone || t->closing) {
		clear_queue(t);
		return;
	}
	flush(t);
	watch(t);
}

void tty_write(struct tty *t, struct buf *bytes)
{
	if (t->out.len == 0) {
		struct buf empty = t->out;

		t->out = *bytes;
		*bytes = empty;
	} else {
		buf_add(&t->out, bytes->data, bytes->len);
		buf_clear(bytes);
	}
	send_queue(t);
}

/* --- modes --- */

/* From now on this is what is undone if we die. */
static void update_restore(const struct tty *t)
{
	AUTO_BUF text = BUF_INIT;

	tty_modes_restore(&t->state, &text);
	restore_set_text(text.data, text.len);
}

static int set_raw(const struct tty *t)
{
	struct termios raw = t->saved;

	cfmakeraw(&raw);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	return tcsetattr(t->fd, TCSANOW, &raw);
}

static void queue_title(struct tty *t)
{
	if (!t->title)
		return;
	if (!t->state.title_saved)
		buf_adds(&t->out, "\033[22;0t");
	t->state.title_saved = true;
	buf_printf(&t->out, "\033]2;%s\033\\", t->title);
}

/* What is to be undone is known before anything is done. */
static void enter(struct tty *t, const struct tty_modes *modes)
{
	restore_arm(t->fd, &t->saved);
	restore_expect_replies(t->replies_awaited);
	tty_modes_enter(&t->state, modes, &t->out);
	t->state.title_saved = false;
	queue_title(t);
	update_restore(t);
	send_queue(t);
}

int tty_enter(struct tty *t, const struct tty_modes *modes, struct err *err)
{
	if (set_raw(t) < 0)
		return err_sys(err, errno, "The terminal cannot be set to raw mode");
	enter(t, modes);
	return 0;
}

void tty_set_modes(struct tty *t, const struct tty_modes *modes)
{
	if (!t->state.entered)
		return;
	tty_modes_change(&t->state, modes, &t->out);
	update_restore(t);
	send_queue(t);
}

void tty_set_title(struct tty *t, const char *title)
{
	AUTO_FREE char *clean = utf8_sanitize(title, strlen(title), TITLE_COLUMNS);

	if (!t->state.entered || (t->title && strcmp(t->title, clean) == 0))
		return;
	free(t->title);
	t->title = mem_strdup(clean);
	queue_title(t);
	update_restore(t);
	send_queue(t);
}

void tty_cursor_changed(struct tty *t, bool shape, bool color)
{
	t->state.shape |= shape;
	t->state.color |= color;
	if (t->state.entered)
		update_restore(t);
}

struct tty_size tty_size(const struct tty *t)
{
	return t->size;
}

struct decoder *tty_decoder(struct tty *t)
{
	return t->decoder;
}

/* --- giving back --- */

static bool saw_last_reply(struct tty *t)
{
	struct input in;

	while (decoder_next(t->decoder, &in)) {
		if (in.type == INPUT_REPLY && in.reply == REPLY_DA1)
			return true;
	}
	return false;
}

static void leave(struct tty *t)
{
	AUTO_BUF text = BUF_INIT;

	restore_write(t->fd, t->out.data + t->sent, t->out.len - t->sent);
	clear_queue(t);
	tty_modes_restore(&t->state, &text);
	restore_write(t->fd, text.data, text.len);
	if (t->replies_awaited && !saw_last_reply(t))
		restore_drain(t->fd);
	restore_disarm();
	tcflush(t->fd, TCIFLUSH);
	tcsetattr(t->fd, TCSANOW, &t->saved);
	t->state.entered = false;
	uv_poll_stop(&t->poll);
	t->watched = 0;
	uv_timer_stop(&t->timer);
}

void tty_leave(struct tty *t)
{
	if (!t->state.entered)
		return;
	leave(t);
	for (size_t i = 0; i < COUNT_OF(watched_signals); i++)
		uv_signal_stop(&t->signals[i]);
}

void tty_expect_replies(struct tty *t, bool awaited)
{
	t->replies_awaited = awaited;
	restore_expect_replies(awaited);
}

static void report_gone(struct tty *t, enum tty_gone why)
{
	if (t->gone || t->closing)
		return;
	tty_leave(t);
	t->gone = true;
	t->events.gone(t->owner, why);
}

void tty_suspend(struct tty *t)
{
	if (!t->state.entered)
		return;
	leave(t);
	t->suspended = true;
	raise(SIGSTOP);
}

/*
 * After a stop that we did not see coming (SIGSTOP) the modes are as they were, unless somebody reset the
 * terminal meanwhile; undoing first makes both the same.
 */
static void resume(struct tty *t)
{
	struct tty_modes modes = t->state.modes;

	if (t->gone || (!t->state.entered && !t->suspended))
		return;
	t->suspended = false;
	if (set_raw(t) < 0)
		return;
	clear_queue(t);
	tty_modes_restore(&t->state, &t->out);
	enter(t, &modes);
	if (t->events.resumed)
		t->events.resumed(t->owner);
}

/* --- from the loop --- */

/* Whether it is another one than before. */
static bool check_size(struct tty *t)
{
	struct tty_size size = read_size(t->fd);

	if (memcmp(&size, &t->size, sizeof(size)) == 0)
		return false;
	t->size = size;
	if (t->events.resized)
		t->events.resized(t->owner, size);
	return true;
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct tty *t = handle->data;

	switch (number) {
	case SIGWINCH:
		/* Smaller and back before we looked: what stood at the edges is gone. */
		if (!check_size(t) && t->events.resumed)
			t->events.resumed(t->owner);
		break;
	case SIGCONT:
		check_size(t);
		resume(t);
		break;
	case SIGTSTP:
		tty_suspend(t);
		break;
	case SIGHUP:
		report_gone(t, TTY_HANGUP);
		break;
	default:
		report_gone(t, TTY_TERMINATED);
	}
}

static void set_deadline(struct tty *t)
{
	int64_t deadline = decoder_deadline(t->decoder), now = clock_mono_ms();

	if (t->closing || !t->state.entered)
		return;
	if (deadline < 0)
		uv_timer_stop(&t->timer);
	else
		uv_timer_start(&t->timer, on_deadline, deadline > now ? (uint64_t)(deadline - now) : 0, 0);
}

/* The owner may leave or close in the middle of it. */
static void deliver(struct tty *t)
{
	struct input in;

	while (!t->closing && t->state.entered && decoder_next(t->decoder, &in))
		t->events.input(t->owner, &in);
	set_deadline(t);
}

static void on_deadline(uv_timer_t *handle)
{
	struct tty *t = handle->data;

	if (t->failed) {
		report_gone(t, TTY_HANGUP);
		return;
	}
	decoder_expire(t->decoder, clock_mono_ms());
	deliver(t);
}

/* false: the terminal is gone. */
static bool read_input(struct tty *t)
{
	char bytes[READ_MAX];
	ssize_t n = read(t->fd, bytes, sizeof(bytes));

	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
	if (n == 0)
		return false;
	decoder_feed(t->decoder, bytes, (size_t)n, clock_mono_ms());
	deliver(t);
	return true;
}

static void on_poll(uv_poll_t *handle, int status, int events)
{
	struct tty *t = handle->data;
	bool was_busy = tty_busy(t);

	if (status < 0 || ((events & (UV_READABLE | UV_DISCONNECT)) && !read_input(t))) {
		report_gone(t, TTY_HANGUP);
		return;
	}
	if (!(events & UV_WRITABLE) || t->closing || !t->state.entered)
		return;
	send_queue(t);
	if (was_busy && !tty_busy(t) && !t->failed && t->events.drained)
		t->events.drained(t->owner);
}
