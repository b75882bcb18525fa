// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a line is: see log-formats.toml.
 *
 * Memory does not depend on the log: what is longer than LOG_LINE_MAX is read to its
 * end and counted, but not kept.
 */
#include <string.h>

#include "log_lines.h"

#define END_OF_LOG	256	/* not a byte, and not an errno */

static int next_byte(struct log_lines *lines)
{
	if (lines->at == lines->filled) {
		ssize_t count = log_input_read(&lines->input, lines->buffer,
					       sizeof(lines->buffer));

		if (count <= 0)
			return count ? (int)count : END_OF_LOG;
		lines->at = 0;
		lines->filled = (size_t)count;
	}
	return lines->buffer[lines->at++];
}

/*
 * A log that was copied and truncated while the server wrote into it goes on behind as
 * many zeros as it was long.
 */
static int first_byte(struct log_lines *lines)
{
	int byte;

	do {
		byte = next_byte(lines);
	} while (!byte);
	return byte;
}

/* Take off what Windows puts before the first line, and at the end of each. */
static void trim(struct log_lines *lines)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t skip = sizeof(mark) - 1;

	if (lines->length && lines->line[lines->length - 1] == '\r')
		lines->length--;
	lines->line[lines->length] = '\0';
	if (lines->number > 1 || strncmp(lines->line, mark, skip))
		return;
	lines->length -= skip;
	memmove(lines->line, lines->line + skip, lines->length + 1);
}

int log_lines_next(struct log_lines *lines)
{
	int byte = first_byte(lines), kind = LOG_LINE;

	if (byte == END_OF_LOG)
		return LOG_NO_LINE;
	lines->number++;
	for (lines->length = 0; byte >= 0 && byte != '\n' && byte != END_OF_LOG;
	     byte = next_byte(lines)) {
		if (!byte || lines->length == LOG_LINE_MAX)
			kind = LOG_BAD_LINE;
		else
			lines->line[lines->length++] = (char)byte;
	}
	trim(lines);
	if (memchr(lines->line, '\r', lines->length))
		kind = LOG_BAD_LINE;
	return byte < 0 ? byte : kind;
}
