/*
 * layout: JSON that may be a layout, up to the first NUL; then operations on it.  Panes and dividers always
 * cover the area, none overlaps another, and what is written is read as the same.
 */
#include "base/mem.h"
#include "fuzz.h"
#include "ui/layout.h"

static int arranged_panes(const struct layout *l, int *panes)
{
	int count = layout_panes(l, panes, LAYOUT_PANES_MAX);

	CHECK(count >= 1 && count <= LAYOUT_PANES_MAX);
	return count;
}

static int cover(const struct rect *area, const struct rect *r, uint8_t *seen)
{
	CHECK(r->rows >= 0 && r->cols >= 0);
	for (int y = r->row; y < r->row + r->rows; y++) {
		for (int x = r->col; x < r->col + r->cols; x++) {
			CHECK(y >= area->row && y < area->row + area->rows);
			CHECK(x >= area->col && x < area->col + area->cols);
			CHECK(seen[(y - area->row) * area->cols + x - area->col]++ == 0);
		}
	}
	return r->rows * r->cols;
}

static void check_covers(const struct layout *l, struct rect area)
{
	int panes[LAYOUT_PANES_MAX], count = arranged_panes(l, panes), cells = 0;
	struct divider dividers[LAYOUT_PANES_MAX];
	int lines = layout_dividers(l, dividers, LAYOUT_PANES_MAX);
	uint8_t *seen = mem_zalloc((size_t)(area.rows * area.cols) + 1, 1);
	struct rect r;

	CHECK(lines < LAYOUT_PANES_MAX);
	for (int i = 0; i < count; i++) {
		CHECK(layout_rect(l, panes[i], &r));
		cells += cover(&area, &r, seen);
		CHECK(r.rows * r.cols == 0 || layout_pane_at(l, r.row, r.col) == panes[i]);
	}
	for (int i = 0; i < lines; i++) {
		cells += cover(&area, &dividers[i].at, seen);
		CHECK((dividers[i].vertical ? dividers[i].at.cols : dividers[i].at.rows) == 1);
		CHECK(layout_has(l, dividers[i].pane));
	}
	CHECK(cells == area.rows * area.cols);
	free(seen);
}

static void check_round_trip(const struct layout *l, struct rect area)
{
	struct json *j = layout_to_json(l), *parsed;
	AUTO_FREE char *text = json_print(j, false);
	int panes[LAYOUT_PANES_MAX], count = arranged_panes(l, panes);
	struct layout *read, *copy = layout_copy(l);

	parsed = json_parse(text, strlen(text), "layout", NULL);
	CHECK(parsed);
	read = layout_from_json(parsed, NULL);
	CHECK(read);
	layout_arrange(read, area);
	for (int i = 0; i < count; i++) {
		struct rect a, b, c;

		CHECK(layout_rect(l, panes[i], &a) && layout_rect(read, panes[i], &b) &&
		      layout_rect(copy, panes[i], &c));
		CHECK(memcmp(&a, &b, sizeof(a)) == 0 && memcmp(&a, &c, sizeof(a)) == 0);
	}
	json_free(j);
	json_free(parsed);
	layout_destroy(read);
	layout_destroy(copy);
}

static int pane_of(struct source *s, const struct layout *l)
{
	int panes[LAYOUT_PANES_MAX], count = arranged_panes(l, panes);

	return panes[source_u8(s) % (unsigned)count];
}

static int unused_pane(const struct layout *l)
{
	int pane = 1;

	while (layout_has(l, pane))
		pane++;
	return pane;
}

static void drag(struct layout *l, struct source *s)
{
	int row = source_range(s, 0, 70), col = (int)source_u8(s);

	layout_drag(l, row, col, source_range(s, 0, 70), (int)source_u8(s));
}

static void go_around(const struct layout *l, int pane)
{
	for (int d = DIR_LEFT; d <= DIR_DOWN; d++)
		CHECK(layout_has(l, layout_neighbour(l, pane, (enum direction)d)));
	CHECK(layout_next(l, layout_next(l, pane, 1), -1) == pane);
}

static void operate(struct layout *l, struct source *s, struct rect *area)
{
	int count = layout_panes(l, NULL, 0), pane = pane_of(s, l), fresh = unused_pane(l);
	unsigned operation = source_u8(s) % 9;

	switch (operation) {
	case 0:
	case 1:
		if (layout_split(l, pane, operation, fresh))
			CHECK(layout_has(l, fresh) && layout_panes(l, NULL, 0) == count + 1);
		break;
	case 2:
		CHECK(layout_remove(l, pane) == (count > 1));
		break;
	case 3:
		layout_swap(l, pane, pane_of(s, l));
		break;
	case 4:
		layout_resize(l, pane, (enum direction)(source_u8(s) % 4), source_range(s, 1, 60));
		break;
	case 5:
		drag(l, s);
		break;
	case 6:
		*area = (struct rect){source_range(s, 0, 3), source_range(s, 0, 3), 0, 0};
		area->rows = source_range(s, 0, 70);
		area->cols = (int)source_u8(s);
		layout_arrange(l, *area);
		break;
	case 7:
		layout_set_kind(l, (enum layout_kind)(source_u8(s) % LAYOUT_KINDS));
		break;
	default:
		layout_equalize(l);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *text = mem_strndup((const char *)data, size);
	size_t len = strlen(text);
	struct source s = source_of(data + len, size - len);
	struct json *j = json_parse(text, len, "layout", NULL);
	struct layout *l = j ? layout_from_json(j, NULL) : NULL;
	struct rect area = {0, 0, 50, 200};

	json_free(j);
	l = l ? l : layout_create(1);
	layout_arrange(l, area);
	check_covers(l, area);
	check_round_trip(l, area);
	source_u8(&s); /* the NUL */
	for (int steps = 0; source_left(&s) && steps < 60; steps++) {
		operate(l, &s, &area);
		check_covers(l, area);
		check_round_trip(l, area);
		go_around(l, pane_of(&s, l));
	}
	layout_destroy(l);
	return 0;
}
