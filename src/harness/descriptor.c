/*
 * descriptor: one harness as read from its file.  Knows what a descriptor says; not agents, options or
 * processes.
 */
#include "harness/descriptor.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "harness/descriptor_check.h"
#include "harness/strv.h"

struct mode {
	bool present;
	enum instructions_way way;
	enum instructions_channel channel;
	char *refusal; /* NULL unless the way is refuse */
};

struct descriptor {
	struct json *root;
	char *path;
	struct mode interactive, headless;
};

static const char *const way_names[] = {
#define X(code, name) name,
    INSTRUCTIONS_WAYS(X)
#undef X
};

static const struct {
	const char *name, *phrase;
} channels[] = {
#define X(code, name, phrase) {name, phrase},
    INSTRUCTIONS_CHANNELS(X)
#undef X
};

const char *instructions_channel_phrase(enum instructions_channel channel)
{
	return channels[channel].phrase;
}

static enum instructions_way way_from_name(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(way_names); i++) {
		if (strcmp(way_names[i], name) == 0)
			return (enum instructions_way)i;
	}
	return INSTRUCTIONS_REFUSE;
}

static enum instructions_channel channel_from_name(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(channels); i++) {
		if (strcmp(channels[i].name, name) == 0)
			return (enum instructions_channel)i;
	}
	return CHANNEL_SYSTEM;
}

static void mode_init(struct mode *m, const struct json *object)
{
	const struct json *instructions = json_get(object, "instructions");

	*m = (struct mode){.present = object != NULL};
	m->way = way_from_name(json_get_string(instructions, "way", "refuse"));
	m->channel = channel_from_name(json_get_string(instructions, "channel", "system"));
	if (object && m->way == INSTRUCTIONS_REFUSE)
		m->refusal = mem_printf("%s %s", json_get_string(instructions, "reason", ""),
		    json_get_string(instructions, "instead", ""));
}

struct descriptor *descriptor_parse(const char *text, size_t len, const char *name_of_file, struct err *err)
{
	struct json *root = json_parse(text, len, name_of_file, err);

	if (!root)
		return NULL;
	if (descriptor_check(root, name_of_file, err) < 0) {
		json_free(root);
		return NULL;
	}
	struct descriptor *d = mem_zalloc(1, sizeof(*d));
	d->root = root;
	d->path = mem_strdup(name_of_file);
	mode_init(&d->interactive, json_get(root, "interactive"));
	mode_init(&d->headless, json_get(root, "headless"));
	return d;
}

void descriptor_destroy(struct descriptor *d)
{
	if (!d)
		return;
	json_free(d->root);
	free(d->path);
	free(d->interactive.refusal);
	free(d->headless.refusal);
	free(d);
}

const char *descriptor_name(const struct descriptor *d)
{
	return json_get_string(d->root, "name", "");
}

const char *descriptor_title(const struct descriptor *d)
{
	return json_get_string(d->root, "title", "");
}

const char *descriptor_program(const struct descriptor *d)
{
	const char *command = json_get_string(d->root, "command", "");

	return strstr(command, "${") ? NULL : command;
}

const char *descriptor_description(const struct descriptor *d)
{
	return json_get_string(d->root, "description", "");
}

const char *descriptor_path(const struct descriptor *d)
{
	return d->path;
}

const char *descriptor_install(const struct descriptor *d)
{
	return json_get_string(d->root, "install", NULL);
}

const char *descriptor_checked(const struct descriptor *d)
{
	return json_string(json_path(d->root, "checked.version"), NULL);
}

const struct json *descriptor_json(const struct descriptor *d)
{
	return d->root;
}

static const struct mode *mode_of(const struct descriptor *d, bool headless)
{
	return headless ? &d->headless : &d->interactive;
}

enum instructions_way descriptor_instructions(const struct descriptor *d, bool headless)
{
	return mode_of(d, headless)->way;
}

enum instructions_channel descriptor_channel(const struct descriptor *d, bool headless)
{
	return mode_of(d, headless)->channel;
}

const char *descriptor_refusal(const struct descriptor *d, bool headless)
{
	return mode_of(d, headless)->refusal;
}

bool descriptor_has_headless(const struct descriptor *d)
{
	return d->headless.present;
}

char **descriptor_version_args(const struct descriptor *d)
{
	const struct json *args = json_path(d->root, "version.args");

	return args ? strv_from_json(args) : NULL;
}

bool descriptor_read_version(const struct descriptor *d, const char *text, char out[DESCRIPTOR_VERSION_SIZE])
{
	const char *pattern = json_string(json_path(d->root, "version.pattern"), NULL);
	regmatch_t groups[2];
	regex_t re;

	if (!pattern || regcomp(&re, pattern, REG_EXTENDED) != 0)
		return false;
	bool found = regexec(&re, text, COUNT_OF(groups), groups, 0) == 0 && groups[1].rm_so >= 0;
	if (found)
		snprintf(out, DESCRIPTOR_VERSION_SIZE, "%.*s", (int)(groups[1].rm_eo - groups[1].rm_so),
		    text + groups[1].rm_so);
	regfree(&re);
	return found;
}
