/* parse: from the command line to struct args; used by main alone. */
#ifndef HANDLER_CLI_PARSE_H
#define HANDLER_CLI_PARSE_H

#include "cli/cli.h"

/* argv[0] is the command's name; argc counts it. */
int args_parse(const struct command *c, int argc, char **argv, struct args *a, struct err *err);

#endif
