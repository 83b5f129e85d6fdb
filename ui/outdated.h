/*
 * outdated: sessions that an older version of the program serves: said once for each version that is
 * installed, and never again.
 */
#ifndef HANDLER_UI_OUTDATED_H
#define HANDLER_UI_OUTDATED_H

struct roster;

/* What is to be said now (owned), NULL: nothing.  From then on it counts as said, for every terminal. */
char *outdated_news(const struct roster *r);

#endif
