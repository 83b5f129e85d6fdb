/* status: the Program Status Protocol: what a program says it is doing (OSC 7501). */
#ifndef HANDLER_TERM_STATUS_H
#define HANDLER_TERM_STATUS_H

#include <stdbool.h>
#include <stddef.h>

struct term;

/*
 * OSC 7501 ; state=S:app=A[:kind=K][:msg=BASE64] becomes an event TERM_STATUS; OSC 7501 ; ? is answered with
 * itself, which tells programs that their reports are read.
 */
void status_osc(struct term *t, int number, char *body, size_t len, bool bel);

#endif
