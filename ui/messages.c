/* messages: see messages.h. */
#include "ui/messages.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"

void messages_init(struct messages *m)
{
	*m = (struct messages){0};
}

void messages_finish(struct messages *m)
{
	for (size_t i = 0; i < m->count; i++)
		free(m->items[i].text);
	free(m->items);
	messages_init(m);
}

static void drop_oldest(struct messages *m)
{
	free(m->items[0].text);
	memmove(m->items, m->items + 1, (m->count - 1) * sizeof(*m->items));
	m->count--;
}

static struct message *same_again(struct messages *m, enum message_level level, const char *text)
{
	struct message *last = m->count ? &m->items[m->count - 1] : NULL;

	return last && last->level == level && strcmp(last->text, text) == 0 ? last : NULL;
}

void messages_add(struct messages *m, enum message_level level, const char *text, int64_t now)
{
	char *clean = utf8_sanitize(text, strlen(text), MESSAGE_COLUMNS);
	struct message *again = same_again(m, level, clean);

	m->showing = true;
	if (again) {
		again->time = now;
		again->repeated++;
		free(clean);
		return;
	}
	if (m->count == MESSAGES_MAX)
		drop_oldest(m);
	m->items = mem_realloc(m->items, m->count + 1, sizeof(*m->items));
	m->items[m->count++] = (struct message){.time = now, .level = level, .text = clean};
}

const struct message *messages_shown(const struct messages *m)
{
	return m->showing && m->count ? &m->items[m->count - 1] : NULL;
}

bool messages_hide(struct messages *m)
{
	bool was = m->showing;

	m->showing = false;
	return was;
}
