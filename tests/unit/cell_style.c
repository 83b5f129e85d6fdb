/* Colours and SGR: values from xterm's 256colres, XParseColor(3) and the sequences of ECMA-48 and kitty. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "cell/style.h"

static void palette_is_xterms(void **state)
{
	(void)state;
	assert_int_equal(color_palette_rgb(1), 0xcd0000);
	assert_int_equal(color_palette_rgb(15), 0xffffff);
	assert_int_equal(color_palette_rgb(16), 0x000000);
	assert_int_equal(color_palette_rgb(21), 0x0000ff);
	assert_int_equal(color_palette_rgb(196), 0xff0000);
	assert_int_equal(color_palette_rgb(67), 0x5f87af);
	assert_int_equal(color_palette_rgb(231), 0xffffff);
	assert_int_equal(color_palette_rgb(232), 0x080808);
	assert_int_equal(color_palette_rgb(255), 0xeeeeee);
}

static void palette_colours_map_to_themselves(void **state)
{
	(void)state;
	for (int i = 16; i < 256; i++)
		assert_int_equal(color_palette_rgb(color_to_256(color_palette_rgb((uint8_t)i))),
		    color_palette_rgb((uint8_t)i));
	for (int i = 0; i < 16; i++)
		assert_int_equal(color_to_16(color_palette_rgb((uint8_t)i)), i);
}

static void near_colours_stay_near(void **state)
{
	(void)state;
	assert_int_equal(color_to_256(0xfe0000), 196);
	assert_int_equal(color_to_256(0x0001fe), 21);
	assert_int_equal(color_to_256(0x767676), 243);
	assert_int_equal(color_to_256(0x5e86b0), 67);
	assert_int_equal(color_to_16(0xf01010), 9);
	assert_int_equal(color_to_16(0x101010), 0);
	assert_int_equal(color_to_16(0xfafafa), 15);
	assert_int_equal(color_to_16(0x10f510), 10);
}

static void names_are_parsed(void **state)
{
	static const struct {
		const char *text;
		int32_t rgb;
	} cases[] = {
	    {"#fff", 0xf0f0f0},
	    {"#3a7", 0x30a070},
	    {"#123456", 0x123456},
	    {"#FFeeDD", 0xffeedd},
	    {"#123456789", 0x124578},
	    {"#123456789abc", 0x12569a},
	    {"rgb:f/f/f", 0xffffff},
	    {"rgb:ff/80/00", 0xff8000},
	    {"RGB:ffff/8080/0000", 0xff8000},
	    {"rgb:fff/800/000", 0xff8000},
	    {"red", 0xff0000},
	    {"Cyan", 0x00ffff},
	    {"black", 0},
	    {"white", 0xffffff},
	    {"", -1},
	    {"#", -1},
	    {"#ffff", -1},
	    {"#12345g", -1},
	    {"rgb:", -1},
	    {"rgb:1/2", -1},
	    {"rgb:1/2/3/4", -1},
	    {"rgb:12345/0/0", -1},
	    {"rgb:1/2/", -1},
	    {"redd", -1},
	    {"re", -1},
	    {"#1234567890123", -1},
	    {"rgb:1/2/3 ", -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t rgb = 0x7777777;
		bool ok = color_parse(cases[i].text, &rgb);

		assert_int_equal(ok, cases[i].rgb >= 0);
		if (ok)
			assert_int_equal(rgb, cases[i].rgb);
	}
}

static void assert_sgr(struct style s, const char *want)
{
	char out[STYLE_SGR_MAX];
	int len = style_sgr(&s, out);

	assert_string_equal(out, want);
	assert_int_equal(len, strlen(want));
}

static void sgr_says_the_style(void **state)
{
	struct style all = {
	    .fg = COLOR_RGB(255, 254, 253),
	    .bg = COLOR_RGB(252, 251, 250),
	    .underline_color = COLOR_RGB(249, 248, 247),
	    .attrs = 511,
	    .underline = UNDERLINE_DASHED,
	};

	(void)state;
	assert_sgr((struct style){0}, "");
	assert_sgr((struct style){.attrs = ATTR_BOLD, .fg = COLOR_RGB(1, 2, 3)}, "1;38;2;1;2;3");
	assert_sgr((struct style){.fg = COLOR_INDEX(1), .bg = COLOR_INDEX(9)}, "31;101");
	assert_sgr((struct style){.fg = COLOR_INDEX(15), .bg = COLOR_INDEX(0)}, "97;40");
	assert_sgr((struct style){.fg = COLOR_INDEX(16), .bg = COLOR_INDEX(255)}, "38;5;16;48;5;255");
	assert_sgr((struct style){.underline = UNDERLINE_SINGLE}, "4");
	assert_sgr(
	    (struct style){.underline = UNDERLINE_CURLY, .underline_color = COLOR_INDEX(3)}, "4:3;58:5:3");
	assert_sgr(all, "1;2;3;5;7;8;9;53;4:5;58:2::249:248:247;38;2;255;254;253;48;2;252;251;250");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(palette_is_xterms),
	    cmocka_unit_test(palette_colours_map_to_themselves),
	    cmocka_unit_test(near_colours_stay_near),
	    cmocka_unit_test(names_are_parsed),
	    cmocka_unit_test(sgr_says_the_style),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
