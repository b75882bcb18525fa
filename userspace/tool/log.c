// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading request logs.
 *
 * What is wanted of a line is who and when.  In the log formats of web servers,
 *
 *	client ident user [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326 ...
 *
 * the client is the first word (an IPv4 or IPv6 address or a host name), and the
 * time stands in brackets with its distance from UTC.  The rest, which clients can
 * fill with what they like, is not looked at but for its first quote.
 *
 * Servers write a line when a request ends, with the time when it began, so times
 * step back now and then.  A request counts as made when the latest one so far was.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "log.h"

#define CSV_HEADER	"second,client"
#define MAX_SECOND	(1ULL << 33)	/* 272 years; times 10^9 it fits 64 bits */

/* Does @text begin like @pattern, where 0 is any digit and a any letter? */
static int looks_like(const char *text, const char *pattern)
{
	for (; *pattern; text++, pattern++) {
		if (*pattern == '0') {
			if (*text < '0' || *text > '9')
				return 0;
		} else if (*pattern == 'a') {
			if ((*text | 32) < 'a' || (*text | 32) > 'z')
				return 0;
		} else if (*text != *pattern) {
			return 0;
		}
	}
	return 1;
}

static int two_digits(const char *text)
{
	return (text[0] - '0') * 10 + text[1] - '0';
}

/* 0 to 11, or -1 */
static int month_number(const char *name)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (int i = 0; i < 12; i++)
		if (!strncmp(names + 3 * i, name, 3))
			return i;
	return -1;
}

/* Seconds since 1970 of "[10/Oct/2000:13:55:36 -0700]", or -1. */
static __s64 read_stamp(const char *text)
{
	struct tm tm = { 0 };
	int zone;

	if (!looks_like(text, "[00/aaa/0000:00:00:00 +0000] \"") &&
	    !looks_like(text, "[00/aaa/0000:00:00:00 -0000] \""))
		return -1;
	tm.tm_mday = two_digits(text + 1);
	tm.tm_mon = month_number(text + 4);
	tm.tm_year = two_digits(text + 8) * 100 + two_digits(text + 10) - 1900;
	tm.tm_hour = two_digits(text + 13);
	tm.tm_min = two_digits(text + 16);
	tm.tm_sec = two_digits(text + 19);
	if (tm.tm_mon < 0 || tm.tm_mday < 1 || tm.tm_mday > 31 || tm.tm_hour > 23 ||
	    tm.tm_min > 59 || tm.tm_sec > 60 || tm.tm_year <= 70 || tm.tm_year >= 300)
		return -1;
	zone = two_digits(text + 23) * 60 + two_digits(text + 25);
	return timegm(&tm) - (text[22] == '-' ? -zone : zone) * 60;
}

/* Both readers cut the line, to leave the client's name; -1: unreadable. */

static __s64 read_clf(char *line, const char **client)
{
	char *end = strchr(line, ' ');
	__s64 second = -1;

	if (!end || end == line)
		return -1;
	/* A user's name may have brackets, too: take the first that is a time. */
	for (char *p = end; second < 0 && (p = strstr(p, " [")); p++)
		second = read_stamp(p + 1);
	*end = '\0';
	*client = line;
	return second;
}

static __s64 read_csv(char *line, const char **client)
{
	size_t digits = strspn(line, "0123456789");
	unsigned long long second;

	if (!digits || digits > 10 || line[digits] != ',' || !line[digits + 1])
		return -1;
	second = strtoull(line, NULL, 10);
	*client = line + digits + 1;
	return second < MAX_SECOND ? (__s64)second : -1;
}

static int append(struct request_log *log, __s64 second, const char *name)
{
	__s64 client = clients_number(&log->clients, name);
	struct request *requests = log->requests;

	if (client < 0)
		return -ENOMEM;
	/* The room is doubled whenever the count is a power of two. */
	if (!(log->count & (log->count - 1))) {
		requests = realloc(requests, (log->count ? log->count * 2 : 1) *
				   sizeof(*requests));
		if (!requests)
			return -ENOMEM;
		log->requests = requests;
	}
	if (log->count && (__u64)second < requests[log->count - 1].second)
		second = (__s64)requests[log->count - 1].second;
	requests[log->count].second = (__u64)second;
	requests[log->count].client = (__u32)client;
	log->count++;
	return 0;
}

static void count_unreadable(struct request_log *log, size_t number)
{
	if (!log->unreadable++)
		log->first_unreadable = number;
}

static int read_lines(struct request_log *log, FILE *file, char **line, size_t *size)
{
	__s64 (*reader)(char *line, const char **client) = read_clf;
	const char *client;
	ssize_t length;
	__s64 second;

	for (size_t number = 1; (length = getline(line, size, file)) >= 0; number++) {
		(*line)[strcspn(*line, "\r\n")] = '\0';
		if (number == 1 && !strcmp(*line, CSV_HEADER)) {
			reader = read_csv;
			continue;
		}
		second = reader(*line, &client);
		if (second < 0)
			count_unreadable(log, number);
		else if (append(log, second, client))
			return -ENOMEM;
	}
	return ferror(file) ? -errno : 0;
}

int log_read(struct request_log *log, FILE *file)
{
	char *line = NULL;
	size_t size = 0;
	int ret = read_lines(log, file, &line, &size);

	free(line);
	/* Count from the first request on; it is the earliest. */
	for (size_t i = log->count; i-- > 0;)
		log->requests[i].second -= log->requests[0].second;
	return ret;
}

void log_free(struct request_log *log)
{
	free(log->requests);
	clients_free(&log->clients);
	*log = (struct request_log) { 0 };
}
