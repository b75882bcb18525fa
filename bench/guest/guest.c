// SPDX-License-Identifier: GPL-2.0-only
/*
 * guest: what timers cost in a guest of scripts/vm --icount, twheel's and others'.
 *
 * Prints a line of JSON per figure, then a table.  What the figures have to be is
 * looked at outside, by bench/gate.  Exit status: 0, 1 when a peer failed,
 * 2 for wrong usage.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

static const unsigned int sizes[] = { 1000, 10000, 100000, 1000000 };

#define N_SIZES		(sizeof(sizes) / sizeof(sizes[0]))
#define USUAL		100000U		/* that most floors are about */

/*
 * How many timers a peer is given, and with --full; and whether its cost has to
 * stay the same for all n.  A million timerfds take 750 MB and a minute to make; as
 * many POSIX timers take minutes, as the kernel finds them by a table of 512 lists;
 * io_uring goes through all of its timers for each op.
 */
static struct peer {
	const char *name;
	int (*bench)(const struct load *load);
	unsigned int most;
	unsigned int full;
	bool flat;
	bool wanted;
} peers[] = {
	{ "twheel", bench_twheel, 1000000, 1000000, true, true },
	{ "words", bench_words, 1000000, 1000000, true, true },
	{ "timerfd", bench_timerfd, 100000, 1000000, false, true },
	{ "posix", bench_posix, 100000, 100000, false, true },
	{ "io_uring", bench_uring, 10000, 100000, false, true },
};

#define N_PEERS		(sizeof(peers) / sizeof(peers[0]))

int complain(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "guest: ");
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
	va_end(args);
	return status;
}

static void empty_system_call(void)
{
	double start = now();

	for (unsigned int i = 0; i < LOAD_OPS; i++)
		syscall(SYS_getppid);
	cost("kernel", "getppid", 0, now() - start, LOAD_OPS);
}

static void clock_call(void)
{
	double start = now();

	for (unsigned int i = 0; i < LOAD_OPS; i++)
		now();
	cost("kernel", "clock_gettime", 0, now() - start, LOAD_OPS);
}

/* What the command line asks for. */
static struct wishes {
	unsigned int least;
	unsigned int most;
	bool quick;
	bool help;
} wishes = { .most = UINT_MAX };

static bool takes_part(const struct peer *peer, unsigned int n)
{
	if (!peer->wanted || n > peer->most || n < wishes.least || n > wishes.most)
		return false;
	return !wishes.quick || n == USUAL || (peer->flat && n != 10000);
}

/* Every peer with @n pending timers: how many failed. */
static unsigned int bench_size(unsigned int n)
{
	unsigned int failures = 0;
	struct load load;

	if (load_make(&load, n))
		return N_PEERS;
	for (unsigned int i = 0; i < N_PEERS; i++)
		if (takes_part(&peers[i], n) && peers[i].bench(&load))
			failures++;
	load_free(&load);
	return failures;
}

static void go_full(void)
{
	for (unsigned int i = 0; i < N_PEERS; i++)
		peers[i].most = peers[i].full;
}

/* Nothing else pending: interrupts; with words they are the same. */
static unsigned int bench_alone(void)
{
	const struct load none = { 0 };
	unsigned int failures = 0;

	for (unsigned int i = 0; i < N_PEERS; i++)
		if (peers[i].wanted && peers[i].bench != bench_words && peers[i].bench(&none))
			failures++;
	return failures;
}

static unsigned int bench_all(void)
{
	unsigned int failures = 0;

	sleep(2);		/* the kernel may be busy with its start yet */
	empty_system_call();
	clock_call();
	if (!wishes.quick)
		failures += bench_alone();
	for (unsigned int i = 0; i < N_SIZES; i++)
		failures += bench_size(sizes[i]);
	return failures;
}

static int usage(void)
{
	printf("Usage: guest [--quick | --full] [--least N] [--most N] [--peer NAME]...\n"
	       "             [--profile F]\n\n"
	       "  --quick      what bench/gate looks at, no more\n"
	       "  --full       more timers for timerfd and io_uring; needs 2 GB and minutes\n"
	       "  --least N    no fewer than N pending timers\n"
	       "  --most N     no more than N pending timers\n"
	       "  --peer NAME  only this one: twheel, words, timerfd, posix, io_uring\n"
	       "  --profile F  mark figure F, see bench/guest/profile\n");
	return 0;
}

/* The first one named is alone, the others come to it. */
static bool want(const char *name)
{
	static bool chosen;
	bool known = false;

	for (unsigned int i = 0; i < N_PEERS; i++) {
		bool same = !strcmp(peers[i].name, name);

		peers[i].wanted = same || (chosen && peers[i].wanted);
		known = known || same;
	}
	chosen = true;
	return known;
}

static const struct option options[] = {
	{ "quick", no_argument, NULL, 'q' },
	{ "full", no_argument, NULL, 'F' },
	{ "least", required_argument, NULL, 'l' },
	{ "most", required_argument, NULL, 'm' },
	{ "peer", required_argument, NULL, 'p' },
	{ "profile", required_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static bool parse(int argc, char **argv)
{
	bool good = true;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'F')
			go_full();
		else if (c == 'q')
			wishes.quick = true;
		else if (c == 'l')
			wishes.least = strtoul(optarg, NULL, 10);
		else if (c == 'm')
			wishes.most = strtoul(optarg, NULL, 10);
		else if (c == 'p')
			good = want(optarg) && good;
		else if (c == 'f')
			profile(optarg);
		else if (c == 'h')
			wishes.help = true;
		else
			good = false;
	}
	return good && optind == argc;
}

int main(int argc, char **argv)
{
	unsigned int failures;

	if (!parse(argc, argv))
		return complain(2, "see guest --help");
	if (wishes.help)
		return usage();
	failures = bench_all();
	figures_table();
	return failures ? 1 : 0;
}
