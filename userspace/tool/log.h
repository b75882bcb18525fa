/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_LOG_H
#define TWHEEL_LOG_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "clients.h"

/**
 * struct request - one readable line of a log
 * @time: ns since the first request; never less than in the request before
 * @client: number of the client
 */
struct request {
	__u64 time;
	__u32 client;
};

/**
 * struct log_options - how to read a log
 * @time_field: of JSON lines, or NULL for the usual names
 * @client_field: likewise
 * @max_step_back: ns that a request may be earlier than one before it
 * @sort: put the requests in order, whatever the distance
 */
struct log_options {
	const char *time_field;
	const char *client_field;
	__u64 max_step_back;
	bool sort;
};

/**
 * struct request_log - a whole log in memory
 * @requests: in the order of the file, or by time and client if it was sorted
 * @count: how many
 * @clients: who made them
 * @unreadable: lines that are no request
 * @first_unreadable: number of the first of these, from 1
 * @steps_back: requests that are earlier by more than what was allowed
 * @first_step_back: number of the line of the first of these
 * @longest_step_back: ns
 */
struct request_log {
	struct request *requests;
	size_t count;
	struct clients clients;
	size_t unreadable;
	size_t first_unreadable;
	size_t steps_back;
	size_t first_step_back;
	__u64 longest_step_back;
};

/**
 * log_read - read a request log
 * @log: all 0; log_free() it, also after an error
 * @fd: in one of the formats of log-formats.toml; stays the caller's
 *
 * A log with steps back has been read, but should not be used.
 *
 * Return: 0, -ENOMEM, -EBADMSG if compressed data are damaged or cut off,
 * -EPROTONOSUPPORT if they are not compressed by gzip, -EINVAL if it is CSV with a header
 * that is not wanted, or a negative errno of read(2).
 */
int log_read(struct request_log *log, int fd, const struct log_options *options);

void log_free(struct request_log *log);

#endif /* TWHEEL_LOG_H */
