/* rect: the VT420's and VT510's functions on rectangles of cells. */
#ifndef HANDLER_TERM_RECT_H
#define HANDLER_TERM_RECT_H

#include "term/parser.h"

struct term;

void csi_copy_area(struct term *t, const struct sequence *s);            /* DECCRA */
void csi_fill_area(struct term *t, const struct sequence *s);            /* DECFRA */
void csi_erase_area(struct term *t, const struct sequence *s);           /* DECERA */
void csi_selective_erase_area(struct term *t, const struct sequence *s); /* DECSERA */
void csi_change_attributes(struct term *t, const struct sequence *s);    /* DECCARA */
void csi_reverse_attributes(struct term *t, const struct sequence *s);   /* DECRARA */
void csi_attribute_extent(struct term *t, const struct sequence *s);     /* DECSACE */
#ifdef HANDLER_TEST
/* Only where tests are run: they let output be read back as input. */
void csi_checksum(struct term *t, const struct sequence *s);       /* DECRQCRA */
void csi_checksum_flags(struct term *t, const struct sequence *s); /* XTCHECKSUM */
#endif

#endif
