/* decode_internal: what the parts of the decoder share.  decode.c finds where a sequence ends; the others say
 * what it is. */
#ifndef HANDLER_KEY_DECODE_INTERNAL_H
#define HANDLER_KEY_DECODE_INTERNAL_H

#include "key/decode.h"

enum { CSI_FIELDS = 32, CSI_SUBS = 32, CSI_MISSING = -1 };

/* A control sequence taken apart (ECMA-48 5.4); more fields and sub-fields than fit are left out. */
struct csi {
	char mark;         /* one of < = > ? in front, or 0 */
	char intermediate; /* the last one, or 0 */
	char final;
	int fields; /* 0: no parameters at all */
	int subs[CSI_FIELDS];
	int value[CSI_FIELDS][CSI_SUBS]; /* CSI_MISSING: empty */
};

/* What the meaning of a sequence depends on beside itself. */
struct decode_context {
	int cursor_reports;  /* CPRs that are awaited */
	uint8_t held_button; /* enum mouse_button that was pressed last: formats that do not name the one
				released */
};

enum csi_meaning { CSI_NOTHING, CSI_INPUT, CSI_PASTE_START };

void csi_parse(const char *body, size_t len, char final, struct csi *out);
/* The field's first value, or `missing` if it is empty or not there. */
int csi_number(const struct csi *c, int field, int missing);
/* in is all zero before; filled for CSI_INPUT only. */
enum csi_meaning csi_decode(const struct csi *c, struct decode_context *ctx, struct input *in);
/* The modifiers and event of field 1 of a key's sequence. */
void csi_modifiers(const struct csi *c, int field, struct key *k);

/* Three bytes of `CSI M`, or a code with 1-based places. */
bool mouse_decode(int code, int col, int row, bool release, struct decode_context *ctx, struct mouse *out);

/* An OSC (']'), DCS ('P') or APC ('_') without its frame.  text stays valid as long as body. */
void string_decode(char kind, const char *body, size_t len, struct input *in);

#endif
