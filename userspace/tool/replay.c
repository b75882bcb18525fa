// SPDX-License-Identifier: GPL-2.0-only
/*
 * twheel replay: what would a log of requests have done with idle timers?
 *
 * This file is the command: the log, the queue, the report.  Its options are in
 * replay_options.c, the replay itself is in player.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <twheel.h>
#include <unistd.h>

#include "histogram.h"
#include "log.h"
#include "player.h"
#include "replay.h"
#include "tool.h"

/* --- the log --- */

#define FORMATS \
	"known are Common Log Format with its relatives (Combined, vhost_combined), JSON lines, " \
	"and CSV with the header second,client; see twheel(1)"

static const char *explain_log(int error)
{
	switch (error) {
	case -EBADMSG:
		return "the compressed data are damaged, cut off, or followed by other data";
	case -EPROTONOSUPPORT:
		return "it is compressed by xz, bzip2 or zstd; only gzip is read";
	case -EINVAL:
		return "this CSV has another header; it has to be: second,client";
	default:
		return strerror(-error);
	}
}

static int read_log(struct request_log *log, const struct replay_options *o)
{
	bool is_stdin = !strcmp(o->path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(o->path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return complain(EXIT_FAILED, "%s: %s", o->path, strerror(errno));
	ret = log_read(log, fd, &o->log);
	if (!is_stdin)
		close(fd);
	if (ret)
		return complain(EXIT_FAILED, "%s: %s", o->path, explain_log(ret));
	return EXIT_OK;
}

/* Is what was read good enough? */
static int judge_log(const struct request_log *log, const char *path)
{
	if (log->unreadable)
		complain(0, "%s: %zu line%s could not be read; the first one is line %zu",
			 path, log->unreadable, log->unreadable == 1 ? "" : "s",
			 log->first_unreadable);
	if (!log->count && log->unreadable)
		return complain(EXIT_FAILED, "%s: there is no request in it; " FORMATS, path);
	if (!log->count)
		return complain(EXIT_FAILED, "%s: there is no request in it", path);
	if (log->steps_back)
		return complain(EXIT_FAILED, "%s: %zu request%s too much earlier than one before, "
				"up to %.3f s; the first one is line %zu; there are --sort "
				"and --max-step-back", path, log->steps_back,
				log->steps_back == 1 ? " is" : "s are",
				(double)log->longest_step_back / 1e9, log->first_step_back);
	return EXIT_OK;
}

static void print_time(__u64 ns)
{
	int digits = 9;

	printf("%llu", ns / NSEC_PER_SEC);
	ns %= NSEC_PER_SEC;
	if (!ns)
		return;
	for (; ns % 10 == 0; ns /= 10)
		digits--;
	printf(".%0*llu", digits, ns);
}

/* As a field of CSV */
static void print_name(const char *name)
{
	if (!strpbrk(name, ",\"")) {
		fputs(name, stdout);
		return;
	}
	putchar('"');
	for (; *name; name++) {
		if (*name == '"')
			putchar('"');
		putchar(*name);
	}
	putchar('"');
}

static int print_log(const struct request_log *log)
{
	const char **names = clients_names(&log->clients);

	if (!names)
		return complain(EXIT_FAILED, "%s", strerror(ENOMEM));
	puts("second,client");
	for (size_t i = 0; i < log->count; i++) {
		print_time(log->requests[i].time);
		putchar(',');
		print_name(names[log->requests[i].client]);
		putchar('\n');
	}
	free(names);
	return EXIT_OK;
}

/* --- the queue --- */

/* Open a queue, if possible with words; *words tells. */
static int open_queue(struct twheel *tw, __u32 max_timers, bool *words)
{
	struct twheel_config config = {
		.size = sizeof(config),
		.flags = *words ? TWHEEL_SETUP_WORDS : 0,
		.clockid = CLOCK_MONOTONIC,
		.max_timers = max_timers,
	};
	int ret = twheel_open(tw, &config);

	if (ret == -EOPNOTSUPP && *words) {
		complain(0, "this machine has no words; pushing back by op");
		*words = false;
		return open_queue(tw, max_timers, words);
	}
	*words = tw->words;
	return ret;
}

static const char *explain(int error)
{
	switch (error) {
	case -ETIME:
		return "a timer has not expired for 30 s after its deadline";
	case -EOVERFLOW:
		return "the log is too long, or --speed too small";
	case -EPROTO:
		return "there is a record of a timer that does not exist";
	case -EDQUOT:
	case -EINVAL:
	case -ENOSPC:
		return "more clients than the module's limits allow timers";
	default:
		return strerror(-error);
	}
}

/* --- the report --- */

static void report_problems(const struct player *p)
{
	if (p->stalls)
		complain(0, "this machine was too slow: %llu requests met their timer on "
			 "the wrong side; try a lower --speed", p->stalls);
	if (p->strays)
		complain(0, "%llu records are of timers that were not armed", p->strays);
	if (p->early)
		complain(0, "%llu expiries were early", p->early);
	if (p->expired != p->sessions || p->expired + p->pushed != p->log->count)
		complain(0, "the sums are wrong: %zu requests, %llu sessions, %llu pushed "
			 "back, %llu expired", p->log->count, p->sessions, p->pushed,
			 p->expired);
}

static int report(const struct player *p)
{
	struct twheel_stats stats;
	int ret = twheel_stats(p->tw, &stats);

	if (ret)
		return complain(EXIT_FAILED, "statistics: %s", strerror(-ret));
	if (!p->quiet) {
		histogram_print(stats.lateness);
		printf("interrupts: %llu\n", stats.interrupts);
		printf("latest request: %.3f ms after its time\n", (double)p->latest / 1e6);
		printf("system calls for pushing back: %llu\n", p->push_calls);
	}
	report_problems(p);
	printf("replay: %llu expired, %llu pushed back, %llu early\n", p->expired,
	       p->pushed, p->early);
	return player_is_right(p) ? EXIT_OK : EXIT_FAILED;
}

static int replay(const struct replay_options *o, const struct request_log *log)
{
	struct twheel tw = { 0 };
	struct player player = {
		.log = log,
		.tw = &tw,
		.idle = o->idle,
		.speed = o->speed,
		.words = !o->no_words,
		.quiet = o->quiet,
	};
	int ret = open_queue(&tw, log->clients.count, &player.words);

	if (ret)
		return complain_device(ret, explain(ret));
	ret = player_run(&player);
	if (ret) {
		report_problems(&player);
		ret = complain(EXIT_FAILED, "replay: %s", explain(ret));
	} else {
		ret = report(&player);
	}
	twheel_close(&tw);
	return ret;
}

int cmd_replay(int argc, char **argv)
{
	struct replay_options options;
	struct request_log log = { 0 };
	int ret = replay_parse(argc, argv, &options);

	if (ret || !options.path)
		return ret;
	ret = read_log(&log, &options);
	if (!ret)
		ret = judge_log(&log, options.path);
	if (!ret)
		ret = options.print ? print_log(&log) : replay(&options, &log);
	log_free(&log);
	return ret;
}
