/* outdated: see outdated.h.  A file in the state directory holds the version for which it was said last. */
#include "ui/outdated.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "ui/roster.h"

enum { TOLD_MAX = 64 };

static char *told_path(void)
{
	AUTO_FREE char *state = path_state_dir(NULL);

	return state ? path_join(state, "outdated-told") : NULL;
}

static bool told(const char *path)
{
	AUTO_FREE char *text = NULL;
	size_t len;

	return path_read_file(path, TOLD_MAX, &text, &len, NULL) == 0 && !strcmp(text, HANDLER_VERSION);
}

/* Without a version in its record a session is of before versions were written down. */
static bool outdated(const struct record *r)
{
	return r->live && (!r->program_version || strverscmp(r->program_version, HANDLER_VERSION) < 0);
}

char *outdated_news(const struct roster *r)
{
	const char *version = NULL;
	bool several = false;
	int count = 0;

	for (size_t i = 0; i < roster_count(r); i++) {
		const struct record *record = &roster_at(r, i)->record;

		if (!outdated(record))
			continue;
		const char *its = record->program_version ? record->program_version : "an older version";

		several = several || (version && strcmp(version, its) != 0);
		version = its;
		count++;
	}
	AUTO_FREE char *path = count ? told_path() : NULL;
	struct err err = ERR_INIT;

	if (!path || told(path))
		return NULL;
	if (path_write_file(path, HANDLER_VERSION, strlen(HANDLER_VERSION), 0600, &err) < 0)
		log_error("outdated", "%s", err.message);
	return mem_printf("%d session%s still run%s %s: handler restart-workers", count,
	    count == 1 ? "" : "s", count == 1 ? "s" : "", several ? "older versions" : version);
}
