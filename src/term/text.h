/* text: what a program says in strings, as text that may be shown; base64, hexadecimal and percent encoding.
 */
#ifndef HANDLER_TERM_TEXT_H
#define HANDLER_TERM_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* One line fit to be shown anywhere (utf8_sanitize), of at most TERM_TITLE_MAX bytes.  Owned. */
char *text_line(const char *text, size_t len);
/* RFC 4648, padding optional, white space ignored; false for anything else. */
bool text_base64(const char *text, size_t len, struct buf *out);
bool text_hex(const char *text, size_t len, struct buf *out);
void text_to_hex(const char *text, size_t len, struct buf *out);
/* RFC 3986 percent encoding; a malformed escape stays as it is. */
void text_percent(const char *text, size_t len, struct buf *out);
/* Cuts *at at the next separator: returns the piece, NUL-terminated in place; NULL after the last one. */
char *text_piece(char **at, char separator);
/* A decimal number of at most 9 digits and nothing else; -1 otherwise. */
int text_number(const char *text);

#endif
