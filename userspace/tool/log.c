// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading request logs: what a whole log makes of its lines.
 *
 * What is wanted of a line is who and when.  The formats are described in
 * log-formats.toml, from which the manual page and the tests come, too:
 *
 *	log_input.c	bytes, unpacked
 *	log_lines.c	lines
 *	log_clf.c	one line of each format
 *	log_csv.c
 *	log_json.c
 *	log_time.c	times in them
 *	log_utf8.c	whether JSON is valid UTF-8
 *
 * Servers write a line when a request ends, with the time when it began, so times
 * step back now and then.  A request counts as made when the latest one so far was.
 * That is meant for seconds.  One wrong time would so become the time of all requests
 * that follow, and two logs in the wrong order would lose one of them.  So a line whose
 * time is a day away from both its neighbours is unreadable, and steps back that are too
 * long are counted, for the caller to refuse the log.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "log_formats.h"
#include "log_lines.h"
#include "tool.h"

#define DAY	(86400 * NSEC_PER_SEC)

/**
 * struct reader - a log that is being read
 * @log: what is made of it
 * @options: the caller's
 * @csv: it began with the header of CSV
 * @json: the fields of JSON lines
 * @before: ns, of the latest line that was taken
 * @time: ns, of the line that waits
 * @number: number of the line that waits for the next one to be judged by, or 0
 * @client: of that line
 * @lines: where all of this comes from
 */
struct reader {
	struct request_log *log;
	const struct log_options *options;
	bool csv;
	struct json_fields json;
	__u64 before;
	__u64 time;
	size_t number;
	char client[LOG_LINE_MAX + 1];
	struct log_lines lines;
};

/* --- requests --- */

static int make_room(struct request_log *log)
{
	struct request *requests;

	/* The room is doubled whenever the count is a power of two. */
	if (log->count & (log->count - 1))
		return 0;
	requests = reallocarray(log->requests, log->count ? log->count * 2 : 1,
				sizeof(*requests));
	if (!requests)
		return -ENOMEM;
	log->requests = requests;
	return 0;
}

static void count_step_back(struct request_log *log, __u64 length, size_t number)
{
	if (!log->steps_back++)
		log->first_step_back = number;
	if (length > log->longest_step_back)
		log->longest_step_back = length;
}

/* Take the line that waits. */
static int append(struct reader *reader)
{
	struct request_log *log = reader->log;
	__s64 client = clients_number(&log->clients, reader->client);
	__u64 time = reader->time, latest;

	if (client < 0 || make_room(log))
		return -ENOMEM;
	if (log->count && !reader->options->sort) {
		latest = log->requests[log->count - 1].time;
		if (latest > time && latest - time > reader->options->max_step_back)
			count_step_back(log, latest - time, reader->number);
		if (latest > time)
			time = latest;
	}
	log->requests[log->count++] = (struct request) { time, (__u32)client };
	reader->before = reader->time;
	return 0;
}

static void count_unreadable(struct request_log *log, size_t number)
{
	if (!log->unreadable++ || number < log->first_unreadable)
		log->first_unreadable = number;
}

/* --- neighbours --- */

/* Is @time more than a day from both, in the same direction? */
static bool stands_out(__u64 before, __u64 time, __u64 after)
{
	return (time > before + DAY && time > after + DAY) ||
	       (before > time + DAY && after > time + DAY);
}

/* Decide on the line that waits; @after is the time of the one that follows, or NULL. */
static int settle(struct reader *reader, const __u64 *after)
{
	int ret = 0;

	if (!reader->number)
		return 0;
	if (after && reader->log->count && stands_out(reader->before, reader->time, *after))
		count_unreadable(reader->log, reader->number);
	else
		ret = append(reader);
	reader->number = 0;
	return ret;
}

/* --- lines --- */

/* A client has a name, not "-" or the like of a TAB. */
static bool is_client(const char *name)
{
	const char *p = name;

	while ((unsigned char)*p >= ' ' && *p != 0x7f)
		p++;
	return !*p && *name && strcmp(name, "-");
}

/* 1, 0 if it is not readable, or -ENOMEM. */
static int read_line(struct reader *reader, struct log_entry *entry)
{
	char *line = reader->lines.line;
	int ret;

	if (reader->csv)
		ret = csv_read(line, entry);
	else if (*line == '{')
		ret = json_read(&reader->json, line, reader->lines.length, entry);
	else
		ret = clf_read(line, entry);
	return ret > 0 ? is_client(entry->client) : ret;
}

/* A line without a NUL or the like, which is not a header. */
static int take_line(struct reader *reader)
{
	struct log_entry entry;
	int ret = read_line(reader, &entry);

	if (!ret)
		count_unreadable(reader->log, reader->lines.number);
	if (ret <= 0)
		return ret;
	ret = settle(reader, &entry.time);
	reader->time = entry.time;
	reader->number = reader->lines.number;
	strcpy(reader->client, entry.client);
	return ret;
}

static int read_lines(struct reader *reader)
{
	enum csv_header header = CSV_NO_HEADER;
	int kind, ret = 0;

	while (!ret && (kind = log_lines_next(&reader->lines)) > 0) {
		if (kind == LOG_LINE && reader->lines.number == 1)
			header = csv_header(reader->lines.line);
		if (header == CSV_OTHER_HEADER)
			return -EINVAL;
		if (kind == LOG_BAD_LINE)
			count_unreadable(reader->log, reader->lines.number);
		else if (header == CSV_HEADER && !reader->csv)
			reader->csv = true;
		else
			ret = take_line(reader);
	}
	if (ret)
		return ret;
	return kind < 0 ? kind : settle(reader, NULL);
}

/* --- the whole --- */

static int compare(const void *left, const void *right)
{
	const struct request *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->client < b->client ? -1 : a->client > b->client;
}

static int read_all(struct reader *reader, int fd)
{
	int ret = log_input_open(&reader->lines.input, fd);

	if (!ret)
		ret = read_lines(reader);
	log_input_close(&reader->lines.input);
	return ret;
}

int log_read(struct request_log *log, int fd, const struct log_options *options)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int ret;

	if (!reader)
		return -ENOMEM;
	reader->log = log;
	reader->options = options;
	reader->json.time = options->time_field;
	reader->json.client = options->client_field;
	ret = read_all(reader, fd);
	free(reader);
	if (options->sort && log->count)
		qsort(log->requests, log->count, sizeof(*log->requests), compare);
	/* Count from the first request on; it is the earliest. */
	for (size_t i = log->count; i-- > 0;)
		log->requests[i].time -= log->requests[0].time;
	return ret;
}

void log_free(struct request_log *log)
{
	free(log->requests);
	clients_free(&log->clients);
	*log = (struct request_log) { 0 };
}
