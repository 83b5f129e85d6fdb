/*
 * descriptor: what is known about one harness: how it is started, how it takes instructions, what it tells.
 *
 * Read from harness-descriptors/NAME.json (schema: descriptor.schema.json; manual: handler-descriptor(5)), in the order:
 * the user's $XDG_CONFIG_HOME/handler/harnesses, $HANDLER_HARNESS_PATH, the installed directory (found beside the
 * binary in a build tree).  Strings may hold ${name} of a fixed list of values; no descriptor ever reaches a shell.
 * Opaque values are borrowed until descriptor_destroy.
 */
#ifndef HANDLER_HARNESS_DESCRIPTOR_H
#define HANDLER_HARNESS_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"

/* How instructions reach the program. */
enum instructions_way {
	INSTRUCTIONS_REFUSE,     /* it can take none: an agent that carries some is refused */
	INSTRUCTIONS_FILE,       /* argv names a file that holds them */
	INSTRUCTIONS_ARGV,       /* they are an argument: at most 120 KiB, public in /proc */
	INSTRUCTIONS_ENV,        /* an environment variable holds them or names a file */
	INSTRUCTIONS_GENERATED,  /* a file of the harness's own format is generated around them */
	INSTRUCTIONS_FIRST_PROMPT, /* put before the first prompt (headless only) */
	INSTRUCTIONS_SHOWN,      /* demo: shown on its screen */
};

/* Where they arrive. */
enum instructions_channel { CHANNEL_SYSTEM, CHANNEL_DEVELOPER, CHANNEL_USER };

struct descriptor;

/* text: JSONC.  A descriptor that is not valid in every part is an error that names file and line. */
struct descriptor *descriptor_parse(const char *text, size_t len, const char *name_of_file, struct err *err);
void descriptor_destroy(struct descriptor *d);

const char *descriptor_name(const struct descriptor *d);     /* "claude-code" */
const char *descriptor_title(const struct descriptor *d);    /* "Claude Code" */
const char *descriptor_program(const struct descriptor *d);  /* "claude"; NULL for shell ($SHELL) and demo (ourselves) */
const char *descriptor_description(const struct descriptor *d);
const char *descriptor_path(const struct descriptor *d);     /* the file it came from */
const struct json *descriptor_json(const struct descriptor *d);
enum instructions_way descriptor_instructions(const struct descriptor *d, bool headless);

/* All descriptors found, first of each name wins; faulty ones as errors beside them. */
struct harness_set {
	struct descriptor **items;
	size_t count;
	struct harness_fault {
		char *path;
		struct err err;
	} *faults;
	size_t fault_count;
};
int harness_set_load(struct harness_set *set, struct err *err);
void harness_set_finish(struct harness_set *set);
/* By name or program ("claude" = "claude-code"); NULL with ERR_NO_HARNESS (nearest name in the hint). */
const struct descriptor *harness_set_find(const struct harness_set *set, const char *word, struct err *err);

#endif
