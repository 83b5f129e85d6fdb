/* journal: see journal.h. */
#include "client/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/path.h"
#include "client/record.h"
#include "wire/wire.h"

static const char magic[8] = "hndrjrnl";

enum { CHECKSUM_AT = 16, NAME_DIGITS = 8 };

/* FNV-1a, 32 bits: finds what a crash left behind, not what somebody forged. */
static uint32_t checksum(uint32_t sum, const void *data, size_t len)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ p[i]) * 16777619u;
	return sum;
}

static uint32_t record_checksum(const uint8_t *header, const void *data, size_t len)
{
	return checksum(checksum(2166136261u, header, CHECKSUM_AT), data, len);
}

void journal_put_header(struct buf *out, uint64_t number, int64_t time)
{
	buf_add(out, magic, sizeof(magic));
	wire_put_u32(out, JOURNAL_VERSION);
	wire_put_u32(out, JOURNAL_HEADER_SIZE);
	wire_put_u64(out, number);
	wire_put_u64(out, (uint64_t)time);
}

void journal_put(
    struct buf *out, enum journal_type type, unsigned flags, int64_t time, const void *data, size_t len)
{
	size_t start = out->len;

	wire_put_u32(out, (uint32_t)len);
	wire_put_u16(out, (uint16_t)type);
	wire_put_u16(out, (uint16_t)flags);
	wire_put_u64(out, (uint64_t)time);
	wire_put_u32(out, record_checksum((const uint8_t *)out->data + start, data, len));
	buf_add(out, data, len);
}

int journal_in_start(struct journal_in *in, const void *data, size_t len, struct err *err)
{
	struct wire_in w = wire_in(data, len);
	const char *found = wire_bytes(&w, sizeof(magic));
	uint32_t version = wire_u32(&w), size = wire_u32(&w);

	in->number = wire_u64(&w);
	in->time = (int64_t)wire_u64(&w);
	if (w.failed || memcmp(found, magic, sizeof(magic)) != 0 || size < JOURNAL_HEADER_SIZE || size > len)
		return err_set(err, ERR_INVALID, "this is not a journal, or its beginning is damaged");
	if (version != JOURNAL_VERSION)
		return err_set(err, ERR_INVALID,
		    "the journal was written by a later version of handler (format %u)", (unsigned)version);
	in->start = data;
	in->at = in->first = in->start + size;
	in->end = in->start + len;
	return 0;
}

static int torn(const struct journal_in *in, const char *why, struct err *err)
{
	return err_set(err, ERR_INVALID, "the journal breaks off in segment %llu at byte %llu: %s",
	    (unsigned long long)in->number, (unsigned long long)(in->at - in->start), why);
}

int journal_in_next(struct journal_in *in, struct journal_record *out, struct err *err)
{
	struct wire_in w = wire_in(in->at, (size_t)(in->end - in->at));
	uint32_t len, sum;

	if (in->at == in->end)
		return 0;
	len = wire_u32(&w);
	out->type = wire_u16(&w);
	out->flags = wire_u16(&w);
	out->time = (int64_t)wire_u64(&w);
	sum = wire_u32(&w);
	if (w.failed || len > JOURNAL_PAYLOAD_MAX || len > wire_in_left(&w))
		return torn(in, "a record is not whole", err);
	if (record_checksum(in->at, w.at, len) != sum || out->time < 0 || out->time > JOURNAL_TIME_MAX)
		return torn(in, "a record is damaged", err);
	out->data = w.at;
	out->len = len;
	in->at = w.at + len;
	return 1;
}

/* --- the segments of a session --- */

char *journal_segment_path(const char *dir, uint64_t number)
{
	return mem_printf("%s/%s/%0*llu", dir, RECORD_JOURNAL_DIR, NAME_DIGITS, (unsigned long long)number);
}

static bool parse_name(const char *name, uint64_t *number)
{
	char *end;

	*number = strtoull(name, &end, 10);
	return strlen(name) >= NAME_DIGITS && strspn(name, "0123456789") == strlen(name) && *end == '\0';
}

static int by_number(const void *a, const void *b)
{
	const struct journal_segment *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static void list_add(struct journal_list *list, const struct journal_segment *s)
{
	list->items = mem_realloc(list->items, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = *s;
}

int journal_list_load(struct journal_list *list, const char *dir, struct err *err)
{
	AUTO_FREE char *path = path_join(dir, RECORD_JOURNAL_DIR);
	DIR *d = opendir(path);
	struct journal_segment s;
	struct stat st;

	*list = (struct journal_list){0};
	if (!d)
		return errno == ENOENT ? 0 : err_sys(err, errno, "cannot read the journal in %s", path);
	for (struct dirent *e; (e = readdir(d));) {
		if (!parse_name(e->d_name, &s.number) ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
			continue;
		s.bytes = (uint64_t)st.st_size;
		s.modified = st.st_mtime;
		list_add(list, &s);
	}
	closedir(d);
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), by_number);
	return 0;
}

void journal_list_finish(struct journal_list *list)
{
	free(list->items);
	*list = (struct journal_list){0};
}

uint64_t journal_list_bytes(const struct journal_list *list)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < list->count; i++)
		sum += list->items[i].bytes;
	return sum;
}
