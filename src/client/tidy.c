/* tidy: see tidy.h. */
#include "client/tidy.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "client/journal.h"
#include "os/proc.h"

enum { DEPTH_MAX = 8, BLOCK = 512 /* of st_blocks */ };

static uint64_t bytes_below(int parent, const char *name, int depth)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	uint64_t sum = 0;
	struct stat st;

	if (!d && fd >= 0)
		close(fd);
	for (struct dirent *e; d && (e = readdir(d));) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		sum += (uint64_t)st.st_blocks * BLOCK;
		if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
			sum += bytes_below(fd, e->d_name, depth + 1);
	}
	if (d)
		closedir(d);
	return sum;
}

uint64_t tidy_bytes(const char *dir)
{
	return bytes_below(AT_FDCWD, dir, 0);
}

bool tidy_is_over(const struct record *r)
{
	char boot[40];

	if (r->live || !state_ended(r->state))
		return false;
	proc_boot_id(boot);
	return strcmp(boot, r->boot_id) != 0 || !proc_alive(r->leader, r->leader_start);
}

size_t tidy_old(int64_t seconds)
{
	struct record_list list;
	int64_t now = clock_now();
	size_t removed = 0;

	if (record_list_load(&list, NULL) < 0)
		return 0;
	for (size_t i = 0; i < list.count; i++) {
		const struct record *r = &list.items[i];

		if (tidy_is_over(r) && now - r->since >= seconds)
			removed += record_remove(r->path, NULL) == 0;
	}
	record_list_finish(&list);
	return removed;
}

/* --- the limit of all --- */

struct piece { /* of a journal, that may go */
	const struct record *record;
	struct journal_segment segment;
};

struct pieces {
	struct piece *items;
	size_t count;
};

static int by_age(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->segment.modified < y->segment.modified ? -1 : x->segment.modified > y->segment.modified;
}

static void add_pieces(struct pieces *p, const struct record *r)
{
	/* The newest one is being written, or is what a resume shows. */
	size_t kept = r->live || record_was_cut_off(r) ? 1 : 0;
	struct journal_list list;

	if (journal_list_load(&list, r->path, NULL) < 0)
		return;
	p->items = mem_realloc(p->items, p->count + list.count, sizeof(*p->items));
	for (size_t i = 0; i + kept < list.count; i++)
		p->items[p->count++] = (struct piece){.record = r, .segment = list.items[i]};
	journal_list_finish(&list);
}

static uint64_t free_journals(const struct record_list *list, uint64_t wanted)
{
	struct pieces pieces = {0};
	uint64_t freed = 0;

	for (size_t i = 0; i < list->count; i++)
		add_pieces(&pieces, &list->items[i]);
	if (pieces.count)
		qsort(pieces.items, pieces.count, sizeof(*pieces.items), by_age);
	for (size_t i = 0; i < pieces.count && freed < wanted; i++) {
		const struct piece *p = &pieces.items[i];
		AUTO_FREE char *path = journal_segment_path(p->record->path, p->segment.number);

		if (unlink(path) == 0)
			freed += p->segment.bytes;
	}
	free(pieces.items);
	return freed;
}

/* The one that ended first of those that nobody would want to resume. */
static struct record *oldest_over(struct record_list *list)
{
	struct record *oldest = NULL;

	for (size_t i = 0; i < list->count; i++) {
		struct record *r = &list->items[i];

		if (r->path && tidy_is_over(r) && !record_was_cut_off(r) &&
		    (!oldest || r->since < oldest->since))
			oldest = r;
	}
	return oldest;
}

static uint64_t free_sessions(struct record_list *list, uint64_t wanted)
{
	uint64_t freed = 0;

	for (struct record *r; freed < wanted && (r = oldest_over(list));) {
		uint64_t bytes = tidy_bytes(r->path);

		if (record_remove(r->path, NULL) == 0)
			freed += bytes;
		record_finish(r); /* not looked at again */
	}
	return freed;
}

uint64_t tidy_limit(uint64_t limit)
{
	struct record_list list;
	uint64_t total = 0, freed = 0;

	if (record_list_load(&list, NULL) < 0)
		return 0;
	for (size_t i = 0; i < list.count; i++)
		total += tidy_bytes(list.items[i].path);
	if (total > limit)
		freed = free_journals(&list, total - limit);
	if (total > limit + freed)
		freed += free_sessions(&list, total - limit - freed);
	record_list_finish(&list);
	return freed;
}
