/* parser: see parser.h. */
#include <string.h>

#include "base/utf8.h"
#include "term/parser.h"

enum { BEL = 0x07, CAN = 0x18, SUB = 0x1a, ESC = 0x1b, DEL = 0x7f };

enum {
	BATCH = 128,           /* code points handed over at once */
	ASCII_RUN = 8,         /* so many in a row are worth leaving a batch for */
	STRING_KEPT = 1 << 16, /* memory for strings that stays allocated */
	TMUX_HEAD = 4,         /* bytes of "mux;", after the final byte t */
};

#define EVERY(byte) (0x0101010101010101u * (byte))

void parser_init(struct parser *p, const struct parser_handler *handler, void *owner)
{
	*p = (struct parser){.handler = handler, .owner = owner};
	buf_init(&p->data);
}

void parser_finish(struct parser *p)
{
	buf_free(&p->data);
}

/* --- text --- */

static bool is_printable(uint8_t c)
{
	return c >= 0x20 && c < DEL;
}

/* Whether eight bytes are all printable ASCII: none below 0x20, none from 0x7f on. */
static bool eight_printable(const uint8_t *at)
{
	uint64_t x;

	memcpy(&x, at, sizeof(x));
	return (((x - EVERY(0x20)) | x | (x + EVERY(0x01))) & EVERY(0x80)) == 0;
}

static const uint8_t *skip_printable(const uint8_t *at, const uint8_t *end)
{
	while (end - at >= 8 && eight_printable(at))
		at += 8;
	while (at < end && is_printable(*at))
		at++;
	return at;
}

/* As utf8_decode, with the three bytes of most scripts and symbols done here. */
static int decode(const uint8_t *at, size_t len, uint32_t *cp)
{
	if (len >= 3 && (at[0] & 0xf0) == 0xe0 && (at[1] & 0xc0) == 0x80 && (at[2] & 0xc0) == 0x80) {
		uint32_t c = (uint32_t)(at[0] & 0x0f) << 12 | (uint32_t)(at[1] & 0x3f) << 6 | (at[2] & 0x3f);

		if (c >= 0x800 && (c < 0xd800 || c > 0xdfff)) {
			*cp = c;
			return 3;
		}
	}
	return utf8_decode((const char *)at, len, cp, NULL);
}

static void sequence_begin(struct parser *p, enum parser_state state)
{
	p->seq.marker = 0;
	p->seq.intermediate = 0;
	p->seq.count = 0;
	p->seq.sub = 0;
	p->intermediates = 0;
	p->digits = false;
	p->number = 0;
	p->state = (uint8_t)state;
}

static void escape_final(struct parser *p, uint8_t c);

/* A C1 control is the two-byte sequence ESC Fe (ECMA-48 5.3). */
static void c1_control(struct parser *p, uint32_t cp)
{
	sequence_begin(p, PARSE_ESCAPE);
	escape_final(p, (uint8_t)(cp - 0x40));
}

static void flush(struct parser *p, const uint32_t *text, size_t count)
{
	if (count > 0)
		p->handler->print(p->owner, text, count);
}

/* One code point that is not ASCII; it may be a C1 control and leave the ground. */
static void print_one(struct parser *p, uint32_t cp)
{
	if (cp >= 0x80 && cp < 0xa0)
		c1_control(p, cp);
	else
		flush(p, &cp, 1);
}

/* Text from a byte that is not ASCII on, up to a control or a longer run of ASCII. */
static const uint8_t *parse_text(struct parser *p, const uint8_t *at, const uint8_t *end)
{
	uint32_t batch[BATCH], cp;
	size_t count = 0;

	while (at < end && (*at >= 0x80 || is_printable(*at)) && count < BATCH) {
		int n = 1;

		if (*at >= 0x80) {
			n = decode(at, (size_t)(end - at), &cp);
		} else {
			if (end - at >= ASCII_RUN && eight_printable(at))
				break;
			cp = *at;
		}
		if (n == 0) {
			p->partial_len = (uint8_t)(end - at);
			memcpy(p->partial, at, p->partial_len);
			at = end;
			break;
		}
		at += n;
		if (cp >= 0x80 && cp < 0xa0) {
			flush(p, batch, count);
			c1_control(p, cp);
			return at;
		}
		batch[count++] = cp;
	}
	flush(p, batch, count);
	return at;
}

/* Goes on with a character that the last piece of input left unfinished. */
static const uint8_t *parse_partial(struct parser *p, const uint8_t *at, const uint8_t *end)
{
	uint32_t cp;

	while (at < end && p->partial_len > 0) {
		bool ok;
		int n;

		p->partial[p->partial_len] = *at;
		n = utf8_decode((const char *)p->partial, p->partial_len + 1u, &cp, &ok);
		if (n == 0) {
			p->partial_len++;
			at++;
			continue;
		}
		if (n == p->partial_len + 1)
			at++;
		p->partial_len = 0;
		print_one(p, cp);
	}
	return at;
}

static const uint8_t *parse_ground(struct parser *p, const uint8_t *at, const uint8_t *end)
{
	if (p->partial_len > 0)
		at = parse_partial(p, at, end);
	while (at < end && p->state == PARSE_GROUND) {
		const uint8_t *start = at;
		uint8_t c = *at;

		if (is_printable(c)) {
			at = skip_printable(at, end);
			p->handler->ascii(p->owner, start, (size_t)(at - start));
		} else if (c >= 0x80) {
			at = parse_text(p, at, end);
		} else {
			at++;
			if (c == ESC)
				sequence_begin(p, PARSE_ESCAPE);
			else if (c != CAN && c != SUB && c != DEL)
				p->handler->control(p->owner, c);
		}
	}
	return at;
}

/* --- sequences --- */

/* A byte that no sequence may hold: it acts, and the sequence goes on or ends.  Returns whether it was
 * consumed. */
static bool intrude(struct parser *p, uint8_t c)
{
	if (c >= 0x80) {
		p->state = PARSE_GROUND;
		return false;
	}
	if (c == ESC)
		sequence_begin(p, PARSE_ESCAPE);
	else if (c == CAN || c == SUB)
		p->state = PARSE_GROUND;
	else if (c != DEL && p->state != PARSE_DCS)
		p->handler->control(p->owner, c);
	return true;
}

static void string_begin(struct parser *p, enum string_kind kind)
{
	p->string = (uint8_t)kind;
	p->state = PARSE_STRING;
	p->after_c2 = false;
	p->keep = p->handler->wanted(p->owner, kind, &p->seq);
}

static void escape_final(struct parser *p, uint8_t c)
{
	p->seq.final = (char)c;
	p->state = PARSE_GROUND;
	if (p->intermediates > 0) {
		p->handler->escape(p->owner, &p->seq);
		return;
	}
	switch (c) {
	case '[':
		p->state = PARSE_CSI;
		break;
	case 'P':
		p->state = PARSE_DCS;
		break;
	case ']':
		string_begin(p, STRING_OSC);
		break;
	case 'X':
		string_begin(p, STRING_SOS);
		break;
	case '^':
		string_begin(p, STRING_PM);
		break;
	case '_':
		string_begin(p, STRING_APC);
		break;
	default:
		p->handler->escape(p->owner, &p->seq);
	}
}

static void intermediate(struct parser *p, uint8_t c)
{
	p->seq.intermediate = p->intermediates == 0 ? (char)c : SEQUENCE_UNKNOWN;
	if (p->intermediates < TERM_INTERMEDIATES_MAX)
		p->intermediates++;
}

static const uint8_t *parse_csi(struct parser *p, const uint8_t *at, const uint8_t *end);

static const uint8_t *parse_escape(struct parser *p, const uint8_t *at, const uint8_t *end)
{
	while (at < end && p->state == PARSE_ESCAPE) {
		uint8_t c = *at;

		if (c >= 0x30 && c < DEL) {
			at++;
			escape_final(p, c);
			if (p->state == PARSE_CSI)
				return parse_csi(p, at, end);
		} else if (c >= 0x20 && c < 0x30) {
			at++;
			intermediate(p, c);
		} else if (intrude(p, c)) {
			at++;
		}
	}
	return at;
}

/* The parameter that was being read is complete; one too many is dropped. */
static void parameter_end(struct parser *p)
{
	if (p->seq.count < TERM_PARAMETERS_MAX)
		p->seq.value[p->seq.count++] = p->digits ? p->number : PARAMETER_OMITTED;
	p->digits = false;
	p->number = 0;
}

static void parameter_separator(struct parser *p, uint8_t c)
{
	parameter_end(p);
	if (c == ':' && p->seq.count < TERM_PARAMETERS_MAX)
		p->seq.sub |= 1u << p->seq.count;
}

static const uint8_t *parameter_digits(struct parser *p, const uint8_t *at, const uint8_t *end)
{
	int32_t n = p->number;

	for (; at < end && *at >= '0' && *at <= '9'; at++) {
		if (n <= PARAMETER_MAX)
			n = n * 10 + (*at - '0');
	}
	p->digits = true;
	p->number = n > PARAMETER_MAX ? PARAMETER_MAX : n;
	return at;
}

/*
 * Markers, parameters and intermediates of a CSI or DCS, up to the final byte, which is left to the caller,
 * or to a byte that does not belong there: then *state changes.
 */
static const uint8_t *parse_head(
    struct parser *p, const uint8_t *at, const uint8_t *end, enum parser_state malformed)
{
	uint8_t state = p->state;

	while (at < end && p->state == state) {
		uint8_t c = *at;

		if (c >= '0' && c <= '9' && p->intermediates == 0) {
			at = parameter_digits(p, at, end);
		} else if ((c == ';' || c == ':') && p->intermediates == 0) {
			parameter_separator(p, c);
			at++;
		} else if (c >= 0x40 && c < DEL) {
			break;
		} else if (c >= 0x20 && c < 0x30) {
			intermediate(p, c);
			at++;
		} else if (c < 0x20 || c >= DEL) {
			at += intrude(p, c);
		} else if (c >= 0x3c && p->seq.count == 0 && !p->digits && p->intermediates == 0 &&
			   !p->seq.marker) {
			p->seq.marker = (char)c;
			at++;
		} else {
			p->state = (uint8_t)malformed;
			at++;
		}
	}
	return at;
}

static void head_final(struct parser *p, uint8_t c)
{
	if (p->seq.count > 0 || p->digits)
		parameter_end(p);
	p->seq.final = (char)c;
}

static const uint8_t *parse_csi(struct parser *p, const uint8_t *at, const uint8_t *end)
{
	at = parse_head(p, at, end, PARSE_CSI_IGNORE);
	if (at == end || p->state != PARSE_CSI)
		return at;
	head_final(p, *at);
	p->state = PARSE_GROUND;
	p->handler->csi(p->owner, &p->seq);
	return at + 1;
}

/* A malformed control sequence has no effect, up to and with its final byte. */
static const uint8_t *parse_csi_ignore(struct parser *p, const uint8_t *at, const uint8_t *end)
{
	while (at < end && p->state == PARSE_CSI_IGNORE) {
		uint8_t c = *at;

		if (c >= 0x40 && c < DEL) {
			p->state = PARSE_GROUND;
			at++;
		} else if (c >= 0x20 && c < 0x40) {
			at++;
		} else {
			at += intrude(p, c);
		}
	}
	return at;
}

/* --- strings --- */

static const uint8_t *parse_dcs(struct parser *p, const uint8_t *at, const uint8_t *end)
{
	at = parse_head(p, at, end, PARSE_STRING);
	if (p->state == PARSE_STRING) { /* malformed: a string nobody wants */
		p->string = STRING_DCS;
		p->after_c2 = false;
		p->keep = false;
		return at;
	}
	if (at == end || p->state != PARSE_DCS)
		return at;
	head_final(p, *at);
	string_begin(p, STRING_DCS);
	return at + 1;
}

/* What is too long is dropped, but for the head by which tmux's is known. */
static void string_add(struct parser *p, const uint8_t *at, size_t len)
{
	if (!p->keep || len == 0)
		return;
	if (p->data.len + len > TERM_STRING_MAX) {
		p->keep = false;
		buf_truncate(&p->data, p->data.len < TMUX_HEAD ? p->data.len : TMUX_HEAD);
		return;
	}
	buf_add(&p->data, at, len);
}

static void string_end(struct parser *p, bool bel)
{
	p->state = PARSE_GROUND;
	if (p->keep)
		p->handler->string(p->owner, p->string, &p->seq, p->data.data, p->data.len, bel);
	if (p->data.cap > STRING_KEPT)
		buf_free(&p->data);
	else
		buf_clear(&p->data);
}

static void string_abort(struct parser *p, enum parser_state next)
{
	p->keep = false;
	string_end(p, false);
	if (next == PARSE_ESCAPE)
		sequence_begin(p, next);
}

/* Up to a byte that may end the string. */
static const uint8_t *string_run(const struct parser *p, const uint8_t *at, const uint8_t *end)
{
	while (at < end && *at != ESC && *at != CAN && *at != SUB && *at != 0x9c &&
	       (*at != BEL || p->string != STRING_OSC))
		at++;
	return at;
}

static const uint8_t *parse_string(struct parser *p, const uint8_t *at, const uint8_t *end)
{
	while (at < end && p->state == PARSE_STRING) {
		const uint8_t *start = at;
		uint8_t c;

		at = string_run(p, at, end);
		string_add(p, start, (size_t)(at - start));
		if (at > start)
			p->after_c2 = at[-1] == 0xc2;
		if (at == end)
			break;
		c = *at++;
		if (c == ESC) {
			p->state = PARSE_STRING_ESCAPE;
		} else if (c == BEL) {
			string_end(p, true);
		} else if (c == CAN || c == SUB) {
			string_abort(p, PARSE_GROUND);
		} else if (p->after_c2) { /* U+009C */
			if (p->keep)
				buf_truncate(&p->data, p->data.len - 1);
			string_end(p, false);
		} else {
			string_add(p, &c, 1);
		}
	}
	return at;
}

static bool is_tmux(const struct parser *p)
{
	const struct sequence *s = &p->seq;

	return p->string == STRING_DCS && s->final == 't' && s->count == 0 && !s->marker &&
	       !s->intermediate && p->data.len >= TMUX_HEAD && memcmp(p->data.data, "mux;", TMUX_HEAD) == 0;
}

static const uint8_t *parse_string_escape(struct parser *p, const uint8_t *at, const uint8_t *end)
{
	const uint8_t pair[2] = {ESC, *at};

	(void)end;
	if (*at == '\\') {
		string_end(p, false);
		return at + 1;
	}
	if (!is_tmux(p)) {
		string_abort(p, PARSE_ESCAPE);
		return at;
	}
	string_add(p, pair, *at == ESC ? 1 : 2);
	p->after_c2 = *at == 0xc2;
	p->state = PARSE_STRING;
	return at + 1;
}

void parser_feed(struct parser *p, const uint8_t *data, size_t len)
{
	static const uint8_t *(*const parse[PARSE_STATES])(
	    struct parser *, const uint8_t *, const uint8_t *) = {
	    [PARSE_GROUND] = parse_ground,
	    [PARSE_ESCAPE] = parse_escape,
	    [PARSE_CSI] = parse_csi,
	    [PARSE_CSI_IGNORE] = parse_csi_ignore,
	    [PARSE_DCS] = parse_dcs,
	    [PARSE_STRING] = parse_string,
	    [PARSE_STRING_ESCAPE] = parse_string_escape,
	};
	const uint8_t *end = data + len;

	while (data < end)
		data = parse[p->state](p, data, end);
}
