/*
 * clipboard: gives text to the outer world: the configured command, tmux's buffer, or the terminal by OSC 52.
 *
 * What is said afterwards is what is known: that a command took it, or that it was sent, never "copied" for
 * what cannot be known.
 */
#ifndef HANDLER_UI_CLIPBOARD_H
#define HANDLER_UI_CLIPBOARD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "ui/messages.h"

struct uv_loop_s;

enum { CLIPBOARD_OSC52_MAX = 1 << 20 /* bytes of text: terminals refuse more */, CLIPBOARD_LIMIT_MS = 5000 };

struct clipboard_ways {
	char *const *command; /* argv, takes the text on standard input; NULL or empty: none */
	bool tmux;            /* we are inside tmux ($TMUX): `tmux load-buffer -w -` */
};

typedef void clipboard_say(enum message_level level, const char *text, void *user);

/*
 * Bytes for the outer terminal are appended to `out` (the OSC 52 way).  `say` is called once, now or when the
 * command has ended.
 */
void clipboard_copy(struct uv_loop_s *loop, const struct clipboard_ways *ways, const char *text, size_t len,
    struct buf *out, clipboard_say *say, void *user);
/* OSC 52 with `base64` (a pane's own request, already encoded), appended to out; false: not valid base64, or
 * too long. */
bool clipboard_osc52(const char *base64, struct buf *out);

#endif
