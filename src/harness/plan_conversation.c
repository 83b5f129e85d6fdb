/*
 * plan_conversation: the harness's own conversation: a new one with an id of ours where it takes one, or the
 * former one.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "harness/plan_build.h"

/* RFC 9562, version 4 */
static char *random_uuid(void)
{
	unsigned char r[16];

	if (getrandom(r, sizeof(r), 0) != sizeof(r))
		abort();
	r[6] = (unsigned char)((r[6] & 0x0F) | 0x40);
	r[8] = (unsigned char)((r[8] & 0x3F) | 0x80);
	return mem_printf("%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", r[0], r[1],
	    r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12], r[13], r[14], r[15]);
}

static void set_conversation(struct build *b, const char *id)
{
	b->plan->conversation = mem_strdup(id);
	plan_set_value(b, VALUE_CONVERSATION, mem_strdup(id));
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* A harness that keeps a conversation's first instructions must be told of new ones, or the user must. */
static int add_refresh(struct build *b, const struct json *conversation)
{
	const char *former = json_get_string(b->o->resume, "instructions_hash", NULL);

	if (strcmp(json_get_string(conversation, "instructions", "reread"), "kept") != 0 ||
	    same_text(former, b->plan->instructions_hash))
		return 0;
	if (json_get(conversation, "refresh"))
		return plan_add_args(b, json_get(conversation, "refresh"));
	plan_note(b,
	    "The conversation goes on with the instructions it began with: %s ignores those that the agent "
	    "has now.",
	    descriptor_title(b->d));
	return 0;
}

/* Only the conversation may go on (the agent's "resume", or the caller): else nothing is started. */
static int refuse_fresh(struct build *b, bool can_resume)
{
	if (!can_resume)
		err_set(b->err, ERR_NO_RESUME,
		    "%s cannot resume a conversation, and no new one was to be started for it.",
		    descriptor_title(b->d));
	else
		err_set(b->err, ERR_NO_CONVERSATION,
		    "The conversation of the former run is not known, and no new one was to be started for "
		    "it%s.",
		    strcmp(b->a->resume, "conversation") == 0 ? " (\"resume\": \"conversation\")" : "");
	return err_hint(b->err, "A new session starts with: handler new %s", b->a->name);
}

static int resume_conversation(struct build *b, const struct json *conversation, const char *former)
{
	set_conversation(b, former);
	b->plan->resumed = true;
	if (plan_add_args(b, json_get(conversation, "resume")) < 0)
		return -1;
	return add_refresh(b, conversation);
}

int plan_add_conversation(struct build *b)
{
	const struct json *conversation = json_get(b->root, "conversation");
	bool fresh = strcmp(b->a->resume, "fresh") == 0;
	const char *former = fresh ? NULL : json_get_string(b->o->resume, "conversation", NULL);

	if (b->o->headless)
		return 0;
	if (former && json_get(conversation, "resume"))
		return resume_conversation(b, conversation, former);
	if (b->o->resume && (b->o->resume_only || strcmp(b->a->resume, "conversation") == 0))
		return refuse_fresh(b, json_get(conversation, "resume") != NULL);
	if (b->o->resume && fresh)
		plan_note(b, "The agent's \"resume\" is \"fresh\": this is a new conversation.");
	else if (b->o->resume && json_get(conversation, "resume"))
		plan_note(b, "The conversation of the former run is not known: this is a new one.");
	else if (b->o->resume)
		plan_note(b, "%s cannot resume a conversation: this is a new one.", descriptor_title(b->d));
	if (strcmp(json_get_string(conversation, "id", "none"), "assigned") != 0)
		return 0;
	AUTO_FREE char *id = random_uuid();
	set_conversation(b, id);
	return plan_add_args(b, json_get(conversation, "new"));
}
