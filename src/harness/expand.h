/* expand: ${name} in the strings of a descriptor, from a fixed list of values. */
#ifndef HANDLER_HARNESS_EXPAND_H
#define HANDLER_HARNESS_EXPAND_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* The values: name, and what it is (for handler-descriptor(5) and the message about an unknown one). */
#define EXPAND_VALUES(X)                                                                                     \
	X(VALUE_INSTRUCTIONS, "instructions", "the text of the instructions")                                \
	X(VALUE_INSTRUCTIONS_TOML, "instructions_toml", "the text as a TOML string, with its quotes")        \
	X(VALUE_INSTRUCTIONS_FILE, "instructions_file",                                                      \
	    "the file in the session's directory that holds them")                                           \
	X(VALUE_PROMPT, "prompt", "the first prompt")                                                        \
	X(VALUE_MODEL, "model", "the agent's model")                                                         \
	X(VALUE_CONVERSATION, "conversation", "the harness's id of the conversation")                        \
	X(VALUE_SESSION, "session", "the session's id")                                                      \
	X(VALUE_SESSION_DIR, "session_dir", "the session's directory")                                       \
	X(VALUE_DIR, "dir", "the directory the session runs in")                                             \
	X(VALUE_HOME, "home", "the user's home directory")                                                   \
	X(VALUE_CONFIG_DIR, "config_dir", "the harness's configuration directory")                           \
	X(VALUE_SELF, "self", "the handler binary")                                                          \
	X(VALUE_SHELL, "shell", "the user's shell")                                                          \
	X(VALUE_AGENT, "agent", "the agent's name")

enum expand_value {
#define X(code, name, what) code,
	EXPAND_VALUES(X)
#undef X
	    VALUE_COUNT
};

/* Values that a template may name; NULL ones are unknown here and make expand fail. */
struct expand_values {
	const char *of[VALUE_COUNT];
};

/* Appends text with each ${name} replaced; "$$" stands for one dollar, any other dollar for itself. */
int expand(struct buf *out, const char *text, const struct expand_values *values, struct err *err);
/* Whether every name in text is known; if not, name (64 bytes) says which is not. */
bool expand_check(const char *text, char name[64]);
/* "instructions, prompt, ..." */
const char *expand_names(void);

#endif
