// SPDX-License-Identifier: GPL-2.0-only
/*
 * twheel replay: the command line.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "duration.h"
#include "replay.h"
#include "tool.h"

#define MAX_SPEED	1000000000ULL

static const char help[] =
"Usage: twheel replay [OPTION...] FILE\n"
"\n"
"Replay a request log.  Each client has an idle timer that its requests push\n"
"back; an expiry ends the client's session.\n"
"\n"
"FILE is a web server's log in Common Log Format or one of its relatives, JSON\n"
"lines, or CSV with the header second,client; it may be compressed by gzip;\n"
"- is standard input.\n"
"\n"
"  --idle DURATION  a session ends after this time without request [1800s]\n"
"  --speed N        so many times as fast as it was [1]\n"
"  --no-words       push back by MOVE ops instead of words\n"
"  --time-field F   JSON: the member that has the time, such as request.time\n"
"  --client-field F JSON: the member that has the client\n"
"  --sort           put the requests in order by their times\n"
"  --max-step-back DURATION\n"
"                   without --sort: refuse the log if a request is earlier than\n"
"                   one before it by more than this [10m]\n"
"  --print          print the requests as CSV, and replay nothing\n"
"  --quiet          only the last line\n"
"  --help           this text\n"
"\n"
"DURATION is a number with a unit: ns us ms s m h d; without one, seconds.\n"
"The last line tells how many timers expired, how often one was pushed back, and\n"
"how many expiries were early.  Exit status: 0, 1 if something was early or does\n"
"not add up, or the replay failed, 2 after wrong usage.\n";

static int parse_duration(const char *option, const char *text, __u64 *ns)
{
	int ret = duration_parse(text, ns);

	if (ret)
		return complain(EXIT_USAGE, "%s: '%s' %s", option, text, duration_error(ret));
	return EXIT_OK;
}

static int parse_idle(const char *text, __u64 *idle)
{
	int ret = parse_duration("--idle", text, idle);

	if (!ret && !*idle)
		return complain(EXIT_USAGE, "--idle has to be more than 0");
	return ret;
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

enum {
	OPT_IDLE = 256, OPT_SPEED, OPT_TIME_FIELD, OPT_CLIENT_FIELD, OPT_MAX_STEP_BACK,
	OPT_SORT, OPT_NO_WORDS, OPT_PRINT, OPT_QUIET, OPT_HELP,
};

static const struct option long_options[] = {
	{ "idle", required_argument, NULL, OPT_IDLE },
	{ "speed", required_argument, NULL, OPT_SPEED },
	{ "time-field", required_argument, NULL, OPT_TIME_FIELD },
	{ "client-field", required_argument, NULL, OPT_CLIENT_FIELD },
	{ "max-step-back", required_argument, NULL, OPT_MAX_STEP_BACK },
	{ "sort", no_argument, NULL, OPT_SORT },
	{ "no-words", no_argument, NULL, OPT_NO_WORDS },
	{ "print", no_argument, NULL, OPT_PRINT },
	{ "quiet", no_argument, NULL, OPT_QUIET },
	{ "help", no_argument, NULL, OPT_HELP },
	{ 0 }
};

/* What an option without a value sets; NULL for all others. */
static bool *flag_of(int option, struct replay_options *o)
{
	switch (option) {
	case OPT_SORT:
		return &o->log.sort;
	case OPT_NO_WORDS:
		return &o->no_words;
	case OPT_PRINT:
		return &o->print;
	case OPT_QUIET:
		return &o->quiet;
	default:
		return NULL;
	}
}

static int take_value(int option, char **argv, struct replay_options *o)
{
	switch (option) {
	case OPT_IDLE:
		return parse_idle(optarg, &o->idle);
	case OPT_SPEED:
		return parse_speed(optarg, &o->speed);
	case OPT_TIME_FIELD:
		o->log.time_field = optarg;
		return EXIT_OK;
	case OPT_CLIENT_FIELD:
		o->log.client_field = optarg;
		return EXIT_OK;
	case OPT_MAX_STEP_BACK:
		return parse_duration("--max-step-back", optarg, &o->log.max_step_back);
	default:
		return complain(EXIT_USAGE, "%s option '%s'; see 'twheel replay --help'",
				option == ':' ? "no value for" : "unknown or misused",
				argv[optind - 1]);
	}
}

int replay_parse(int argc, char **argv, struct replay_options *o)
{
	int option, ret = EXIT_OK;

	*o = (struct replay_options) {
		.log.max_step_back = 600 * NSEC_PER_SEC,
		.idle = 1800 * NSEC_PER_SEC,
		.speed = 1,
	};
	opterr = 0;
	while (!ret && (option = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
		bool *flag = flag_of(option, o);

		if (option == OPT_HELP) {
			fputs(help, stdout);
			return EXIT_OK;
		}
		if (flag)
			*flag = true;
		else
			ret = take_value(option, argv, o);
	}
	if (!ret && optind != argc - 1)
		ret = complain(EXIT_USAGE, "replay needs one FILE; see 'twheel replay --help'");
	if (!ret)
		o->path = argv[optind];
	return ret;
}
