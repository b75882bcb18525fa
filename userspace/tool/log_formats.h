/* SPDX-License-Identifier: GPL-2.0-only */
/* The formats that log-formats.toml describes, one file each. */
#ifndef TWHEEL_LOG_FORMATS_H
#define TWHEEL_LOG_FORMATS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* For strspn() */
#define LETTERS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS	"0123456789"

/**
 * struct log_entry - what is wanted of a line
 * @time: ns, since whatever the log counts from
 * @client: a part of the line
 */
struct log_entry {
	__u64 time;
	char *client;
};

/* Common Log Format and its relatives.  Cuts @line, if it can read it. */
bool clf_read(char *line, struct log_entry *entry);

/**
 * clf_first_address - shorten a list of addresses to its first
 * @text: all of it is a list, or it is left as it is
 */
void clf_first_address(char *text);

/* What the first line of a log says. */
enum csv_header {
	CSV_NO_HEADER,
	CSV_HEADER,
	CSV_OTHER_HEADER,	/* the header of CSV that cannot be read */
};

enum csv_header csv_header(const char *line);

/* Cuts @line, also if it cannot read it. */
bool csv_read(char *line, struct log_entry *entry);

/* Is all of it valid UTF-8: the shortest forms only, no surrogates? */
bool is_utf8(const char *text);

/**
 * struct json_fields - where a JSON line has what is wanted
 * @time: name of the member, or NULL for one of the usual names
 * @client: likewise
 */
struct json_fields {
	const char *time;
	const char *client;
};

/**
 * json_read - read a JSON line
 * @line: is overwritten by the client
 *
 * Return: 1, 0 if it cannot be read, or -ENOMEM.
 */
int json_read(const struct json_fields *fields, char *line, size_t length,
	      struct log_entry *entry);

#endif /* TWHEEL_LOG_FORMATS_H */
