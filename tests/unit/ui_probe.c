/* What is guessed of a terminal from the environment, and what its answers (through the decoder, as it gives
 * them) make of it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "ui/probe.h"
#include "ui/widths.h"

static const struct probe_options no_options;

/* Feeds what a terminal answers; whether the caps changed. */
static bool answer(struct probe *p, const char *bytes)
{
	struct decoder *d = decoder_create();
	struct input in;
	bool changed = false;

	decoder_expect_cursor(d, probe_cursor_reports(p));
	decoder_feed(d, bytes, strlen(bytes), 0);
	while (decoder_next(d, &in)) {
		assert_int_equal(in.type, INPUT_REPLY);
		changed |= probe_reply(p, &in);
	}
	decoder_destroy(d);
	return changed;
}

static struct outer_caps guess(const struct probe_env *env)
{
	struct probe *p = probe_create(env, &no_options);
	struct outer_caps caps = *probe_caps(p);

	probe_destroy(p);
	return caps;
}

static void test_depth_is_guessed(void **state)
{
	static const struct {
		const char *term, *colorterm;
		int depth;
	} rows[] = {
	    {"xterm-256color", NULL, DEPTH_256},
	    {"xterm-256color", "truecolor", DEPTH_TRUE},
	    {"xterm-256color", "24bit", DEPTH_TRUE},
	    {"xterm-256color", "yes", DEPTH_256},
	    {"xterm", NULL, DEPTH_16},
	    {"xterm-kitty", NULL, DEPTH_TRUE},
	    {"foot", NULL, DEPTH_TRUE},
	    {"alacritty", NULL, DEPTH_TRUE},
	    {"xterm-ghostty", NULL, DEPTH_TRUE},
	    {"tmux-256color", NULL, DEPTH_TRUE},
	    {"screen-256color", "truecolor", DEPTH_256},
	    {"screen", NULL, DEPTH_16},
	    {"linux", NULL, DEPTH_16},
	    {"vt220", NULL, DEPTH_MONO},
	    {"xterm-mono", NULL, DEPTH_MONO},
	    {"xterm-direct", NULL, DEPTH_TRUE},
	    {"rxvt-unicode-256color", NULL, DEPTH_256},
	    {"st-256color", NULL, DEPTH_TRUE},
	    {"something", NULL, DEPTH_256},
	    {"ansi", NULL, DEPTH_16},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct outer_caps c =
		    guess(&(struct probe_env){.term = rows[i].term, .colorterm = rows[i].colorterm});

		if (c.depth != rows[i].depth)
			fail_msg("%s: depth %d, not %d", rows[i].term, c.depth, rows[i].depth);
		assert_false(c.kitty_keyboard || c.sync || c.graphemes); /* never guessed */
		assert_true(c.dark);
		assert_int_equal(c.bg, OUTER_COLOR_UNKNOWN);
		assert_int_equal(c.palette[15], OUTER_COLOR_UNKNOWN);
	}
}

static void test_variables(void **state)
{
	struct outer_caps c;

	(void)state;
	c = guess(&(struct probe_env){.term = "xterm-256color", .vte_version = "7006"});
	assert_int_equal(c.depth, DEPTH_TRUE);
	assert_true(c.styled_underline && c.hyperlinks && !c.osc52);
	c = guess(&(struct probe_env){.term = "xterm-256color", .wt_session = "x"});
	assert_true(c.osc52);
	c = guess(&(struct probe_env){.term = "xterm-256color", .term_program = "Apple_Terminal"});
	assert_int_equal(c.depth, DEPTH_256);
	c = guess(&(struct probe_env){.term = "xterm-256color"});
	assert_false(c.styled_underline || c.underline_color || c.overline);
	assert_true(c.strike && c.focus && c.title);
	c = guess(&(struct probe_env){.term = "xterm-256color", .no_color = "1"});
	assert_true(c.plain_chrome);
	assert_int_equal(c.depth, DEPTH_256); /* panes keep their colours */
	c = guess(&(struct probe_env){.term = "xterm-256color", .no_color = ""});
	assert_false(c.plain_chrome);
	c = guess(&(struct probe_env){0});
	assert_int_equal(c.depth, DEPTH_256);
}

static void test_multiplexers(void **state)
{
	static const struct {
		struct probe_env env;
		int multiplexer;
		const char *prefix;
	} rows[] = {
	    {{.term = "tmux-256color", .tmux = "/tmp/tmux-0/default,1,0"}, MUX_TMUX, "C-b"},
	    {{.term = "screen-256color", .tmux = "/tmp/tmux-0/default,1,0"}, MUX_TMUX, "C-b"},
	    {{.term = "screen-256color", .sty = "1.pts-0.host"}, MUX_SCREEN, "C-a"},
	    {{.term = "xterm-256color", .zellij = "0"}, MUX_ZELLIJ, "C-b"},
	    {{.term = "xterm-256color", .handler_session = "ab12cd"}, MUX_HANDLER, "C-b"},
	    {{.term = "xterm-256color"}, MUX_NONE, ""},
	    /* a terminal that was started from a shell in tmux */
	    {{.term = "xterm-256color", .tmux = "/tmp/tmux-0/default,1,0"}, MUX_NONE, ""},
	    {{.term = "foot", .sty = "1.pts-0.host"}, MUX_NONE, ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct outer_caps c = guess(&rows[i].env);

		assert_int_equal(c.multiplexer, rows[i].multiplexer);
		assert_string_equal(c.multiplexer_prefix, rows[i].prefix);
	}
}

/* Through ssh only the terminal itself can tell that it is tmux. */
static void test_version_answers(void **state)
{
	struct probe *p = probe_create(&(struct probe_env){.term = "screen-256color"}, &no_options);

	(void)state;
	assert_int_equal(probe_caps(p)->multiplexer, MUX_SCREEN);
	assert_true(answer(p, "\033P>|tmux 3.5a\033\\"));
	assert_int_equal(probe_caps(p)->multiplexer, MUX_TMUX);
	assert_string_equal(probe_caps(p)->multiplexer_prefix, "C-b");
	assert_string_equal(probe_caps(p)->name, "tmux 3.5a");
	assert_int_equal(probe_caps(p)->depth, DEPTH_TRUE);
	assert_false(probe_done(p));
	probe_destroy(p);

	/* and that it is not what the variables say */
	p = probe_create(
	    &(struct probe_env){.term = "xterm-256color", .handler_session = "ab12cd"}, &no_options);
	assert_true(answer(p, "\033P>|VTE(7006)\033\\"));
	assert_int_equal(probe_caps(p)->multiplexer, MUX_NONE);
	assert_string_equal(probe_caps(p)->multiplexer_prefix, "");
	assert_false(probe_caps(p)->osc52);
	probe_destroy(p);

	p = probe_create(&(struct probe_env){.term = "xterm-256color", .zellij = "0"}, &no_options);
	assert_true(answer(p, "\033P>|Unheard Of 1\033\\"));
	assert_int_equal(probe_caps(p)->multiplexer, MUX_NONE);
	probe_destroy(p);
}

static void test_name_is_fit_to_be_shown(void **state)
{
	struct probe *p = probe_create(&(struct probe_env){.term = "xterm-256color"}, &no_options);
	char longest[200] = "\033P>|", *end = longest + 4;

	(void)state;
	answer(p, "\033P>|a\xe2\x80\xae"
		  "b c\033\\");
	assert_string_equal(probe_caps(p)->name, "ab c");
	memset(end, 'x', 150);
	memcpy(end + 150, "\033\\", 3);
	answer(p, longest);
	assert_int_equal(strlen(probe_caps(p)->name), OUTER_NAME_MAX - 1);
	answer(p, "\033P>|y\033\\");
	assert_string_equal(probe_caps(p)->name, "y");
	probe_destroy(p);
}

/* What foot says, in the order it says it. */
static void test_modern_terminal(void **state)
{
	struct probe *p = probe_create(&(struct probe_env){.term = "xterm-256color"}, &no_options);
	const struct outer_caps *c = probe_caps(p);

	(void)state;
	assert_true(answer(p, "\033P>|foot(1.16.2)\033\\"));
	assert_false(answer(p, "\033P1$r0;4:3;48:2::1:2:3m\033\\")); /* the name had said it */
	assert_true(answer(p, "\033[?2026;2$y"));
	assert_true(answer(p, "\033[?2027;2$y\033[?2031;2$y\033[?2048;2$y\033[?1016;2$y"));
	assert_false(answer(p, "\033[?1004;2$y"));
	assert_false(answer(p, "\033[?69;0$y"));
	assert_true(answer(p, "\033[?0u"));
	assert_true(answer(p, "\033[?997;2n"));
	assert_true(answer(p, "\033[4;768;1024t\033[6;16;8t"));
	assert_true(answer(p, "\033]10;rgb:ffff/ffff/ffff\033\\\033]11;rgb:2424/2424/2424\033\\"));
	assert_true(answer(p, "\033]12;rgb:ff/00/00\033\\"));
	assert_true(answer(p, "\033]4;0;rgb:0101/0202/0303\033\\\033]4;15;rgb:ff/fe/fd\033\\"));
	assert_false(probe_done(p));
	assert_false(answer(p, "\033[?62;4;22c"));
	assert_true(probe_done(p));
	assert_true(
	    c->sync && c->graphemes && c->theme_updates && c->size_reports && c->sgr_pixels && c->focus);
	assert_true(
	    c->kitty_keyboard && c->styled_underline && c->underline_color && c->overline && c->osc52);
	assert_false(c->margins);
	assert_int_equal(c->depth, DEPTH_TRUE);
	assert_int_equal(c->cell_height, 16);
	assert_int_equal(c->cell_width, 8);
	assert_int_equal(c->area_width, 1024);
	assert_int_equal(c->fg, 0xffffff);
	assert_int_equal(c->bg, 0x242424);
	assert_int_equal(c->cursor, 0xff0000);
	assert_int_equal(c->palette[0], 0x010203);
	assert_int_equal(c->palette[15], 0xfffefd);
	assert_false(c->dark); /* what it says of its theme counts, not the colour */
	probe_destroy(p);
}

/* Capabilities that are told one by one by a terminal nobody has heard of. */
static void test_asked_capabilities(void **state)
{
	struct probe *p = probe_create(&(struct probe_env){.term = "xterm-256color"}, &no_options);
	const struct outer_caps *c = probe_caps(p);

	(void)state;
	assert_int_equal(c->depth, DEPTH_256);
	assert_false(answer(p, "\033P1$r0;48:5:16m\033\\")); /* it took the nearest of 256 */
	assert_false(answer(p, "\033P1$r1;1r\033\\"));
	assert_true(answer(p, "\033P1$r0;48:2:1:2:3m\033\\"));
	assert_int_equal(c->depth, DEPTH_TRUE);
	assert_true(answer(p, "\033P1+r536D756C78=1B5B343A257031256D6D\033\\"));
	assert_true(c->styled_underline);
	assert_true(answer(p, "\033P1+r536574756c63=00;4D73=00\033\\"));
	assert_true(c->underline_color && c->osc52);
	assert_false(answer(p, "\033P0+r524742\033\\"));
	assert_true(answer(p, "\033[>4;0m"));
	assert_true(c->modify_other_keys);
	assert_false(answer(p, "\033[>1;2m"));
	probe_destroy(p);

	p = probe_create(&(struct probe_env){.term = "xterm-256color"}, &no_options);
	assert_true(answer(p, "\033P1+r524742=382F382F38\033\\"));
	assert_int_equal(probe_caps(p)->depth, DEPTH_TRUE);
	assert_true(answer(p, "\033[?64;22;52c"));
	assert_true(probe_caps(p)->osc52);
	probe_destroy(p);

	p = probe_create(&(struct probe_env){.term = "vt220"}, &no_options);
	assert_true(answer(p, "\033[?62;22c"));
	assert_int_equal(probe_caps(p)->depth, DEPTH_16);
	probe_destroy(p);
}

static void test_modes(void **state)
{
	static const struct {
		int value;
		bool usable;
	} rows[] = {{0, false}, {1, true}, {2, true}, {3, true}, {4, false}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct probe *p = probe_create(&(struct probe_env){.term = "xterm-256color"}, &no_options);
		AUTO_FREE char *bytes =
		    mem_printf("\033[?2026;%d$y\033[?69;%d$y", rows[i].value, rows[i].value);

		answer(p, bytes);
		assert_int_equal(probe_caps(p)->sync, rows[i].usable);
		assert_int_equal(probe_caps(p)->margins, rows[i].usable);
		probe_destroy(p);
	}
}

static void test_theme_from_background(void **state)
{
	struct probe *p = probe_create(&(struct probe_env){.term = "xterm-256color"}, &no_options);

	(void)state;
	answer(p, "\033]11;rgb:ffff/ffff/e0e0\a");
	assert_false(probe_caps(p)->dark);
	answer(p, "\033]11;rgb:0000/2b2b/3636\a");
	assert_true(probe_caps(p)->dark);
	answer(p, "\033[?997;2n");
	assert_false(probe_caps(p)->dark);
	answer(p, "\033]11;rgb:0000/2b2b/3636\a");
	assert_false(probe_caps(p)->dark);
	answer(p, "\033[?997;7n");
	assert_false(probe_caps(p)->dark);
	probe_destroy(p);
}

static void test_settings(void **state)
{
	static const struct probe_env env = {.term = "xterm-256color", .colorterm = "truecolor"};
	struct probe *p =
	    probe_create(&env, &(struct probe_options){.color = "16", .keys = "plain", .sync = "on"});

	(void)state;
	assert_int_equal(probe_caps(p)->depth, DEPTH_16);
	assert_true(probe_caps(p)->sync);
	answer(p, "\033P>|kitty(0.35)\033\\\033[?2026;0$y\033[?1u\033[>4;2m");
	assert_int_equal(probe_caps(p)->depth, DEPTH_16);
	assert_true(probe_caps(p)->sync);
	assert_false(probe_caps(p)->kitty_keyboard || probe_caps(p)->modify_other_keys);
	probe_destroy(p);
	p = probe_create(&env, &(struct probe_options){.color = "mono", .keys = "kitty", .sync = "off"});
	answer(p, "\033[?2026;2$y");
	assert_int_equal(probe_caps(p)->depth, DEPTH_MONO);
	assert_true(probe_caps(p)->kitty_keyboard);
	assert_false(probe_caps(p)->sync);
	probe_destroy(p);
	p = probe_create(&env, &(struct probe_options){.color = "auto", .keys = "auto", .sync = "auto"});
	assert_int_equal(probe_caps(p)->depth, DEPTH_TRUE);
	assert_false(probe_caps(p)->sync || probe_caps(p)->kitty_keyboard);
	probe_destroy(p);
}

static char *questions(const char *term)
{
	struct probe *p = probe_create(&(struct probe_env){.term = term}, &no_options);
	struct buf out = BUF_INIT;

	probe_start(p, &out);
	probe_destroy(p);
	return buf_steal(&out);
}

static void test_questions(void **state)
{
	AUTO_FREE char *all = questions("xterm-256color");
	AUTO_FREE char *screen = questions("screen");
	AUTO_FREE char *console = questions("linux");

	(void)state;
	assert_int_equal(strncmp(all, "\033[>0q", 5), 0);     /* the name first */
	assert_string_equal(all + strlen(all) - 3, "\033[c"); /* and the fence last */
	assert_non_null(strstr(all, "\033[?2026$p"));
	assert_non_null(strstr(all, "\033[?u"));
	assert_non_null(strstr(all, "\033]11;?\033\\"));
	assert_non_null(strstr(all, "\033]4;15;?\033\\"));
	assert_non_null(strstr(all, "\033P$qm\033\\\033[m")); /* and the pen is put back */
	/* screen would hand strings to the terminal outside, the linux console shows them */
	assert_null(strstr(screen, "\033P"));
	assert_null(strstr(screen, "\033]"));
	assert_non_null(strstr(screen, "\033[>0q"));
	assert_string_equal(console, "\033[c");
	assert_non_null(strstr(all, "\033[6n"));
	assert_null(strstr(console, "\033[6n"));
}

/* The answers of a terminal that gives VS16 emoji one column, joined sequences that of their parts. */
static void test_widths(void **state)
{
	static const char answers[] = "\033[2;2R\033[2;2R\033[2;2R\033[2;3R\033[2;3R\033[2;3R\033[2;2R"
				      "\033[2;2R\033[2;2R\033[2;2R\033[2;3R\033[2;3R\033[2;3R\033[2;4R";
	struct probe *p = probe_create(&(struct probe_env){.term = "xterm-256color"}, &no_options);
	const struct outer_caps *c = probe_caps(p);
	AUTO_BUF out = BUF_INIT;

	(void)state;
	assert_int_equal(probe_cursor_reports(p), 0);
	assert_true(widths_doubt_class(c->doubtful, WIDTH_FLAG));
	probe_start(p, &out);
	assert_int_equal(probe_cursor_reports(p), WIDTH_PROBES);
	assert_true(answer(p, answers));
	assert_int_equal(probe_cursor_reports(p), 0);
	assert_int_equal(c->doubtful, 1u << WIDTH_EMOJI | 1u << WIDTH_ZWJ | 1u << WIDTH_ODD);
	assert_false(answer(p, "\033[?62c"));
	buf_clear(&out);
	assert_false(probe_ask_widths(p, &out)); /* once is enough */
	probe_destroy(p);
}

/* With mode 2027 on they are measured again, within the synchronized update of the frame that follows. */
static void test_widths_with_graphemes(void **state)
{
	static const char answers[] = "\033[2;2R\033[2;2R\033[2;2R\033[2;3R\033[2;3R\033[2;3R\033[2;2R"
				      "\033[2;2R\033[2;2R\033[2;2R\033[2;3R\033[2;3R\033[2;3R\033[2;4R";
	struct probe *p = probe_create(&(struct probe_env){.term = "xterm-256color"}, &no_options);
	const struct outer_caps *c = probe_caps(p);
	AUTO_BUF out = BUF_INIT;

	(void)state;
	probe_start(p, &out);
	answer(p, "\033[?2026;2$y\033[?2027;2$y");
	assert_false(probe_ask_widths(p, &out)); /* not while the first answers are awaited */
	answer(p, answers);
	assert_int_equal(c->doubtful, 0); /* measured without the mode: it promises better */
	answer(p, "\033[?62c");
	buf_clear(&out);
	assert_true(probe_ask_widths(p, &out));
	assert_int_equal(strncmp(out.data, "\033[?2026h\033[8m", 12), 0);
	assert_string_equal(out.data + out.len - 3, "\033[c");
	assert_false(probe_done(p));
	assert_int_equal(probe_cursor_reports(p), WIDTH_PROBES);
	assert_true(answer(p, answers));
	assert_int_equal(c->doubtful, 1u << WIDTH_EMOJI | 1u << WIDTH_ZWJ);
	answer(p, "\033[?62c");
	assert_true(probe_done(p));
	assert_false(probe_ask_widths(p, &out));
	probe_destroy(p);
}

/* One that ends before all are answered, and one that promises clusters and measures nothing. */
static void test_widths_unanswered(void **state)
{
	struct probe *p = probe_create(&(struct probe_env){.term = "xterm-256color"}, &no_options);
	AUTO_BUF out = BUF_INIT;

	(void)state;
	probe_start(p, &out);
	assert_true(answer(p, "\033[2;3R\033[?62c"));
	assert_int_equal(probe_cursor_reports(p), 0); /* no key is taken for an answer any more */
	assert_true(widths_doubt_class(probe_caps(p)->doubtful, WIDTH_BOX));
	assert_true(widths_doubt_class(probe_caps(p)->doubtful, WIDTH_FLAG));
	assert_true(answer(p, "\033[?2027;2$y"));
	assert_int_equal(probe_caps(p)->doubtful, 1u << WIDTH_BOX);
	probe_destroy(p);
}

/* No answer at all: it ends, and what comes after all still counts. */
static void test_silence(void **state)
{
	struct probe *p = probe_create(&(struct probe_env){.term = "xterm-256color"}, &no_options);
	AUTO_BUF out = BUF_INIT;

	(void)state;
	probe_start(p, &out);
	assert_false(probe_done(p));
	probe_expire(p);
	assert_true(probe_done(p));
	assert_true(answer(p, "\033[?2026;2$y"));
	assert_true(probe_caps(p)->sync);
	buf_clear(&out);
	probe_ask_colors(p, &out);
	assert_int_equal(strncmp(out.data, "\033]10;?", 6), 0);
	assert_true(probe_done(p));
	probe_destroy(p);
	probe_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_depth_is_guessed),
	    cmocka_unit_test(test_variables),
	    cmocka_unit_test(test_multiplexers),
	    cmocka_unit_test(test_version_answers),
	    cmocka_unit_test(test_name_is_fit_to_be_shown),
	    cmocka_unit_test(test_modern_terminal),
	    cmocka_unit_test(test_asked_capabilities),
	    cmocka_unit_test(test_modes),
	    cmocka_unit_test(test_theme_from_background),
	    cmocka_unit_test(test_settings),
	    cmocka_unit_test(test_questions),
	    cmocka_unit_test(test_widths),
	    cmocka_unit_test(test_widths_with_graphemes),
	    cmocka_unit_test(test_widths_unanswered),
	    cmocka_unit_test(test_silence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
