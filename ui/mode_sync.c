/* mode_sync: see mode_sync.h.  While it is on, client_frame shows the guard and client_input leaves out open
 * questions. */
#include "ui/mode_sync.h"

#include "base/mem.h"
#include "ui/mode_confirm.h"
#include "ui/ui.h"

static void answered(struct ui *ui, bool yes, const char *argument)
{
	(void)argument;
	if (yes)
		ui_set_sync(ui, true);
	else
		ui_say(ui, SAY_INFO, "typing goes to one pane, as before");
}

static void add_names(struct ui *ui, const int *panes, int count, struct buf *out)
{
	for (int i = 0; i < count; i++) {
		const struct seat *s = roster_find(ui_roster(ui), view_session(ui_view(ui), panes[i]));

		buf_printf(out, "%s%s", i ? ", " : "", s ? s->record.name : "?");
	}
}

struct mode *mode_sync_create(struct ui *ui)
{
	int panes[VIEW_PANES_MAX], count = ui_shown_panes(ui, panes, VIEW_PANES_MAX);
	AUTO_BUF text = BUF_INIT;

	buf_printf(&text, "Everything you type or paste will go to all %d panes at once: ", count);
	add_names(ui, panes, count, &text);
	buf_printf(&text,
	    ".\n\nA pane in which a question is open is left out while it is open. %s S ends it; so does any "
	    "change of "
	    "what is shown.",
	    ui_prefix(ui));
	return mode_confirm_create(ui, "type into all panes", text.data, "type into all", answered, NULL);
}
