/* catalog: see catalog.h. */
#include "ui/catalog.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "harness/plan.h"
#include "ui/list.h"

static char *join_notes(const struct plan *plan)
{
	AUTO_BUF all = BUF_INIT;

	for (char **note = plan->notes; note && *note; note++)
		buf_printf(&all, "%s%s", all.len ? " " : "", *note);
	return utf8_sanitize(all.data, all.len, 0);
}

/* The plan is made and thrown away: everything that must be refused is refused there, in the same words. */
static void try_plan(struct catalog_entry *e, const struct agent *a, const char *self)
{
	struct plan_options o = {
	    .session_id = "xxxxxx", .session_dir = "/tmp", .dir = "/", .environ = environ, .self = self};
	struct plan *plan = plan_make(e->descriptor, a, &o, &e->why);

	e->startable = plan != NULL;
	free(e->notes);
	e->notes = plan ? join_notes(plan) : mem_strdup("");
	plan_destroy(plan);
}

static void find_program(struct catalog_entry *e)
{
	const char *program = descriptor_program(e->descriptor);

	e->program = program ? path_find_program(program, NULL, NULL, NULL) : NULL;
	e->installed = !program || e->program;
}

static void load_entry(
    struct catalog_entry *e, const char *name, const struct harness_set *set, const char *self)
{
	struct agent *a = agent_load(name, set, &e->why);

	e->agent = mem_strdup(name);
	e->notes = mem_strdup("");
	if (!a) {
		e->own = true; /* only a file can be faulty */
		e->description = utf8_sanitize(e->why.message, strlen(e->why.message), 0);
		return;
	}
	const char *text = a->description ? a->description : "";

	e->description = utf8_sanitize(text, strlen(text), 0);
	e->own = a->path != NULL;
	e->descriptor = harness_set_find(set, a->harness, &e->why);
	if (e->descriptor) {
		find_program(e);
		try_plan(e, a, self);
	}
	agent_destroy(a);
}

static int rank(const struct catalog_entry *e)
{
	return e->own ? 0 : e->installed ? 1 : 2;
}

/* Stable: the names come sorted. */
static void sort(struct catalog *c)
{
	for (size_t i = 1; i < c->count; i++) {
		struct catalog_entry e = c->items[i];
		size_t at = i;

		for (; at > 0 && rank(&c->items[at - 1]) > rank(&e); at--)
			c->items[at] = c->items[at - 1];
		c->items[at] = e;
	}
}

void catalog_load(struct catalog *c, const struct harness_set *set, const char *self)
{
	size_t count = 0;
	char **names = agent_names(set, &count, NULL);

	*c = (struct catalog){.items = mem_zalloc(count + 1, sizeof(*c->items)), .count = names ? count : 0};
	for (size_t i = 0; i < c->count; i++)
		load_entry(&c->items[i], names[i], set, self);
	strv_destroy(names);
	sort(c);
}

void catalog_finish(struct catalog *c)
{
	for (size_t i = 0; i < c->count; i++) {
		free(c->items[i].agent);
		free(c->items[i].description);
		free(c->items[i].program);
		free(c->items[i].notes);
	}
	free(c->items);
	*c = (struct catalog){0};
}

struct catalog_entry *catalog_find(const struct catalog *c, const char *agent)
{
	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->items[i].agent, agent) == 0)
			return &c->items[i];
	return NULL;
}

/* Why it cannot be started stands where its description would. */
void catalog_item(const struct catalog_entry *e, uint64_t id, struct list_item *out)
{
	AUTO_FREE char *why = e->startable ? NULL : catalog_why(e);
	const char *detail = why ? why : e->description;

	*out = (struct list_item){
	    .id = id,
	    .symbol = e->startable ? " " : "x",
	    .symbol_role = e->startable ? ROLE_DIM : ROLE_ERROR,
	    .text = utf8_sanitize(e->agent, strlen(e->agent), 0),
	    .detail = utf8_sanitize(detail, strlen(detail), 0),
	    .right = e->version[0] ? utf8_sanitize(e->version, strlen(e->version), 0) : NULL,
	    .disabled = !e->startable,
	};
}

void catalog_item_free(struct list_item *it)
{
	free((char *)it->text);
	free((char *)it->detail);
	free((char *)it->right);
}

char *catalog_why(const struct catalog_entry *e)
{
	const char *message = e->why.message;
	AUTO_FREE char *text = NULL;

	/* Where it was looked for is long, and what to do is behind it. */
	if (e->why.code == ERR_NOT_INSTALLED && e->descriptor && *e->why.hint)
		message = "Not installed.";
	text = mem_printf("%s%s%s", message, *e->why.hint ? " " : "", e->why.hint);
	return utf8_sanitize(text, strlen(text), 0);
}
