/* expand: ${name} in the strings of a descriptor. */
#include "harness/expand.h"

#include <string.h>

static const char *const value_names[] = {
#define X(code, name, what) name,
    EXPAND_VALUES(X)
#undef X
};

/* All names, each behind the separator that the message needs. */
static const char all_names[] = ""
#define X(code, name, what) " ${" name "}"
    EXPAND_VALUES(X)
#undef X
    ;

const char *expand_names(void)
{
	return all_names + 1;
}

static int value_from_name(const char *name, size_t len)
{
	for (int i = 0; i < VALUE_COUNT; i++) {
		if (strlen(value_names[i]) == len && memcmp(value_names[i], name, len) == 0)
			return i;
	}
	return -1;
}

/* The next piece of *text: a literal run, or a value (its number; -1: an unknown name).  False at the end. */
struct piece {
	const char *data;
	size_t len;
	bool is_value;
	int value;
};

static bool next_piece(const char **text, struct piece *out)
{
	const char *p = *text, *close;

	if (!*p)
		return false;
	if (p[0] == '$' && p[1] == '{' && (close = strchr(p, '}'))) {
		*out = (struct piece){.data = p + 2, .len = (size_t)(close - p - 2), .is_value = true};
		out->value = value_from_name(out->data, out->len);
		*text = close + 1;
		return true;
	}
	if (p[0] == '$') {
		*out = (struct piece){.data = p, .len = 1};
		*text = p + (p[1] == '$' ? 2 : 1);
		return true;
	}
	*out = (struct piece){.data = p, .len = strcspn(p, "$")};
	*text = p + out->len;
	return true;
}

int expand(struct buf *out, const char *text, const struct expand_values *values, struct err *err)
{
	struct piece piece;

	while (next_piece(&text, &piece)) {
		if (!piece.is_value) {
			buf_add(out, piece.data, piece.len);
			continue;
		}
		const char *value = piece.value >= 0 ? values->of[piece.value] : NULL;
		if (!value)
			return err_set(err, ERR_INVALID,
			    "The descriptor uses ${%.*s}, which has no value here.", (int)piece.len,
			    piece.data);
		buf_adds(out, value);
	}
	return 0;
}

bool expand_check(const char *text, char name[64])
{
	struct piece piece;

	while (next_piece(&text, &piece)) {
		if (!piece.is_value || piece.value >= 0)
			continue;
		snprintf(name, 64, "%.*s", (int)piece.len, piece.data);
		return false;
	}
	return true;
}
