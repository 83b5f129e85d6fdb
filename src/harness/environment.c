/* environment: the variables a session's program gets. */
#include "harness/environment.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const char *const environment_outer[] = {
    /* multiplexers: a program that finds them wraps its sequences or picks other keys */
    "TMUX",
    "TMUX_*",
    "STY",
    "WINDOW",
    "ZELLIJ",
    "ZELLIJ_*",
    "BYOBU_*",
    "DVTM",
    "DVTM_*",
    "ABDUCO_*",
    "CMUX_*",
    "HERDR_*",
    /* terminals: by these programs choose their notifications, images and keys */
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TERM_SESSION_ID",
    "TERMINAL_EMULATOR",
    "TERMINFO",
    "TERMCAP",
    "LC_TERMINAL",
    "LC_TERMINAL_VERSION",
    "ITERM_*",
    "KITTY_*",
    "WEZTERM_*",
    "ALACRITTY_*",
    "GHOSTTY_*",
    "WT_SESSION",
    "WT_PROFILE_ID",
    "VTE_VERSION",
    "KONSOLE_*",
    "GNOME_TERMINAL_*",
    "TILIX_ID",
    "TERMINATOR_UUID",
    "TERMINATOR_DBUS_*",
    "XTERM_*",
    "MLTERM",
    "VSCODE_INJECTION",
    "ZED_TERM",
    /* the outer screen and directory */
    "COLUMNS",
    "LINES",
    "WINDOWID",
    "COLORFGBG",
    "COLORTERM",
    "OLDPWD",
    /* another session's */
    "HANDLER_SESSION",
    "HANDLER_PORT",
    "HANDLER_TEST*",
    NULL,
};

static size_t name_length(const char *assignment)
{
	return strcspn(assignment, "=");
}

static bool has_name(const char *assignment, const char *name, size_t len)
{
	return strncmp(assignment, name, len) == 0 && assignment[len] == '=';
}

static bool matches(const char *assignment, const char *pattern)
{
	size_t len = strlen(pattern);

	if (len > 0 && pattern[len - 1] == '*')
		return strncmp(assignment, pattern, len - 1) == 0;
	return has_name(assignment, pattern, len);
}

static size_t find(const struct strv *env, const char *name, size_t len)
{
	size_t i = 0;

	while (i < env->count && !has_name(env->items[i], name, len))
		i++;
	return i;
}

static bool is_outer(const char *assignment)
{
	for (size_t i = 0; environment_outer[i]; i++) {
		if (matches(assignment, environment_outer[i]))
			return true;
	}
	return false;
}

void environment_init(struct strv *env, char *const *caller)
{
	*env = (struct strv)STRV_INIT;
	for (size_t i = 0; caller && caller[i]; i++) {
		const char *s = caller[i];

		if (strchr(s, '=') && !is_outer(s) && find(env, s, name_length(s)) == env->count)
			strv_add(env, s);
	}
}

const char *environment_get(const struct strv *env, const char *name)
{
	size_t len = strlen(name), i = find(env, name, len);

	return i < env->count ? env->items[i] + len + 1 : NULL;
}

void environment_put(struct strv *env, const char *assignment)
{
	size_t i = find(env, assignment, name_length(assignment));

	if (i == env->count) {
		strv_add(env, assignment);
		return;
	}
	free(env->items[i]);
	env->items[i] = mem_strdup(assignment);
}

void environment_set(struct strv *env, const char *name, const char *value)
{
	AUTO_FREE char *assignment = mem_printf("%s=%s", name, value);

	environment_put(env, assignment);
}

void environment_unset(struct strv *env, const char *pattern)
{
	for (size_t i = env->count; i > 0; i--) {
		if (matches(env->items[i - 1], pattern))
			strv_remove(env, i - 1);
	}
}

static bool is_name(const char *s, size_t len)
{
	if (len == 0 || isdigit((unsigned char)s[0]))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)s[i]) && s[i] != '_')
			return false;
	}
	return true;
}

bool environment_is_assignment(const char *s)
{
	size_t len = name_length(s);

	return s[len] == '=' && is_name(s, len);
}

bool environment_is_pattern(const char *s)
{
	size_t len = strlen(s);

	return is_name(s, len > 0 && s[len - 1] == '*' ? len - 1 : len);
}

bool environment_is_ours(const char *name)
{
	static const char *const ours[] = {"HANDLER_SESSION", "HANDLER_PORT"};

	for (size_t i = 0; i < COUNT_OF(ours); i++) {
		if (strcmp(ours[i], name) == 0)
			return true;
	}
	return false;
}
