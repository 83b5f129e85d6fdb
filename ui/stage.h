/*
 * stage: what lies on the screen below the dialogs: the canvases of the panes, the lines between them, the
 * sidebar, the bottom line; and what lies at a cell of it.
 *
 * geometry_of is pure.  A stage owns surfaces and canvases; what is drawn into them is the client's.
 */
#ifndef HANDLER_UI_STAGE_H
#define HANDLER_UI_STAGE_H

#include "ui/compose.h"
#include "ui/sidebar.h"
#include "ui/view.h"

enum sidebar_form { SIDEBAR_AUTO, SIDEBAR_FULL, SIDEBAR_LINE, SIDEBAR_OFF, SIDEBAR_FORMS };
enum { SIDEBAR_AUTO_COLS = 110 }; /* fewer: no sidebar but a line */

struct geometry {
	int rows, cols;      /* of the terminal */
	struct rect sidebar; /* cols 0: none; its divider included */
	struct rect panes;
	struct rect bottom; /* one line */
	bool line;          /* the sessions stand in the bottom line */
};

struct geometry geometry_of(int rows, int cols, enum sidebar_form form, size_t sessions);
const char *sidebar_form_name(enum sidebar_form form);
int sidebar_form_from_name(const char *name); /* -1: none */

enum hit { HIT_NOTHING, HIT_PANE, HIT_TITLE, HIT_DIVIDER, HIT_SIDEBAR, HIT_BOTTOM };

struct stage;

struct stage *stage_create(struct display *d);
void stage_destroy(struct stage *s);
void stage_clear(struct stage *s); /* destroys all surfaces: before display_resize */
/* Makes everything anew for a view (NULL: only sidebar and bottom line); its layout is arranged. */
void stage_build(struct stage *s, const struct geometry *g, struct view *v);

struct canvas *stage_canvas(const struct stage *s, int pane);          /* NULL: not shown */
bool stage_content(const struct stage *s, int pane, struct rect *out); /* without the title line */
int stage_panes(const struct stage *s, int *panes, int max);           /* that are shown, in reading order */
bool stage_too_small(const struct stage *s, int pane);                 /* below what a pane needs */
struct surface *stage_sidebar(const struct stage *s);                  /* NULL: none */
struct surface *stage_bottom(const struct stage *s);
const struct geometry *stage_geometry(const struct stage *s);
/* The lines between panes; `guard`: in the colour of a warning. */
void stage_draw_dividers(struct stage *s, const struct view *v, bool guard);
enum hit stage_hit(const struct stage *s, const struct view *v, int row, int col, int *pane);

#endif
