/* err: see err.h. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

static const struct {
	const char *name;
	int status;
} codes[] = {[ERR_NONE] = {"none", 0},
#define X(code, status, name) [code] = {name, status},
    ERR_CODES(X)
#undef X
};

/* A text that filled its room may have been cut inside a character: the part of one is dropped. */
static void end_at_character(char *text, size_t size)
{
	size_t len = strlen(text), start = len;
	uint32_t cp;

	if (len + 1 < size)
		return;
	while (start > 0 && len - start < UTF8_MAX && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
		start--;
	if (start > 0 && utf8_decode(text + start - 1, len - (start - 1), &cp, NULL) == 0)
		text[start - 1] = '\0';
}

static void format(char *text, size_t size, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

static void format(char *text, size_t size, const char *fmt, va_list ap)
{
	if (vsnprintf(text, size, fmt, ap) < 0)
		text[0] = '\0';
	end_at_character(text, size);
}

static void append(char *text, size_t size, const char *tail)
{
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%s", tail);
	end_at_character(text, size);
}

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	err->code = code;
	err->hint[0] = '\0';
	va_start(ap, fmt);
	format(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	return -1;
}

int err_sys(struct err *err, int errnum, const char *fmt, ...)
{
	char reason[128];
	va_list ap;

	if (!err)
		return -1;
	err->code = ERR_SYSTEM;
	err->hint[0] = '\0';
	va_start(ap, fmt);
	format(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	append(err->message, sizeof(err->message), ": ");
	append(err->message, sizeof(err->message), strerror_r(errnum, reason, sizeof(reason)));
	return -1;
}

int err_hint(struct err *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	format(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
	return -1;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
	char message[ERR_MESSAGE_SIZE];
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	format(message, sizeof(message), fmt, ap);
	va_end(ap);
	append(message, sizeof(message), ": ");
	append(message, sizeof(message), err->message);
	memcpy(err->message, message, sizeof(message));
	return -1;
}

int err_exit_status(enum err_code code)
{
	return (size_t)code < COUNT_OF(codes) ? codes[code].status : 1;
}

const char *err_code_name(enum err_code code)
{
	return (size_t)code < COUNT_OF(codes) ? codes[code].name : codes[ERR_FAILED].name;
}

enum err_code err_code_from_name(const char *s)
{
	size_t i;

	for (i = 0; i < COUNT_OF(codes); i++) {
		if (strcmp(codes[i].name, s) == 0)
			return (enum err_code)i;
	}
	return ERR_FAILED;
}
