/*
 * wire: the messages between a client and a worker, as bytes.  No sockets, no sessions: what is sent when is
 * not decided here.
 *
 * A frame is a header of 16 bytes, little endian, and a payload of at most WIRE_PAYLOAD_MAX bytes:
 *
 *     length u32 (of the payload)   type u16   flags u16   channel u32   sequence u32
 *
 * channel: which session of a joined stream; 0 on a connection that carries one.  sequence: chosen by the
 * sender; a REPLY, ACK, INPUT_DONE, FOUND or ROWS repeats that of the message it belongs to.  flags: 0,
 * receivers ignore unknown bits.  A receiver skips a type that it does not know (frame.message is NULL):
 * keepers and workers outlive many versions of the client.
 */
#ifndef HANDLER_WIRE_WIRE_H
#define HANDLER_WIRE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

enum { WIRE_HEADER_SIZE = 16, WIRE_PAYLOAD_MAX = 1 << 20 };

/* The versions of the protocol that this program speaks; tests build programs with other ones. */
#ifndef WIRE_OLDEST
#define WIRE_OLDEST 1
#endif
#ifndef WIRE_NEWEST
#define WIRE_NEWEST 1
#endif
enum { WIRE_PROTOCOL_MIN = WIRE_OLDEST, WIRE_PROTOCOL_MAX = WIRE_NEWEST };

/* Features that HELLO and WELCOME name: a BYE whose reason is "replaced" says that requests without an answer
 * were not carried out, and that a successor answers them. */
#define WIRE_FEATURE_REPLACED "replaced"

enum wire_direction { TO_WORKER = 1, TO_CLIENT = 2, TO_EITHER = 3 };
enum wire_form { FORM_BINARY, FORM_JSON };

/* clang-format off */
/*
 * name, number (never used again for something else), direction, form.
 *
 * HELLO       {"protocol":[min,max],"features":[...],"client":"terminal"|"watcher"|"command","pid":N,"version":"..."}: the first
 * WELCOME     {"protocol":N,"features":[...],"version":"...","session":{record}}: its answer
 * VIEW        struct wire_view: what of the session the client shows, and how large
 * SCREEN      a delta (delta.h); its sequence is acknowledged
 * ACK         empty: the SCREEN of that sequence has been applied
 * KEY, MOUSE  struct key, struct mouse (message.h)
 * PASTE       struct wire_paste: a piece of pasted text
 * FOCUS       u8: 1 the pane got the focus, 0 lost it
 * INPUT_DONE  empty: the KEY, MOUSE, PASTE or FOCUS of that sequence, and all before it, have reached the program
 * STATE       {changed members of the session's record}
 * EVENT       {"event":"bell"|"notification"|"clipboard"|"pointer"|"progress"|...,...}
 * ROWS_GET    struct wire_rows_get: rows by their stable number
 * ROWS        those that are kept (delta.h)
 * SEARCH      {"pattern":"...","regex":bool,"forward":bool,"row":N,"column":N}: begins after (before) that place
 * FOUND       {"found":bool,"row":N,"column":N,"end_row":N,"end_column":N}: both ends included, as in search.h
 * REQUEST     {"op":"...",...}
 * REPLY       {...} or {"error":{"code":"...","message":"...","hint":"..."}}
 * OUTER       {"fg","bg","cursor":"#rrggbb","palette":["#rrggbb" x 16],"cell":[width,height],"dark":bool}
 * PING, PONG  any bytes, sent back as they are
 * BYE         {"reason":"...","message":"..."}: the sender closes the connection after it
 */
/* clang-format on */
#define WIRE_MESSAGES(X)                                                                                     \
	X(WIRE_HELLO, 1, "hello", TO_WORKER, FORM_JSON)                                                      \
	X(WIRE_WELCOME, 2, "welcome", TO_CLIENT, FORM_JSON)                                                  \
	X(WIRE_VIEW, 3, "view", TO_WORKER, FORM_BINARY)                                                      \
	X(WIRE_SCREEN, 4, "screen", TO_CLIENT, FORM_BINARY)                                                  \
	X(WIRE_ACK, 5, "ack", TO_WORKER, FORM_BINARY)                                                        \
	X(WIRE_KEY, 6, "key", TO_WORKER, FORM_BINARY)                                                        \
	X(WIRE_MOUSE, 7, "mouse", TO_WORKER, FORM_BINARY)                                                    \
	X(WIRE_PASTE, 8, "paste", TO_WORKER, FORM_BINARY)                                                    \
	X(WIRE_FOCUS, 9, "focus", TO_WORKER, FORM_BINARY)                                                    \
	X(WIRE_INPUT_DONE, 10, "input-done", TO_CLIENT, FORM_BINARY)                                         \
	X(WIRE_STATE, 11, "state", TO_CLIENT, FORM_JSON)                                                     \
	X(WIRE_EVENT, 12, "event", TO_CLIENT, FORM_JSON)                                                     \
	X(WIRE_ROWS_GET, 13, "rows-get", TO_WORKER, FORM_BINARY)                                             \
	X(WIRE_ROWS, 14, "rows", TO_CLIENT, FORM_BINARY)                                                     \
	X(WIRE_SEARCH, 15, "search", TO_WORKER, FORM_JSON)                                                   \
	X(WIRE_FOUND, 16, "found", TO_CLIENT, FORM_JSON)                                                     \
	X(WIRE_REQUEST, 17, "request", TO_WORKER, FORM_JSON)                                                 \
	X(WIRE_REPLY, 18, "reply", TO_CLIENT, FORM_JSON)                                                     \
	X(WIRE_OUTER, 19, "outer", TO_WORKER, FORM_JSON)                                                     \
	X(WIRE_PING, 20, "ping", TO_EITHER, FORM_BINARY)                                                     \
	X(WIRE_PONG, 21, "pong", TO_EITHER, FORM_BINARY)                                                     \
	X(WIRE_BYE, 22, "bye", TO_EITHER, FORM_JSON)

enum wire_type {
#define X(name, number, text, direction, form) name = number,
	WIRE_MESSAGES(X)
#undef X
};

struct wire_message {
	enum wire_type type;
	const char *name;
	enum wire_direction direction;
	enum wire_form form;
};

const struct wire_message *wire_message(unsigned type); /* NULL: unknown */

/* --- whole frames --- */

struct wire_frame {
	uint16_t type, flags;
	uint32_t channel, sequence;
	const struct wire_message *message; /* NULL: a type to skip */
	const void *payload;                /* `length` bytes, then a NUL or the next frame */
	size_t length;
};

/*
 * Collects bytes and gives frames.  Read into it with wire_reader_feed, then call wire_reader_next until it
 * returns 0. The payload is valid until the next call on the reader.
 */
struct wire_reader {
	struct buf in;
	size_t at; /* bytes of `in` already given out */
};

void wire_reader_init(struct wire_reader *r);
void wire_reader_finish(struct wire_reader *r);
void wire_reader_feed(struct wire_reader *r, const void *data, size_t len);
/* 1: a frame in *out; 0: more bytes are needed; -1: the peer breaks the rules (ERR_PROTOCOL), close the
 * connection. */
int wire_reader_next(struct wire_reader *r, struct wire_frame *out, struct err *err);
/* The payload of a FORM_JSON frame as an object.  NULL with err (ERR_PROTOCOL) if it is none.  json_free it.
 */
struct json *wire_frame_json(const struct wire_frame *frame, struct err *err);

/*
 * Writing: wire_begin puts a header and returns a mark, the caller appends the payload to `out`, wire_end
 * fills in the length.  -1 (ERR_PROTOCOL): the payload is larger than WIRE_PAYLOAD_MAX; the frame is taken
 * out of `out` again.
 */
size_t wire_begin(struct buf *out, enum wire_type type, uint32_t channel, uint32_t sequence);
int wire_end(struct buf *out, size_t mark, struct err *err);
/* A whole frame: with these bytes, or with the text of a tree (which stays the caller's). */
int wire_frame_write(struct buf *out, enum wire_type type, uint32_t channel, uint32_t sequence,
    const void *payload, size_t len, struct err *err);
int wire_frame_write_json(struct buf *out, enum wire_type type, uint32_t channel, uint32_t sequence,
    const struct json *payload, struct err *err);

/* --- JSON that both ends must agree on --- */

/* The highest version that both speak, from a HELLO's "protocol"; -1 with a sentence for the sender of HELLO
 * that says which end is older ("it" is the session that it spoke to). */
int wire_agree(const struct json *hello, struct err *err);
bool wire_has_feature(const struct json *hello, const char *feature); /* of a HELLO or WELCOME */
/* {"error":{...}} for a REPLY; the caller owns it. */
struct json *wire_error_json(const struct err *e);
/* Whether a REPLY is an error; then *err (may be NULL) is set from it. */
bool wire_reply_error(const struct json *reply, struct err *err);

/* --- values inside a payload: little endian --- */

/*
 * A reader over bytes.  Reading past the end gives zeros and sets `failed` for good, so a decoder reads
 * everything and looks once at the end (wire_in_done).  Every decoder of this program goes through it.
 */
struct wire_in {
	const uint8_t *at, *end;
	bool failed;
};

struct wire_in wire_in(const void *data, size_t len);
uint8_t wire_u8(struct wire_in *in);
uint16_t wire_u16(struct wire_in *in);
uint32_t wire_u32(struct wire_in *in);
uint64_t wire_u64(struct wire_in *in);
const void *wire_bytes(struct wire_in *in, size_t len); /* NULL if there are fewer */
const char *wire_string(
    struct wire_in *in, size_t *len); /* u16 length, then bytes (no NUL); NULL on failure */
size_t wire_in_left(const struct wire_in *in);
bool wire_in_done(const struct wire_in *in); /* everything read, nothing failed */

void wire_put_u8(struct buf *out, uint8_t v);
void wire_put_u16(struct buf *out, uint16_t v);
void wire_put_u32(struct buf *out, uint32_t v);
void wire_put_u64(struct buf *out, uint64_t v);
void wire_put_string(struct buf *out, const char *s, size_t len); /* len <= 65535 */

#endif
