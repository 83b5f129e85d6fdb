/*
 * cli: what the commands share: the table of commands, their options, and what they print.
 *
 * One command, one file.  A command gets its parsed arguments and returns an exit status, or -1 with err set;
 * main prints the error (with --json also as JSON on standard output) and exits with the status of its code.
 */
#ifndef HANDLER_CLI_CLI_H
#define HANDLER_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"

enum { ARGS_MAX = 256 };

/* One option of a command. */
struct option_spec {
	const char *name;     /* long form, without dashes; NULL ends the table */
	char letter;          /* short form, 0: none */
	const char *argument; /* what it takes ("DIR"), "[X" for an optional one, NULL: nothing */
	const char *help;
};

struct args {
	const char *command;
	struct args_value {
		const char *name, *value;
	} options[ARGS_MAX];
	int option_count;
	char *words[ARGS_MAX + 1]; /* operands, NULL-terminated */
	int word_count;
	char *rest[ARGS_MAX + 1]; /* after "--" of a command that hands them on, NULL-terminated */
	int rest_count;
	bool has_rest, json;
	const char *self; /* absolute path of this binary */
};

bool args_has(const struct args *a, const char *name);
const char *args_value(const struct args *a, const char *name, const char *fallback); /* the last one given */
/* All values of an option that may be given several times, NULL-terminated; the array is the caller's. */
char **args_values(const struct args *a, const char *name);
/* A number of seconds such as "5", "0.5"; -1 with err. */
int args_seconds(const struct args *a, const char *name, double fallback, double *out, struct err *err);
/* TEXT, "-" for standard input, "@FILE": owned; NULL with err. */
char *args_text(const char *value, struct err *err);
/* "COLSxROWS" */
int args_size(const char *text, int *rows, int *cols, struct err *err);

typedef int (*command_fn)(const struct args *a, struct err *err);

struct command {
	const char *name;
	const char *group;        /* of `handler --help`; NULL: hidden */
	const char *synopsis;     /* after the name */
	const char *help;         /* one line */
	const char *text;         /* paragraphs for `handler help NAME`, or NULL */
	const char *examples;     /* lines people type */
	int min_words, max_words; /* operands; max -1: any number */
	bool rest;                /* what stands after "--" is handed on, else operands */
	const struct option_spec *options;
	command_fn run;
};

extern const struct command *const commands[]; /* in the order of the help; NULL-terminated */
const struct command *command_find(const char *name);

#define OPTION_JSON                                                                                          \
	{                                                                                                    \
		"json", 0, NULL, "print JSON"                                                                \
	}

/* --- printing --- */

void print_answer(struct json *j);     /* the same with "version": 1 added */
void print_json(const struct json *j); /* indented, with a newline, on standard output */
void print_note(const char *fmt, ...)
    __attribute__((format(printf, 1, 2))); /* a sentence on standard error */
void print_failure(const struct err *err, bool json);
bool color_wanted(void); /* stdout is a tty and NO_COLOR is not set */

/* --- sessions as commands see them --- */

struct record;
struct record_list;
/* The session of a word; prefix: this command only reads.  NULL with err.  The record belongs to the list. */
struct record *find_session(struct record_list *list, const char *word, bool prefix, struct err *err);
/*
 * Commands from inside a session that change another one (or type into their own): ERR_NOT_FROM_A_SESSION
 * unless that session's agent may, or it started the other itself.  A guard against accidents, not a
 * boundary.
 */
int guard_change(const struct record_list *list, const struct record *target, unsigned may, struct err *err);
int guard_new(struct err *err);

/* Names of processes that read our help: `handler help NAME`. */
void print_command_help(const struct command *c);
void print_help(void);

#endif
