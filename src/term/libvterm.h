/*
 * libvterm: the state layer of libvterm, as a machine that says where text goes and what moves.
 *
 * The truth is struct term; libvterm is told it, in sequences, whenever it differs from what it was left
 * with (after a sequence that our own code carried out, a change of size, a load).  What it then does with a
 * piece of text or a sequence comes back as changes of cells, done here with the same functions that the
 * native engine uses, and as the cursor's place.  So its state never has to be read, saved or trusted, and a
 * new size means a new instance.
 *
 * What it gets is: text that is valid UTF-8, without marks and controls, in short pieces; BS HT LF VT FF CR
 * SO SI; ESC D E M H n o, ESC ( ) * + with 0 A B; and control sequences with at most two parameters of at
 * most PARAMETER_MAX, built anew from numbers (the finals of libvterm_sequence's callers, and g h l r s to
 * tell it the state).  Never a string, REP, SGR, DECSC, DECRC, DECDWL, a reset or a query.
 */
#ifndef HANDLER_TERM_LIBVTERM_H
#define HANDLER_TERM_LIBVTERM_H

#include <stddef.h>

struct term;
struct libvterm;

struct libvterm *libvterm_create(void);
void libvterm_destroy(struct libvterm *v);

/* What is known of a sequence: rows that leave the top enter history; it ends a pending wrap even where the
 * cursor does not move. */
enum libvterm_flag { LIBVTERM_KEEP = 1, LIBVTERM_MOVES = 2 };

enum { LIBVTERM_TEXT_MAX = 256 /* bytes of one piece of text */ };

/* Prints a piece of text, whole characters of valid UTF-8 that take columns. */
void libvterm_text(struct term *t, const char *text, size_t len);
/* Carries out one sequence, given as printf makes it. */
void libvterm_sequence(struct term *t, unsigned flags, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
