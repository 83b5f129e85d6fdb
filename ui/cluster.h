/* cluster: UTF-8 taken apart into grapheme clusters (base/unicode.h), with the columns each takes. */
#ifndef HANDLER_UI_CLUSTER_H
#define HANDLER_UI_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cell/cell.h"

struct text_cluster {
	uint32_t cps[CELL_CLUSTER_CODE_POINTS]; /* further ones are skipped */
	size_t count;
	size_t bytes; /* of the text */
	int width;    /* columns: 0 (controls, marks alone), 1, 2 */
};

/* The cluster that begins at s; ill-formed bytes are U+FFFD.  false at the end. */
bool cluster_next(const char *s, size_t len, struct text_cluster *out);
/* The offset where the cluster before `at` begins (0 for the first); borders are those of cluster_next from
 * the line's start. */
size_t cluster_before(const char *s, size_t at);

#endif
