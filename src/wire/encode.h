/*
 * encode: rows as operations of a delta, each preceded by the definitions of the handles that it uses.  Gives
 * out the handles of a connection; knows nothing of what was sent before but them.  Counterpart of
 * dictionary.h.
 */
#ifndef HANDLER_WIRE_ENCODE_H
#define HANDLER_WIRE_ENCODE_H

#include "base/buf.h"
#include "cell/screen.h"

/* From handles of the emulator's table to those of the connection, 1..limit-1; 0: not defined. */
struct handle_map {
	uint32_t limit, next;
	uint16_t *handle;
	uint32_t room;
};

struct encoder {
	struct handle_map styles, clusters, links;
	/* What the caller sets before it writes: */
	const struct cell_table *table; /* of the cells */
	const struct palette *palette;  /* colours to resolve, or NULL */
	struct buf *out;
	size_t out_max; /* columns stop when out->len has passed this */
};

void encoder_init(struct encoder *e, uint32_t styles, uint32_t clusters, uint32_t links);
void encoder_finish(struct encoder *e);
/* All handles are undefined: the table's have another meaning now, or the other end knows nothing. */
void encoder_reset(struct encoder *e);

/* A colour as the program in the pane means it: redefined ones as RGB, the default as `fallback` if there is
 * a palette. */
color_t encoder_color(const struct palette *p, color_t c, color_t fallback);

/*
 * Columns [from, to) of a row and the definitions they need, in as many operations as the handles require;
 * returns how far it got.  Both ends must lie between cells.
 */
int encoder_write_columns(
    struct encoder *e, int row, unsigned flags, const struct cell *cells, int from, int to);
/* One operation without definitions: for no columns at all, just the flags. */
void encoder_write_row(
    struct encoder *e, int row, unsigned flags, const struct cell *cells, int from, int to);

#endif
