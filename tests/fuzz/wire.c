/*
 * wire: a peer's bytes: frames however they are cut, and what is in them.  Every message that is understood
 * means the same when it is written and read again; text that one is given is always text.
 *
 * The input is a stream of frames; and since libFuzzer does not easily count the bytes of one: its first byte
 * is also a type and the rest of it a payload of that type.
 */
#include "base/utf8.h"
#include "fuzz.h"
#include "wire/message.h"

static void same_payload(const struct buf *first, const struct buf *second)
{
	check_same(first, second, "a message that was read, and written and read again");
}

static void view(const struct wire_frame *f)
{
	struct wire_view v;
	AUTO_BUF first = BUF_INIT;
	AUTO_BUF second = BUF_INIT;

	if (wire_view_decode(f->payload, f->length, &v, NULL) < 0)
		return;
	wire_view_encode(&v, &first);
	CHECK(wire_view_decode(first.data, first.len, &v, NULL) == 0);
	wire_view_encode(&v, &second);
	same_payload(&first, &second);
}

static void key(const struct wire_frame *f)
{
	static const struct key_modes modes[] = {{0}, {.modify_other_keys = 2}, {.kitty = KITTY_ALL_FLAGS}};
	struct key k;
	AUTO_BUF first = BUF_INIT;
	AUTO_BUF second = BUF_INIT;
	AUTO_BUF bytes = BUF_INIT;
	char name[KEY_NAME_MAX];

	if (wire_key_decode(f->payload, f->length, &k, NULL) < 0)
		return;
	CHECK(utf8_valid(k.text, strlen(k.text), NULL));
	wire_key_encode(&k, &first);
	CHECK(wire_key_decode(first.data, first.len, &k, NULL) == 0);
	wire_key_encode(&k, &second);
	same_payload(&first, &second);
	key_name(&k, name);
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		key_encode(&k, &modes[i], &bytes);
	key_complete(&k);
}

static void mouse(const struct wire_frame *f)
{
	struct mouse m;
	AUTO_BUF first = BUF_INIT;
	AUTO_BUF second = BUF_INIT;
	AUTO_BUF bytes = BUF_INIT;

	if (wire_mouse_decode(f->payload, f->length, &m, NULL) < 0)
		return;
	wire_mouse_encode(&m, &first);
	CHECK(wire_mouse_decode(first.data, first.len, &m, NULL) == 0);
	wire_mouse_encode(&m, &second);
	same_payload(&first, &second);
	for (uint8_t format = FORMAT_X10; format <= FORMAT_SGR_PIXELS; format++)
		mouse_encode(
		    &m, &(struct key_modes){.tracking = TRACK_ANY, .format = format}, 24, 80, &bytes);
}

static void paste(const struct wire_frame *f)
{
	static const struct key_modes bracketed = {.bracketed_paste = true};
	struct wire_paste p;
	AUTO_BUF again = BUF_INIT;
	AUTO_BUF bytes = BUF_INIT;

	if (wire_paste_decode(f->payload, f->length, &p, NULL) < 0)
		return;
	wire_paste_encode(&p, &again);
	CHECK(again.len == f->length && memcmp(again.data + 1, p.text, p.len) == 0);
	paste_encode(p.text, p.len, &bracketed, p.first, p.last, &bytes);
	CHECK(utf8_valid(bytes.data, bytes.len, NULL));
}

static void small(const struct wire_frame *f)
{
	struct wire_rows_get g;
	AUTO_BUF again = BUF_INIT;
	bool on;

	if (f->type == WIRE_FOCUS && wire_focus_decode(f->payload, f->length, &on, NULL) == 0)
		wire_focus_encode(on, &again);
	if (f->type == WIRE_ROWS_GET && wire_rows_get_decode(f->payload, f->length, &g, NULL) == 0)
		wire_rows_get_encode(&g, &again);
	CHECK(again.len == 0 || (again.len == f->length && memcmp(again.data, f->payload, f->length) == 0));
}

static void object(const struct wire_frame *f)
{
	struct err err = ERR_INIT;
	struct json *j = wire_frame_json(f, &err);
	int version;

	if (!j) {
		CHECK(err.code == ERR_PROTOCOL && err.message[0]);
		return;
	}
	version = wire_agree(j, &err);
	CHECK(version == -1 || (version >= WIRE_PROTOCOL_MIN && version <= WIRE_PROTOCOL_MAX));
	if (wire_reply_error(j, &err)) {
		struct json *again = wire_error_json(&err);

		CHECK(utf8_valid(err.message, strlen(err.message), NULL) &&
		      utf8_valid(err.hint, strlen(err.hint), NULL));
		CHECK(wire_reply_error(again, NULL));
		json_free(again);
	}
	json_free(j);
}

static void look(const struct wire_frame *f)
{
	CHECK(f->message == wire_message(f->type) && f->length <= WIRE_PAYLOAD_MAX);
	if (!f->message)
		return;
	if (f->message->form == FORM_JSON)
		object(f);
	switch (f->type) {
	case WIRE_VIEW:
		view(f);
		break;
	case WIRE_KEY:
		key(f);
		break;
	case WIRE_MOUSE:
		mouse(f);
		break;
	case WIRE_PASTE:
		paste(f);
		break;
	case WIRE_FOCUS:
	case WIRE_ROWS_GET:
		small(f);
		break;
	}
}

/* Appends the frames as they came; false: the peer broke the rules. */
static bool read_frames(struct wire_reader *r, struct buf *out)
{
	struct err err = ERR_INIT;
	struct wire_frame f;
	int found;

	while ((found = wire_reader_next(r, &f, &err)) > 0) {
		buf_printf(out, "%u %u %u %u:", f.type, f.flags, (unsigned)f.channel, (unsigned)f.sequence);
		buf_add(out, f.payload, f.length);
		look(&f);
	}
	CHECK(found == 0 || err.code == ERR_PROTOCOL);
	return found == 0;
}

static void stream(const uint8_t *data, size_t size)
{
	struct wire_reader whole, pieces;
	struct cutter cutter = {1};
	AUTO_BUF want = BUF_INIT;
	AUTO_BUF got = BUF_INIT;
	bool well = true;

	wire_reader_init(&whole);
	wire_reader_feed(&whole, data, size);
	read_frames(&whole, &want);
	wire_reader_init(&pieces);
	for (size_t n; size > 0 && well; data += n, size -= n) {
		n = cutter_next(&cutter, size);
		wire_reader_feed(&pieces, data, n);
		well = read_frames(&pieces, &got);
	}
	check_same(&want, &got, "a stream read whole, and in pieces");
	wire_reader_finish(&whole);
	wire_reader_finish(&pieces);
}

static void payload(const uint8_t *data, size_t size)
{
	AUTO_BUF frame = BUF_INIT;
	AUTO_BUF got = BUF_INIT;
	struct wire_reader r;

	CHECK(wire_frame_write(&frame, (enum wire_type)data[0], 1, 2, data + 1, size - 1, NULL) == 0);
	wire_reader_init(&r);
	wire_reader_feed(&r, frame.data, frame.len);
	CHECK(read_frames(&r, &got));
	CHECK(got.len > size - 1);
	wire_reader_finish(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	stream(data, size);
	payload(data, size);
	return 0;
}
