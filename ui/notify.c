/* notify: see notify.h. */
#include "ui/notify.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"

void notify_bell(struct buf *out)
{
	buf_addc(out, '\a');
}

/*
 * OSC 9 (iTerm2).  A number and a semicolon at its start would be a command of ConEmu's ("9;4;..." is
 * progress), so the text never begins with one.
 */
void notify_text(const char *session, const char *title, const char *text, struct buf *out)
{
	AUTO_FREE char *joined = mem_printf(
	    "%s: %s%s%s", session, title ? title : "", title && *title ? ": " : "", text ? text : "");
	AUTO_FREE char *clean = utf8_sanitize(joined, strlen(joined), NOTIFY_COLUMNS);

	if (clean[strspn(clean, "0123456789")] == ';')
		clean[strspn(clean, "0123456789")] = ',';
	buf_printf(out, "\033]9;%s\033\\", clean);
}
