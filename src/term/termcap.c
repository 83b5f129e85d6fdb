/* termcap: see termcap.h.  Names of terminfo, of termcap where programs ask so, and those that tmux and kitty
 * introduced. */
#include "term/termcap.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"

static const struct termcap capabilities[] = {
    {"TN", "xterm-256color"},
    {"name", "xterm-256color"},
    {"Co", "256"},
    {"colors", "256"},
    {"RGB", "8/8/8"},
    {"Tc", NULL},
    {"Su", NULL},
    {"Smulx", "\033[4:%p1%dm"},
    {"Setulc", "\033[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%dm"},
    {"Smol", "\033[53m"},
    {"Rmol", "\033[55m"},
    {"smxx", "\033[9m"},
    {"rmxx", "\033[29m"},
    {"sitm", "\033[3m"},
    {"ritm", "\033[23m"},
    {"dim", "\033[2m"},
    {"setrgbf", "\033[38:2:%p1%d:%p2%d:%p3%dm"},
    {"setrgbb", "\033[48:2:%p1%d:%p2%d:%p3%dm"},
    {"Ms", "\033]52;%p1%s;%p2%s\a"},
    {"Ss", "\033[%p1%d q"},
    {"Se", "\033[ q"},
    {"Cs", "\033]12;%p1%s\a"},
    {"Cr", "\033]112\a"},
    {"BE", "\033[?2004h"},
    {"BD", "\033[?2004l"},
    {"PS", "\033[200~"},
    {"PE", "\033[201~"},
    {"fe", "\033[?1004h"},
    {"fd", "\033[?1004l"},
    {"XM", "\033[?1006;1000%?%p1%{1}%=%th%el%;"},
    {"Sync", "\033[?2026%?%p1%{1}%-%tl%eh%;"},
    {"rep", "%p1%c\033[%p2%{1}%-%db"},
    {"bce", NULL},
    {"kbs", "\177"},
    {"kcuu1", "\033OA"},
    {"kcud1", "\033OB"},
    {"kcuf1", "\033OC"},
    {"kcub1", "\033OD"},
    {"ku", "\033OA"},
    {"kd", "\033OB"},
    {"kr", "\033OC"},
    {"kl", "\033OD"},
    {"khome", "\033OH"},
    {"kend", "\033OF"},
    {"kich1", "\033[2~"},
    {"kdch1", "\033[3~"},
    {"kpp", "\033[5~"},
    {"knp", "\033[6~"},
    {"kcbt", "\033[Z"},
    {"kf1", "\033OP"},
    {"kf2", "\033OQ"},
    {"kf3", "\033OR"},
    {"kf4", "\033OS"},
    {"kf5", "\033[15~"},
    {"kf6", "\033[17~"},
    {"kf7", "\033[18~"},
    {"kf8", "\033[19~"},
    {"kf9", "\033[20~"},
    {"kf10", "\033[21~"},
    {"kf11", "\033[23~"},
    {"kf12", "\033[24~"},
};

const struct termcap *termcap_find(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(capabilities); i++) {
		if (strcmp(capabilities[i].name, name) == 0)
			return &capabilities[i];
	}
	return NULL;
}
