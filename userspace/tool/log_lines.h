/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_LOG_LINES_H
#define TWHEEL_LOG_LINES_H

#include "log_input.h"

#define LOG_LINE_MAX	65536

/* What log_lines_next() found. */
enum {
	LOG_NO_LINE = 0,
	LOG_LINE,
	LOG_BAD_LINE,	/* too long, or has a NUL or a CR inside */
};

/**
 * struct log_lines - the lines of a log, one at a time
 * @input: where they come from
 * @number: of the line, from 1
 * @length: of the line, without its end
 * @line: the line, and a '\0'
 * @at: how much of @buffer was used
 * @filled: how much there is
 * @buffer: the bytes that come next
 */
struct log_lines {
	struct log_input input;
	size_t number;
	size_t length;
	char line[LOG_LINE_MAX + 1];
	size_t at;
	size_t filled;
	unsigned char buffer[1 << 16];
};

/**
 * log_lines_next - read a line into @lines->line
 * @lines: its @input is open, the rest was 0 at first
 *
 * Return: one of the enum above, or a negative errno of log_input_read().
 */
int log_lines_next(struct log_lines *lines);

#endif /* TWHEEL_LOG_LINES_H */
