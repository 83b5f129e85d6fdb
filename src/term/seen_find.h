/*
 * seen_find: a frame that replaced the page, looked for in the newest part of the text.  For seen.c alone.
 *
 * What is compared are letters (letters.h), for the frame may be as wide as it likes.  The first row of the
 * frame that is found, with what follows it, says where the frame stands; the other rows are followed from
 * there.  It is believed if much was found: NEEDLE letters, or a third of the frame's, or half of those that
 * are not kept.
 */
#ifndef HANDLER_TERM_SEEN_FIND_H
#define HANDLER_TERM_SEEN_FIND_H

#include <stdbool.h>

struct term;
struct seen_place;

bool seen_find(struct term *t, struct seen_place *out);

#endif
