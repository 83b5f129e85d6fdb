/* reply: what is told to the program: answers to its queries, and reports that it asked for. */
#ifndef HANDLER_TERM_REPLY_H
#define HANDLER_TERM_REPLY_H

#include <stdbool.h>

#include "term/parser.h"

struct term;

/*
 * Whole sequences: CSI, DCS or OSC before the text, ST after a string (BEL if the question ended so). Nothing
 * comes of them in a quiet feed, or when TERM_REPLIES_MAX bytes wait to be fetched.
 */
void reply_csi(struct term *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void reply_dcs(struct term *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void reply_osc(struct term *t, bool bel, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

void reply_theme(struct term *t);          /* CSI ? 997 ; n n */
void reply_in_band_resize(struct term *t); /* CSI 48 ; rows ; columns ; height ; width t */

void csi_attributes(struct term *t, const struct sequence *s);           /* DA1, CSI c */
void csi_secondary_attributes(struct term *t, const struct sequence *s); /* DA2, CSI > c */
void csi_tertiary_attributes(struct term *t, const struct sequence *s);  /* DA3, CSI = c */
void csi_status(struct term *t, const struct sequence *s);               /* DSR, CSI Ps n */
void csi_dec_status(struct term *t, const struct sequence *s);           /* DSR, CSI ? Ps n */
void csi_version(struct term *t, const struct sequence *s);              /* XTVERSION, CSI > q */
void csi_terminal_parameters(struct term *t, const struct sequence *s);  /* DECREQTPARM, CSI x */
void csi_window(struct term *t, const struct sequence *s);               /* XTWINOPS, CSI Ps ; ... t */

#endif
