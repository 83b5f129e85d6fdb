/*
 * descriptor: what is known about one harness: how it is started, how it takes instructions, what it tells.
 *
 * Read from harness-descriptors/NAME.json (schema: descriptor.schema.json; manual: handler-descriptor(5)), in
 * the order: the user's $XDG_CONFIG_HOME/handler/harnesses, $HANDLER_HARNESS_PATH, the installed directory
 * (or that of the source tree, for a binary below its build/).  Strings may hold ${name} of a fixed list of
 * values (expand.h); no descriptor ever reaches a shell, and none may answer a trust or permission question
 * on the user's behalf. What the accessors return is borrowed until descriptor_destroy.
 */
#ifndef HANDLER_HARNESS_DESCRIPTOR_H
#define HANDLER_HARNESS_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"

/* How instructions reach the program: name in the file. */
#define INSTRUCTIONS_WAYS(X)                                                                                 \
	X(INSTRUCTIONS_REFUSE, "refuse")       /* it can take none: an agent that carries some is refused */ \
	X(INSTRUCTIONS_FILE, "file")           /* argv names a file that holds them, and nothing else */     \
	X(INSTRUCTIONS_ARGV, "argv")           /* they are an argument: at most 120 KiB, public in /proc */  \
	X(INSTRUCTIONS_ENV, "env")             /* an environment variable names the file */                  \
	X(INSTRUCTIONS_GENERATED, "generated") /* a file of the harness's own kind is written around them */ \
	X(INSTRUCTIONS_FIRST_PROMPT, "first-prompt") /* they stand before the prompt (headless only) */

enum instructions_way {
#define X(code, name) code,
	INSTRUCTIONS_WAYS(X)
#undef X
};

/* Where they arrive: name in the file, and in a sentence. */
#define INSTRUCTIONS_CHANNELS(X)                                                                             \
	X(CHANNEL_SYSTEM, "system", "the system prompt")                                                     \
	X(CHANNEL_DEVELOPER, "developer", "a developer message")                                             \
	X(CHANNEL_USER, "user", "the first user turn, not the system prompt")                                \
	X(CHANNEL_SCREEN, "screen", "its screen")

enum instructions_channel {
#define X(code, name, phrase) code,
	INSTRUCTIONS_CHANNELS(X)
#undef X
};
const char *instructions_channel_phrase(enum instructions_channel channel);

struct descriptor;

/* text: JSONC.  A descriptor that is not valid in every part is an error that names file and line. */
struct descriptor *descriptor_parse(const char *text, size_t len, const char *name_of_file, struct err *err);
void descriptor_destroy(struct descriptor *d);

const char *descriptor_name(const struct descriptor *d);  /* "claude-code" */
const char *descriptor_title(const struct descriptor *d); /* "Claude Code" */
/* "claude"; NULL for shell ($SHELL) and demo (ourselves) */
const char *descriptor_program(const struct descriptor *d);
const char *descriptor_description(const struct descriptor *d);
const char *descriptor_path(const struct descriptor *d); /* the file it came from */
/* "Install it with: npm install ..."; NULL: it comes with us */
const char *descriptor_install(const struct descriptor *d);
/* The version that its facts were checked with, or NULL */
const char *descriptor_checked(const struct descriptor *d);
const struct json *descriptor_json(const struct descriptor *d);

enum instructions_way descriptor_instructions(const struct descriptor *d, bool headless);
enum instructions_channel descriptor_channel(const struct descriptor *d, bool headless);
/* Why an agent with instructions is refused and what to do instead, with ${agent}; NULL: it is not. */
const char *descriptor_refusal(const struct descriptor *d, bool headless);
bool descriptor_has_headless(const struct descriptor *d);

/* Arguments that make the program print its version (strv_destroy), or NULL */
char **descriptor_version_args(const struct descriptor *d);
/* The version in what it printed; false: there is none */
enum { DESCRIPTOR_VERSION_SIZE = 64 };
bool descriptor_read_version(const struct descriptor *d, const char *text, char out[DESCRIPTOR_VERSION_SIZE]);

struct harness_fault {
	char *path;
	struct err err;
};

/* All descriptors found, sorted by name, the first of each name wins; faulty ones as errors beside them. */
struct harness_set {
	struct descriptor **items;
	size_t count;
	struct harness_fault *faults;
	size_t fault_count;
};
int harness_set_load(struct harness_set *set, struct err *err);
/* Only those of these names (a NULL ends them); all if one is not there or faulty, so that it can be said
 * what is. */
int harness_set_load_named(struct harness_set *set, char *const *names, struct err *err);
void harness_set_finish(struct harness_set *set);
/*
 * By name or program ("claude" = "claude-code"); NULL with ERR_NO_HARNESS (nearest name in the hint), or with
 * the fault of a file of that name: a faulty file hides the one it was to override.
 */
const struct descriptor *harness_set_find(const struct harness_set *set, const char *word, struct err *err);

#endif
