// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is a text valid UTF-8, as RFC 3629 has it?
 *
 * json-c's own check lets overlong forms, surrogates, and what is above U+10FFFF pass.
 * So does glibc's iconv(3) to UCS-4 with the last of these, and it loads its other
 * conversions from files, which a guest does not have.
 */
#include <linux/types.h>

#include "log_formats.h"

/* The least code point that needs so many bytes. */
static const __u32 least[] = { [1] = 0, [2] = 0x80, [3] = 0x800, [4] = 0x10000 };

static size_t length_of(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc0 || first >= 0xf8)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* How many bytes the character at @p has; 0 if it is none. */
static size_t character(const unsigned char *p)
{
	size_t length = length_of(*p);
	__u32 code = *p & (0xff >> (length + 1));

	if (length < 2)
		return length;
	/* The '\0' at the end of the text is none of these. */
	for (size_t i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return length;
}

bool is_utf8(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p) {
		size_t length = character(p);

		if (!length)
			return false;
		p += length;
	}
	return true;
}
