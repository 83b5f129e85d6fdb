/* esc: control characters and escape sequences (ECMA-48 8.2, 8.3; ISO 2022; DEC STD 070). */
#include "base/mem.h"
#include "term/cursor.h"
#include "term/dispatch.h"
#include "term/edit.h"
#include "term/erase.h"
#include "term/reply.h"
#include "term/reset.h"
#include "term/scroll.h"
#include "term/sgr.h"
#include "term/state.h"

/* --- C0 --- */

static void line_feed(struct term *t)
{
	cursor_index(t);
	if (mode(t, MODE_NEWLINE))
		cursor_return(t);
}

void dispatch_control(struct term *t, uint8_t c)
{
	switch (c) {
	case '\a':
		event_number(t, TERM_BELL, 0, 0);
		break;
	case '\b':
		cursor_left(t, 1);
		break;
	case '\t':
		cursor_tab(t, 1);
		break;
	case '\n':
	case '\v':
	case '\f':
		line_feed(t);
		break;
	case '\r':
		cursor_return(t);
		break;
	case 0x0e:
		charset_invoke(t, 1);
		break;
	case 0x0f:
		charset_invoke(t, 0);
		break;
	}
}

/* --- ESC --- */

static void ind(struct term *t, const struct sequence *s)
{
	(void)s;
	cursor_index(t);
}

static void nel(struct term *t, const struct sequence *s)
{
	(void)s;
	cursor_index(t);
	cursor_return(t);
}

static void hts(struct term *t, const struct sequence *s)
{
	(void)s;
	t->tabs[t->col] = 1;
}

static void ri(struct term *t, const struct sequence *s)
{
	(void)s;
	cursor_reverse_index(t);
}

static void ss2(struct term *t, const struct sequence *s)
{
	(void)s;
	charset_single_shift(t, 2);
}

static void ss3(struct term *t, const struct sequence *s)
{
	(void)s;
	charset_single_shift(t, 3);
}

static void spa(struct term *t, const struct sequence *s)
{
	(void)s;
	t->protection = PROTECT_ISO;
	pen_set_protected(t, true);
}

static void epa(struct term *t, const struct sequence *s)
{
	(void)s;
	pen_set_protected(t, false);
}

static void decid(struct term *t, const struct sequence *s)
{
	(void)s;
	csi_attributes(t, &(struct sequence){.final = 'c'});
}

static void decbi(struct term *t, const struct sequence *s)
{
	(void)s;
	edit_back_index(t);
}

static void decfi(struct term *t, const struct sequence *s)
{
	(void)s;
	edit_forward_index(t);
}

static void decsc(struct term *t, const struct sequence *s)
{
	(void)s;
	cursor_save(t);
}

static void decrc(struct term *t, const struct sequence *s)
{
	(void)s;
	cursor_restore(t);
}

static void deckpam(struct term *t, const struct sequence *s)
{
	(void)s;
	modes_set(t, true, 66, true);
}

static void deckpnm(struct term *t, const struct sequence *s)
{
	(void)s;
	modes_set(t, true, 66, false);
}

static void ris(struct term *t, const struct sequence *s)
{
	(void)s;
	reset_full(t);
}

static void ls2(struct term *t, const struct sequence *s)
{
	(void)s;
	charset_invoke(t, 2);
}

static void ls3(struct term *t, const struct sequence *s)
{
	(void)s;
	charset_invoke(t, 3);
}

static void s7c1t(struct term *t, const struct sequence *s)
{
	(void)s;
	t->replies_8bit = false;
}

static void s8c1t(struct term *t, const struct sequence *s)
{
	(void)s;
	t->replies_8bit = true;
}

/* DECDHL, DECDWL, DECSWL: the row remembers; it is drawn as text. */
static void line_size(struct term *t, const struct sequence *s)
{
	struct row *r = touch(t, t->row);

	if (s->final == '5')
		r->flags &= (uint16_t)~ROW_DOUBLE_WIDTH;
	else
		r->flags |= ROW_DOUBLE_WIDTH;
}

static void decaln(struct term *t, const struct sequence *s)
{
	(void)s;
	erase_align(t);
}

/* SCS; the sets of 96 characters (- . /) can only be in GR, which UTF-8 has no use for. */
static void scs(struct term *t, const struct sequence *s)
{
	charset_designate(t, s->intermediate - '(', s->final);
}

#define AT(final) [(final) - '0']
enum { FINALS = 0x7f - '0' };

static const struct command plain[FINALS] = {
    AT('6') = {"DECBI", decbi},
    AT('7') = {"DECSC", decsc},
    AT('8') = {"DECRC", decrc},
    AT('9') = {"DECFI", decfi},
    AT('=') = {"DECKPAM", deckpam},
    AT('>') = {"DECKPNM", deckpnm},
    AT('D') = {"IND", ind},
    AT('E') = {"NEL", nel},
    AT('H') = {"HTS", hts},
    AT('M') = {"RI", ri},
    AT('N') = {"SS2", ss2},
    AT('O') = {"SS3", ss3},
    AT('V') = {"SPA", spa},
    AT('W') = {"EPA", epa},
    AT('Z') = {"DECID", decid},
    AT('c') = {"RIS", ris},
    AT('n') = {"LS2", ls2},
    AT('o') = {"LS3", ls3},
};

static const struct command space[FINALS] = {
    AT('F') = {"S7C1T", s7c1t},
    AT('G') = {"S8C1T", s8c1t},
};

static const struct command number_sign[FINALS] = {
    AT('3') = {"DECDHL", line_size},
    AT('4') = {"DECDHL", line_size},
    AT('5') = {"DECSWL", line_size},
    AT('6') = {"DECDWL", line_size},
    AT('8') = {"DECALN", decaln},
};

static const struct command designate = {"SCS", scs};

static const struct {
	char intermediate;
	const struct command *commands;
} classes[] = {{0, plain}, {' ', space}, {'#', number_sign}};

const struct command *dispatch_find_escape(char intermediate, char final)
{
	if (intermediate >= '(' && intermediate <= '+')
		return &designate;
	for (size_t i = 0; i < COUNT_OF(classes); i++) {
		const struct command *c = &classes[i].commands[final - '0'];

		if (classes[i].intermediate == intermediate)
			return c->run ? c : NULL;
	}
	return NULL;
}

void dispatch_escape(struct term *t, const struct sequence *s)
{
	const struct command *c = dispatch_find_escape(s->intermediate, s->final);

	if (c)
		c->run(t, s);
}
