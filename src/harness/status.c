/*
 * status: the state machine of a session.  It knows states, turns and rules; not terminals, processes or
 * clocks.
 *
 * A turn opens with `working` and closes with the first state after it that is not a question (needs-input,
 * limited).
 */
#include "harness/status.h"

#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"

/* "ready" in a rule: done if a turn is open, else idle. */
enum { STATE_READY = STATE_COUNT };

struct rule {
	regex_t match;
	bool has_match;
	int state; /* enum session_state or STATE_READY */
	char *reason;
	char *pattern;
};

struct rules {
	struct rule *items;
	size_t count;
};

struct status {
	struct rules title, notification, bell, dialogs;
	bool foreground;      /* the foreground process group is a signal */
	bool follows_command; /* the exit code is that of the last command (a shell) */
	bool awaits_title;    /* starting lasts until the first title */
	bool tells_work;      /* some signal says `working` */
	bool heard;           /* OSC 7501 is spoken */
	bool turn_open;
	uint32_t first_turn;   /* number of the last turn before this run */
	char last_program[16]; /* state that OSC 7501 said last */
	bool dialog_open;      /* one of `dialogs` is on the screen */
	bool held;             /* it says it is ready; a dialog may still come */
	int64_t last_output;   /* 0: none yet */
	int64_t last_submit, last_interrupt;
	struct status_view before; /* the view when it was suspended */
	struct status_view view;
};

static const struct {
	const char *name;
	bool ended, waits;
} states[] = {
#define X(code, name, ended, waits) {name, ended, waits},
    SESSION_STATES(X)
#undef X
};

const char *state_name(enum session_state s)
{
	return (unsigned)s < STATE_COUNT ? states[s].name : "unknown";
}

int state_from_name(const char *name)
{
	for (int i = 0; name && i < STATE_COUNT; i++) {
		if (strcmp(states[i].name, name) == 0)
			return i;
	}
	return -1;
}

bool state_ended(enum session_state s)
{
	return (unsigned)s < STATE_COUNT && states[s].ended;
}

bool state_waits(enum session_state s)
{
	return (unsigned)s < STATE_COUNT && states[s].waits;
}

/* Rules */

#define RULE_STATES "working|needs-input|ready|done|idle|limited|unknown"

static const struct json_field rules_fields[] = {
    {.key = "osc7501", .types = "b"},
    {.key = "title", .types = "a"},
    {.key = "notification", .types = "a"},
    {.key = "bell", .types = "o"},
    {.key = "dialogs", .types = "a"},
    {.key = "foreground", .types = "b"},
    {.key = "exit_follows_command", .types = "b"},
    {.key = "starting_until", .types = "s", .choices = "title|output"},
    {.key = NULL},
};

static const struct json_field pattern_fields[] = {
    {.key = "match", .types = "s", .required = true},
    {.key = "state", .types = "s", .required = true, .choices = RULE_STATES},
    {.key = "reason", .types = "s"},
    {.key = NULL},
};

static const struct json_field dialog_fields[] = {
    {.key = "match", .types = "s", .required = true},
    {.key = "reason", .types = "s", .required = true},
    {.key = NULL},
};

static const struct json_field bell_fields[] = {
    {.key = "state", .types = "s", .required = true, .choices = RULE_STATES},
    {.key = "reason", .types = "s"},
    {.key = NULL},
};

/* Patterns are matched by bytes in the C locale: a bracket expression could match half of a character. */
static bool bracket_splits_character(const char *pattern)
{
	bool inside = false;

	for (const char *p = pattern; *p; p++) {
		if (*p == '[')
			inside = true;
		else if (*p == ']')
			inside = false;
		else if (inside && (unsigned char)*p >= 0x80)
			return true;
	}
	return false;
}

int status_check_pattern(const struct json *root, const struct json *n, const char *name, struct err *err)
{
	const char *pattern = json_string(n, "");
	char why[128];
	regex_t re;

	if (bracket_splits_character(pattern))
		return json_error(root, n, name, err,
		    "in the pattern \"%s\" a character of several bytes stands in brackets; write (a|b) "
		    "instead",
		    pattern);
	int rc = regcomp(&re, pattern, REG_EXTENDED);
	if (rc == 0) {
		regfree(&re);
		return 0;
	}
	regerror(rc, &re, why, sizeof(why));
	return json_error(root, n, name, err,
	    "the pattern \"%s\" is not a POSIX extended regular expression: %s", pattern, why);
}

static int check_patterns(const struct json *root, const struct json *list, const char *name,
    const struct json_field *fields, struct err *err)
{
	for (const struct json *rule = json_first(list); rule; rule = json_next(rule)) {
		if (json_type(rule) != JSON_OBJECT)
			return json_error(root, rule, name, err, "a rule must be an object with \"match\"");
		if (json_check(root, rule, name, fields, err) < 0 ||

		    status_check_pattern(root, json_get(rule, "match"), name, err) < 0)
			return -1;
	}
	return 0;
}

int status_check_rules(const struct json *root, const struct json *rules, const char *name, struct err *err)
{
	static const struct {
		const char *key;
		const struct json_field *fields;
	} lists[] = {
	    {"title", pattern_fields},
	    {"notification", pattern_fields},
	    {"dialogs", dialog_fields},
	};
	const struct json *bell = json_get(rules, "bell");

	if (json_check(root, rules, name, rules_fields, err) < 0)
		return -1;
	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		if (check_patterns(root, json_get(rules, lists[i].key), name, lists[i].fields, err) < 0)
			return -1;
	}
	return bell ? json_check(root, bell, name, bell_fields, err) : 0;
}

static int rule_init(struct rule *r, const struct json *j, struct err *err)
{
	const char *state = json_get_string(j, "state", "unknown");
	const char *pattern = json_get_string(j, "match", NULL);
	int named = state_from_name(state);

	*r = (struct rule){.state = named >= 0 ? named : STATE_READY};
	if (pattern && regcomp(&r->match, pattern, REG_EXTENDED) != 0)
		return err_set(
		    err, ERR_INVALID, "The status pattern \"%s\" is not a regular expression.", pattern);
	r->has_match = pattern != NULL;
	r->pattern = mem_strdup(pattern);
	r->reason = mem_strdup(json_get_string(j, "reason", ""));
	return 0;
}

static int rules_add(struct rules *rules, const struct json *j, struct err *err)
{
	rules->items = mem_realloc(rules->items, rules->count + 1, sizeof(*rules->items));
	if (rule_init(&rules->items[rules->count], j, err) < 0)
		return -1;
	rules->count++;
	return 0;
}

static int rules_init(struct rules *rules, const struct json *list, struct err *err)
{
	for (const struct json *j = json_first(list); j; j = json_next(j)) {
		if (rules_add(rules, j, err) < 0)
			return -1;
	}
	return 0;
}

static void rules_finish(struct rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		struct rule *r = &rules->items[i];

		if (r->has_match)
			regfree(&r->match);
		free(r->pattern);
		free(r->reason);
	}
	free(rules->items);
}

static bool rules_tell_work(const struct rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		if (rules->items[i].state == STATE_WORKING)
			return true;
	}
	return false;
}

/* reason with ${1}..${9} replaced by the groups of the match */
static void rule_reason(const struct rule *r, const char *text, const regmatch_t *groups, struct buf *out)
{
	for (const char *p = r->reason; *p; p++) {
		if (p[0] == '$' && p[1] == '{' && p[2] >= '1' && p[2] <= '9' && p[3] == '}') {
			const regmatch_t *g = &groups[p[2] - '0'];

			if (g->rm_so >= 0)
				buf_add(out, text + g->rm_so, (size_t)(g->rm_eo - g->rm_so));
			p += 3;
		} else {
			buf_addc(out, *p);
		}
	}
}

/* The machine */

static int create_rules(struct status *s, const struct json *rules, struct err *err)
{
	const struct json *bell = json_get(rules, "bell");

	if (rules_init(&s->title, json_get(rules, "title"), err) < 0 ||
	    rules_init(&s->notification, json_get(rules, "notification"), err) < 0 ||
	    rules_init(&s->dialogs, json_get(rules, "dialogs"), err) < 0 ||
	    (bell && rules_add(&s->bell, bell, err) < 0))
		return -1;
	s->foreground = json_get_bool(rules, "foreground", false);
	s->follows_command = json_get_bool(rules, "exit_follows_command", false);
	s->awaits_title = strcmp(json_get_string(rules, "starting_until", "output"), "title") == 0;
	s->tells_work = s->foreground || json_get_bool(rules, "osc7501", false) ||
			rules_tell_work(&s->title) || rules_tell_work(&s->notification) ||
			rules_tell_work(&s->bell);
	return 0;
}

struct status *status_create(const struct json *rules, int64_t now, struct err *err)
{
	struct status *s = mem_zalloc(1, sizeof(*s));

	s->view = (struct status_view){
	    .state = STATE_STARTING, .since = now, .source = "process", .explain = "the program was started"};
	if (create_rules(s, rules, err) < 0) {
		status_destroy(s);
		return NULL;
	}
	return s;
}

void status_destroy(struct status *s)
{
	if (!s)
		return;
	rules_finish(&s->title);
	rules_finish(&s->notification);
	rules_finish(&s->bell);
	rules_finish(&s->dialogs);
	free(s);
}

const struct status_view *status_get(const struct status *s)
{
	return &s->view;
}

static void copy_text(char out[STATUS_REASON_SIZE], const char *text)
{
	AUTO_FREE char *clean = utf8_sanitize(text, strlen(text), STATUS_REASON_SIZE);
	size_t len = strlen(clean);

	while (len >= STATUS_REASON_SIZE || (clean[len] & 0xC0) == 0x80)
		len--;
	memcpy(out, clean, len);
	out[len] = '\0';
}

__attribute__((format(printf, 2, 3))) static void explain(struct status *s, const char *fmt, ...)
{
	AUTO_BUF text = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	copy_text(s->view.explain, text.data);
}

static void count_turn(struct status *s, enum session_state state)
{
	if (state == STATE_WORKING && !s->turn_open) {
		s->view.turn++;
		s->turn_open = true;
	} else if (state != STATE_WORKING && state != STATE_NEEDS_INPUT && state != STATE_LIMITED) {
		s->turn_open = false;
	}
}

/* All changes of the state go through here.  An ended session does not change any more, a suspended one only
 * ends. */
static bool enter(
    struct status *s, enum session_state state, const char *reason, const char *source, int64_t now)
{
	struct status_view *v = &s->view;
	char text[STATUS_REASON_SIZE];

	if (state_ended(v->state) || (v->state == STATE_SUSPENDED && !state_ended(state)))
		return false;
	copy_text(text, reason);
	count_turn(s, state);
	s->held = false;
	s->dialog_open = false;
	v->source = source;
	if (v->state == state && strcmp(v->reason, text) == 0)
		return false;
	if (v->state != state)
		v->since = now;
	v->state = state;
	v->quiet_since = s->last_output ? s->last_output : now;
	memcpy(v->reason, text, sizeof(text));
	return true;
}

/*
 * A program is ready: `done` while somebody still has to look at what a turn left, else `idle`.  At the start
 * one that is known for dialogs is believed only when its screen has come to rest without one.
 */
static bool enter_ready(struct status *s, const char *reason, const char *source, int64_t now)
{
	if (s->view.state == STATE_DONE)
		return false;
	if (s->dialog_open || (s->view.state == STATE_STARTING && s->dialogs.count > 0)) {
		s->held = true;
		return false;
	}
	return enter(s, s->turn_open ? STATE_DONE : STATE_IDLE, reason, source, now);
}

static const char *blocked_reason(const char *kind)
{
	static const char *const reasons[][2] = {
	    {"permission", "asks for permission"},
	    {"question", "asks a question"},
	    {"auth", "wants you to log in"},
	};

	for (size_t i = 0; kind && i < COUNT_OF(reasons); i++) {
		if (strcmp(reasons[i][0], kind) == 0)
			return reasons[i][1];
	}
	return "waits for you";
}

static bool program_working(struct status *s, const char *kind, const char *message, int64_t now)
{
	(void)kind;
	return enter(s, STATE_WORKING, message, "OSC 7501", now);
}

static bool program_blocked(struct status *s, const char *kind, const char *message, int64_t now)
{
	return enter(s, STATE_NEEDS_INPUT, *message ? message : blocked_reason(kind), "OSC 7501", now);
}

/* Said again (a repaint), it is not another turn's end. */
static bool program_done(struct status *s, const char *kind, const char *message, int64_t now)
{
	(void)kind;
	if (strcmp(s->last_program, "done") == 0)
		return false;
	return enter(s, STATE_DONE, message, "OSC 7501", now);
}

static bool program_idle(struct status *s, const char *kind, const char *message, int64_t now)
{
	(void)kind;
	if (s->view.state == STATE_DONE)
		return false;
	return enter(s, STATE_IDLE, message, "OSC 7501", now);
}

static bool program_error(struct status *s, const char *kind, const char *message, int64_t now)
{
	AUTO_BUF reason = BUF_INIT;

	(void)kind;
	buf_adds(&reason, "error");
	if (*message)
		buf_printf(&reason, ": %s", message);
	return enter(s, STATE_DONE, reason.data, "OSC 7501", now);
}

static bool program_clear(struct status *s, const char *kind, const char *message, int64_t now)
{
	(void)kind;
	(void)message;
	s->heard = false;
	/* Between a dialog at the start and the composer a program may clear: it is still starting. */
	return enter(s, s->view.turn == s->first_turn ? STATE_STARTING : STATE_UNKNOWN, "", "OSC 7501", now);
}

/* The Program Status Protocol's states */
static const struct {
	const char *name;
	bool (*enter)(struct status *s, const char *kind, const char *message, int64_t now);
} program_states[] = {
    {"working", program_working},
    {"blocked", program_blocked},
    {"done", program_done},
    {"idle", program_idle},
    {"error", program_error},
    {"clear", program_clear},
};

bool status_program(struct status *s, const char *state, const char *kind, const char *message, int64_t now)
{
	bool changed;

	for (size_t i = 0; i < COUNT_OF(program_states); i++) {
		if (strcmp(program_states[i].name, state) != 0)
			continue;
		s->heard = true;
		changed = program_states[i].enter(s, kind, message ? message : "", now);
		explain(s, "OSC 7501 said %s%s%s%s%s", state, kind ? " " : "", kind ? kind : "",
		    message ? ": " : "", message ? message : "");
		snprintf(s->last_program, sizeof(s->last_program), "%s", state);
		return changed;
	}
	return false;
}

static bool apply_rule(
    struct status *s, const struct rule *r, const char *reason, const char *source, int64_t now)
{
	if (r->state == STATE_READY)
		return enter_ready(s, reason, source, now);
	return enter(s, (enum session_state)r->state, reason, source, now);
}

/* The first rule whose pattern is found in text decides; *matched says whether there was one. */
static bool apply_rules(struct status *s, const struct rules *rules, const char *text, const char *source,
    bool *matched, int64_t now)
{
	regmatch_t groups[10];

	for (size_t i = 0; i < rules->count; i++) {
		const struct rule *r = &rules->items[i];
		AUTO_BUF reason = BUF_INIT;

		if (regexec(&r->match, text, COUNT_OF(groups), groups, 0) != 0)
			continue;
		*matched = true;
		rule_reason(r, text, groups, &reason);
		bool changed = apply_rule(s, r, reason.data, source, now);
		explain(s, "the %s \"%s\" matches %s", source, text, r->pattern);
		return changed;
	}
	return false;
}

bool status_title(struct status *s, const char *title, int64_t now)
{
	bool matched = false;

	s->awaits_title = false;
	if (s->heard)
		return false;
	bool changed = apply_rules(s, &s->title, title, "title", &matched, now);
	if (matched || strcmp(s->view.source, "title") != 0)
		return changed;
	/* What was said by a title holds no longer than the title. */
	changed = enter(s, STATE_UNKNOWN, "", "title", now);
	explain(s, "no rule matches the title \"%s\"", title);
	return changed;
}

bool status_notification(struct status *s, const char *body, int64_t now)
{
	bool matched = false;

	return !s->heard && apply_rules(s, &s->notification, body, "notification", &matched, now);
}

bool status_bell(struct status *s, int64_t now)
{
	if (s->heard || s->bell.count == 0)
		return false;
	bool changed = apply_rule(s, &s->bell.items[0], s->bell.items[0].reason, "bell", now);
	explain(s, "the bell rang");
	return changed;
}

/* An age is shown in minutes: a client needs to know only when one begins again. */
bool status_output(struct status *s, int64_t now)
{
	int64_t quiet = now - s->view.quiet_since;

	s->last_output = now;
	if (s->view.state != STATE_UNKNOWN)
		return false;
	s->view.quiet_since = now;
	return quiet >= 60;
}

bool status_foreground(struct status *s, bool child, const char *command, int64_t now)
{
	bool changed;

	if (!s->foreground)
		return false;
	if (!child)
		s->heard = false; /* whoever spoke OSC 7501 is gone from the foreground */
	if (s->heard)
		return false;
	if (child) {
		changed = enter(s, STATE_WORKING, command ? command : "", "foreground", now);
		explain(s, "%s is in the foreground of the terminal", command ? command : "a command");
		return changed;
	}
	if (s->turn_open && now - s->view.since < STATUS_SHORT_COMMAND)
		changed = enter(s, STATE_IDLE, "", "foreground", now);
	else
		changed = enter_ready(s, "", "foreground", now);
	explain(s, "no command is in the foreground of the terminal");
	return changed;
}

bool status_reads_screen(const struct status *s)
{
	return s->dialogs.count > 0 && (s->view.turn == s->first_turn || s->dialog_open) &&
	       !state_ended(s->view.state);
}

static bool dialog_gone(struct status *s, int64_t now)
{
	if (!s->dialog_open)
		return false;
	bool held = s->held;
	enter(s, STATE_STARTING, "", "screen", now);
	explain(s, "the question at the start was answered");
	s->held = held;
	return true;
}

bool status_screen(struct status *s, const char *text, int64_t now)
{
	regmatch_t groups[10];

	if (!status_reads_screen(s))
		return false;
	for (size_t i = 0; i < s->dialogs.count; i++) {
		const struct rule *r = &s->dialogs.items[i];
		bool held = s->held || s->view.state == STATE_IDLE;

		if (regexec(&r->match, text, COUNT_OF(groups), groups, 0) != 0)
			continue;
		bool changed = enter(s, STATE_NEEDS_INPUT, r->reason, "screen", now);
		explain(s, "the screen matches %s", r->pattern);
		s->dialog_open = true;
		s->held = held;
		return changed;
	}
	return dialog_gone(s, now);
}

bool status_ready(const struct status *s)
{
	enum session_state state = s->view.state;

	return state == STATE_IDLE || state == STATE_DONE || (state == STATE_UNKNOWN && !s->tells_work);
}

bool status_tells(const struct status *s)
{
	return s->tells_work || s->heard;
}

void status_count_from(struct status *s, uint32_t turn)
{
	s->first_turn = s->view.turn = turn;
}

static bool looked_at(struct status *s, const char *how, int64_t now)
{
	if (s->view.state != STATE_DONE)
		return false;
	enter(s, STATE_IDLE, "", s->view.source, now);
	explain(s, "the turn ended and %s", how);
	return true;
}

/* A line given to a shell is a turn, however short its command: which may be over before anybody looks. */
static bool begin_command(struct status *s, int64_t now)
{
	bool changed = enter(s, STATE_WORKING, "", "foreground", now);

	if (changed)
		explain(s, "a line was submitted");
	return changed;
}

bool status_input(struct status *s, bool submits, int64_t now)
{
	bool changed = looked_at(s, "a key was typed", now);

	if (!submits)
		return changed;
	s->last_submit = now;
	if (s->foreground && !s->heard && s->view.state != STATE_WORKING)
		return begin_command(s, now) || changed;
	if (s->tells_work || s->dialog_open || state_ended(s->view.state))
		return changed;
	s->view.turn++;
	return true;
}

bool status_interrupt(struct status *s, int64_t now)
{
	s->last_interrupt = now;
	return false;
}

bool status_viewed(struct status *s, int64_t now)
{
	return looked_at(s, "it was looked at", now);
}

bool status_suspended(struct status *s, bool suspended, int64_t now)
{
	bool open = s->turn_open;

	if (suspended == (s->view.state == STATE_SUSPENDED) || state_ended(s->view.state))
		return false;
	if (suspended) {
		s->before = s->view;
		enter(s, STATE_SUSPENDED, "", "process", now);
		explain(s, "its processes were stopped");
	} else {
		s->view = s->before;
		s->view.since = now;
	}
	s->turn_open = open;
	return true;
}

static bool ended_by_user(const struct status *s, int wait_status, int64_t now)
{
	bool interrupted = s->last_interrupt && now - s->last_interrupt <= STATUS_INTERRUPT_EXIT;
	bool command = s->follows_command && s->last_submit && now - s->last_submit <= STATUS_COMMAND_EXIT;

	if (WIFSIGNALED(wait_status))
		return interrupted && WTERMSIG(wait_status) == SIGINT;
	return interrupted || command;
}

static bool end(struct status *s, enum session_state state, const char *reason, int64_t now)
{
	bool changed = enter(s, state, reason, "process", now);

	if (changed)
		explain(s, "the program ended%s%s", *reason ? ": " : "", reason);
	return changed;
}

static bool ended_by_signal(struct status *s, int wait_status, int64_t now)
{
	int number = WTERMSIG(wait_status);
	const char *name = sigabbrev_np(number);
	char reason[64];

	if (name)
		snprintf(reason, sizeof(reason), "SIG%s", name);
	else
		snprintf(reason, sizeof(reason), "signal %d", number);
	return end(s, ended_by_user(s, wait_status, now) ? STATE_EXITED : STATE_CRASHED, reason, now);
}

bool status_ended(struct status *s, int wait_status, bool stopped_by_us, const char *lost, int64_t now)
{
	char reason[64] = "";

	if (lost)
		return end(s, STATE_LOST, lost, now);
	if (stopped_by_us)
		return end(s, STATE_STOPPED, "", now);
	if (WIFSIGNALED(wait_status))
		return ended_by_signal(s, wait_status, now);
	if (WEXITSTATUS(wait_status) == 0)
		return end(s, STATE_EXITED, "", now);
	snprintf(reason, sizeof(reason), "exit code %d", WEXITSTATUS(wait_status));
	return end(s, ended_by_user(s, wait_status, now) ? STATE_EXITED : STATE_FAILED, reason, now);
}

int64_t status_deadline(const struct status *s)
{
	if (s->view.state != STATE_STARTING || !s->last_output)
		return 0;
	if (s->held)
		return s->last_output + STATUS_READY_REST;
	return s->last_output + (s->awaits_title ? STATUS_TITLE_REST : STATUS_START_REST);
}

bool status_tick(struct status *s, int64_t now)
{
	int64_t due = status_deadline(s);
	bool held = s->held, changed;

	if (due == 0 || now < due)
		return false;
	changed = enter(s, held ? STATE_IDLE : STATE_UNKNOWN, "", held ? "title" : "output", now);
	explain(s, held ? "it said that it is ready, and no dialog came up"
			: "it has drawn its screen and told nothing about its state");
	return changed;
}

/* Sources are shown only; a saved one is mapped to a string that outlives the JSON. */
static const char *source_of(const char *name)
{
	static const char *const sources[] = {
	    "process", "OSC 7501", "title", "notification", "bell", "foreground", "output", "screen"};

	for (size_t i = 0; i < COUNT_OF(sources); i++) {
		if (strcmp(sources[i], name) == 0)
			return sources[i];
	}
	return sources[0];
}

bool status_restore(struct status *s, const struct json *saved, int64_t now)
{
	int state = state_from_name(json_get_string(saved, "state", NULL));
	struct status_view *v = &s->view;

	v->state = state >= 0 ? (enum session_state)state : STATE_UNKNOWN;
	copy_text(v->reason, json_get_string(saved, "reason", ""));
	copy_text(v->explain, json_get_string(saved, "explain", ""));
	v->since = json_get_int(saved, "since", now);
	v->quiet_since = json_get_int(saved, "quiet_since", now);
	v->turn = (uint32_t)json_get_int(saved, "turn", 0);
	v->source = source_of(json_get_string(saved, "source", "process"));
	s->turn_open = json_get_bool(saved, "turn_open", false);
	s->first_turn = (uint32_t)json_get_int(saved, "first_turn", 0);
	s->heard = json_get_bool(saved, "heard", false);
	s->held = json_get_bool(saved, "held", false);
	s->dialog_open = json_get_bool(saved, "dialog_open", false);
	s->last_output = json_get_int(saved, "last_output", 0);
	snprintf(s->last_program, sizeof(s->last_program), "%s", json_get_string(saved, "program", ""));
	/* What it was before it was suspended is not kept: unknown until the program speaks. */
	s->before = (struct status_view){
	    .state = STATE_UNKNOWN, .turn = v->turn, .quiet_since = now, .source = "process"};
	return true;
}

struct json *status_to_json(const struct status *s)
{
	struct json *j = json_new_object();

	json_set_string(j, "state", state_name(s->view.state));
	json_set_string(j, "reason", s->view.reason);
	json_set_number(j, "since", (double)s->view.since);
	json_set_number(j, "turn", s->view.turn);
	json_set_string(j, "source", s->view.source);
	json_set_string(j, "explain", s->view.explain);
	json_set_number(j, "quiet_since", (double)s->view.quiet_since);
	json_set_bool(j, "turn_open", s->turn_open);
	json_set_number(j, "first_turn", s->first_turn);
	json_set_bool(j, "heard", s->heard);
	json_set_bool(j, "held", s->held);
	json_set_bool(j, "dialog_open", s->dialog_open);
	json_set_number(j, "last_output", (double)s->last_output);
	json_set_string(j, "program", s->last_program);
	return j;
}
