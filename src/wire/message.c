/* message: the small binary payloads.  See message.h. */
#include "wire/message.h"

#include <string.h>

#include "base/utf8.h"

enum { PLACE_MAX = 1 << 20 /* of a mouse action, in cells or pixels */ };

/* The end of every decoder here. */
static int done(const struct wire_in *in, bool sensible, const char *what, struct err *err)
{
	if (wire_in_done(in) && sensible)
		return 0;
	return err_set(err, ERR_PROTOCOL, "A malformed %s message.", what);
}

/* --- VIEW --- */

enum { VIEW_VISIBLE = 1, VIEW_PREVIEW = 2, VIEW_READONLY = 4, VIEW_REFRESH = 8 };

void wire_view_encode(const struct wire_view *v, struct buf *out)
{
	wire_put_u8(out, (uint8_t)((v->visible ? VIEW_VISIBLE : 0) | (v->preview ? VIEW_PREVIEW : 0) |
				   (v->readonly ? VIEW_READONLY : 0) | (v->refresh ? VIEW_REFRESH : 0)));
	wire_put_u16(out, v->rows);
	wire_put_u16(out, v->cols);
	wire_put_u16(out, v->xpixel);
	wire_put_u16(out, v->ypixel);
}

int wire_view_decode(const void *data, size_t len, struct wire_view *out, struct err *err)
{
	struct wire_in in = wire_in(data, len);
	unsigned flags = wire_u8(&in);

	*out = (struct wire_view){
	    .visible = flags & VIEW_VISIBLE,
	    .preview = flags & VIEW_PREVIEW,
	    .readonly = flags & VIEW_READONLY,
	    .refresh = flags & VIEW_REFRESH,
	};
	out->rows = wire_u16(&in);
	out->cols = wire_u16(&in);
	out->xpixel = wire_u16(&in);
	out->ypixel = wire_u16(&in);
	return done(&in, true, "view", err);
}

/* --- KEY --- */

void wire_key_encode(const struct key *k, struct buf *out)
{
	wire_put_u32(out, k->code);
	wire_put_u32(out, k->shifted);
	wire_put_u32(out, k->base);
	wire_put_u32(out, k->number);
	wire_put_u16(out, k->mods);
	wire_put_u8(out, k->event);
	wire_put_u8(out, (uint8_t)strnlen(k->text, KEY_TEXT_MAX));
	buf_add(out, k->text, strnlen(k->text, KEY_TEXT_MAX));
}

static bool is_scalar(uint32_t cp)
{
	return cp < 0xd800 || (cp >= 0xe000 && cp <= 0x10ffff);
}

static bool is_key(uint32_t code)
{
	return is_scalar(code) || (code >= KEY_SPECIAL_FIRST && code < KEY_SPECIAL_END);
}

int wire_key_decode(const void *data, size_t len, struct key *out, struct err *err)
{
	struct wire_in in = wire_in(data, len);
	const char *text;
	size_t text_len;

	*out = (struct key){.code = wire_u32(&in)};
	out->shifted = wire_u32(&in);
	out->base = wire_u32(&in);
	out->number = wire_u32(&in);
	out->mods = wire_u16(&in);
	out->event = wire_u8(&in);
	text_len = wire_u8(&in);
	text = text_len <= KEY_TEXT_MAX ? wire_bytes(&in, text_len) : NULL;
	if (text)
		memcpy(out->text, text, text_len);
	return done(&in,
	    text && utf8_valid(text, text_len, NULL) && !memchr(text, 0, text_len) && is_key(out->code) &&
		is_key(out->shifted) && is_key(out->base) && out->event >= KEY_PRESS &&
		out->event <= KEY_RELEASE,
	    "key", err);
}

/* --- MOUSE --- */

/* Clamped: a pointer that was dragged out of the pane is at its edge. */
static void put_place(struct buf *out, int v, int min)
{
	wire_put_u32(out, (uint32_t)(v < min ? min : v > PLACE_MAX ? PLACE_MAX : v));
}

void wire_mouse_encode(const struct mouse *m, struct buf *out)
{
	wire_put_u8(out, m->action);
	wire_put_u8(out, m->button);
	wire_put_u16(out, m->mods);
	put_place(out, m->row, 0);
	put_place(out, m->col, 0);
	put_place(out, m->x, -1);
	put_place(out, m->y, -1);
}

/* A coordinate of at least -1; false in *sensible if it is out of range. */
static int place(struct wire_in *in, int min, bool *sensible)
{
	uint32_t v = wire_u32(in);

	if (v == UINT32_MAX && min < 0)
		return -1;
	if (v > PLACE_MAX)
		*sensible = false;
	return v > PLACE_MAX ? 0 : (int)v;
}

int wire_mouse_decode(const void *data, size_t len, struct mouse *out, struct err *err)
{
	struct wire_in in = wire_in(data, len);
	bool sensible = true;

	*out = (struct mouse){.action = wire_u8(&in)};
	out->button = wire_u8(&in);
	out->mods = wire_u16(&in);
	out->row = place(&in, 0, &sensible);
	out->col = place(&in, 0, &sensible);
	out->x = place(&in, -1, &sensible);
	out->y = place(&in, -1, &sensible);
	return done(
	    &in, sensible && out->action <= MOUSE_WHEEL && out->button <= BUTTON_FORWARD, "mouse", err);
}

/* --- PASTE --- */

enum { PASTE_FIRST = 1, PASTE_LAST = 2 };

void wire_paste_encode(const struct wire_paste *p, struct buf *out)
{
	wire_put_u8(out, (uint8_t)((p->first ? PASTE_FIRST : 0) | (p->last ? PASTE_LAST : 0)));
	buf_add(out, p->text, p->len);
}

int wire_paste_decode(const void *data, size_t len, struct wire_paste *out, struct err *err)
{
	struct wire_in in = wire_in(data, len);
	unsigned flags = wire_u8(&in);

	*out = (struct wire_paste){
	    .first = flags & PASTE_FIRST, .last = flags & PASTE_LAST, .len = wire_in_left(&in)};
	out->text = wire_bytes(&in, out->len);
	return done(&in, out->text, "paste", err);
}

/* --- FOCUS --- */

void wire_focus_encode(bool on, struct buf *out)
{
	wire_put_u8(out, on);
}

int wire_focus_decode(const void *data, size_t len, bool *on, struct err *err)
{
	struct wire_in in = wire_in(data, len);
	unsigned v = wire_u8(&in);

	*on = v == 1;
	return done(&in, v <= 1, "focus", err);
}

/* --- ROWS_GET --- */

void wire_rows_get_encode(const struct wire_rows_get *g, struct buf *out)
{
	wire_put_u64(out, g->from);
	wire_put_u32(out, g->count);
}

int wire_rows_get_decode(const void *data, size_t len, struct wire_rows_get *out, struct err *err)
{
	struct wire_in in = wire_in(data, len);

	out->from = wire_u64(&in);
	out->count = wire_u32(&in);
	return done(&in,
	    out->count >= 1 && out->count <= WIRE_ROWS_MAX && out->from < UINT64_MAX - WIRE_ROWS_MAX,
	    "rows-get", err);
}
