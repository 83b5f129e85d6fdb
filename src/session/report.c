/*
 * report: what the session is said to be doing: the status machine is fed here, the record written, clients
 * told.
 *
 * state.json is written when the state or its reason changes, and at most once in RECORD_TITLE_MS for titles,
 * which some programs animate.  Front-ends are told at once, whom else is told later than the file: peers.c.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "os/proc.h"
#include "session/checkpoint.h"
#include "session/parts.h"
#include "session/recorder.h"

/* --- the record --- */

/* Times inside the worker do not follow jumps of the clock; those that others read are of their clock. */
static void shift_times(const struct worker *w, struct json *state)
{
	static const char *const keys[] = {"since", "quiet_since", "last_output"};
	int64_t ms = clock_now_ms() - clock_boot_ms() - w->clock_offset,
		shift = (ms + (ms < 0 ? -500 : 500)) / 1000;
	for (size_t i = 0; i < COUNT_OF(keys) && shift; i++)
		if (json_get_int(state, keys[i], 0) > 0)
			json_set_number(state, keys[i], (double)(json_get_int(state, keys[i], 0) + shift));
}

/* Owned; NULL: nothing is wrong beside the state. */
static char *fault_text(const struct worker *w)
{
	int error = history_error(w->history);
	if (error)
		return mem_printf("its history is not kept on the disk any more: %s", strerror(error));
	return mem_strdup(w->leader_told ? NULL : w->fault);
}

struct json *report_state(struct worker *w)
{
	struct json *j = status_to_json(w->status);
	AUTO_FREE char *fault = fault_text(w);
	const struct status_view *v = status_get(w->status);
	shift_times(w, j);
	record_state_times(j);
	json_set_number(j, "version", 1);
	json_set_string(j, "program_version", HANDLER_VERSION);
	json_set_string(j, "explain", v->explain);
	json_set_string(j, "title", term_title(w->term));
	json_set_string(j, "cwd", w->cwd);
	json_set_number(j, "rows", w->shared->rows);
	json_set_number(j, "cols", w->shared->cols);
	json_set_number(j, "left", w->shared->left);
	json_set_bool(
	    j, "interrupted", w->shared->leader_ended && w->shared->stopped_by_us == HANDOVER_INTERRUPTED);
	json_set_string(j, "journal", recorder_state_name(w));
	json_set_string(j, "journal_error", recorder_error(w));
	json_set_string(j, "fault", fault);
	json_set_number(j, "number", w->record.number);
	json_set_string(j, "name", w->record.name);
	json_set_number(j, "queued", prompt_queued(w));
	const struct turn *turn = ledger_turn(&w->ledger, v->turn);
	json_set(j, "from", turn && turn->from ? json_copy(turn->from) : json_new_null());
	json_set(j, "note", w->ledger.note ? json_copy(w->ledger.note) : json_new_null());
	json_set_number(j, "worker", getpid());
	json_set_number(j, "worker_start", (double)w->start_time);
	if (w->progress_state) {
		json_set_number(j, "progress", w->progress_value);
		json_set_number(j, "progress_state", w->progress_state);
	}
	return j;
}

static void write_record(struct worker *w, const struct json *state)
{
	w->record_dirty = false;
	uv_timer_stop(&w->record_timer);
	state_file_write(w->state_file, json_print(state, true));
}

void report_flush(struct worker *w)
{
	if (!w->record_dirty)
		return;
	struct json *state = report_state(w);
	write_record(w, state);
	json_free(state);
}

static void on_record_timer(uv_timer_t *timer)
{
	report_flush(timer->data);
}

/*
 * So that a worker that takes over, maybe one of another version, goes on with the same state: members are
 * only ever added.
 */
void report_save(struct worker *w)
{
	struct json *j = status_to_json(w->status);
	char token[17];
	uint64_t owner = w->owner ? w->owner->token : w->owner_token;
	snprintf(token, sizeof token, "%016llx", (unsigned long long)owner);
	json_set_string(j, "owner", owner ? token : NULL);
	json_set_bool(j, "pinned", w->pinned);
	json_set_number(j, "draft", w->draft);
	json_set_number(j, "clock_offset", (double)w->clock_offset);
	json_set_bool(j, "first_prompt", w->first_prompt || prompt_first_waits(w));
	json_set_number(j, "progress_state", w->progress_state);
	json_set_number(j, "progress_value", w->progress_value);
	json_set_string(j, "cwd", w->cwd);
	AUTO_FREE char *text = json_print(j, false);
	json_free(j);
	if (strlen(text) < sizeof w->shared->state)
		snprintf(w->shared->state, sizeof w->shared->state, "%s", text);
}

/* Without a predecessor, or one that saved nothing, `saved` is NULL. */
static void restore(struct worker *w, const struct json *saved)
{
	w->owner_token = strtoull(json_get_string(saved, "owner", "0"), NULL, 16);
	w->pinned = json_get_bool(saved, "pinned", false);
	w->draft = (int)json_get_int(saved, "draft", 0);
	w->first_prompt = json_get_bool(saved, "first_prompt", !saved);
	w->progress_state = (int)json_get_int(saved, "progress_state", 0);
	w->progress_value = (int)json_get_int(saved, "progress_value", 0);
	w->cwd = mem_strdup(json_get_string(saved, "cwd", NULL));
}

static void arm_status_timer(struct worker *w);

static void on_status_timer(uv_timer_t *timer)
{
	struct worker *w = timer->data;
	if (status_tick(w->status, worker_seconds(w)))
		report_changed(w);
	else
		arm_status_timer(w);
}

/* For states that end by the passing of time alone.  What has just happened may have moved the moment. */
static void arm_status_timer(struct worker *w)
{
	int64_t due = status_deadline(w->status), now = worker_seconds(w);
	if (!due || w->ending)
		uv_timer_stop(&w->status_timer);
	else
		uv_timer_start(
		    &w->status_timer, on_status_timer, due > now ? (uint64_t)(due - now) * 1000 : 1, 0);
}

/* What a successor has to know comes first: it does not parse again what brought the change. */
void report_changed(struct worker *w)
{
	report_save(w);
	turns_update(w);
	struct json *state = report_state(w);
	write_record(w, state);
	peers_send_terminals(w, WIRE_STATE, state);
	json_free(state);
	recorder_state(w);
	arm_status_timer(w);
	report_viewed_check(w);
	prompt_advance(w);
	waiters_check(w);
}

/* Something small (a title): clients at once, the file later. */
static void changed_slightly(struct worker *w)
{
	struct json *state = report_state(w);
	peers_send_terminals(w, WIRE_STATE, state);
	json_free(state);
	report_save(w);
	w->record_dirty = true;
	if (!uv_is_active((uv_handle_t *)&w->record_timer))
		uv_timer_start(&w->record_timer, on_record_timer, RECORD_TITLE_MS, 0);
}

/* --- what the program says --- */

static void tell(struct worker *w, const char *event, const struct term_event *e, bool with_text)
{
	struct json *j = json_new_object();
	json_set_string(j, "event", event);
	if (with_text) {
		json_set_string(j, "text", e->text);
		json_set_string(j, "extra", e->extra);
	}
	json_set_number(j, "number", e->number);
	json_set_number(j, "value", e->value);
	peers_send_terminals(w, WIRE_EVENT, j);
	json_free(j);
}

/* The clipboard's text is bytes: it travels as base64, as it came. */
static void tell_clipboard(struct worker *w, const struct term_event *e)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	AUTO_BUF text = BUF_INIT;
	const uint8_t *p = (const uint8_t *)e->text;
	for (size_t i = 0; i < e->len; i += 3) {
		size_t left = e->len - i;
		uint32_t v = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
			     (left > 2 ? p[i + 2] : 0);
		buf_addc(&text, digits[v >> 18]);
		buf_addc(&text, digits[v >> 12 & 63]);
		buf_addc(&text, left > 1 ? digits[v >> 6 & 63] : '=');
		buf_addc(&text, left > 2 ? digits[v & 63] : '=');
	}
	struct json *j = json_new_object();
	json_set_string(j, "event", "clipboard");
	json_set_string(j, "base64", text.data);
	json_set_string(j, "selection", e->extra);
	peers_send_terminals(w, WIRE_EVENT, j);
	json_free(j);
}

static void take_event(struct worker *w, const struct term_event *e)
{
	int64_t now = worker_seconds(w);
	bool changed = false;
	switch (e->type) {
	case TERM_BELL:
		changed = status_bell(w->status, now);
		tell(w, "bell", e, false);
		break;
	case TERM_TITLE:
		changed = status_title(w->status, e->text, now);
		if (!changed)
			changed_slightly(w);
		break;
	case TERM_CWD:
		free(w->cwd);
		w->cwd = mem_strdup(e->text);
		changed_slightly(w);
		break;
	case TERM_NOTIFICATION:
		changed = status_notification(w->status, e->text, now);
		tell(w, "notification", e, true);
		break;
	case TERM_PROGRESS:
		w->progress_state = e->number;
		w->progress_value = e->value;
		changed_slightly(w);
		break;
	case TERM_STATUS:
		changed = status_program(w->status, e->text, e->detail, e->extra, now);
		break;
	case TERM_CLIPBOARD:
		tell_clipboard(w, e);
		break;
	case TERM_POINTER:
		tell(w, "pointer", e, true);
		break;
	case TERM_SYNC:
		frames_sync(w, e->number == 1);
		break;
	case TERM_ICON_TITLE:
	case TERM_PROMPT:
	case TERM_HISTORY_CLEARED:
	case TERM_KEY_MODES:
		break;
	}
	if (changed)
		report_changed(w);
}

void report_events(struct worker *w)
{
	struct term_event e;
	while (term_next_event(w->term, &e)) {
		take_event(w, &e);
		term_event_finish(&e);
	}
}

/* --- output that comes and rests --- */

static bool watches_foreground(const struct worker *w)
{
	return json_get_bool(json_get(w->record.session, "status"), "foreground", false);
}

/*
 * A shell that edits its command line takes the terminal out of line mode for that (termios(3) ICANON).  In
 * line mode such a shell is at work itself: a loop, whose commands may be too short to be met.
 */
static bool shell_works(struct worker *w)
{
	struct termios t;
	if (tcgetattr(w->master, &t) < 0)
		return false;
	bool line_mode = t.c_lflag & ICANON;
	w->shell_edits = w->shell_edits || !line_mode;
	return w->shell_edits && line_mode;
}

/* A shell runs a command while another process group than its own has the terminal. */
static bool look_at_foreground(struct worker *w)
{
	if (!watches_foreground(w) || w->shared->leader_ended)
		return false;
	pid_t group = tcgetpgrp(w->master);
	struct proc_info p = {0}, leader = {0};
	bool known = proc_read(w->shared->leader, &leader);
	bool child = known && group > 0 && group != leader.pgrp;
	if (child && !proc_read(group, &p))
		snprintf(p.name, sizeof p.name, "a command");
	bool works = child || (known && shell_works(w));
	return status_foreground(w->status, works,
	    child   ? p.name
	    : works ? leader.name
		    : NULL,
	    worker_seconds(w));
}

/* Some programs ask something at their start and tell it to nobody but the screen. */
static bool look_at_screen(struct worker *w)
{
	AUTO_BUF text = BUF_INIT;
	if (!status_reads_screen(w->status) || w->shared->leader_ended)
		return false;
	screen_text(term_screen(w->term), true, &text);
	return status_screen(w->status, text.data, worker_seconds(w));
}

bool report_history_failed(struct worker *w)
{
	bool news = w->history_error_told != history_error(w->history);
	w->history_error_told = history_error(w->history);
	return news;
}

void report_rest(struct worker *w)
{
	checkpoint_rest(w);
	recorder_rest(w);
	listen_look(w);
	learn_look(w);
	bool changed = look_at_foreground(w), failed = report_history_failed(w);
	if (look_at_screen(w) || changed || failed)
		report_changed(w);
	arm_status_timer(w);
	prompt_advance(w);
	waiters_check(w);
}

static void on_rest_timer(uv_timer_t *timer)
{
	struct worker *w = timer->data;
	int64_t rested = worker_now(w) - w->last_output;
	if (rested < REST_MS)
		uv_timer_start(timer, on_rest_timer, (uint64_t)(REST_MS - rested), 0);
	else
		report_rest(w);
}

void report_watch(struct worker *w)
{
	if (w->ending)
		return;
	if (!uv_is_active((uv_handle_t *)&w->rest_timer))
		uv_timer_start(&w->rest_timer, on_rest_timer, REST_MS, 0);
	arm_status_timer(w);
}

void report_output(struct worker *w)
{
	if (status_output(w->status, worker_seconds(w)))
		report_changed(w);
	report_watch(w);
	learn_output(w);
	if (w->prompt)
		prompt_advance(w);
}

/* --- being looked at --- */

static bool in_view(const struct worker *w)
{
	for (const struct peer *p = w->peers; p; p = p->next)
		if (p->hello && p->view.visible && !p->view.preview && !p->closing)
			return true;
	return false;
}

static void on_viewed_timer(uv_timer_t *timer)
{
	struct worker *w = timer->data;
	if (in_view(w) && status_viewed(w->status, worker_seconds(w)))
		report_changed(w);
}

void report_viewed_check(struct worker *w)
{
	bool wanted = status_get(w->status)->state == STATE_DONE && in_view(w);
	bool active = uv_is_active((uv_handle_t *)&w->viewed_timer);
	if (wanted && !active)
		uv_timer_start(&w->viewed_timer, on_viewed_timer, VIEWED_MS, 0);
	else if (!wanted && active)
		uv_timer_stop(&w->viewed_timer);
}

/* --- the end, and changes of the record from outside --- */

static void describe_end(const struct worker *w, char out[128])
{
	const struct handover *h = w->shared;
	if (WIFSIGNALED(h->wait_status))
		snprintf(out, 128, "[%s by SIG%s]", h->stopped_by_us ? "stopped" : "ended",
		    sigabbrev_np(WTERMSIG(h->wait_status)));
	else
		snprintf(out, 128, "[%s with status %d]", h->stopped_by_us ? "stopped" : "exited",
		    WEXITSTATUS(h->wait_status));
}

void report_ended(struct worker *w)
{
	char text[128];
	if (!w->leader_told) {
		w->leader_told = true;
		output_drain(w);
		learn_from_screen(w);
		status_ended(
		    w->status, w->shared->wait_status, w->shared->stopped_by_us, NULL, worker_seconds(w));
		describe_end(w, text);
		turns_reset_modes(w);
		term_mark(w->term, text);
		checkpoint_take(w);
		w->sync_on = false;
		frames_dirty(w);
	}
	report_changed(w);
}

void report_record_changed(struct worker *w)
{
	struct record r;
	if (record_load(w->path, &r, NULL) < 0)
		return;
	bool renamed = strcmp(r.name, w->record.name) != 0 || r.number != w->record.number;
	free(w->record.name);
	w->record.name = mem_strdup(r.name);
	w->record.number = r.number;
	record_finish(&r);
	if (renamed)
		report_changed(w);
}

static void on_record_watch(uv_fs_event_t *handle, const char *name, int events, int status)
{
	(void)events;
	if (status == 0 && (!name || !strcmp(name, RECORD_SESSION_FILE)))
		report_record_changed(handle->data);
}

int report_init(struct worker *w, struct err *err)
{
	struct json *saved =
	    w->shared->state[0]
		? json_parse(w->shared->state, strnlen(w->shared->state, HANDOVER_STATE), "state", NULL)
		: NULL;
	int64_t offset = clock_now_ms() - clock_boot_ms();
	w->clock_offset = json_get_int(saved, "clock_offset", offset);
	w->status = status_create(json_get(w->record.session, "status"), worker_seconds(w), err);
	if (w->status && saved)
		status_restore(w->status, saved, worker_seconds(w));
	restore(w, saved);
	json_free(saved);
	if (!w->status)
		return -1;
	uv_timer_t *timers[] = {&w->record_timer, &w->viewed_timer, &w->rest_timer, &w->status_timer};
	for (size_t i = 0; i < COUNT_OF(timers); i++) {
		uv_timer_init(&w->loop, timers[i]);
		timers[i]->data = w;
	}
	listen_init(w);
	learn_init(w);
	uv_fs_event_init(&w->loop, &w->record_watch);
	w->record_watch.data = w;
	uv_fs_event_start(&w->record_watch, on_record_watch, w->path, 0);
	return 0;
}
