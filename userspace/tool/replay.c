// SPDX-License-Identifier: GPL-2.0-only
/*
 * twheel replay: what would a log of requests have done with idle timers?
 *
 * This file is the command: options, the log, the queue, the report.  The replay
 * itself is in player.c.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <twheel.h>

#include "duration.h"
#include "histogram.h"
#include "log.h"
#include "player.h"
#include "tool.h"

#define MAX_SPEED	1000000000ULL

static const char help[] =
"Usage: twheel replay [OPTION...] FILE\n"
"\n"
"Replay a request log.  Each client has an idle timer that its requests push\n"
"back; an expiry ends the client's session.\n"
"\n"
"FILE is a web server's log in Common or Combined Log Format, or CSV with the\n"
"header second,client; - is standard input.\n"
"\n"
"  --idle DURATION  a session ends after this time without request [1800s]\n"
"  --speed N        so many times as fast as it was [1]\n"
"  --no-words       push back by MOVE ops instead of words\n"
"  --quiet          only the last line\n"
"  --help           this text\n"
"\n"
"DURATION is a number with a unit: ns us ms s m h d; without one, seconds.\n"
"The last line tells how many timers expired, how often one was pushed back, and\n"
"how many expiries were early.  Exit status: 0, 1 if something was early or does\n"
"not add up, or the replay failed, 2 after wrong usage.\n";

struct options {
	__u64 idle;
	__u64 speed;
	bool no_words;
	bool quiet;
	const char *path;
};

/* --- options --- */

static int parse_idle(const char *text, __u64 *idle)
{
	int ret = duration_parse(text, idle);

	if (ret)
		return complain(EXIT_USAGE, "--idle: '%s' %s", text, duration_error(ret));
	if (!*idle)
		return complain(EXIT_USAGE, "--idle has to be more than 0");
	return EXIT_OK;
}

static int parse_speed(const char *text, __u64 *speed)
{
	size_t digits = strspn(text, "0123456789");

	/* Ten digits do not overflow. */
	*speed = digits <= 10 ? strtoull(text, NULL, 10) : 0;
	if (!digits || text[digits] || !*speed || *speed > MAX_SPEED)
		return complain(EXIT_USAGE, "--speed: '%s' is no whole number from 1 to %llu",
				text, MAX_SPEED);
	return EXIT_OK;
}

enum { OPT_IDLE = 256, OPT_SPEED, OPT_NO_WORDS, OPT_QUIET, OPT_HELP };

static const struct option long_options[] = {
	{ "idle", required_argument, NULL, OPT_IDLE },
	{ "speed", required_argument, NULL, OPT_SPEED },
	{ "no-words", no_argument, NULL, OPT_NO_WORDS },
	{ "quiet", no_argument, NULL, OPT_QUIET },
	{ "help", no_argument, NULL, OPT_HELP },
	{ 0 }
};

/* EXIT_OK with a path, EXIT_OK without one after --help, or EXIT_USAGE. */
static int parse(int argc, char **argv, struct options *o)
{
	int option, ret = EXIT_OK;

	opterr = 0;
	while (!ret && (option = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
		switch (option) {
		case OPT_IDLE:
			ret = parse_idle(optarg, &o->idle);
			break;
		case OPT_SPEED:
			ret = parse_speed(optarg, &o->speed);
			break;
		case OPT_NO_WORDS:
			o->no_words = true;
			break;
		case OPT_QUIET:
			o->quiet = true;
			break;
		case OPT_HELP:
			fputs(help, stdout);
			return EXIT_OK;
		default:
			return complain(EXIT_USAGE, "%s option '%s'; see 'twheel replay --help'",
					option == ':' ? "no value for" : "unknown or misused",
					argv[optind - 1]);
		}
	}
	if (!ret && optind != argc - 1)
		ret = complain(EXIT_USAGE, "replay needs one FILE; see 'twheel replay --help'");
	if (!ret)
		o->path = argv[optind];
	return ret;
}

/* --- the log --- */

static int open_log(struct request_log *log, const char *path)
{
	bool is_stdin = !strcmp(path, "-");
	FILE *file = is_stdin ? stdin : fopen(path, "r");
	int ret;

	if (!file)
		return complain(EXIT_FAILED, "%s: %s", path, strerror(errno));
	ret = log_read(log, file);
	if (!is_stdin)
		fclose(file);
	if (ret)
		return complain(EXIT_FAILED, "%s: %s", path, strerror(-ret));
	if (log->unreadable)
		complain(0, "%s: %zu lines could not be read; the first one is line %zu",
			 path, log->unreadable, log->first_unreadable);
	if (!log->count)
		return complain(EXIT_FAILED, "%s: there is no request in it", path);
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

static int replay(const struct options *o, const struct request_log *log)
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
		return complain(EXIT_FAILED, "/dev/twheel: %s%s", explain(ret),
				ret == -ENOENT ? "; is the module loaded?" : "");
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
	struct options options = { .idle = 1800 * NSEC_PER_SEC, .speed = 1 };
	struct request_log log = { 0 };
	int ret = parse(argc, argv, &options);

	if (ret || !options.path)
		return ret;
	ret = open_log(&log, options.path);
	if (!ret)
		ret = replay(&options, &log);
	log_free(&log);
	return ret;
}
