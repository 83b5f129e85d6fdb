/* messages: what has been said to the person at the terminal: the newest in the bottom line, all of them
 * under prefix ~. */
#ifndef HANDLER_UI_MESSAGES_H
#define HANDLER_UI_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MESSAGES_MAX = 500, MESSAGE_COLUMNS = 1000 };

enum message_level { SAY_INFO, SAY_WARNING, SAY_ERROR };

struct message {
	int64_t time; /* seconds since 1970 */
	enum message_level level;
	char *text;        /* sanitized */
	unsigned repeated; /* how many more times the same was said in a row */
};

struct messages {
	struct message *items; /* oldest first */
	size_t count;
	bool showing; /* the newest stands in the bottom line */
};

void messages_init(struct messages *m);
void messages_finish(struct messages *m);
void messages_add(struct messages *m, enum message_level level, const char *text, int64_t now);
const struct message *messages_shown(const struct messages *m); /* NULL: none */
bool messages_hide(struct messages *m);                         /* whether one was shown */

#endif
