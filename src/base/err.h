/*
 * err: what went wrong, as a code that never changes and a sentence for a person.
 *
 * `int f(..., struct err *err)` returns 0, or -1 with *err filled; *err is untouched on success.  The message
 * says what happened and where; the hint says what to do next.  Messages are whole sentences without a final
 * newline. Only src/cli and ui print them.  A NULL err is allowed everywhere: the details are dropped.
 */
#ifndef HANDLER_BASE_ERR_H
#define HANDLER_BASE_ERR_H

/* code, exit status of a command that ends with it, name in --json output */
#define ERR_CODES(X)                                                                                         \
	X(ERR_FAILED, 1, "failed")                                                                           \
	X(ERR_SYSTEM, 1, "system")                                                                           \
	X(ERR_INVALID, 1, "invalid-file")                                                                    \
	X(ERR_START, 1, "start-failed")                                                                      \
	X(ERR_NOT_INSTALLED, 1, "not-installed")                                                             \
	X(ERR_ENDED, 1, "session-ended")                                                                     \
	X(ERR_PROTOCOL, 1, "protocol")                                                                       \
	X(ERR_CLOSED, 1, "connection-closed")                                                                \
	X(ERR_VERSION, 1, "version")                                                                         \
	X(ERR_NO_JOURNAL, 1, "no-journal")                                                                   \
	X(ERR_SURVIVORS, 1, "survivors")                                                                     \
	X(ERR_USAGE, 2, "usage")                                                                             \
	X(ERR_REFUSED, 3, "refused")                                                                         \
	X(ERR_INSTRUCTIONS_UNSUPPORTED, 3, "instructions-unsupported")                                       \
	X(ERR_INSTRUCTIONS_TOO_LONG, 3, "instructions-too-long")                                             \
	X(ERR_INSTRUCTIONS_INVALID, 3, "instructions-invalid")                                               \
	X(ERR_POLICY_UNSUPPORTED, 3, "policy-unsupported")                                                   \
	X(ERR_NOT_FROM_A_SESSION, 3, "not-from-a-session")                                                   \
	X(ERR_NESTED, 3, "nested")                                                                           \
	X(ERR_CONVERSATION_OPEN, 3, "conversation-open")                                                     \
	X(ERR_NO_CONVERSATION, 3, "no-conversation")                                                         \
	X(ERR_NO_RESUME, 3, "resume-unsupported")                                                            \
	X(ERR_LIVE, 3, "session-live")                                                                       \
	X(ERR_NO_SESSION, 4, "no-such-session")                                                              \
	X(ERR_AMBIGUOUS, 4, "ambiguous-session")                                                             \
	X(ERR_NO_AGENT, 4, "no-such-agent")                                                                  \
	X(ERR_NO_HARNESS, 4, "no-such-harness")                                                              \
	X(ERR_TIMEOUT, 5, "timeout")                                                                         \
	X(ERR_NOT_READY, 6, "not-ready")                                                                     \
	X(ERR_DIALOG, 6, "dialog-open")                                                                      \
	X(ERR_DRAFT, 6, "draft")                                                                             \
	X(ERR_STATE_UNKNOWN, 6, "state-unknown")

enum err_code {
	ERR_NONE,
#define X(code, status, name) code,
	ERR_CODES(X)
#undef X
};

enum { ERR_MESSAGE_SIZE = 1024, ERR_HINT_SIZE = 512 };

struct err {
	enum err_code code;
	char message[ERR_MESSAGE_SIZE];
	char hint[ERR_HINT_SIZE]; /* "" when there is nothing to add */
};

#define ERR_INIT                                                                                             \
	{                                                                                                    \
		.code = ERR_NONE                                                                             \
	}

/* All three return -1, so that `return err_set(err, ...)` reads well.  Too long a text is cut at a character.
 */
int err_set(struct err *err, enum err_code code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The message is followed by ": " and strerror(errnum); the code is ERR_SYSTEM. */
int err_sys(struct err *err, int errnum, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds or replaces the hint of an error that is already set. */
int err_hint(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Puts "context: " before the message of an error that is already set. */
int err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

int err_exit_status(enum err_code code);         /* 0 for ERR_NONE */
const char *err_code_name(enum err_code code);   /* "none" for ERR_NONE */
enum err_code err_code_from_name(const char *s); /* ERR_FAILED for an unknown name */

#endif
