// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs: formats, time zones, clients of all kinds, times that step back, and lines
 * that are no requests.
 */
#include <string.h>

#include "../tool/log.h"

#define TAIL	" \"GET / HTTP/1.1\" 200 1\n"

static const struct {
	const char *name;
	const char *text;
	/* What is expected: "second:client ..." and the lines that cannot be read. */
	const char *requests;
	size_t unreadable, first;
} cases[] = {
	{ "empty", "", "", 0, 0 },
	{ "header only", "second,client\n", "", 0, 0 },
	{ "CSV", "second,client\n5,a\n5,b\n7,a\n", "0:0 0:1 2:0 ", 0, 0 },
	{ "CSV, CR LF, no newline at the end", "second,client\r\n1,a\r\n9,a", "0:0 8:0 ", 0, 0 },
	{ "CSV, steps back", "second,client\n5,a\n3,b\n6,a\n", "0:0 0:1 1:0 ", 0, 0 },
	{ "CSV, bad lines", "second,client\n\n1\n1,\n,a\n-1,a\n1.5,a\n99999999999,a\n2,a\n",
	  "0:0 ", 7, 2 },
	{ "CSV without header", "1,a\n2,a\n", "", 2, 1 },
	{ "common", "10.0.0.1 - - [10/Oct/2000:13:55:36 -0700]" TAIL
	  "10.0.0.1 - bob [10/Oct/2000:13:55:40 -0700]" TAIL, "0:0 4:0 ", 0, 0 },
	{ "IPv6, host name, combined",
	  "2001:db8::1 - - [01/Jan/2024:00:00:00 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"x [y]\"\n"
	  "host.example.org - - [01/Jan/2024:00:00:01 +0000]" TAIL
	  "::1 - - [01/Jan/2024:00:00:01 +0000]" TAIL, "0:0 1:1 1:2 ", 0, 0 },
	{ "zones", "a - - [31/Dec/2023:23:30:00 -0130]" TAIL
	  "a - - [01/Jan/2024:01:00:05 +0000]" TAIL
	  "a - - [01/Jan/2024:06:45:07 +0545]" TAIL, "0:0 5:0 7:0 ", 0, 0 },
	{ "leap day", "a - - [28/Feb/2024:23:59:59 +0000]" TAIL
	  "a - - [01/Mar/2024:00:00:00 +0000]" TAIL, "0:0 86401:0 ", 0, 0 },
	{ "brackets in the user's name", "a - [b [c] [10/Oct/2000:13:55:36 -0700]" TAIL,
	  "0:0 ", 0, 0 },
	{ "bad stamps", "a - - [10/Okt/2000:13:55:36 -0700]" TAIL
	  "a - - [00/Oct/2000:13:55:36 -0700]" TAIL
	  "a - - [10/Oct/2000:24:55:36 -0700]" TAIL
	  "a - - [10/Oct/2000:13:55:36]" TAIL
	  "a - - [10/Oct/2000:13:55:36 -0700]\n"
	  "a - - [10/Oct/2000:13:55" TAIL
	  " - - [10/Oct/2000:13:55:36 -0700]" TAIL
	  "nothing\n", "", 8, 1 },
};

static void append(char **end, const struct request *request)
{
	*end += sprintf(*end, "%llu:%u ", request->second, request->client);
}

static int run(size_t i)
{
	FILE *file = tmpfile();
	struct request_log log = { 0 };
	char got[1000] = "", *end = got;
	int ret;

	fputs(cases[i].text, file);
	rewind(file);
	ret = log_read(&log, file);
	fclose(file);
	for (size_t n = 0; n < log.count; n++)
		append(&end, &log.requests[n]);
	if (!ret && !strcmp(got, cases[i].requests) &&
	    log.unreadable == cases[i].unreadable && log.first_unreadable == cases[i].first) {
		log_free(&log);
		return 0;
	}
	printf("log_test: %s: gave '%s', %zu bad lines, the first is %zu\n", cases[i].name,
	       got, log.unreadable, log.first_unreadable);
	log_free(&log);
	return 1;
}

/* Many clients: the numbers stay the same while the table grows. */
static int run_many(void)
{
	struct request_log log = { 0 };
	FILE *file = tmpfile();
	int failed;

	fputs("second,client\n", file);
	for (unsigned int i = 0; i < 20000; i++)
		fprintf(file, "%u,client-%u\n", i, i % 7000);
	rewind(file);
	failed = log_read(&log, file) || log.count != 20000 || log.clients.count != 7000;
	for (unsigned int i = 0; !failed && i < 20000; i++)
		failed = log.requests[i].client != i % 7000 || log.requests[i].second != i;
	fclose(file);
	log_free(&log);
	if (failed)
		printf("log_test: many clients\n");
	return failed;
}

int main(void)
{
	size_t count = sizeof(cases) / sizeof(cases[0]);
	int failed = run_many();

	for (size_t i = 0; i < count; i++)
		failed += run(i);
	printf("log_test: %zu cases, %d failed\n", count + 1, failed);
	return failed != 0;
}
