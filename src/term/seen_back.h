/*
 * seen_back: rows of history that are on the page again are taken back from it.  For seen.c alone.
 *
 * History ends where the page begins, unless somebody looks back: when a remark above the input goes and
 * makes room, or the screen grows, its newest rows are at the top of the page again.  They are taken out, and
 * appended when they leave again, however broken.
 */
#ifndef HANDLER_TERM_SEEN_BACK_H
#define HANDLER_TERM_SEEN_BACK_H

struct term;

void seen_take_back(struct term *t);

#endif
