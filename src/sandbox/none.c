/* none: no isolation.  The plan is executed as it is, and whatever would need isolation is refused. */
#include "sandbox/sandbox.h"

static int none_prepare(struct plan *p, struct err *err)
{
	const struct json *policy = json_first(p->policies);

	if (!policy)
		return 0;
	err_set(err, ERR_POLICY_UNSUPPORTED,
	    "The agent \"%s\" has a policy \"%s\", which cannot be enforced without a sandbox.", p->agent,
	    json_key(policy));
	return err_hint(err, "It is not started without it.");
}

static void none_cleanup(const char *session_dir)
{
	(void)session_dir;
}

const struct sandbox sandbox_none = {
    .name = "none",
    .title = "no sandbox",
    .isolates = false,
    .prepare = none_prepare,
    .cleanup = none_cleanup,
};
