/* upgrade: see upgrade.h. */
#include "session/upgrade.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/handover.h"

void upgrade_init(struct upgrade *u)
{
	*u = (struct upgrade){.binary = -1, .due = -1};
}

/*
 * A program of root or of this user, that nobody else can change.  Many a home directory is worked in with
 * umask 002 and a group of the user's own, so that group may write.
 */
int upgrade_check_binary(int fd)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return errno;
	bool others_write = (st.st_mode & S_IWOTH) || ((st.st_mode & S_IWGRP) && st.st_gid != getegid());
	if (!S_ISREG(st.st_mode))
		return EINVAL;
	if ((st.st_uid != 0 && st.st_uid != geteuid()) || others_write)
		return EPERM;
	return st.st_mode & 0111 ? 0 : EACCES;
}

static enum upgrade_action enter(struct upgrade *u, enum upgrade_phase phase, int64_t due)
{
	u->phase = phase;
	u->due = due;
	return UPGRADE_NOTHING;
}

static enum upgrade_action try_new(struct upgrade *u, int64_t now)
{
	enter(u, UPGRADE_TRYING, now + UPGRADE_READY_MS);
	return UPGRADE_START;
}

static enum upgrade_action over(struct upgrade *u)
{
	enter(u, UPGRADE_NONE, -1);
	if (u->outcome != UPGRADE_DONE && u->binary >= 0) {
		close(u->binary);
		u->binary = -1;
	}
	return UPGRADE_ANSWER;
}

enum upgrade_action upgrade_begin(struct upgrade *u, int binary, bool has_worker, int64_t now)
{
	upgrade_init(u);
	u->binary = binary;
	if (!has_worker)
		return try_new(u, now);
	enter(u, UPGRADE_LEAVING, now + UPGRADE_LEAVE_MS);
	return UPGRADE_ASK_TO_LEAVE;
}

static enum upgrade_action serves(struct upgrade *u)
{
	if (u->phase == UPGRADE_TRYING && u->due >= 0) /* counted from its start */
		enter(u, UPGRADE_PROVING, u->due - UPGRADE_READY_MS + UPGRADE_PROOF_MS);
	else if (u->phase == UPGRADE_BACK)
		return over(u);
	return UPGRADE_NOTHING;
}

enum upgrade_action upgrade_message(struct upgrade *u, unsigned type, int value)
{
	if (type == CHANNEL_READY)
		return serves(u);
	if (type == CHANNEL_STAYS && u->phase == UPGRADE_LEAVING) {
		u->outcome = UPGRADE_NOT_NOW;
		return over(u);
	}
	if (type == CHANNEL_NO_EXEC && u->phase == UPGRADE_TRYING) {
		u->outcome = UPGRADE_NO_EXEC;
		u->status = value;
	}
	return UPGRADE_NOTHING;
}

enum upgrade_action upgrade_died(struct upgrade *u, int wait_status, int64_t now)
{
	bool again = u->again;
	u->again = false;
	switch (u->phase) {
	case UPGRADE_LEAVING:
		return try_new(u, now);
	case UPGRADE_TRYING:
	case UPGRADE_PROVING:
		if (again)
			return try_new(u, now);
		if (u->outcome == UPGRADE_DONE) {
			u->outcome = UPGRADE_DIED;
			u->status = wait_status;
		}
		enter(u, UPGRADE_BACK, now + UPGRADE_BACK_MS);
		return UPGRADE_START;
	default:
		return UPGRADE_NOTHING;
	}
}

enum upgrade_action upgrade_tick(struct upgrade *u, int64_t now)
{
	if (u->due < 0 || now < u->due)
		return UPGRADE_NOTHING;
	switch (u->phase) {
	case UPGRADE_TRYING:
		u->outcome = UPGRADE_NOT_READY;
		u->again = false;
		/* fall through */
	case UPGRADE_LEAVING:
		u->due = -1; /* its death is what comes next */
		return UPGRADE_KILL;
	case UPGRADE_PROVING:
	case UPGRADE_BACK:
		return over(u);
	default:
		return UPGRADE_NOTHING;
	}
}

void upgrade_rebind(struct upgrade *u)
{
	u->again = u->phase == UPGRADE_TRYING || u->phase == UPGRADE_PROVING;
}

bool upgrade_cancel(struct upgrade *u)
{
	if (u->phase == UPGRADE_NONE)
		return false;
	u->outcome = UPGRADE_ENDING;
	over(u);
	return true;
}

bool upgrade_on_trial(const struct upgrade *u)
{
	return u->phase == UPGRADE_TRYING || u->phase == UPGRADE_PROVING;
}

int upgrade_binary(const struct upgrade *u, int kept)
{
	return upgrade_on_trial(u) ? u->binary : kept;
}
