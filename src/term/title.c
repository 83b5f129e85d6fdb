/* title: see title.h. */
#include "term/title.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "term/state.h"
#include "term/text.h"

static void pair_finish(struct title_pair *p)
{
	free(p->window);
	free(p->icon);
	*p = (struct title_pair){0};
}

void title_reset_stack(struct term *t)
{
	while (t->titles.depth > 0)
		pair_finish(&t->titles.stack[--t->titles.depth]);
}

void title_finish(struct titles *t)
{
	while (t->depth > 0)
		pair_finish(&t->stack[--t->depth]);
	free(t->window);
	free(t->icon);
}

/* Takes the text, which is sanitized. */
static void replace(struct term *t, char **title, char *text, enum term_event_type type)
{
	free(*title);
	*title = text;
	event_add(t, (struct term_event){.type = type, .text = mem_strdup(text), .len = strlen(text)});
}

void title_set(struct term *t, enum title_part part, const char *text, size_t len)
{
	if (part != TITLE_WINDOW)
		replace(t, &t->titles.icon, text_line(text, len), TERM_ICON_TITLE);
	if (part != TITLE_ICON)
		replace(t, &t->titles.window, text_line(text, len), TERM_TITLE);
}

static const char *title_or_empty(const char *title)
{
	return title ? title : "";
}

void title_push(struct term *t)
{
	struct titles *s = &t->titles;

	if (s->depth == TERM_TITLE_STACK) {
		pair_finish(&s->stack[0]);
		memmove(&s->stack[0], &s->stack[1], (TERM_TITLE_STACK - 1) * sizeof(s->stack[0]));
		s->depth--;
	}
	s->stack[s->depth++] = (struct title_pair){
	    .window = mem_strdup(title_or_empty(s->window)),
	    .icon = mem_strdup(title_or_empty(s->icon)),
	};
}

void title_pop(struct term *t, enum title_part part)
{
	struct titles *s = &t->titles;
	struct title_pair *top;

	if (s->depth == 0)
		return;
	top = &s->stack[--s->depth];
	if (part != TITLE_WINDOW) {
		replace(t, &s->icon, top->icon, TERM_ICON_TITLE);
		top->icon = NULL;
	}
	if (part != TITLE_ICON) {
		replace(t, &s->window, top->window, TERM_TITLE);
		top->window = NULL;
	}
	pair_finish(top);
}

const char *term_title(const struct term *t)
{
	return t->titles.window ? t->titles.window : "";
}
