/*
 * learn: the harness's id of the conversation, where the harness chose it itself and tells it in its last
 * lines (descriptor: "learn": {"screen": REGEX}, group 1 is the id).  Written to session.json for `handler
 * resume`.
 */
#include <regex.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "session/parts.h"

enum { LEARN_ID_MAX = 128 };

/* Only what looks like an id: it becomes an argument of a later start. */
static bool is_plain(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];
		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			c == '_' || c == '-' || c == '.'))
			return false;
	}
	return len > 0 && len <= LEARN_ID_MAX && s[0] != '-';
}

/* The last match on the screen: what was said at the end counts. */
static char *last_match(const regex_t *regex, const char *text)
{
	char *found = NULL;
	regmatch_t m[2];
	while (regexec(regex, text, 2, m, 0) == 0 && m[1].rm_so >= 0) {
		size_t len = (size_t)(m[1].rm_eo - m[1].rm_so);
		if (is_plain(text + m[1].rm_so, len)) {
			free(found);
			found = mem_strndup(text + m[1].rm_so, len);
		}
		text += m[0].rm_eo > 0 ? m[0].rm_eo : 1;
	}
	return found;
}

static void remember(struct worker *w, const char *id)
{
	AUTO_FREE char *file = path_join(w->path, RECORD_SESSION_FILE);
	struct json *j = json_parse_file(file, NULL);
	if (!j)
		return;
	json_set_string(j, "conversation", id);
	if (record_write_session(w->path, j, NULL) == 0)
		log_info("learn", "the conversation's id is %s", id);
	json_free(j);
}

void learn_conversation(struct worker *w)
{
	const char *pattern = json_string(json_path(w->record.session, "settings.learn.screen"), NULL);
	regex_t regex;
	if (!pattern || w->record.conversation || regcomp(&regex, pattern, REG_EXTENDED | REG_NEWLINE) != 0)
		return;
	AUTO_BUF text = BUF_INIT;
	screen_text(term_screen(w->term), true, &text);
	AUTO_FREE char *id = last_match(&regex, text.data);
	if (id)
		remember(w, id);
	regfree(&regex);
}
