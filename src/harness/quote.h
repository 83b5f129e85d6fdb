/* quote: one value as other languages write it. */
#ifndef HANDLER_HARNESS_QUOTE_H
#define HANDLER_HARNESS_QUOTE_H

#include "base/buf.h"

/* A basic string of TOML 1.0, with its quotes: one line, whatever the text (well-formed UTF-8) holds. */
void toml_quote(struct buf *out, const char *text);
/* 128 bits (FNV-1a) in hexadecimal: tells texts apart, protects nothing. */
enum { TEXT_DIGEST_SIZE = 33 };
void text_digest(const char *text, size_t len, char out[TEXT_DIGEST_SIZE]);

#endif
