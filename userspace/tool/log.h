/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_LOG_H
#define TWHEEL_LOG_H

#include <linux/types.h>
#include <stddef.h>
#include <stdio.h>

#include "clients.h"

/**
 * struct request - one readable line of a log
 * @second: since the first request; never less than in the line before
 * @client: number of the client
 */
struct request {
	__u64 second;
	__u32 client;
};

/**
 * struct request_log - a whole log in memory
 * @requests: in the order of the file
 * @count: how many
 * @clients: who made them
 * @unreadable: lines that are no request
 * @first_unreadable: number of the first of these, from 1
 */
struct request_log {
	struct request *requests;
	size_t count;
	struct clients clients;
	size_t unreadable;
	size_t first_unreadable;
};

/**
 * log_read - read a request log
 * @log: all 0; log_free() it, also after an error
 * @file: Common or Combined Log Format, or CSV with the header "second,client"
 *
 * Return: 0, -ENOMEM, or a negative errno of read(2).
 */
int log_read(struct request_log *log, FILE *file);

void log_free(struct request_log *log);

#endif /* TWHEEL_LOG_H */
