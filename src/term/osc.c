/* osc: operating system commands: a number, and for each a function in one table. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "term/dispatch.h"
#include "term/notify.h"
#include "term/sgr.h"
#include "term/state.h"
#include "term/status.h"
#include "term/text.h"

/* body: what follows "NUMBER;", or "" */
struct osc_command {
	int number;
	const char *name;
	void (*run)(struct term *t, int number, char *body, size_t len, bool bel);
};

static void title(struct term *t, int number, char *body, size_t len, bool bel)
{
	(void)bel;
	title_set(t, (enum title_part)number, body, len);
}

static void palette(struct term *t, int number, char *body, size_t len, bool bel)
{
	(void)len;
	osc_palette(t, number, body, bel);
}

static void palette_reset(struct term *t, int number, char *body, size_t len, bool bel)
{
	(void)len;
	(void)bel;
	osc_palette_reset(t, number, body);
}

static void dynamic(struct term *t, int number, char *body, size_t len, bool bel)
{
	(void)len;
	osc_dynamic(t, number, body, bel);
}

static void dynamic_reset(struct term *t, int number, char *body, size_t len, bool bel)
{
	(void)body;
	(void)len;
	(void)bel;
	osc_dynamic_reset(t, number - 100);
}

/* --- where the program is: OSC 7 ; file://HOST/PATH --- */

static bool is_path(const char *path, size_t len)
{
	if (len == 0 || path[0] != '/' || len > TERM_TITLE_MAX || !utf8_valid(path, len, NULL))
		return false;
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)path[i] < 0x20 || path[i] == 0x7f ||
		    (path[i] == '\xc2' && (unsigned char)path[i + 1] < 0xa0))
			return false;
	}
	return true;
}

static void directory(struct term *t, int number, char *body, size_t len, bool bel)
{
	static const char scheme[] = "file://";
	struct buf path = BUF_INIT;
	const char *host = body + strlen(scheme), *slash;

	(void)number;
	(void)bel;
	if (strncmp(body, scheme, strlen(scheme)) != 0 || !(slash = strchr(host, '/')))
		return;
	text_percent(slash, (size_t)(body + len - slash), &path);
	if (is_path(path.data, path.len)) {
		struct term_event e = {.type = TERM_CWD, .len = path.len};

		e.text = buf_steal(&path);
		e.extra = text_line(host, (size_t)(slash - host));
		event_add(t, e);
	}
	buf_free(&path);
}

/* --- links: OSC 8 ; key=value:... ; URI --- */

static const char *link_id(char *parameters)
{
	char *parameter;

	while ((parameter = text_piece(&parameters, ':'))) {
		if (strncmp(parameter, "id=", 3) == 0 && parameter[3])
			return parameter + 3;
	}
	return NULL;
}

static void hyperlink(struct term *t, int number, char *body, size_t len, bool bel)
{
	char *parameters = text_piece(&body, ';');

	(void)number;
	(void)len;
	(void)bel;
	if (body)
		pen_set_link(t, *body ? table_link(t->table, link_id(parameters), body) : 0);
}

/* --- pointer shape: OSC 22 ; NAME --- */

static void pointer(struct term *t, int number, char *body, size_t len, bool bel)
{
	(void)number;
	(void)bel;
	if (len < 64 && strspn(body, "abcdefghijklmnopqrstuvwxyz-") == len)
		event_add(t, (struct term_event){.type = TERM_POINTER, .text = mem_strdup(body), .len = len});
}

/* --- clipboard: OSC 52 ; SELECTIONS ; BASE64.  Written, never read: "?" gets no answer --- */

static void clipboard(struct term *t, int number, char *body, size_t len, bool bel)
{
	char *end = body + len, *selections = text_piece(&body, ';');
	struct term_event e = {.type = TERM_CLIPBOARD};
	struct buf text = BUF_INIT;

	(void)number;
	(void)bel;
	if (!body || strcmp(body, "?") == 0 || strspn(selections, "cpqs01234567") != strlen(selections))
		return;
	if (!text_base64(body, (size_t)(end - body), &text))
		buf_clear(&text); /* anything that is not base64 clears the selection, says xterm */
	e.len = text.len;
	e.text = buf_steal(&text);
	e.extra = mem_strdup(*selections ? selections : "c");
	event_add(t, e);
}

/* --- shell integration: OSC 133 ; A|B|C|D [; ...] --- */

static int exit_code(char *body)
{
	char *piece = text_piece(&body, ';');

	piece = piece ? text_piece(&body, ';') : NULL;
	return piece ? text_number(piece) : -1;
}

static void prompt(struct term *t, int number, char *body, size_t len, bool bel)
{
	char letter = body[0];

	(void)number;
	(void)bel;
	if (len == 0 || (body[1] && body[1] != ';') || !strchr("ABCD", letter))
		return;
	if (letter == 'A')
		touch(t, t->row)->flags |= ROW_PROMPT;
	else if (letter == 'C')
		touch(t, t->row)->flags |= ROW_OUTPUT;
	event_number(t, TERM_PROMPT, letter, letter == 'D' ? exit_code(body) : -1);
}

static const struct osc_command commands[] = {
    {0, "title", title},
    {1, "icon title", title},
    {2, "window title", title},
    {4, "palette", palette},
    {5, "special colours", palette},
    {7, "directory", directory},
    {8, "link", hyperlink},
    {9, "notification", notify_osc9},
    {10, "foreground", dynamic},
    {11, "background", dynamic},
    {12, "cursor colour", dynamic},
    {13, "pointer foreground", dynamic},
    {14, "pointer background", dynamic},
    {15, "Tektronix foreground", dynamic},
    {16, "Tektronix background", dynamic},
    {17, "selection background", dynamic},
    {18, "Tektronix cursor", dynamic},
    {19, "selection foreground", dynamic},
    {22, "pointer shape", pointer},
    {52, "clipboard", clipboard},
    {99, "notification", notify_osc99},
    {104, "palette reset", palette_reset},
    {105, "special colours reset", palette_reset},
    {110, "foreground reset", dynamic_reset},
    {111, "background reset", dynamic_reset},
    {112, "cursor colour reset", dynamic_reset},
    {113, "pointer foreground reset", dynamic_reset},
    {114, "pointer background reset", dynamic_reset},
    {115, "Tektronix foreground reset", dynamic_reset},
    {116, "Tektronix background reset", dynamic_reset},
    {117, "selection background reset", dynamic_reset},
    {118, "Tektronix cursor reset", dynamic_reset},
    {119, "selection foreground reset", dynamic_reset},
    {133, "shell integration", prompt},
    {777, "notification", notify_osc777},
    {7501, "program status", status_osc},
};

void osc_dispatch(struct term *t, char *data, size_t len, bool bel)
{
	char *body = data, *piece = text_piece(&body, ';');
	int number = text_number(piece);

	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		if (commands[i].number == number) {
			body = body ? body : data + len;
			commands[i].run(t, number, body, (size_t)(data + len - body), bel);
			return;
		}
	}
}
