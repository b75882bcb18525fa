/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_LOG_INPUT_H
#define TWHEEL_LOG_INPUT_H

#include <stdbool.h>
#include <sys/types.h>
#include <zlib.h>

/**
 * struct log_input - the bytes of a log, unpacked
 * @fd: where they come from
 * @ended: @fd has no more
 * @gzip: it is compressed
 * @in_member: inside of a gzip member, which must not end here
 * @stream: what was read from @fd and not used yet; zlib's state if @gzip
 * @in: room for it
 */
struct log_input {
	int fd;
	bool ended;
	bool gzip;
	bool in_member;
	z_stream stream;
	unsigned char in[1 << 16];
};

/**
 * log_input_open - look at the first bytes
 * @input: log_input_close() it, also after an error
 * @fd: a file or a pipe; stays the caller's
 *
 * Return: 0, -ENOMEM, or a negative errno of read(2).
 */
int log_input_open(struct log_input *input, int fd);

/**
 * log_input_read - the next bytes
 *
 * Return: how many, 0 at the end of the log, -EBADMSG if the compressed data are
 * damaged, cut off, or followed by something else, -ENOMEM, or a negative errno of
 * read(2).
 */
ssize_t log_input_read(struct log_input *input, void *buffer, size_t size);

void log_input_close(struct log_input *input);

#endif /* TWHEEL_LOG_INPUT_H */
