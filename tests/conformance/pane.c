/*
 * pane: a program on a pty whose terminal is the emulator alone, for suites that test terminals.
 *
 *	pane [-e native|libvterm] [-s ROWSxCOLS] COMMAND [ARGUMENT ...]
 *
 * Runs the command, answers it until it ends, and ends with its status.  Meanwhile lines on standard input
 *are carried out, and each is answered with one line, but for `screen`:
 *
 *	keys TEXT      typed; \r is the Enter key, and there are \e \\ \xHH
 *	rest           until the command waits for input, all its output taken (LIMIT seconds): ok or no
 *	quit           ends the command
 *	screen         "ROWS COLS CURSOR-ROW CURSOR-COLUMN", then a line for each row: its text, and after a
 *tab "COLUMN:SGR" where the style changes (DECDWL and DECDHL lines begin with an asterisk)
 *
 * The terminal is black on white, as those suites expect of xterm, and gives the version of one.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cell/history.h"
#include "key/key.h"
#include "term/term.h"

/* What is on its way through the pty is in neither of its queues for a moment: one look is not enough. */
enum { LIMIT = 20 /* seconds */, LOOK_MS = 5, LOOKS = 20 };

struct pane {
	struct term *term;
	struct history *history;
	int master;
	pid_t pid;
	bool ended;       /* the pty has no more output */
	struct buf input; /* lines not carried out yet */
	bool input_ended;
	bool waiting; /* for the command to rest */
	int looks;    /* at which it rested, one after the other */
	time_t until;
};

/* --- the command's side --- */

static void take_output(struct pane *p)
{
	char data[65536];
	ssize_t n = read(p->master, data, sizeof(data));
	struct term_event e;

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0) {
		p->ended = true;
		return;
	}
	p->looks = 0;
	term_feed(p->term, data, (size_t)n, 0);
	while (term_next_event(p->term, &e))
		term_event_finish(&e);
}

static void give_replies(struct pane *p)
{
	struct buf *replies = term_replies(p->term);
	ssize_t n = write(p->master, replies->data, replies->len);

	if (n > 0)
		buf_consume(replies, (size_t)n);
	else if (n < 0 && errno != EINTR && errno != EAGAIN)
		p->ended = true;
}

/* --- the driver's side --- */

static void say(const char *text)
{
	puts(text);
	fflush(stdout);
}

/* Enter sends what the modes say. */
static void type_enter(struct pane *p, struct buf *out)
{
	struct key key;

	key_parse("Enter", &key);
	key_encode(&key, term_key_modes(p->term), out);
}

static void type(struct pane *p, const char *text)
{
	struct buf *out = term_replies(p->term);

	for (; *text; text++) {
		if (*text != '\\') {
			buf_addc(out, *text);
		} else if (*++text == 'x') {
			char hex[3] = {text[1], text[1] ? text[2] : '\0', '\0'};

			buf_addc(out, (char)strtoul(hex, NULL, 16));
			text += strlen(hex);
		} else if (*text == 'r') {
			type_enter(p, out);
		} else {
			buf_addc(out, (char)(*text == 'e' ? '\033' : *text));
		}
	}
	say("ok");
}

/* Whether the command itself is blocked in a read of its terminal. */
static bool reads(const struct pane *p)
{
	char path[64], line[64] = "";
	long call = -1;
	unsigned fd = ~0u;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)p->pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f) || sscanf(line, "%ld %x", &call, &fd) != 2)
		call = -1;
	fclose(f);
	return call == SYS_read && fd == STDIN_FILENO;
}

/* Bytes that wait to be read on one side of the pty. */
static int unread(int fd)
{
	int count = 0;

	return ioctl(fd, FIONREAD, &count) == 0 ? count : -1;
}

/* It has read all that was typed, waits for more, and all that it has written was taken. */
static bool rests(const struct pane *p)
{
	char path[64];
	int tty;
	bool typed;

	if (term_replies(p->term)->len > 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/fd/0", (int)p->pid);
	tty = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK);
	if (tty < 0)
		return false;
	typed = unread(tty) != 0;
	close(tty);
	return !typed && reads(p) && unread(p->master) == 0;
}

static void print_row(const struct screen *s, const struct row *r)
{
	AUTO_BUF text = BUF_INIT;
	uint32_t style = 0;

	row_text(r, s->table, 0, s->cols, true, &text);
	printf("%s%s\t", r->flags & ROW_DOUBLE_WIDTH ? "*" : "", text.data);
	for (int col = 0; col < s->cols; col++) {
		char sgr[STYLE_SGR_MAX];

		if (r->cells[col].style == style)
			continue;
		style = r->cells[col].style;
		style_sgr(table_style_value(s->table, style), sgr);
		printf(" %d:%s", col, sgr);
	}
	putchar('\n');
}

static void print_screen(struct pane *p)
{
	const struct screen *s = term_screen(p->term);

	printf("%d %d %d %d%s%s\n", s->rows, s->cols, s->cursor.row, s->cursor.col,
	    s->cursor.visible ? "" : " hidden", s->modes & SCREEN_REVERSED ? " reversed" : "");
	for (int i = 0; i < s->rows; i++)
		print_row(s, s->row[i]);
	fflush(stdout);
}

static void carry_out(struct pane *p, char *line)
{
	if (strncmp(line, "keys ", 5) == 0) {
		type(p, line + 5);
	} else if (strcmp(line, "rest") == 0) {
		p->waiting = true;
		p->looks = 0;
		p->until = time(NULL) + LIMIT;
	} else if (strcmp(line, "screen") == 0) {
		print_screen(p);
	} else {
		kill(p->pid, SIGHUP);
		say("ok");
	}
}

static void take_input(struct pane *p)
{
	char data[4096];
	ssize_t n = read(STDIN_FILENO, data, sizeof(data));

	if (n <= 0)
		p->input_ended = true;
	else
		buf_add(&p->input, data, (size_t)n);
}

/* The lines that are there, but none behind one that waits. */
static void carry_out_all(struct pane *p)
{
	char *end;

	if (p->waiting) {
		bool found;

		p->looks = rests(p) ? p->looks + 1 : 0;
		found = p->looks > LOOKS;
		if (!found && !p->ended && time(NULL) < p->until)
			return;
		say(found ? "ok" : "no");
		p->waiting = false;
	}
	while (!p->waiting && (end = memchr(p->input.data, '\n', p->input.len))) {
		*end = '\0';
		carry_out(p, p->input.data);
		buf_consume(&p->input, (size_t)(end + 1 - p->input.data));
	}
}

/* --- the whole --- */

static void run(struct pane *p)
{
	while (!p->ended) {
		struct pollfd fds[] = {
		    {p->master, POLLIN, 0}, {p->input_ended ? -1 : STDIN_FILENO, POLLIN, 0}};

		if (term_replies(p->term)->len > 0)
			fds[0].events |= POLLOUT;
		if (poll(fds, 2, p->waiting ? LOOK_MS : -1) < 0 && errno != EINTR)
			return;
		if (fds[0].revents & (POLLIN | POLLHUP | POLLERR))
			take_output(p);
		if (fds[0].revents & POLLOUT)
			give_replies(p);
		if (fds[1].revents)
			take_input(p);
		carry_out_all(p);
	}
}

static void start(struct pane *p, const struct term_options *options, char **command)
{
	struct winsize size = {
	    .ws_row = (unsigned short)options->rows, .ws_col = (unsigned short)options->cols};

	p->pid = forkpty(&p->master, NULL, NULL, &size);
	if (p->pid < 0) {
		perror("pane: forkpty");
		exit(125);
	}
	if (p->pid == 0) {
		setenv("TERM", "xterm-256color", 1);
		execvp(command[0], command);
		perror(command[0]);
		_exit(127);
	}
}

static void set_outer(struct term *t)
{
	struct term_outer outer = {
	    .fg = COLOR_RGB(0, 0, 0),
	    .bg = COLOR_RGB(255, 255, 255),
	    .cursor = COLOR_RGB(0, 0, 0),
	    .cell_width = 10,
	    .cell_height = 20,
	};

	for (int i = 0; i < 16; i++)
		outer.palette[i] = color_palette_rgb((uint8_t)i);
	term_set_outer(t, &outer);
}

int main(int argc, char **argv)
{
	struct term_options options = {.rows = 25, .cols = 80, .version = "XTerm(390)"};
	struct pane p = {.input = BUF_INIT};
	int option, status;

	while ((option = getopt(argc, argv, "+e:s:")) >= 0) {
		if (option == 'e' && strcmp(optarg, "libvterm") == 0)
			options.engine = TERM_LIBVTERM;
		else if (option == 's')
			sscanf(optarg, "%dx%d", &options.rows, &options.cols);
	}
	if (optind == argc) {
		fputs("usage: pane [-e native|libvterm] [-s ROWSxCOLS] COMMAND [ARGUMENT ...]\n", stderr);
		return 2;
	}
	options.history = p.history = history_create(-1, NULL, 1000, NULL);
	p.term = term_create(&options, NULL);
	set_outer(p.term);
	term_feed(p.term, "\033[7#y", 5, 0); /* XTCHECKSUM: DECRQCRA sums characters alone, and as they are */
	start(&p, &options, argv + optind);
	run(&p);
	close(p.master);
	waitpid(p.pid, &status, 0);
	term_destroy(p.term);
	history_destroy(p.history);
	buf_free(&p.input);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
