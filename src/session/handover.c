/* handover: see handover.h. */
#include "session/handover.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, HEADER_ROOM = (sizeof(struct handover) + PAGE - 1) / PAGE * PAGE };

static size_t memory_size(void)
{
	return (size_t)HEADER_ROOM + HANDOVER_RING + (size_t)HANDOVER_SLOTS * HANDOVER_SLOT;
}

static struct handover *map(int fd)
{
	void *p = mmap(NULL, memory_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return p == MAP_FAILED ? NULL : p;
}

struct handover *handover_create(int *fd, struct err *err)
{
	*fd = memfd_create("handler-ring", MFD_CLOEXEC);
	struct handover *h = NULL;
	if (*fd < 0 || ftruncate(*fd, (off_t)memory_size()) < 0 || !(h = map(*fd))) {
		int saved = errno;
		if (*fd >= 0)
			close(*fd);
		*fd = -1;
		err_sys(err, saved, "no memory for the session's output");
		return NULL;
	}
	h->magic = HANDOVER_MAGIC;
	h->version = HANDOVER_VERSION;
	h->header_size = HEADER_ROOM;
	h->ring_size = HANDOVER_RING;
	return h;
}

struct handover *handover_map(int fd, struct err *err)
{
	struct stat st;
	struct handover *h = NULL;
	if (fstat(fd, &st) == 0 && (size_t)st.st_size >= memory_size())
		h = map(fd);
	if (h && h->magic == HANDOVER_MAGIC && h->version >= HANDOVER_OLDEST &&
	    h->header_size == HEADER_ROOM && h->ring_size == HANDOVER_RING)
		return h;
	if (h)
		handover_unmap(h);
	err_set(err, ERR_PROTOCOL,
	    "the memory handed over by the keeper is not of a form that this version knows");
	return NULL;
}

void handover_unmap(struct handover *h)
{
	munmap(h, memory_size());
}

uint8_t *handover_ring(struct handover *h)
{
	return (uint8_t *)h + h->header_size;
}

uint64_t handover_tail(struct handover *h)
{
	uint64_t end = h->head + HANDOVER_READ;
	return end > HANDOVER_RING ? end - HANDOVER_RING : 0;
}

const uint8_t *handover_bytes(struct handover *h, uint64_t offset, size_t max, size_t *len)
{
	uint64_t head = h->head;
	*len = 0;
	if (offset >= head || offset < handover_tail(h))
		return NULL;
	size_t at = (size_t)(offset % HANDOVER_RING), n = (size_t)(head - offset);
	if (n > HANDOVER_RING - at)
		n = HANDOVER_RING - at;
	*len = n > max ? max : n;
	return handover_ring(h) + at;
}

/* Never part of UTF-8, so hardly ever written by a program. */
enum { PATTERN = 0xFE };

ssize_t handover_read(struct handover *h, int fd, size_t max)
{
	uint64_t head = h->head;
	size_t at = (size_t)(head % HANDOVER_RING), n = max < HANDOVER_READ ? max : HANDOVER_READ;
	/* Nothing that is not yet parsed may be overwritten, nor be older than the tail. */
	uint64_t room = HANDOVER_UNPARSED_MAX - (head - h->parsed);
	if (n > HANDOVER_RING - at)
		n = HANDOVER_RING - at;
	if (n > room)
		n = (size_t)room;
	if (n == 0)
		return 0;
	uint8_t *place = handover_ring(h) + at;
	memset(place, PATTERN, n);
	h->intent = head + n;
	ssize_t got = read(fd, place, n);
	int saved = errno;
	if (got > 0)
		h->head = head + (uint64_t)got;
	h->intent = 0;
	errno = saved;
	return got;
}

size_t handover_repair(struct handover *h)
{
	/* Nothing is left of an intent whose bytes were counted already: only its clearing was missed. */
	size_t n = h->intent > h->head ? (size_t)(h->intent - h->head) : 0,
	       at = (size_t)(h->head % HANDOVER_RING);
	if (n > HANDOVER_RING - at)
		n = HANDOVER_RING - at;
	const uint8_t *place = handover_ring(h) + at;
	while (n > 0 && place[n - 1] == PATTERN)
		n--;
	h->head += n;
	h->intent = 0;
	return n;
}

static uint8_t *slot_bytes(struct handover *h, size_t i)
{
	return handover_ring(h) + HANDOVER_RING + i * HANDOVER_SLOT;
}

bool handover_save(struct handover *h, const void *data, size_t size, uint64_t end)
{
	size_t i = h->slots[0].sequence <= h->slots[1].sequence ? 0 : 1;
	struct handover_slot *slot = &h->slots[i];
	uint64_t next = h->slots[1 - i].sequence + 1;
	if (size > HANDOVER_SLOT)
		return false;
	slot->sequence = 0;
	memcpy(slot_bytes(h, i), data, size);
	slot->offset = h->parsed;
	slot->history_end = end;
	slot->resizes = h->resize_count;
	slot->size = size;
	slot->sequence = next;
	return true;
}

const struct handover_slot *handover_checkpoint(struct handover *h, const void **data)
{
	const struct handover_slot *best = NULL;
	uint64_t resizes = h->resize_count;
	for (size_t i = 0; i < HANDOVER_SLOTS; i++) {
		const struct handover_slot *slot = &h->slots[i];
		bool reaches = slot->offset >= handover_tail(h) && slot->offset <= h->parsed &&
			       resizes - slot->resizes <= HANDOVER_RESIZES && slot->size <= HANDOVER_SLOT;
		if (!slot->sequence || !reaches || (best && best->sequence > slot->sequence))
			continue;
		best = slot;
		*data = slot_bytes(h, i);
	}
	return best;
}

void handover_discard(struct handover *h, const struct handover_slot *slot)
{
	for (size_t i = 0; i < HANDOVER_SLOTS; i++)
		if (&h->slots[i] == slot)
			h->slots[i].sequence = 0;
}

void handover_resized(struct handover *h, int rows, int cols, int xpixel, int ypixel)
{
	struct handover_resize *r = &h->resize[h->resize_count % HANDOVER_RESIZES];
	*r = (struct handover_resize){.offset = h->parsed, .rows = (uint16_t)rows, .cols = (uint16_t)cols};
	h->resize_count++;
	h->rows = (uint16_t)rows;
	h->cols = (uint16_t)cols;
	h->xpixel = (uint16_t)xpixel;
	h->ypixel = (uint16_t)ypixel;
}

bool handover_skipped(const struct handover *h, uint64_t offset, uint64_t *to)
{
	*to = UINT64_MAX;
	for (uint32_t i = 0; i < h->skip_count && i < HANDOVER_SKIPS; i++) {
		const struct handover_skip *s = &h->skips[i];
		if (offset >= s->from && offset < s->to) {
			*to = s->to;
			return true;
		}
		if (s->from > offset && s->from < *to)
			*to = s->from;
	}
	return false;
}

bool handover_died(struct handover *h)
{
	uint64_t at = h->begun, size = h->begun_size;
	if (size == 0)
		return false;
	uint64_t distance = at > h->death_offset ? at - h->death_offset : h->death_offset - at;
	h->deaths = h->deaths && distance < HANDOVER_NEAR ? h->deaths + 1 : 1;
	h->death_offset = at;
	if (h->deaths == 2 && h->skip_count < HANDOVER_SKIPS)
		h->skips[h->skip_count++] = (struct handover_skip){.from = at, .to = at + size};
	else if (h->deaths > 2)
		h->raw = 1;
	h->begun_size = 0;
	return true;
}
