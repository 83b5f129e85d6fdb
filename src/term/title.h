/* title: the window's and the icon's title, and the stack that XTWINOPS 22 and 23 keep them on. */
#ifndef HANDLER_TERM_TITLE_H
#define HANDLER_TERM_TITLE_H

#include "term/term.h"

struct titles {
	char *window, *icon; /* sanitized; NULL: never set */
	int depth;
	struct title_pair {
		char *window, *icon;
	} stack[TERM_TITLE_STACK];
};

enum title_part {
	TITLE_BOTH,
	TITLE_ICON,
	TITLE_WINDOW
}; /* the numbers of OSC 0, 1, 2 and of XTWINOPS 22, 23 */

void title_finish(struct titles *t);
void title_reset_stack(struct term *t);
void title_set(struct term *t, enum title_part part, const char *text, size_t len);
void title_push(struct term *t); /* both, always: which of them comes back is said by the pop */
void title_pop(struct term *t, enum title_part part);

#endif
