/*
 * dictionary: what the handles of a connection mean, at the receiving end.  Keeps each definition as a value,
 * and the handle of the shared table that it was last translated into: after a sweep of that table it is
 * translated anew.
 */
#ifndef HANDLER_WIRE_DICTIONARY_H
#define HANDLER_WIRE_DICTIONARY_H

#include "cell/cell.h"
#include "wire/wire.h"

struct mirror_dictionary;

struct mirror_dictionary *dictionary_create(void);
void dictionary_destroy(struct mirror_dictionary *d);

/* The operations that define; false: the bytes are not one. */
bool dictionary_read_style(struct mirror_dictionary *d, struct wire_in *in);
bool dictionary_read_cluster(struct mirror_dictionary *d, struct wire_in *in);
bool dictionary_read_link(struct mirror_dictionary *d, struct wire_in *in);

/*
 * Handles of the table for handles of the connection; false: it was never defined.  *lost is set (and else
 * left alone) if the table is full, so that the handle stands for less than it should.
 */
bool dictionary_style(
    struct mirror_dictionary *d, struct cell_table *t, uint16_t handle, uint32_t *out, bool *lost);
bool dictionary_cluster(
    struct mirror_dictionary *d, struct cell_table *t, uint16_t handle, uint32_t *out, bool *lost);

/* Whether a code point may stand in a cell: a scalar value and no control. */
bool dictionary_code_point(uint32_t cp);

#endif
