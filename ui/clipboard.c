/* clipboard: see clipboard.h. */
#include "ui/clipboard.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "ui/spawn.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void add_base64(struct buf *out, const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text;

	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		unsigned v = (unsigned)p[i] << 16 | (left > 1 ? (unsigned)p[i + 1] << 8 : 0) |
			     (left > 2 ? p[i + 2] : 0);

		buf_addc(out, digits[v >> 18]);
		buf_addc(out, digits[v >> 12 & 63]);
		buf_addc(out, left > 1 ? digits[v >> 6 & 63] : '=');
		buf_addc(out, left > 2 ? digits[v & 63] : '=');
	}
}

/* What was copied, as a person counts it. */
static void describe(const char *text, size_t len, char out[64])
{
	size_t lines = 1;

	for (size_t i = 0; i + 1 < len; i++)
		lines += text[i] == '\n';
	if (lines > 1)
		snprintf(out, 64, "%zu lines", lines);
	else
		snprintf(out, 64, "%d characters", utf8_columns(text, len));
}

struct copying {
	char what[64];
	char *command;
	bool tmux;
	clipboard_say *say;
	void *user;
};

static void on_done(const struct spawn_result *r, void *user)
{
	struct copying *c = user;
	struct err err = ERR_INIT;
	AUTO_FREE char *text = NULL;

	if (r->status == 0) {
		text = c->tmux
			   ? mem_printf("%s in tmux's buffer; tmux was asked to pass them on to its terminal",
				 c->what)
			   : mem_printf("%s taken by `%s`", c->what, c->command);
		c->say(SAY_INFO, text, c->user);
	} else {
		spawn_json(r, &err);
		text = mem_printf("`%s` did not take the copied text: %s", c->command,
		    r->timed_out ? "it did not end" : err.message);
		c->say(SAY_ERROR, text, c->user);
	}
	free(c->command);
	free(c);
}

static bool has_command(const struct clipboard_ways *ways)
{
	return ways->command && ways->command[0];
}

static void give_to_command(struct uv_loop_s *loop, const struct clipboard_ways *ways, const char *text,
    size_t len, clipboard_say *say, void *user)
{
	static char *const tmux[] = {"tmux", "load-buffer", "-w", "-", NULL};
	bool own = has_command(ways);
	struct spawn_options o = {.argv = own ? ways->command : tmux,
	    .input = text,
	    .input_len = len,
	    .limit_ms = CLIPBOARD_LIMIT_MS};
	struct copying *c = mem_zalloc(1, sizeof(*c));

	*c = (struct copying){.command = mem_strdup(own ? ways->command[0] : "tmux load-buffer -w -"),
	    .tmux = !own,
	    .say = say,
	    .user = user};
	describe(text, len, c->what);
	spawn_run(loop, &o, on_done, c);
}

/* xterm ctlseqs, "Operating System Commands", 52. */
static void send_osc52(const char *text, size_t len, struct buf *out, clipboard_say *say, void *user)
{
	char what[64];

	describe(text, len, what);
	if (len > CLIPBOARD_OSC52_MAX) {
		say(SAY_ERROR,
		    "too much for OSC 52: set terminal.copy_command in config.json (prefix ] pastes it here "
		    "all the same)",
		    user);
		return;
	}
	buf_adds(out, "\033]52;c;");
	add_base64(out, text, len);
	buf_adds(out, "\033\\");
	AUTO_FREE char *sentence =
	    mem_printf("%s sent to the terminal (OSC 52), which does not say whether it took them", what);

	say(SAY_INFO, sentence, user);
}

void clipboard_copy(struct uv_loop_s *loop, const struct clipboard_ways *ways, const char *text, size_t len,
    struct buf *out, clipboard_say *say, void *user)
{
	if (has_command(ways) || ways->tmux)
		give_to_command(loop, ways, text, len, say, user);
	else
		send_osc52(text, len, out, say, user);
}

bool clipboard_osc52(const char *base64, struct buf *out)
{
	size_t len = strlen(base64);

	if (len == 0 || len > CLIPBOARD_OSC52_MAX / 3 * 4 ||
	    strspn(base64, digits) < len - (len < 2 ? len : 2))
		return false;
	for (const char *p = base64 + strspn(base64, digits); *p; p++)
		if (*p != '=')
			return false;
	buf_printf(out, "\033]52;c;%s\033\\", base64);
	return true;
}
