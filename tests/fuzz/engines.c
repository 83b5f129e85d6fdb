/*
 * engines: the native engine and libvterm's, fed the same of what both do as the standards say, show the same
 * text, cursor, wraps and history.  The bytes choose what is fed (tests/unit/engines.h): the first two the
 * size, then step by step.  With make fuzz libvterm is built from its source under the sanitizers.
 */
#include "fuzz.h"

struct random {
	struct source in;
};

static uint32_t below(struct random *r, uint32_t n)
{
	return source_u8(&r->in) % n;
}

#include "../unit/engines.h"

enum { STEPS_MAX = 2000 };

static void check_agreement(struct pair *p)
{
	AUTO_BUF native = BUF_INIT;
	AUTO_BUF other = BUF_INIT;

	if (pair_agrees(p, &native, &other))
		return;
	fprintf(stderr, "after:\n");
	for (size_t i = 0; i < p->fed.len; i++)
		fprintf(stderr, (unsigned char)p->fed.data[i] < 0x20 ? "\\x%02x" : "%c",
		    (unsigned char)p->fed.data[i]);
	fprintf(stderr, "\n");
	check_same(&native, &other, "native, and libvterm");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct random r = {source_of(data, size)};
	struct pair p;

	pair_init(&p, 2 + (int)below(&r, 12), 4 + (int)below(&r, 40));
	for (int i = 0; i < STEPS_MAX && source_left(&r.in) > 0; i++) {
		step(&r, &p);
		if (below(&r, 16) == 0)
			pair_resize(&r, &p);
		check_agreement(&p);
	}
	pair_finish(&p);
	return 0;
}
