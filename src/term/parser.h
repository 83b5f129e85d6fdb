/*
 * parser: the bytes of a program become text, controls, sequences and strings.
 *
 * The state machine of DEC's terminals (after vt100.net's reconstruction; ECMA-48 5.4) for a stream of UTF-8.
 * It knows the form of sequences and nothing of their meaning; what it finds goes to a handler.  Cutting the
 * input anywhere changes nothing but the length of the pieces of text handed over.  No allocation but for
 * strings.
 *
 * C1 controls are accepted as U+0080..U+009F, never as single bytes: those are pieces of characters.  A
 * sequence is ended by CAN, SUB and ESC, and by any byte that is not ASCII, which is then text.  A string is
 * ended by ST, an OSC also by BEL; any other escape sequence inside ends it without effect.  In the one
 * exception, DCS tmux; ... ST, ESC ESC stands for ESC, and an ESC that is not doubled is taken as it is.
 */
#ifndef HANDLER_TERM_PARSER_H
#define HANDLER_TERM_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "term/term.h"

enum { PARAMETER_OMITTED = -1, PARAMETER_MAX = 65535 };

/* An escape sequence, a control sequence, or the head of a DCS. */
struct sequence {
	char marker;       /* one of < = > ? before the parameters, or 0 */
	char intermediate; /* the only one, 0 for none, SEQUENCE_UNKNOWN for several: those mean nothing to us
			    */
	char final;
	uint8_t count; /* of values */
	uint32_t sub;  /* bit i: value[i] came after a colon */
	int32_t value[TERM_PARAMETERS_MAX];
};
#define SEQUENCE_UNKNOWN '\x7f'
_Static_assert(TERM_PARAMETERS_MAX <= 32, "sub has a bit for each parameter");

enum string_kind { STRING_DCS, STRING_OSC, STRING_SOS, STRING_PM, STRING_APC };

struct parser_handler {
	void (*ascii)(void *owner, const uint8_t *text, size_t len);    /* U+0020..U+007E, at least one */
	void (*print)(void *owner, const uint32_t *text, size_t count); /* from U+0020, no DEL, no C1 */
	void (*control)(void *owner, uint8_t c);                        /* C0 without ESC, CAN and SUB */
	void (*escape)(void *owner, const struct sequence *s);          /* also a C1 control, as ESC Fe */
	void (*csi)(void *owner, const struct sequence *s);
	/* Whether a string is worth keeping. */
	bool (*wanted)(void *owner, enum string_kind kind, const struct sequence *head);
	/* A whole string, NUL-terminated, the handler's to change.  bel: how it ended, so that an answer can
	 * end alike. */
	void (*string)(void *owner, enum string_kind kind, const struct sequence *head, char *data,
	    size_t len, bool bel);
};

enum parser_state {
	PARSE_GROUND,
	PARSE_ESCAPE,
	PARSE_CSI,
	PARSE_CSI_IGNORE,
	PARSE_DCS,
	PARSE_STRING,
	PARSE_STRING_ESCAPE,
	PARSE_STATES
};

struct parser {
	const struct parser_handler *handler;
	void *owner;
	uint8_t state;         /* enum parser_state */
	uint8_t string;        /* enum string_kind */
	bool keep;             /* the string is wanted and not too long */
	bool after_c2;         /* the last byte of the string was 0xc2: 0x9c makes it ST */
	bool digits;           /* the parameter that is being read has any */
	uint8_t intermediates; /* how many were read */
	uint8_t partial_len;
	uint8_t partial[4]; /* the beginning of a UTF-8 sequence */
	int32_t number;     /* the parameter that is being read */
	struct sequence seq;
	struct buf data; /* of a string */
};

void parser_init(struct parser *p, const struct parser_handler *handler, void *owner);
void parser_finish(struct parser *p);
void parser_feed(struct parser *p, const uint8_t *data, size_t len);

/* Value i for sequences that take a count: 0 and what was left out mean 1. */
static inline int sequence_count(const struct sequence *s, int i)
{
	return i < s->count && s->value[i] > 0 ? s->value[i] : 1;
}

static inline int sequence_value(const struct sequence *s, int i, int fallback)
{
	return i < s->count && s->value[i] >= 0 ? s->value[i] : fallback;
}

#endif
