/* bindings: see bindings.h. */
#include "ui/bindings.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"

struct bindings {
	struct binding *items;
	size_t count, cap;
	char **faults;
	size_t fault_count;
};

/* --- chords --- */

static bool makes_character(uint32_t code, unsigned mods)
{
	return code < KEY_SPECIAL_FIRST && !(mods & (MOD_HELD & ~MOD_SHIFT));
}

/* The character that a press produces; 0 if it produces none. */
static uint32_t produced(const struct key *k)
{
	uint32_t cp;

	if (k->text[0] && !(k->mods & (MOD_CTRL | MOD_SUPER | MOD_HYPER | MOD_META)) &&
	    utf8_decode(k->text, strlen(k->text), &cp, NULL) > 0)
		return cp;
	if (!makes_character(k->code, k->mods))
		return 0;
	return k->mods & MOD_SHIFT && k->shifted ? k->shifted : k->code;
}

bool chord_parse(const char *name, struct chord *out)
{
	struct key k;

	if (!key_parse(name, &k))
		return false;
	uint32_t cp = produced(&k);

	if (cp)
		*out = (struct chord){.character = cp};
	else
		*out = (struct chord){.code = k.code, .mods = k.mods & MOD_HELD};
	return true;
}

bool chord_matches(const struct chord *c, const struct key *k)
{
	unsigned mods = k->mods & MOD_HELD;
	uint32_t code = k->code == KEY_KP_ENTER ? KEY_ENTER : k->code;

	if (c->character)
		return produced(k) == c->character;
	if (mods == c->mods && (code == c->code || k->base == c->code))
		return true;
	/* C-_ is Ctrl+Shift+minus on many keyboards */
	return k->shifted && k->shifted == c->code && (mods & ~MOD_SHIFT) == c->mods;
}

void chord_name(const struct chord *c, char out[KEY_NAME_MAX])
{
	struct key k = {.code = c->code, .mods = c->mods, .event = KEY_PRESS};

	if (c->character)
		k = key_from_char(c->character);
	key_name(&k, out);
}

static bool chord_equal(const struct chord *a, const struct chord *b)
{
	return a->character == b->character && a->code == b->code && a->mods == b->mods;
}

/* --- the list --- */

static void add_fault(struct bindings *b, char *sentence)
{
	b->faults = mem_realloc(b->faults, b->fault_count + 1, sizeof(*b->faults));
	b->faults[b->fault_count++] = sentence;
}

/* A later binding of the same key replaces the earlier one, in its place. */
static void put(
    struct bindings *b, const struct chord *c, bool direct, enum command_id id, const char *argument)
{
	for (size_t i = 0; i < b->count; i++) {
		if (b->items[i].direct != direct || !chord_equal(&b->items[i].chord, c))
			continue;
		free(b->items[i].argument);
		b->items[i].command = id;
		b->items[i].argument = mem_strdup(argument);
		return;
	}
	if (b->count == b->cap) {
		b->cap = b->cap ? b->cap * 2 : 64;
		b->items = mem_realloc(b->items, b->cap, sizeof(*b->items));
	}
	b->items[b->count++] =
	    (struct binding){.chord = *c, .command = id, .argument = mem_strdup(argument), .direct = direct};
}

/* "C-Left", "M-Left=5": where the argument begins; "=" and "C-=" are keys, not arguments. */
static void put_default(struct bindings *b, enum command_id id, const char *token, size_t len)
{
	AUTO_FREE char *name = mem_strndup(token, len);
	char *equals = strchr(name + 1, '=');
	const char *argument = "";
	struct chord c;

	if (equals && equals[1]) {
		*equals = '\0';
		argument = equals + 1;
	}
	if (chord_parse(name, &c))
		put(b, &c, false, id, argument);
}

static void put_defaults(struct bindings *b, bool vi)
{
	for (int id = 0; id < CMD_COUNT; id++) {
		const char *keys = commands_keys(commands_get(id), vi);

		for (keys += strspn(keys, " "); *keys; keys += strspn(keys, " ")) {
			size_t len = strcspn(keys, " ");

			put_default(b, id, keys, len);
			keys += len;
		}
	}
}

static void put_configured(struct bindings *b, const struct json *n, bool direct, const char *where)
{
	const char *key = json_key(n), *argument = "";
	enum command_id id = CMD_NONE;
	struct chord c;

	if (!chord_parse(key, &c)) {
		add_fault(b, mem_printf("%s: \"%s\" is not the name of a key", where, key));
		return;
	}
	if (json_type(n) != JSON_NULL) {
		id = commands_parse(json_string(n, ""), &argument);
		if (id == CMD_NONE) {
			add_fault(b, mem_printf("%s: \"%s\": there is no command \"%s\" (C-b ? lists them)",
					 where, key, json_string(n, "")));
			return;
		}
	}
	put(b, &c, direct, id, argument);
}

struct bindings *bindings_create(bool vi, const struct json *keys, const struct json *direct_keys)
{
	struct bindings *b = mem_zalloc(1, sizeof(*b));

	put_defaults(b, vi);
	for (const struct json *n = json_first(keys); n; n = json_next(n))
		put_configured(b, n, false, "keys");
	for (const struct json *n = json_first(direct_keys); n; n = json_next(n))
		put_configured(b, n, true, "direct_keys");
	return b;
}

void bindings_destroy(struct bindings *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->count; i++)
		free(b->items[i].argument);
	for (size_t i = 0; i < b->fault_count; i++)
		free(b->faults[i]);
	free(b->items);
	free(b->faults);
	free(b);
}

const struct binding *bindings_find(const struct bindings *b, const struct key *k, bool direct)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->items[i].direct == direct && b->items[i].command != CMD_NONE &&
		    chord_matches(&b->items[i].chord, k))
			return &b->items[i];
	return NULL;
}

void bindings_keys_of(const struct bindings *b, enum command_id id, const char *argument, struct buf *out)
{
	char name[KEY_NAME_MAX];
	size_t start = out->len;

	for (size_t i = 0; i < b->count; i++) {
		const struct binding *it = &b->items[i];

		if (it->command != id || it->direct || strcmp(it->argument, argument) != 0)
			continue;
		chord_name(&it->chord, name);
		buf_printf(out, "%s%s", out->len > start ? " " : "", name);
	}
}

const struct binding *bindings_at(const struct bindings *b, size_t i)
{
	return i < b->count ? &b->items[i] : NULL;
}

const char *bindings_fault(const struct bindings *b, size_t i)
{
	return i < b->fault_count ? b->faults[i] : NULL;
}
