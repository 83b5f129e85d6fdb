/* quote: one value as a shell and TOML write it; and the digest of a text. */
#include "harness/quote.h"

#include <stdbool.h>
#include <string.h>

#include "harness/plan.h"

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       strchr("%+,-./:=@_", c);
}

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7F;
}

/* POSIX shell, 2.2.2: between single quotes nothing is special, and a single quote cannot stand there. */
static void quote_single(struct buf *out, const char *word)
{
	buf_addc(out, '\'');
	for (const char *p = word; *p; p++) {
		if (*p == '\'')
			buf_adds(out, "'\\''");
		else
			buf_addc(out, *p);
	}
	buf_addc(out, '\'');
}

/* bash, "ANSI-C Quoting": keeps control characters off the screen and a command on one line */
static void quote_ansi_c(struct buf *out, const char *word)
{
	buf_adds(out, "$'");
	for (const char *p = word; *p; p++) {
		if (*p == '\'' || *p == '\\')
			buf_printf(out, "\\%c", *p);
		else if (*p == '\n')
			buf_adds(out, "\\n");
		else if (*p == '\t')
			buf_adds(out, "\\t");
		else if (is_control(*p))
			buf_printf(out, "\\%03o", (unsigned char)*p);
		else
			buf_addc(out, *p);
	}
	buf_addc(out, '\'');
}

void shell_quote(struct buf *out, const char *word)
{
	bool plain = *word != '\0' && *word != '=', control = false;

	for (const char *p = word; *p; p++) {
		plain = plain && is_plain(*p);
		control = control || is_control(*p);
	}
	if (control)
		quote_ansi_c(out, word);
	else if (plain)
		buf_adds(out, word);
	else
		quote_single(out, word);
}

/* TOML 1.0, "String": in a basic string ", \ and the controls but tab must be escaped. */
void toml_quote(struct buf *out, const char *text)
{
	buf_addc(out, '"');
	for (const char *p = text; *p; p++) {
		if (*p == '"' || *p == '\\')
			buf_printf(out, "\\%c", *p);
		else if (*p == '\n')
			buf_adds(out, "\\n");
		else if (is_control(*p))
			buf_printf(out, "\\u%04X", (unsigned char)*p);
		else
			buf_addc(out, *p);
	}
	buf_addc(out, '"');
}

void text_digest(const char *text, size_t len, char out[TEXT_DIGEST_SIZE])
{
	const unsigned __int128 prime = ((unsigned __int128)1 << 88) | 0x13B;
	unsigned __int128 hash = ((unsigned __int128)0x6C62272E07BB0142ULL << 64) | 0x62B821756295C58DULL;

	for (size_t i = 0; i < len; i++) {
		hash ^= (unsigned char)text[i];
		hash *= prime;
	}
	snprintf(out, TEXT_DIGEST_SIZE, "%016llx%016llx", (unsigned long long)(hash >> 64),
	    (unsigned long long)hash);
}
