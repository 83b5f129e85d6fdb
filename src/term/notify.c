/*
 * notify: see notify.h.  OSC 9 is iTerm2's, and ConEmu's where a number comes first; 777 is urxvt's; 99 is
 * kitty's desktop notification protocol, of which title, body, pieces and base64 are understood.
 */
#include "term/notify.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "term/reply.h"
#include "term/state.h"
#include "term/text.h"

enum { CONEMU_PROGRESS = 4, CONEMU_LAST = 12, PROGRESS_STATES = 5 };
enum { ID_MAX = 128 };

/* title may be NULL or empty. */
static void notify(struct term *t, const char *title, size_t title_len, const char *body, size_t body_len)
{
	char *text = text_line(body, body_len);
	char *extra = title && title_len > 0 ? text_line(title, title_len) : NULL;

	event_add(t, (struct term_event){
			 .type = TERM_NOTIFICATION, .text = text, .len = strlen(text), .extra = extra});
}

/* --- OSC 9 --- */

/* 4 ; STATE ; PERCENT */
static void progress(struct term *t, char *body)
{
	char *state = text_piece(&body, ';'), *percent = text_piece(&body, ';');
	int number = state ? text_number(state) : -1, value = percent ? text_number(percent) : 0;

	if (number >= 0 && number < PROGRESS_STATES)
		event_number(t, TERM_PROGRESS, number, clamp(value, 0, 100));
}

/* The number of a command of ConEmu's that the text begins with, or -1: then it is a notification. */
static int conemu_command(const char *body)
{
	size_t digits = strspn(body, "0123456789");
	int number = 0;

	if (digits == 0 || digits > 2 || (body[digits] && body[digits] != ';'))
		return -1;
	for (size_t i = 0; i < digits; i++)
		number = number * 10 + (body[i] - '0');
	return number >= 1 && number <= CONEMU_LAST ? number : -1;
}

void notify_osc9(struct term *t, int number, char *body, size_t len, bool bel)
{
	int command = conemu_command(body);

	(void)number;
	(void)bel;
	if (command == CONEMU_PROGRESS) {
		text_piece(&body, ';');
		if (body)
			progress(t, body);
	} else if (command < 0 && len > 0) {
		notify(t, NULL, 0, body, len);
	}
}

/* --- OSC 777 ; notify ; TITLE ; BODY --- */

void notify_osc777(struct term *t, int number, char *body, size_t len, bool bel)
{
	const char *end = body + len;
	char *command = text_piece(&body, ';'), *title = text_piece(&body, ';');

	(void)number;
	(void)bel;
	if (strcmp(command, "notify") != 0 || !title)
		return;
	if (body)
		notify(t, title, strlen(title), body, (size_t)(end - body));
	else
		notify(t, NULL, 0, title, strlen(title));
}

/* --- OSC 99 ; key=value:... ; PAYLOAD --- */

struct metadata {
	const char *id;   /* i=, "" if there is none */
	const char *part; /* p= */
	bool more;        /* d=0 */
	bool base64;      /* e=1 */
};

static bool is_id(const char *id)
{
	for (const char *c = id; *c; c++) {
		if (!isalnum((unsigned char)*c) && !strchr("-_+.", *c))
			return false;
	}
	return strlen(id) <= ID_MAX;
}

static struct metadata read_metadata(char *text)
{
	struct metadata m = {.id = "", .part = "title"};
	char *pair;

	while ((pair = text_piece(&text, ':'))) {
		if (!*pair || pair[1] != '=')
			continue;
		if (*pair == 'i' && is_id(pair + 2))
			m.id = pair + 2;
		else if (*pair == 'p')
			m.part = pair + 2;
		else if (*pair == 'd')
			m.more = strcmp(pair + 2, "0") == 0;
		else if (*pair == 'e')
			m.base64 = strcmp(pair + 2, "1") == 0;
	}
	return m;
}

static void forget(struct notification *n)
{
	free(n->id);
	n->id = NULL;
	buf_clear(&n->title);
	buf_clear(&n->body);
}

/* Adds to what has come so far, up to the limit. */
static void gather(struct buf *part, const char *payload, size_t len, bool base64)
{
	struct buf decoded = BUF_INIT;

	if (base64 && text_base64(payload, len, &decoded)) {
		payload = decoded.data;
		len = decoded.len;
	} else if (base64) {
		len = 0;
	}
	if (part->len < TERM_TITLE_MAX)
		buf_add(part, payload, len < TERM_TITLE_MAX ? len : TERM_TITLE_MAX);
	buf_free(&decoded);
}

static void show(struct term *t, struct notification *n)
{
	if (n->body.len > 0)
		notify(t, n->title.data, n->title.len, n->body.data, n->body.len);
	else if (n->title.len > 0)
		notify(t, NULL, 0, n->title.data, n->title.len);
	forget(n);
}

void notify_osc99(struct term *t, int number, char *body, size_t len, bool bel)
{
	const char *end = body + len;
	struct metadata m = read_metadata(text_piece(&body, ';'));
	struct notification *n = &t->notification;

	(void)number;
	if (strcmp(m.part, "?") == 0) {
		reply_osc(t, bel, "99;i=%s:p=?;p=title,body", m.id);
		return;
	}
	if (!body)
		return;
	if (!n->id || strcmp(n->id, m.id) != 0) {
		forget(n);
		n->id = mem_strdup(m.id);
	}
	if (strcmp(m.part, "title") == 0)
		gather(&n->title, body, (size_t)(end - body), m.base64);
	else if (strcmp(m.part, "body") == 0)
		gather(&n->body, body, (size_t)(end - body), m.base64);
	if (!m.more)
		show(t, n);
}
