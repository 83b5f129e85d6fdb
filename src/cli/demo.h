/*
 * demo: an offline stand-in for an agent, to try and test this program with (`handler demo-agent`, harness
 * "demo").
 *
 * It behaves as agents do towards a terminal: a composer with bracketed paste, answers word by word, an
 * approval question, OSC 7501, a title, keyboard protocol.  It contacts nobody, runs nothing, and says so.
 * Same input, same text.
 */
#ifndef HANDLER_CLI_DEMO_H
#define HANDLER_CLI_DEMO_H

/* argv[0] is "demo-agent".  Returns the exit status. */
int demo_main(int argc, char **argv);

#endif
