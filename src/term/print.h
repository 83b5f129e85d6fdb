/* print: text onto the screen: autowrap, insert mode, charsets, and grapheme clusters with their widths (mode
 * 2027). */
#ifndef HANDLER_TERM_PRINT_H
#define HANDLER_TERM_PRINT_H

#include <stddef.h>
#include <stdint.h>

struct term;

void print_ascii(struct term *t, const uint8_t *text, size_t len);   /* U+0020..U+007E */
void print_text(struct term *t, const uint32_t *text, size_t count); /* any but controls */
void print_repeat(struct term *t, int count);                        /* REP */
/*
 * The last character of what was put down stands before column `to` of the cursor's row: what combining marks
 * and REP find.
 */
void print_remember(struct term *t, uint32_t c, int to);

#endif
