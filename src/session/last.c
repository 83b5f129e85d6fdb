/* last: the last screen of a session, kept as the frames that a client would have been sent. */
#include "base/log.h"
#include "base/path.h"
#include "base/mem.h"
#include "session/parts.h"

#include <stdlib.h>

void last_write(struct worker *w)
{
	AUTO_BUF out = BUF_INIT;
	AUTO_BUF payload = BUF_INIT;
	struct delta_sender *sender = delta_sender_create();
	uint32_t sequence = 0;
	do {
		buf_clear(&payload);
		if (!delta_encode(sender, term_screen(w->term), &payload))
			break;
		wire_frame_write(&out, WIRE_SCREEN, 0, ++sequence, payload.data, payload.len, NULL);
	} while (delta_sender_more(sender));
	delta_sender_destroy(sender);
	AUTO_FREE char *path = path_join(w->path, RECORD_SCREEN_FILE);
	struct err err = ERR_INIT;
	if (path_write_file(path, out.data, out.len, 0600, &err) < 0)
		log_error("last", "%s", err.message);
}
