/*
 * config: the user's config.json: its keys, their kinds, defaults and help in one table (config_keys), and
 * the values in force.
 *
 * A fault in the file never keeps anybody from running sessions: that key has its default and the fault is
 * kept for a banner.
 */
#ifndef HANDLER_HARNESS_CONFIG_H
#define HANDLER_HARNESS_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"

struct config;

struct config_key {
	const char *name;    /* "prefix", "terminal.color" */
	const char *kind;    /* string, choice, integer, number, boolean, object, array (of strings) */
	const char *choices; /* "auto|full|line|off" or NULL */
	const char *preset;  /* default, as JSON text */
	const char *help;    /* one sentence for handler-terminal(1) and `config show` */
	double min, max;     /* of numbers, if min < max */
};
extern const struct config_key config_keys[]; /* ends with name NULL */

/* Never NULL: a file that cannot be read at all gives the defaults and a fault. */
struct config *config_load(void);
void config_destroy(struct config *c);
const char *config_path(const struct config *c);
const char *config_string(const struct config *c, const char *key);
int64_t config_int(const struct config *c, const char *key);
double config_number(const struct config *c, const char *key);
bool config_bool(const struct config *c, const char *key);
const struct json *config_node(const struct config *c, const char *key); /* value or default */
bool config_is_default(const struct config *c, const char *key);
size_t config_fault_count(const struct config *c);
const struct err *config_fault(const struct config *c, size_t i);
/* Writes one key into the file and keeps all else of it, comments too; value: JSON or a bare string. */
int config_set(const char *key, const char *value, struct err *err);

#endif
