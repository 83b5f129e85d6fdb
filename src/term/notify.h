/* notify: the three ways in which programs ask for a notification (OSC 9, 777, 99), and progress (OSC 9 ; 4).
 */
#ifndef HANDLER_TERM_NOTIFY_H
#define HANDLER_TERM_NOTIFY_H

#include <stdbool.h>
#include <stddef.h>

struct term;

void notify_osc9(struct term *t, int number, char *body, size_t len, bool bel);
void notify_osc777(struct term *t, int number, char *body, size_t len, bool bel);
void notify_osc99(struct term *t, int number, char *body, size_t len, bool bel);

#endif
