/* csi: control sequences (ECMA-48 5.4; DEC STD 070; xterm ctlseqs). */
#include "base/mem.h"
#include "term/cursor.h"
#include "term/dispatch.h"
#include "term/edit.h"
#include "term/erase.h"
#include "term/print.h"
#include "term/rect.h"
#include "term/reply.h"
#include "term/reset.h"
#include "term/scroll.h"
#include "term/sgr.h"
#include "term/state.h"

/* A command that takes one count (0 and nothing mean 1). */
#define COUNTED(name, function)                                                                              \
	static void name(struct term *t, const struct sequence *s)                                           \
	{                                                                                                    \
		function(t, sequence_count(s, 0));                                                           \
	}

COUNTED(cuu, cursor_up)
COUNTED(cud, cursor_down)
COUNTED(cuf, cursor_right)
COUNTED(cub, cursor_left)
COUNTED(cht, cursor_tab)
COUNTED(cbt, cursor_backtab)
COUNTED(ich, edit_insert_characters)
COUNTED(dch, edit_delete_characters)
COUNTED(il, edit_insert_lines)
COUNTED(dl, edit_delete_lines)
COUNTED(ech, erase_characters)
COUNTED(rep, print_repeat)
COUNTED(sl, edit_shift_left)
COUNTED(sr, edit_shift_right)
COUNTED(decic, edit_insert_columns)
COUNTED(decdc, edit_delete_columns)

static void cnl(struct term *t, const struct sequence *s)
{
	cursor_down(t, sequence_count(s, 0));
	cursor_return(t);
}

static void cpl(struct term *t, const struct sequence *s)
{
	cursor_up(t, sequence_count(s, 0));
	cursor_return(t);
}

static int origin_row(const struct term *t)
{
	return mode(t, MODE_ORIGIN) ? t->top : 0;
}

static int origin_col(const struct term *t)
{
	return mode(t, MODE_ORIGIN) ? t->left : 0;
}

static void cup(struct term *t, const struct sequence *s)
{
	cursor_address(t, sequence_count(s, 0) - 1, sequence_count(s, 1) - 1);
}

static void cha(struct term *t, const struct sequence *s)
{
	cursor_address(t, t->row - origin_row(t), sequence_count(s, 0) - 1);
}

static void vpa(struct term *t, const struct sequence *s)
{
	cursor_address(t, sequence_count(s, 0) - 1, t->col - origin_col(t));
}

static void hpr(struct term *t, const struct sequence *s)
{
	cursor_address(t, t->row - origin_row(t), t->col - origin_col(t) + sequence_count(s, 0));
}

static void vpr(struct term *t, const struct sequence *s)
{
	cursor_address(t, t->row - origin_row(t) + sequence_count(s, 0), t->col - origin_col(t));
}

static void hpb(struct term *t, const struct sequence *s)
{
	cursor_address(t, t->row - origin_row(t), t->col - origin_col(t) - sequence_count(s, 0));
}

static void vpb(struct term *t, const struct sequence *s)
{
	cursor_address(t, t->row - origin_row(t) - sequence_count(s, 0), t->col - origin_col(t));
}

static void ed(struct term *t, const struct sequence *s)
{
	erase_display(t, sequence_value(s, 0, 0), ERASE_PLAIN);
}

static void el(struct term *t, const struct sequence *s)
{
	erase_line(t, sequence_value(s, 0, 0), ERASE_PLAIN);
}

static void decsed(struct term *t, const struct sequence *s)
{
	erase_display(t, sequence_value(s, 0, 0), ERASE_SELECTIVE);
}

static void decsel(struct term *t, const struct sequence *s)
{
	erase_line(t, sequence_value(s, 0, 0), ERASE_SELECTIVE);
}

static void su(struct term *t, const struct sequence *s)
{
	scroll_up(t, t->top, sequence_count(s, 0), true);
}

/* SD; with five parameters the final T is xterm's highlight tracking, which nobody uses any more. */
static void sd(struct term *t, const struct sequence *s)
{
	if (s->count < 5)
		scroll_down(t, t->top, sequence_count(s, 0));
}

static void tbc(struct term *t, const struct sequence *s)
{
	int which = sequence_value(s, 0, 0);

	if (which == 0)
		t->tabs[t->col] = 0;
	else if (which == 3)
		tabs_clear(t);
}

/* CTC, DECST8C: CSI ? 5 W */
static void decst8c(struct term *t, const struct sequence *s)
{
	if (sequence_value(s, 0, 0) == 5)
		tabs_reset(t);
}

static void decstbm(struct term *t, const struct sequence *s)
{
	int bottom = sequence_value(s, 1, 0);

	if (margins_set_rows(t, sequence_count(s, 0) - 1, (bottom > 0 ? bottom : t->rows) - 1))
		cursor_address(t, 0, 0);
}

/* DECSLRM where DECLRMM is set, else SCOSC. */
static void decslrm(struct term *t, const struct sequence *s)
{
	int right = sequence_value(s, 1, 0);

	if (!mode(t, MODE_MARGINS))
		cursor_save(t);
	else if (margins_set_columns(t, sequence_count(s, 0) - 1, (right > 0 ? right : t->cols) - 1))
		cursor_address(t, 0, 0);
}

static void scorc(struct term *t, const struct sequence *s)
{
	(void)s;
	cursor_restore(t);
}

static void decstr(struct term *t, const struct sequence *s)
{
	(void)s;
	reset_soft(t);
}

/* DECSCUSR: 0 is the user's own cursor; odd ones blink. */
static void decscusr(struct term *t, const struct sequence *s)
{
	static const uint8_t shapes[] = {CURSOR_DEFAULT, CURSOR_BLOCK, CURSOR_BLOCK, CURSOR_UNDERLINE,
	    CURSOR_UNDERLINE, CURSOR_BAR, CURSOR_BAR};
	int style = sequence_value(s, 0, 0);

	if (style >= (int)COUNT_OF(shapes))
		return;
	t->cursor_shape = shapes[style];
	t->cursor_blink = style % 2 == 1;
}

static void decsca(struct term *t, const struct sequence *s)
{
	int kind = sequence_value(s, 0, 0);

	if (kind > 2)
		return;
	if (kind == 1)
		t->protection = PROTECT_DEC;
	pen_set_protected(t, kind == 1);
}

/* DECSCL resets, and says how long CSI is in replies. */
static void decscl(struct term *t, const struct sequence *s)
{
	int level = sequence_value(s, 0, 0);

	if (level < 61 || level > 65)
		return;
	reset_soft(t);
	t->level = (uint8_t)least(level, LEVEL_MOST);
	t->replies_8bit = level > 61 && sequence_value(s, 1, 0) != 1;
}

#define AT(final) [(final) - '@']
enum { FINALS = 0x7f - '@' };

static const struct command plain[FINALS] = {
    AT('@') = {"ICH", ich},
    AT('A') = {"CUU", cuu},
    AT('B') = {"CUD", cud},
    AT('C') = {"CUF", cuf},
    AT('D') = {"CUB", cub},
    AT('E') = {"CNL", cnl},
    AT('F') = {"CPL", cpl},
    AT('G') = {"CHA", cha},
    AT('H') = {"CUP", cup},
    AT('I') = {"CHT", cht},
    AT('J') = {"ED", ed},
    AT('K') = {"EL", el},
    AT('L') = {"IL", il},
    AT('M') = {"DL", dl},
    AT('P') = {"DCH", dch},
    AT('S') = {"SU", su},
    AT('T') = {"SD", sd},
    AT('X') = {"ECH", ech},
    AT('Z') = {"CBT", cbt},
    AT('^') = {"SD", sd},
    AT('`') = {"HPA", cha},
    AT('a') = {"HPR", hpr},
    AT('b') = {"REP", rep},
    AT('c') = {"DA1", csi_attributes},
    AT('d') = {"VPA", vpa},
    AT('e') = {"VPR", vpr},
    AT('f') = {"HVP", cup},
    AT('g') = {"TBC", tbc},
    AT('h') = {"SM", csi_set_mode},
    AT('j') = {"HPB", hpb},
    AT('k') = {"VPB", vpb},
    AT('l') = {"RM", csi_reset_mode},
    AT('m') = {"SGR", csi_sgr},
    AT('n') = {"DSR", csi_status},
    AT('r') = {"DECSTBM", decstbm},
    AT('s') = {"DECSLRM", decslrm},
    AT('t') = {"XTWINOPS", csi_window},
    AT('u') = {"SCORC", scorc},
    AT('x') = {"DECREQTPARM", csi_terminal_parameters},
};

static const struct command question[FINALS] = {
    AT('J') = {"DECSED", decsed},
    AT('K') = {"DECSEL", decsel},
    AT('W') = {"DECST8C", decst8c},
    AT('h') = {"DECSET", csi_set_dec_mode},
    AT('l') = {"DECRST", csi_reset_dec_mode},
    AT('m') = {"XTQMODKEYS", csi_query_modify_keys},
    AT('n') = {"DSR", csi_dec_status},
    AT('r') = {"XTRESTORE", csi_restore_modes},
    AT('s') = {"XTSAVE", csi_save_modes},
    AT('u') = {"kitty keyboard query", csi_kitty_query},
};

static const struct command greater[FINALS] = {
    AT('c') = {"DA2", csi_secondary_attributes},
    AT('m') = {"XTMODKEYS", csi_modify_keys},
    AT('n') = {"XTMODKEYS", csi_unmodify_keys},
    AT('q') = {"XTVERSION", csi_version},
    AT('u') = {"kitty keyboard push", csi_kitty_push},
};

static const struct command less[FINALS] = {
    AT('u') = {"kitty keyboard pop", csi_kitty_pop},
};

static const struct command equals[FINALS] = {
    AT('c') = {"DA3", csi_tertiary_attributes},
    AT('u') = {"kitty keyboard set", csi_kitty_set},
};

static const struct command space[FINALS] = {
    AT('@') = {"SL", sl},
    AT('A') = {"SR", sr},
    AT('q') = {"DECSCUSR", decscusr},
};

static const struct command exclamation[FINALS] = {
    AT('p') = {"DECSTR", decstr},
};

static const struct command quote[FINALS] = {
    AT('p') = {"DECSCL", decscl},
    AT('q') = {"DECSCA", decsca},
};

static const struct command dollar[FINALS] = {
    AT('p') = {"DECRQM", csi_request_mode},
    AT('r') = {"DECCARA", csi_change_attributes},
    AT('t') = {"DECRARA", csi_reverse_attributes},
    AT('v') = {"DECCRA", csi_copy_area},
    AT('x') = {"DECFRA", csi_fill_area},
    AT('z') = {"DECERA", csi_erase_area},
    AT('{') = {"DECSERA", csi_selective_erase_area},
};

static const struct command question_dollar[FINALS] = {
    AT('p') = {"DECRQM", csi_request_dec_mode},
};

static const struct command apostrophe[FINALS] = {
    AT('}') = {"DECIC", decic},
    AT('~') = {"DECDC", decdc},
};

static const struct command asterisk[FINALS] = {
    AT('x') = {"DECSACE", csi_attribute_extent},
#ifdef HANDLER_TEST
    AT('y') = {"DECRQCRA", csi_checksum},
#endif
};

#ifdef HANDLER_TEST
static const struct command number_sign[FINALS] = {
    AT('y') = {"XTCHECKSUM", csi_checksum_flags},
};
#endif

static const struct {
	char marker, intermediate;
	const struct command *commands;
} classes[] = {
    {0, 0, plain},
    {'?', 0, question},
    {'>', 0, greater},
    {'<', 0, less},
    {'=', 0, equals},
    {0, ' ', space},
    {0, '!', exclamation},
    {0, '"', quote},
    {0, '$', dollar},
    {'?', '$', question_dollar},
    {0, '\'', apostrophe},
    {0, '*', asterisk},
#ifdef HANDLER_TEST
    {0, '#', number_sign},
#endif
};

const struct command *dispatch_find_csi(char marker, char intermediate, char final)
{
	for (size_t i = 0; i < COUNT_OF(classes); i++) {
		const struct command *c = &classes[i].commands[final - '@'];

		if (classes[i].marker == marker && classes[i].intermediate == intermediate)
			return c->run ? c : NULL;
	}
	return NULL;
}

void dispatch_csi(struct term *t, const struct sequence *s)
{
	const struct command *c = dispatch_find_csi(s->marker, s->intermediate, s->final);

	if (c)
		c->run(t, s);
}
