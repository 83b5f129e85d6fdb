/*
 * message: the payloads of the small binary messages.  X_encode appends a payload to a buffer; X_decode
 * returns -1 with an ERR_PROTOCOL for bytes that are not one, and then leaves *out in an undefined but
 * harmless state.
 */
#ifndef HANDLER_WIRE_MESSAGE_H
#define HANDLER_WIRE_MESSAGE_H

#include "key/key.h"
#include "wire/wire.h"

/* VIEW: sent whenever something of it changes.  A hidden session gets no SCREEN. */
struct wire_view {
	bool visible;            /* some pane shows it */
	bool preview;            /* shown in passing (picker): never an owner of the size */
	bool readonly;           /* keys of this client are not passed on */
	bool refresh;            /* the client lost its picture: the next SCREEN is a whole one */
	uint16_t rows, cols;     /* of the pane; 0 x 0 while hidden */
	uint16_t xpixel, ypixel; /* of one cell, 0: unknown */
};
void wire_view_encode(const struct wire_view *v, struct buf *out);
int wire_view_decode(const void *data, size_t len, struct wire_view *out, struct err *err);

void wire_key_encode(const struct key *k, struct buf *out);
int wire_key_decode(const void *data, size_t len, struct key *out, struct err *err);

void wire_mouse_encode(const struct mouse *m, struct buf *out);
int wire_mouse_decode(const void *data, size_t len, struct mouse *out, struct err *err);

/* PASTE: the text of one paste in pieces; `first` and `last` on the outer ones. */
enum {
	WIRE_PASTE_MAX = 65536
}; /* bytes a piece: the writer cuts, the reader accepts what a frame can hold */
struct wire_paste {
	bool first, last;
	const char *text; /* borrowed from the payload */
	size_t len;
};
void wire_paste_encode(const struct wire_paste *p, struct buf *out);
int wire_paste_decode(const void *data, size_t len, struct wire_paste *out, struct err *err);

void wire_focus_encode(bool on, struct buf *out);
int wire_focus_decode(const void *data, size_t len, bool *on, struct err *err);

/* ROWS_GET: `count` rows from this number on.  The answer may hold fewer, or begin later if the first ones
 * are gone. */
enum { WIRE_ROWS_MAX = 4096 };
struct wire_rows_get {
	uint64_t from;
	uint32_t count; /* 1..WIRE_ROWS_MAX */
};
void wire_rows_get_encode(const struct wire_rows_get *g, struct buf *out);
int wire_rows_get_decode(const void *data, size_t len, struct wire_rows_get *out, struct err *err);

#endif
