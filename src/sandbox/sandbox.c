/* sandbox: the table of sandboxes. */
#include "sandbox/sandbox.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

static const struct sandbox *const sandboxes[] = {
    &sandbox_none,
};

static const struct sandbox *find(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(sandboxes); i++) {
		if (strcmp(sandboxes[i]->name, name) == 0)
			return sandboxes[i];
	}
	return NULL;
}

const struct sandbox *sandbox_find(const char *name, struct err *err)
{
	const struct sandbox *s = find(name);
	AUTO_BUF known = BUF_INIT;

	if (s)
		return s;
	for (size_t i = 0; i < COUNT_OF(sandboxes); i++)
		buf_printf(&known, "%s%s", i == 0 ? "" : ", ", sandboxes[i]->name);
	err_set(err, ERR_POLICY_UNSUPPORTED, "The sandbox \"%s\" is not available.", name);
	err_hint(err, "This version of handler has: %s.", known.data);
	return NULL;
}

int sandbox_prepare(struct plan *p, struct err *err)
{
	const struct sandbox *s = sandbox_find(p->sandbox, err);

	return s ? s->prepare(p, err) : -1;
}

void sandbox_cleanup(const char *name, const char *session_dir)
{
	const struct sandbox *s = find(name);

	if (s)
		s->cleanup(session_dir);
}
