/* termcap: what XTGETTCAP may be asked: capabilities that xterm-256color has, and extended ones that we have
 * too. */
#ifndef HANDLER_TERM_TERMCAP_H
#define HANDLER_TERM_TERMCAP_H

struct termcap {
	const char *name, *value; /* value NULL: a flag */
};

const struct termcap *termcap_find(const char *name); /* NULL: we do not have it */

#endif
