/*
 * save_private: what is known while a terminal is saved or loaded, and the fields of it.  For save_*.c alone.
 *
 * save_state.c is the order of the fields, save_table.c what handles mean, save_screen.c the cells,
 * save_settings.c all that a program has set.
 */
#ifndef HANDLER_TERM_SAVE_PRIVATE_H
#define HANDLER_TERM_SAVE_PRIVATE_H

#include "term/save.h"
#include "term/state.h"

/* The kinds of handles of a table, and which of them are in use. */
struct used {
	uint64_t styles[CELL_STYLES_MAX / 64], clusters[CELL_CLUSTERS_MAX / 64], links[CELL_LINKS_MAX / 64];
};

struct saver {
	struct term *t;
	struct buf *out;
	struct used used;
};

/* New handles by old ones; 0 for an old one that was not in the table. */
struct loader {
	struct term *t;
	struct load in;
	uint32_t styles[CELL_STYLES_MAX], clusters[CELL_CLUSTERS_MAX], links[CELL_LINKS_MAX];
};

/* --- save_table.c --- */

/* Which handles have to be saved. */
void save_find_used(struct saver *s);
void save_links(struct saver *s);
void load_links(struct loader *l);
void save_styles(struct saver *s);
void load_styles(struct loader *l);
void save_clusters(struct saver *s);
void load_clusters(struct loader *l);
/* By its value: a pen's. */
void save_style(struct buf *out, const struct style *style);
struct style load_style(struct loader *l);
void save_code_points(struct buf *out, const uint32_t *cps, size_t count);
uint8_t load_code_points(struct load *in, uint32_t cps[CELL_CLUSTER_CODE_POINTS]);

/* --- save_screen.c --- */

void save_main(struct saver *s);
void load_main(struct loader *l);
void save_alternate(struct saver *s);
void load_alternate(struct loader *l);
void save_seen(struct saver *s);
void load_seen(struct loader *l);

/* --- save_settings.c --- */

void save_cursor_state(struct saver *s);
void load_cursor_state(struct loader *l);
void save_saved_cursors(struct saver *s);
void load_saved_cursors(struct loader *l);
void save_pen(struct saver *s);
void load_pen(struct loader *l);
void save_last(struct saver *s);
void load_last(struct loader *l);
void save_modes(struct saver *s);
void load_modes(struct loader *l);
void save_keyboard(struct saver *s);
void load_keyboard(struct loader *l);
void save_titles(struct saver *s);
void load_titles(struct loader *l);
void save_colors(struct saver *s);
void load_colors(struct loader *l);
void save_notification(struct saver *s);
void load_notification(struct loader *l);
void save_parser(struct saver *s);
void load_parser(struct loader *l);

#endif
