/*
 * scroll: see scroll.h.  Each row that changed and can be found elsewhere in the old picture votes for a
 * distance; of the distance with most votes, the stretch of rows is taken that gains most.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "ui/scroll.h"

static void vote(const uint64_t *before, const uint64_t *now, int rows, int *votes)
{
	for (int i = 0; i < rows; i++) {
		if (now[i] == before[i] || now[i] == 0)
			continue;
		for (int j = 0; j < rows; j++) {
			if (before[j] == now[i])
				votes[j - i + rows]++;
		}
	}
}

/* The distance with most votes, the shorter of equals; 0: none has enough. */
static int elected(const int *votes, int rows)
{
	int best = 0, most = SCROLL_MIN_ROWS - 1;

	for (int distance = 1; distance < rows; distance++) {
		if (votes[rows + distance] > most) {
			most = votes[rows + distance];
			best = distance;
		}
		if (votes[rows - distance] > most) {
			most = votes[rows - distance];
			best = -distance;
		}
	}
	return best;
}

/* What moving gains at a row: 1, 0, or -1 where a row that is right would be spoilt. */
static int gain(const uint64_t *before, const uint64_t *now, int rows, int i, int lines)
{
	int from = i + lines;
	bool right = now[i] == before[i],
	     moved = from >= 0 && from < rows && now[i] == before[from] && now[i] != 0;

	if (right)
		return moved ? 0 : -1;
	return moved ? 1 : 0;
}

/* The stretch of rows with the largest sum of gains (Kadane); returns the sum. */
static int best_stretch(
    const uint64_t *before, const uint64_t *now, int rows, int lines, int *first, int *last)
{
	int best = 0, sum = 0, start = 0;

	for (int i = 0; i < rows; i++) {
		int g = gain(before, now, rows, i, lines);

		if (sum <= 0) {
			sum = 0;
			start = i;
		}
		sum += g;
		if (g > 0 && sum > best) {
			best = sum;
			*first = start;
			*last = i;
		}
	}
	while (best > 0 && gain(before, now, rows, *first, lines) <= 0)
		(*first)++;
	return best;
}

bool scroll_guess(const uint64_t *before, const uint64_t *now, int rows, struct scroll_guess *out)
{
	int first = 0, last = 0, lines, *votes;

	if (rows < SCROLL_MIN_ROWS + 1)
		return false;
	votes = mem_zalloc(2 * (size_t)rows + 1, sizeof(*votes));
	vote(before, now, rows, votes);
	lines = elected(votes, rows);
	free(votes);
	if (lines == 0 || best_stretch(before, now, rows, lines, &first, &last) < SCROLL_MIN_ROWS)
		return false;
	if (lines > 0)
		*out = (struct scroll_guess){first, last - first + 1 + lines, lines};
	else
		*out = (struct scroll_guess){first + lines, last - first + 1 - lines, lines};
	return true;
}
