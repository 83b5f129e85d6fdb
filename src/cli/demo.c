/*
 * demo: the agent itself: its terminal, its input, its turns.
 *
 * Words of a prompt that it acts on: "approve" asks first, "words N" and "lines N" answer that much, "slow"
 * takes its time, "error" fails, "bell" rings.  /help lists them on its screen.
 */
#include "cli/demo.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "cli/demo_screen.h"
#include "harness/strv.h"
#include "key/decode.h"

enum {
	WORD_MS = 12,       /* between two words of an answer */
	SLOW_WORD_MS = 250, /* the same if the prompt says "slow" */
	LINE_MS = 1,        /* between two lines of "lines N" */
	EXIT_MS = 2000,     /* two C-c within leave */
	INPUT_MAX = 1 << 20,
	INSTRUCTIONS_MAX = 8 << 20,
	SHOWN_LINES = 12,    /* of the instructions */
	ANSWER_MAX = 100000, /* words or lines */
};

struct options {
	const char *instructions_file, *prompt, *conversation, *model;
	bool resume, print, json, ask_trust;
};

enum activity { IDLE, WORKING, ASKING };

struct demo {
	struct options options;
	struct demo_screen screen;
	struct decoder *decoder;
	struct termios former;
	int signals; /* signalfd */
	enum activity activity;
	struct buf draft;   /* the composer */
	struct strv queue;  /* prompts that were submitted during a turn */
	char *prompt;       /* of the turn */
	char *instructions; /* NULL: none */
	struct buf answer;  /* what is left to say, "\n" ends lines */
	size_t said;        /* bytes of it */
	struct buf line;    /* of the answer, unfinished */
	int64_t next_word;  /* clock_mono_ms */
	int64_t last_interrupt;
	bool trusting; /* the question is the one at the start */
	const char *hint;
	int status; /* exit status, -1: running */
};

/* Control sequences */

static void emit(struct demo *d, const char *s)
{
	buf_adds(&d->screen.out, s);
}

/* RFC 4648, for the message of OSC 7501 */
static void add_base64(struct buf *out, const char *text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t v = (uint32_t)(unsigned char)text[i] << 16;

		v |= left > 1 ? (uint32_t)(unsigned char)text[i + 1] << 8 : 0;
		v |= left > 2 ? (unsigned char)text[i + 2] : 0;
		buf_addc(out, digits[v >> 18]);
		buf_addc(out, digits[v >> 12 & 63]);
		buf_addc(out, left > 1 ? digits[v >> 6 & 63] : '=');
		buf_addc(out, left > 2 ? digits[v & 63] : '=');
	}
}

/* Program Status Protocol: OSC 7501 ; state=S:app=A[:kind=K][:msg=BASE64] ST */
static void tell_status(struct demo *d, const char *state, const char *kind, const char *message)
{
	buf_printf(&d->screen.out, "\033]7501;state=%s:app=demo", state);
	if (kind)
		buf_printf(&d->screen.out, ":kind=%s", kind);
	if (message) {
		buf_adds(&d->screen.out, ":msg=");
		add_base64(&d->screen.out, message);
	}
	emit(d, "\033\\");
}

static void set_title(struct demo *d, const char *text)
{
	AUTO_FREE char *clean = utf8_sanitize(text, strlen(text), 40);

	buf_printf(&d->screen.out, "\033]2;Demo%s%s\033\\", *clean ? ": " : "", clean);
}

/* What it asks for: what stands behind the word "approve". */
static char *asked_for(const char *prompt)
{
	const char *what = strstr(prompt, "approve") + strlen("approve");
	AUTO_FREE char *heard = utf8_sanitize(what, strlen(what), 60);
	const char *begin = heard + strspn(heard, " :");

	return mem_strdup(*begin ? begin : "going on");
}

static char *question_of(const struct demo *d)
{
	if (d->activity != ASKING)
		return NULL;
	if (d->trusting)
		return mem_strdup("Do you trust this directory?\n  1. Yes\n  2. No, leave");
	AUTO_FREE char *what = asked_for(d->prompt);
	return mem_printf("May I do this: %s?\n  1. Yes\n  2. No", what);
}

static void draw(struct demo *d)
{
	static const char *const statuses[] = {
	    [IDLE] = "ready", [WORKING] = "working (Esc interrupts)", [ASKING] = "waits for you"};
	AUTO_FREE char *info = mem_printf("demo agent, offline%s%s%s%s", d->options.model ? ", model " : "",
	    d->options.model ? d->options.model : "", d->queue.count ? ", prompts queued" : "",
	    d->instructions ? ", instructed" : "");
	AUTO_FREE char *question = question_of(d);
	struct demo_footer footer = {
	    .line = d->line.data, .composer = d->draft.data, .info = info, .question = question};

	footer.status = d->hint ? d->hint : statuses[d->activity];
	demo_screen_draw(&d->screen, &footer);
}

/* Turns */

/* The number behind a word of the prompt, or -1. */
static long number_after(const char *prompt, const char *word)
{
	const char *at = strstr(prompt, word);
	char *end;

	if (!at)
		return -1;
	at += strlen(word);
	long n = strtol(at, &end, 10);
	return end == at ? -1 : n < 0 ? 0 : n > ANSWER_MAX ? ANSWER_MAX : n;
}

static void make_answer(struct buf *out, const char *prompt, const char *verdict)
{
	long words = number_after(prompt, "words "), lines = number_after(prompt, "lines ");

	buf_adds(out, verdict);
	for (long i = 1; i <= words; i++)
		buf_printf(out, "word%ld ", i);
	for (long i = 1; i <= lines; i++)
		buf_printf(out, "line %ld\n", i);
	if (words < 0 && lines < 0) {
		AUTO_FREE char *heard = utf8_sanitize(prompt, strlen(prompt), 200);
		buf_printf(out,
		    "You said: %s\nThis answer is made up: the demo agent has no model behind it.", heard);
	}
}

static void begin_answer(struct demo *d, const char *verdict)
{
	d->activity = WORKING;
	d->said = 0;
	buf_clear(&d->answer);
	make_answer(&d->answer, d->prompt, verdict);
	d->next_word = clock_mono_ms();
	tell_status(d, "working", NULL, NULL);
	set_title(d, d->prompt);
}

static void ask(struct demo *d)
{
	AUTO_FREE char *what = asked_for(d->prompt);
	AUTO_FREE char *message = mem_printf("approve Demo: %s", what);

	d->activity = ASKING;
	tell_status(d, "working", NULL, NULL);
	tell_status(d, "blocked", "permission", message);
	set_title(d, d->prompt);
}

static void begin_turn(struct demo *d, const char *prompt)
{
	free(d->prompt);
	d->prompt = mem_strdup(prompt);
	demo_screen_line(&d->screen, "", "");
	demo_screen_text(&d->screen, "1", "> ", prompt, 0);
	if (strstr(prompt, "bell"))
		emit(d, "\a");
	if (strstr(prompt, "approve"))
		ask(d);
	else
		begin_answer(d, "");
}

static void finish_line(struct demo *d)
{
	if (d->line.len > 0)
		demo_screen_line(&d->screen, "", d->line.data);
	buf_clear(&d->line);
}

/* state: what is told of the end: done, idle (interrupted), error. */
static void end_turn(struct demo *d, const char *state, const char *message)
{
	finish_line(d);
	buf_clear(&d->answer);
	d->said = 0;
	d->activity = IDLE;
	if (message)
		demo_screen_line(&d->screen, "31", message);
	tell_status(d, state, NULL, message);
	set_title(d, "");
	if (d->queue.count > 0) {
		AUTO_FREE char *next = mem_strdup(d->queue.items[0]);

		strv_remove(&d->queue, 0);
		begin_turn(d, next);
	}
}

/* The next word; whether a line ended with it. */
static bool say_word(struct demo *d)
{
	const char *rest = d->answer.data + d->said;
	size_t len = strcspn(rest, " \n");
	size_t word = len + (rest[len] == ' ');

	if (d->line.len > 0 &&
	    utf8_columns(d->line.data, d->line.len) + utf8_columns(rest, len) > d->screen.cols - 2)
		finish_line(d);
	buf_add(&d->line, rest, word);
	d->said += word;
	if (d->answer.data[d->said] != '\n')
		return d->said >= d->answer.len;
	d->said++;
	if (d->line.len == 0)
		demo_screen_line(&d->screen, "", "");
	finish_line(d);
	return true;
}

/* All that is due: word by word, or line by line where lines were asked for. */
static void go_on(struct demo *d, int64_t now)
{
	bool lines = strstr(d->prompt, "lines ") != NULL;
	int pace = lines ? LINE_MS : strstr(d->prompt, "slow") ? SLOW_WORD_MS : WORD_MS;

	if (strstr(d->prompt, "error")) {
		end_turn(d, "error", "the demo agent was asked to fail");
		return;
	}
	for (; d->next_word <= now; d->next_word += pace) {
		if (d->said >= d->answer.len) {
			end_turn(d, "done", NULL);
			return;
		}
		while (!say_word(d) && lines)
			;
	}
}

/* Commands of the composer */

static void show_help(struct demo *d)
{
	static const char text[] =
	    "A prompt with one of these words in it is answered accordingly:\n"
	    "  approve   asks for approval first\n"
	    "  words N   answers N words        lines N   answers N lines\n"
	    "  slow      answers slowly         error     fails\n"
	    "  bell      rings\n"
	    "Esc interrupts, Shift+Enter or C-j make a new line, /exit or C-c twice leave.";

	demo_screen_text(&d->screen, "2", "", text, 0);
}

static void submit(struct demo *d)
{
	AUTO_FREE char *text = buf_steal(&d->draft);
	int code;

	d->draft = (struct buf)BUF_INIT;
	if (strcmp(text, "/exit") == 0)
		d->status = 0;
	else if (sscanf(text, "/exit %d", &code) == 1)
		d->status = code & 0xFF;
	else if (strcmp(text, "/help") == 0)
		show_help(d);
	else if (strspn(text, " \n\t") == strlen(text))
		return;
	else if (d->activity == WORKING)
		strv_add(&d->queue, text);
	else
		begin_turn(d, text);
}

/* The question */

static void decide_trust(struct demo *d, bool yes)
{
	d->trusting = false;
	d->activity = IDLE;
	tell_status(d, "idle", NULL, NULL);
	if (!yes)
		d->status = 0;
	else if (d->options.prompt)
		begin_turn(d, d->options.prompt);
}

static void decide(struct demo *d, bool yes)
{
	if (d->trusting) {
		decide_trust(d, yes);
		return;
	}
	demo_screen_line(&d->screen, "2", yes ? "Approved." : "Declined.");
	begin_answer(d, yes ? "You approved it. " : "You declined it. ");
}

static void answer_question(struct demo *d, const struct key *k)
{
	if (k->code == KEY_ENTER || k->code == '1' || k->code == 'y')
		decide(d, true);
	else if (k->code == KEY_ESCAPE || k->code == '2' || k->code == 'n')
		decide(d, false);
}

/* Keys */

static bool is_ctrl(const struct key *k, char letter)
{
	return k->code == (uint32_t)letter && (k->mods & MOD_HELD) == MOD_CTRL;
}

static void interrupt_turn(struct demo *d)
{
	buf_clear(&d->line);
	end_turn(d, "idle", "interrupted");
}

static void press_interrupt(struct demo *d)
{
	int64_t now = clock_mono_ms();

	if (d->activity == WORKING) {
		interrupt_turn(d);
	} else if (d->draft.len > 0) {
		buf_clear(&d->draft);
	} else if (d->last_interrupt && now - d->last_interrupt < EXIT_MS) {
		d->status = 0;
	} else {
		d->last_interrupt = now;
		d->hint = "press C-c again to leave";
	}
}

static void erase_cluster(struct demo *d)
{
	size_t len = d->draft.len;

	while (len > 0 && (d->draft.data[len - 1] & 0xC0) == 0x80)
		len--;
	buf_truncate(&d->draft, len > 0 ? len - 1 : 0);
}

static void add_draft(struct demo *d, const char *text, size_t len)
{
	if (d->draft.len + len > INPUT_MAX)
		return;
	for (size_t i = 0; i < len; i++)
		buf_addc(&d->draft, text[i] == '\r' ? '\n' : text[i]);
}

static void edit(struct demo *d, const struct key *k)
{
	if (k->code == KEY_ENTER && (k->mods & MOD_HELD))
		add_draft(d, "\n", 1);
	else if (is_ctrl(k, 'j'))
		add_draft(d, "\n", 1);
	else if (k->code == KEY_ENTER)
		submit(d);
	else if (k->code == KEY_BACKSPACE)
		erase_cluster(d);
	else if (is_ctrl(k, 'u'))
		buf_clear(&d->draft);
	else if (is_ctrl(k, 'd') && d->draft.len == 0)
		d->status = 0;
	else if (k->code == KEY_ESCAPE && d->activity == WORKING)
		interrupt_turn(d);
	else
		add_draft(d, k->text, strlen(k->text));
}

static void take_key(struct demo *d, const struct key *k)
{
	if (k->event == KEY_RELEASE)
		return;
	d->hint = NULL;
	if (is_ctrl(k, 'c') && d->activity != ASKING) {
		press_interrupt(d);
		return;
	}
	d->last_interrupt = 0;
	if (d->activity == ASKING)
		answer_question(d, k);
	else
		edit(d, k);
}

static void take_inputs(struct demo *d)
{
	struct input in;

	while (d->status < 0 && decoder_next(d->decoder, &in)) {
		if (in.type == INPUT_KEY)
			take_key(d, &in.key);
		else if (in.type == INPUT_PASTE && d->activity != ASKING)
			add_draft(d, in.text, in.text_len);
	}
}

/* The terminal */

static void read_size(struct demo *d)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
		d->screen.rows = size.ws_row;
		d->screen.cols = size.ws_col;
	}
}

static int write_out(struct demo *d)
{
	struct buf *out = &d->screen.out;

	for (size_t done = 0; done < out->len;) {
		ssize_t n = write(STDOUT_FILENO, out->data + done, out->len - done);

		if (n < 0 && errno != EINTR)
			return -1;
		done += n > 0 ? (size_t)n : 0;
	}
	buf_clear(out);
	return 0;
}

static int open_terminal(struct demo *d)
{
	struct termios raw;
	sigset_t set;

	if (tcgetattr(STDIN_FILENO, &d->former) < 0 || !isatty(STDOUT_FILENO)) {
		fprintf(stderr,
		    "demo-agent: this needs a terminal; --print answers one prompt from standard input\n");
		return -1;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	d->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	raw = d->former;
	cfmakeraw(&raw);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	return 0;
}

/* Bracketed paste; kitty's keyboard protocol, flag 1, and xterm's modifyOtherKeys where there is only that */
static void begin_modes(struct demo *d)
{
	emit(d, "\033[?2004h\033[>4;2m\033[>1u\033]7501;?\033\\");
	tell_status(d, "idle", NULL, NULL);
	set_title(d, "");
}

static void close_terminal(struct demo *d)
{
	demo_screen_leave(&d->screen);
	tell_status(d, "clear", NULL, NULL);
	emit(d, "\033[<u\033[>4m\033[?2004l\033]2;\033\\");
	write_out(d);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &d->former);
	close(d->signals);
}

static void take_signals(struct demo *d)
{
	struct signalfd_siginfo info;

	while (read(d->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			read_size(d);
		else
			d->status = 128 + (int)info.ssi_signo;
	}
}

static void read_input(struct demo *d)
{
	char data[4096];
	ssize_t n = read(STDIN_FILENO, data, sizeof(data));

	if (n > 0)
		decoder_feed(d->decoder, data, (size_t)n, clock_mono_ms());
	else if (n == 0 || errno != EINTR)
		d->status = 129;
	take_inputs(d);
}

/* Milliseconds until something is due, -1: nothing is. */
static int time_left(const struct demo *d, int64_t now)
{
	int64_t due = decoder_deadline(d->decoder);

	if (d->activity == WORKING && (due < 0 || d->next_word < due))
		due = d->next_word;
	return due < 0 ? -1 : due <= now ? 0 : (int)(due - now);
}

static void run_timers(struct demo *d)
{
	int64_t now = clock_mono_ms(), due = decoder_deadline(d->decoder);

	if (due >= 0 && due <= now) {
		decoder_expire(d->decoder, now);
		take_inputs(d);
	}
	if (d->status < 0 && d->activity == WORKING && d->next_word <= now)
		go_on(d, now);
}

static void run(struct demo *d)
{
	while (d->status < 0) {
		struct pollfd fds[] = {
		    {.fd = STDIN_FILENO, .events = POLLIN}, {.fd = d->signals, .events = POLLIN}};

		draw(d);
		if (write_out(d) < 0)
			return;
		if (poll(fds, COUNT_OF(fds), time_left(d, clock_mono_ms())) < 0 && errno != EINTR)
			return;
		if (fds[1].revents)
			take_signals(d);
		if (fds[0].revents && d->status < 0)
			read_input(d);
		run_timers(d);
	}
}

/* Start */

static void show_start(struct demo *d)
{
	const struct options *o = &d->options;

	demo_screen_line(
	    &d->screen, "1", "Demo agent: an offline stand-in. It contacts nobody and runs nothing.");
	if (o->conversation) {
		AUTO_FREE char *line =
		    mem_printf("%s conversation %s", o->resume ? "Resumed" : "New", o->conversation);
		demo_screen_line(&d->screen, "2", line);
	}
	if (d->instructions) {
		AUTO_FREE char *line = mem_printf("Instructions (%zu bytes):", strlen(d->instructions));
		demo_screen_line(&d->screen, "2", line);
		demo_screen_text(&d->screen, "", "  | ", d->instructions, SHOWN_LINES);
	} else {
		demo_screen_line(&d->screen, "2", "No instructions.");
	}
	demo_screen_line(&d->screen, "2", "Type a prompt and Enter; /help says what it can do.");
}

static void begin(struct demo *d)
{
	begin_modes(d);
	show_start(d);
	if (d->options.ask_trust) {
		d->trusting = true;
		d->activity = ASKING;
		tell_status(d, "blocked", "question", "trust this directory?");
	} else if (d->options.prompt) {
		begin_turn(d, d->options.prompt);
	}
}

static int interactive(struct demo *d)
{
	if (open_terminal(d) < 0)
		return 2;
	demo_screen_init(&d->screen, 24, 80);
	read_size(d);
	d->decoder = decoder_create();
	d->status = -1;
	begin(d);
	run(d);
	close_terminal(d);
	decoder_destroy(d->decoder);
	demo_screen_finish(&d->screen);
	return d->status < 0 ? 1 : d->status;
}

/* Headless */

static char *read_prompt(void)
{
	struct buf text = BUF_INIT;
	char data[4096];
	ssize_t n;

	while ((n = read(STDIN_FILENO, data, sizeof(data))) > 0 && text.len < INPUT_MAX)
		buf_add(&text, data, (size_t)n);
	return buf_steal(&text);
}

static void print_answer(const struct demo *d, const char *answer)
{
	if (!d->options.json) {
		printf("%s\n", answer);
		return;
	}
	struct json *j = json_new_object();
	json_set_string(j, "type", "result");
	json_set_string(j, "result", answer);
	json_set_string(j, "instructions", d->instructions);
	AUTO_FREE char *text = json_print(j, false);
	printf("%s\n", text);
	json_free(j);
}

static int headless(struct demo *d)
{
	AUTO_FREE char *prompt = d->options.prompt ? mem_strdup(d->options.prompt) : read_prompt();
	AUTO_BUF answer = BUF_INIT;

	if (strstr(prompt, "approve")) {
		fprintf(stderr, "demo-agent: this would need an approval\n");
		return 1;
	}
	if (strstr(prompt, "error")) {
		fprintf(stderr, "demo-agent: it was asked to fail\n");
		return 1;
	}
	if (d->instructions)
		buf_printf(&answer, "Instructed: %s\n", d->instructions);
	make_answer(&answer, prompt, "");
	print_answer(d, answer.data);
	return 0;
}

/* Arguments */

static int usage(const char *word)
{
	fprintf(stderr, "demo-agent: \"%s\" is not known; it is started by handler, as the agent \"demo\"\n",
	    word);
	return 2;
}

static int parse(struct options *o, int argc, char **argv)
{
	const struct {
		const char *name;
		const char **text;
		bool *flag;
	} known[] = {
	    {"--instructions-file", &o->instructions_file, NULL},
	    {"--prompt", &o->prompt, NULL},
	    {"--conversation", &o->conversation, NULL},
	    {"--resume", &o->conversation, &o->resume},
	    {"--model", &o->model, NULL},
	    {"--print", NULL, &o->print},
	    {"--json", NULL, &o->json},
	    {"--ask-trust", NULL, &o->ask_trust},
	};

	for (int i = 1; i < argc; i++) {
		size_t n = 0;

		while (n < COUNT_OF(known) && strcmp(known[n].name, argv[i]) != 0)
			n++;
		if (n == COUNT_OF(known) || (known[n].text && i + 1 >= argc))
			return usage(argv[i]);
		if (known[n].flag)
			*known[n].flag = true;
		if (known[n].text)
			*known[n].text = argv[++i];
	}
	return 0;
}

static int read_instructions(struct demo *d)
{
	struct err err = ERR_INIT;

	if (!d->options.instructions_file)
		return 0;
	if (path_read_file(d->options.instructions_file, INSTRUCTIONS_MAX, &d->instructions, NULL, &err) == 0)
		return 0;
	fprintf(stderr, "demo-agent: %s\n", err.message);
	return 1;
}

int demo_main(int argc, char **argv)
{
	struct demo d = {.draft = BUF_INIT, .answer = BUF_INIT, .line = BUF_INIT, .signals = -1};
	int status = parse(&d.options, argc, argv);

	if (status == 0)
		status = read_instructions(&d);
	if (status == 0)
		status = d.options.print ? headless(&d) : interactive(&d);
	free(d.prompt);
	free(d.instructions);
	strv_finish(&d.queue);
	buf_free(&d.draft);
	buf_free(&d.answer);
	buf_free(&d.line);
	return status;
}
