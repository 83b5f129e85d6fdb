/* replay: a session's journal, played in this terminal. */
#include <stdlib.h>

#include "cli/cli.h"
#include "client/player.h"
#include "client/record.h"
#include "ui/replay.h"

static const struct option_spec options[] = {
    {"speed", 0, "N", "times as fast, 0.1 to 64 (default: 1)"},
    {"idle", 0, "SECONDS", "what a pause takes at most; 0: as long as it was (default: 2)"},
    {"color", 0, "auto|truecolor|256|16|mono", "colours of the terminal (default: what it says)"},
    {0},
};

static int parse_speed(const struct args *a, double *speed, struct err *err)
{
	const char *text = args_value(a, "speed", "1");
	char *end;
	*speed = strtod(text, &end);
	if (end == text || *end || !(*speed >= 0.1 && *speed <= 64))
		return err_set(err, ERR_USAGE, "--speed takes a number from 0.1 to 64, not \"%s\"", text);
	return 0;
}

static int run(const struct args *a, struct err *err)
{
	struct replay_options o = {.color = args_value(a, "color", NULL)};
	struct record_list list;
	if (parse_speed(a, &o.speed, err) < 0 || args_seconds(a, "idle", 2, &o.idle, err) < 0)
		return -1;
	o.record = find_session(&list, a->words[0], true, err);
	struct player *player = o.record ? player_open(o.record->path, err) : NULL;
	int result = player ? ui_replay(player, &o, err) : -1;
	if (result == 0 && player_damage(player) && !o.record->live)
		print_note("%s", player_damage(player));
	player_close(player);
	record_list_finish(&list);
	return result;
}

const struct command command_replay = {
    .name = "replay",
    .group = "from scripts",
    .synopsis = "SESSION [--speed N] [--idle SECONDS] [--color MODE]",
    .help = "play what a session showed, from its journal, in this terminal",
    .text = "Keys: Space pauses, Left and Right go 10 s back and on, Home and End to the ends, + and - "
	    "change the "
	    "speed, . shows the next screen while it is paused, q leaves.",
    .examples = "handler replay api\nhandler replay 2 --speed 4",
    .min_words = 1,
    .max_words = 1,
    .options = options,
    .run = run,
};
