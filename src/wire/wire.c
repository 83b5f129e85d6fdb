/* wire: frames, the table of messages, and values inside a payload.  See wire.h. */
#include "wire/wire.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	READER_KEEP = 256 << 10,   /* an empty reader gives back a larger buffer */
	READER_CONSUME = 64 << 10, /* bytes given out that are moved away only when there are so many */
};

static const struct wire_message messages[] = {
#define X(name, number, text, direction, form) {name, text, direction, form},
    WIRE_MESSAGES(X)
#undef X
};

/* The numbers follow each other from 1. */
#define X(name, number, text, direction, form) +(number)
_Static_assert(
    (0 WIRE_MESSAGES(X)) * 2 == COUNT_OF(messages) * (COUNT_OF(messages) + 1), "message numbers have gaps");
#undef X

const struct wire_message *wire_message(unsigned type)
{
	return type >= 1 && type <= COUNT_OF(messages) ? &messages[type - 1] : NULL;
}

/* --- reading frames --- */

void wire_reader_init(struct wire_reader *r)
{
	*r = (struct wire_reader){.in = BUF_INIT};
}

void wire_reader_finish(struct wire_reader *r)
{
	buf_free(&r->in);
	r->at = 0;
}

/* Drops what was given out. */
static void reader_compact(struct wire_reader *r)
{
	if (r->at == r->in.len) {
		buf_clear(&r->in);
		r->at = 0;
		if (r->in.cap > READER_KEEP)
			buf_free(&r->in);
	} else if (r->at >= READER_CONSUME) {
		buf_consume(&r->in, r->at);
		r->at = 0;
	}
}

void wire_reader_feed(struct wire_reader *r, const void *data, size_t len)
{
	reader_compact(r);
	buf_add(&r->in, data, len);
}

int wire_reader_next(struct wire_reader *r, struct wire_frame *out, struct err *err)
{
	struct wire_in in;
	uint32_t length;

	if (r->in.len - r->at < WIRE_HEADER_SIZE) {
		reader_compact(r);
		return 0;
	}
	in = wire_in(r->in.data + r->at, WIRE_HEADER_SIZE);
	length = wire_u32(&in);
	if (length > WIRE_PAYLOAD_MAX)
		return err_set(err, ERR_PROTOCOL,
		    "The peer announces a message of %u bytes; %d are the most.", (unsigned)length,
		    WIRE_PAYLOAD_MAX);
	if (r->in.len - r->at - WIRE_HEADER_SIZE < length)
		return 0;
	out->type = wire_u16(&in);
	out->flags = wire_u16(&in);
	out->channel = wire_u32(&in);
	out->sequence = wire_u32(&in);
	out->message = wire_message(out->type);
	out->payload = r->in.data + r->at + WIRE_HEADER_SIZE;
	out->length = length;
	r->at += WIRE_HEADER_SIZE + length;
	return 1;
}

struct json *wire_frame_json(const struct wire_frame *frame, struct err *err)
{
	const char *name = frame->message ? frame->message->name : "unknown";
	struct err reason = ERR_INIT;
	struct json *root = json_parse(frame->payload, frame->length, name, &reason);

	if (root && json_type(root) == JSON_OBJECT)
		return root;
	if (root)
		err_set(err, ERR_PROTOCOL, "The message \"%s\" is not an object.", name);
	else
		err_set(err, ERR_PROTOCOL, "The message \"%s\" cannot be read: %s", name, reason.message);
	json_free(root);
	return NULL;
}

/* --- writing frames --- */

size_t wire_begin(struct buf *out, enum wire_type type, uint32_t channel, uint32_t sequence)
{
	size_t mark = out->len;

	wire_put_u32(out, 0);
	wire_put_u16(out, (uint16_t)type);
	wire_put_u16(out, 0);
	wire_put_u32(out, channel);
	wire_put_u32(out, sequence);
	return mark;
}

int wire_end(struct buf *out, size_t mark, struct err *err)
{
	size_t length = out->len - mark - WIRE_HEADER_SIZE;

	if (length > WIRE_PAYLOAD_MAX) {
		buf_truncate(out, mark);
		return err_set(err, ERR_PROTOCOL, "A message of %zu bytes cannot be sent; %d are the most.",
		    length, WIRE_PAYLOAD_MAX);
	}
	for (int i = 0; i < 4; i++)
		out->data[mark + (size_t)i] = (char)(length >> 8 * i);
	return 0;
}

int wire_frame_write(struct buf *out, enum wire_type type, uint32_t channel, uint32_t sequence,
    const void *payload, size_t len, struct err *err)
{
	size_t mark = wire_begin(out, type, channel, sequence);

	buf_add(out, payload, len);
	return wire_end(out, mark, err);
}

int wire_frame_write_json(struct buf *out, enum wire_type type, uint32_t channel, uint32_t sequence,
    const struct json *payload, struct err *err)
{
	AUTO_FREE char *text = json_print(payload, false);

	return wire_frame_write(out, type, channel, sequence, text, strlen(text), err);
}

/* --- JSON that both ends must agree on --- */

int wire_agree(const struct json *hello, struct err *err)
{
	const struct json *range = json_get(hello, "protocol"), *low = json_first(range);
	int64_t min = json_int(low, -1), max = json_int(low ? json_next(low) : NULL, -1);

	if (min < 1 || max < min)
		return err_set(
		    err, ERR_PROTOCOL, "This program does not say which versions of the protocol it speaks.");
	if (max < WIRE_PROTOCOL_MIN) {
		err_set(err, ERR_PROTOCOL,
		    "This program is too old for it: it speaks the protocol up to version %d, the session "
		    "from "
		    "version %d on.",
		    (int)(max < INT32_MAX ? max : INT32_MAX), WIRE_PROTOCOL_MIN);
		return -1;
	}
	if (min > WIRE_PROTOCOL_MAX) {
		err_set(err, ERR_PROTOCOL,
		    "It runs an older version: it speaks the protocol up to version %d, this program from "
		    "version %d on.",
		    WIRE_PROTOCOL_MAX, (int)(min < INT32_MAX ? min : INT32_MAX));
		return -1;
	}
	return max < WIRE_PROTOCOL_MAX ? (int)max : WIRE_PROTOCOL_MAX;
}

bool wire_has_feature(const struct json *hello, const char *feature)
{
	for (const struct json *f = json_first(json_get(hello, "features")); f; f = json_next(f))
		if (!strcmp(json_string(f, ""), feature))
			return true;
	return false;
}

struct json *wire_error_json(const struct err *e)
{
	struct json *root = json_new_object(), *error = json_set(root, "error", json_new_object());

	json_set_string(error, "code", err_code_name(e->code));
	json_set_string(error, "message", e->message);
	if (e->hint[0])
		json_set_string(error, "hint", e->hint);
	return root;
}

bool wire_reply_error(const struct json *reply, struct err *err)
{
	const struct json *error = json_get(reply, "error");
	const char *hint = json_get_string(error, "hint", "");

	if (!error || json_type(error) != JSON_OBJECT)
		return false;
	err_set(err, err_code_from_name(json_get_string(error, "code", "")), "%s",
	    json_get_string(error, "message", "The other end refused without a reason."));
	if (*hint)
		err_hint(err, "%s", hint);
	return true;
}

/* --- values --- */

struct wire_in wire_in(const void *data, size_t len)
{
	return (struct wire_in){.at = data, .end = (const uint8_t *)data + len};
}

const void *wire_bytes(struct wire_in *in, size_t len)
{
	const uint8_t *at = in->at;

	if (in->failed || (size_t)(in->end - at) < len) {
		in->failed = true;
		return NULL;
	}
	in->at += len;
	return at;
}

/* size bytes, the lowest first; 0 if there are fewer. */
static uint64_t wire_number(struct wire_in *in, size_t size)
{
	const uint8_t *p = wire_bytes(in, size);
	uint64_t v = 0;

	for (size_t i = 0; p && i < size; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

uint8_t wire_u8(struct wire_in *in)
{
	return (uint8_t)wire_number(in, 1);
}

uint16_t wire_u16(struct wire_in *in)
{
	return (uint16_t)wire_number(in, 2);
}

uint32_t wire_u32(struct wire_in *in)
{
	return (uint32_t)wire_number(in, 4);
}

uint64_t wire_u64(struct wire_in *in)
{
	return wire_number(in, 8);
}

const char *wire_string(struct wire_in *in, size_t *len)
{
	*len = wire_u16(in);
	return wire_bytes(in, *len);
}

size_t wire_in_left(const struct wire_in *in)
{
	return in->failed ? 0 : (size_t)(in->end - in->at);
}

bool wire_in_done(const struct wire_in *in)
{
	return !in->failed && in->at == in->end;
}

static void put_number(struct buf *out, uint64_t v, size_t size)
{
	char bytes[8];

	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)(v >> 8 * i);
	buf_add(out, bytes, size);
}

void wire_put_u8(struct buf *out, uint8_t v)
{
	put_number(out, v, 1);
}

void wire_put_u16(struct buf *out, uint16_t v)
{
	put_number(out, v, 2);
}

void wire_put_u32(struct buf *out, uint32_t v)
{
	put_number(out, v, 4);
}

void wire_put_u64(struct buf *out, uint64_t v)
{
	put_number(out, v, 8);
}

void wire_put_string(struct buf *out, const char *s, size_t len)
{
	wire_put_u16(out, (uint16_t)len);
	buf_add(out, s, (uint16_t)len);
}
