/* checkpoint: see checkpoint.h. */
#include "session/checkpoint.h"

#include "base/log.h"

/* One that was too large counts as taken, or a program could have the next tried after every piece of output.
 */
static uint64_t last_offset(const struct worker *w)
{
	const struct handover *h = w->shared;
	uint64_t newest = 0, offset = 0;
	for (size_t i = 0; i < HANDOVER_SLOTS; i++) {
		if (h->slots[i].sequence > newest) {
			newest = h->slots[i].sequence;
			offset = h->slots[i].offset;
		}
	}
	return offset > w->checkpoint_tried ? offset : w->checkpoint_tried;
}

void checkpoint_take(struct worker *w)
{
	AUTO_BUF state = BUF_INIT;
	w->checkpoint_tried = w->shared->parsed;
	term_save(w->term, &state);
	if (!handover_save(w->shared, state.data, state.len, history_end(w->history)))
		log_info("checkpoint", "a state of %zu bytes is too large to be kept", state.len);
}

void checkpoint_due(struct worker *w)
{
	if (w->shared->parsed - last_offset(w) >= CHECKPOINT_BYTES)
		checkpoint_take(w);
}

void checkpoint_rest(struct worker *w)
{
	if (w->shared->parsed != last_offset(w))
		checkpoint_take(w);
}

/* One that a later version of the program left behind may be of a form that we do not know: asked before the
 * history is cut back to it. */
static const struct handover_slot *readable_slot(struct handover *h, const void **data)
{
	const struct handover_slot *slot;
	struct err err = ERR_INIT;
	while ((slot = handover_checkpoint(h, data)) && term_can_load(*data, slot->size, &err) < 0) {
		log_info("checkpoint", "%s", err.message);
		handover_discard(h, slot);
	}
	return slot;
}

bool checkpoint_load(struct worker *w, uint64_t *from, uint64_t *resizes)
{
	const void *data;
	struct err err = ERR_INIT;
	const struct handover_slot *slot = readable_slot(w->shared, &data);
	if (!slot)
		return false;
	struct term_options options;
	worker_term_options(w, &options);
	history_truncate(w->history, slot->history_end);
	options.history = w->history;
	struct term *t = term_load(&options, data, slot->size, &err);
	if (!t) {
		log_error("checkpoint", "%s", err.message);
		handover_discard(w->shared, slot);
		return false;
	}
	term_destroy(w->term);
	w->term = t;
	*from = slot->offset;
	*resizes = slot->resizes;
	return true;
}

void checkpoint_forget_events(struct worker *w)
{
	struct term_event e;
	while (term_next_event(w->term, &e))
		term_event_finish(&e);
	buf_clear(term_replies(w->term));
}
