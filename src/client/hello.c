/* hello: see hello.h. */
#include "client/hello.h"

#include <stdlib.h>
#include <unistd.h>

#include "wire/wire.h"

struct json *hello_json(const char *client, const char *token)
{
	struct json *j = json_new_object();
	struct json *protocol = json_set(j, "protocol", json_new_array());
	json_append(protocol, json_new_number(WIRE_PROTOCOL_MIN));
	json_append(protocol, json_new_number(WIRE_PROTOCOL_MAX));
	json_append_string(json_set(j, "features", json_new_array()), WIRE_FEATURE_REPLACED);
	json_set_string(j, "client", client);
	json_set_string(j, "version", HANDLER_VERSION);
	json_set_number(j, "pid", getpid());
	if (token)
		json_set_string(j, "token", token);
	/* The session that a command runs in: the worker applies the rules for commands from inside a session
	 * by it. */
	const char *session = getenv("HANDLER_SESSION");
	if (session && *session)
		json_set_string(j, "from", session);
	/* Where the SSH agent of this login is, for sessions that follow it ("forward_agent"). */
	const char *ssh_agent = getenv("SSH_AUTH_SOCK");
	if (ssh_agent && *ssh_agent)
		json_set_string(j, "ssh_agent", ssh_agent);
	return j;
}
