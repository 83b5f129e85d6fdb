/* status: see status.h. */
#include "term/status.h"

#include <string.h>

#include "base/mem.h"
#include "term/reply.h"
#include "term/state.h"
#include "term/text.h"

static bool is_word(const char *s)
{
	size_t len = strlen(s);

	return len > 0 && len <= 64 &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == len;
}

static char *message(const char *base64)
{
	AUTO_BUF text = BUF_INIT;

	return text_base64(base64, strlen(base64), &text) ? text_line(text.data, text.len) : NULL;
}

static void report(struct term *t, char *body)
{
	struct term_event e = {.type = TERM_STATUS};
	const char *state = NULL, *kind = NULL, *msg = NULL;
	char *pair;

	while ((pair = text_piece(&body, ':'))) {
		if (strncmp(pair, "state=", 6) == 0)
			state = pair + 6;
		else if (strncmp(pair, "kind=", 5) == 0)
			kind = pair + 5;
		else if (strncmp(pair, "msg=", 4) == 0)
			msg = pair + 4;
	}
	if (!state || !is_word(state))
		return;
	e.text = mem_strdup(state);
	e.len = strlen(state);
	e.detail = kind && is_word(kind) ? mem_strdup(kind) : NULL;
	e.extra = msg ? message(msg) : NULL;
	event_add(t, e);
}

void status_osc(struct term *t, int number, char *body, size_t len, bool bel)
{
	(void)len;
	if (strcmp(body, "?") == 0)
		reply_osc(t, bel, "%d;?", number);
	else
		report(t, body);
}
