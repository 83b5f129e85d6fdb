/*
 * processes: what runs in a session, for whoever is about to end it.
 *
 * Of a live one it is what its keeper would end: its tree, without the worker and without other sessions that
 * were started from inside.  Of a lost one it is what can still be recognised: the marker HANDLER_SESSION in
 * the environment, the leader's process session, and what they have started.  What was handed to another
 * daemon (systemd-run, at, docker, a tmux server that ran before) is nobody's child and never seen.
 */
#ifndef HANDLER_CLIENT_PROCESSES_H
#define HANDLER_CLIENT_PROCESSES_H

#include "base/json.h"
#include "client/record.h"
#include "os/proc.h"

/* Adds what is left of a session whose keeper is gone; what is listed already stays once. */
void processes_left(const char *id, pid_t leader, uint64_t leader_start, struct proc_list *into);
/*
 * The same for whoever ends them: also what is born while it looks (proc_find.h).  `signal` (0: none) goes to
 * each at once, listed already or not.
 */
void processes_hunt(const char *id, pid_t leader, uint64_t leader_start, int signal, struct proc_list *into);
/* Without zombies; empty if the session was of an earlier boot. */
void processes_of(const struct record *r, struct proc_list *out);
/* How many, of a lost session: for lists. */
int processes_count_left(const struct record *r);

/* [{"pid","name","command","leader","ports"}], the leader first. */
struct json *processes_to_json(const struct record *r);
/* One of them as people read it: "node server.js, listens on 3000"; owned. */
char *processes_line(const struct json *process, int columns);

#endif
