/* findings: what `handler doctor` has to say, in order. */
#ifndef HANDLER_CLI_FINDINGS_H
#define HANDLER_CLI_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

enum finding_level {
	FINDING_OK,
	FINDING_INFO,
	FINDING_WARN,  /* something is less than it could be */
	FINDING_BLOCK, /* something cannot work */
};

struct findings {
	struct finding {
		enum finding_level level;
		char *section, *name, *message, *hint; /* hint: what to do, or NULL */
	} * items;
	size_t count;
	const char *section; /* of what is added next */
};

/* hint: NULL or a whole sentence. */
void finding_add(struct findings *f, enum finding_level level, const char *name, const char *hint,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Prints all, as text or JSON; returns the exit status: 1 if something blocks, else 0. */
int findings_print(const struct findings *f, bool json);
void findings_finish(struct findings *f);

#endif
