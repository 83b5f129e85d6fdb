/* engine_native: the emulator of our own: every sequence by the tables of dispatch.h.  See engine.h. */
#include "term/dispatch.h"
#include "term/engine.h"
#include "term/print.h"

static void on_ascii(void *owner, const uint8_t *text, size_t len)
{
	print_ascii(owner, text, len);
}

static void on_print(void *owner, const uint32_t *text, size_t count)
{
	print_text(owner, text, count);
}

static void on_control(void *owner, uint8_t c)
{
	dispatch_control(owner, c);
}

static void on_escape(void *owner, const struct sequence *s)
{
	dispatch_escape(owner, s);
}

static void on_csi(void *owner, const struct sequence *s)
{
	dispatch_csi(owner, s);
}

bool engine_wanted(void *owner, enum string_kind kind, const struct sequence *head)
{
	(void)owner;
	return kind == STRING_OSC || (kind == STRING_DCS && dcs_wanted(head));
}

void engine_string(
    void *owner, enum string_kind kind, const struct sequence *head, char *data, size_t len, bool bel)
{
	if (kind == STRING_OSC)
		osc_dispatch(owner, data, len, bel);
	else
		dcs_dispatch(owner, head, data, len);
}

static const struct parser_handler handler = {
    .ascii = on_ascii,
    .print = on_print,
    .control = on_control,
    .escape = on_escape,
    .csi = on_csi,
    .wanted = engine_wanted,
    .string = engine_string,
};

const struct engine engine_native = {.name = "native", .handler = &handler};
