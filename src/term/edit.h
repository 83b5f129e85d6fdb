/* edit: inserting and deleting characters, lines and columns inside of the margins. */
#ifndef HANDLER_TERM_EDIT_H
#define HANDLER_TERM_EDIT_H

struct term;
struct row;

/* Columns [col, right margin] of one row move; the row must be touched and col within the margins. */
void edit_open(struct term *t, struct row *r, int col, int count);  /* to the right, blanks come in */
void edit_close(struct term *t, struct row *r, int col, int count); /* to the left */

void edit_insert_characters(struct term *t, int count); /* ICH */
void edit_delete_characters(struct term *t, int count); /* DCH */
void edit_insert_lines(struct term *t, int count);      /* IL */
void edit_delete_lines(struct term *t, int count);      /* DL */
void edit_insert_columns(struct term *t, int count);    /* DECIC */
void edit_delete_columns(struct term *t, int count);    /* DECDC */
void edit_shift_left(struct term *t, int count);        /* SL */
void edit_shift_right(struct term *t, int count);       /* SR */
void edit_back_index(struct term *t);                   /* DECBI */
void edit_forward_index(struct term *t);                /* DECFI */

#endif
