// SPDX-License-Identifier: GPL-2.0-only
/*
 * guest: what timers cost in a guest of scripts/vm --icount, twheel's and others'.
 *
 * Prints a line of JSON per figure, then a table, then the floors with PASS or
 * FAIL.  Exit status: 0, 1 when a floor is missed or a peer failed, 2 for wrong
 * usage, 3 when the clock does not count instructions, so that no floor is checked.
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

/*
 * How many timers a peer is given, and with --full.  A million timerfds take 750 MB
 * and a minute to make; as many POSIX timers take minutes, for the kernel finds them
 * by a table of 512 lists; io_uring goes through all of its timers for each op.
 */
static struct peer {
	const char *name;
	int (*bench)(const struct load *load);
	unsigned int most;
	unsigned int full;
	bool wanted;
} peers[] = {
	{ "twheel", bench_twheel, 1000000, 1000000, true },
	{ "words", bench_words, 1000000, 1000000, true },
	{ "timerfd", bench_timerfd, 100000, 1000000, true },
	{ "posix", bench_posix, 100000, 100000, true },
	{ "io_uring", bench_uring, 10000, 100000, true },
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

/* Every peer with @n pending timers: how many failed. */
static unsigned int bench_size(unsigned int n)
{
	unsigned int failures = 0;
	struct load load;

	if (load_make(&load, n))
		return N_PEERS;
	for (unsigned int i = 0; i < N_PEERS; i++)
		if (peers[i].wanted && n <= peers[i].most && peers[i].bench(&load))
			failures++;
	load_free(&load);
	return failures;
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

static void go_full(void)
{
	for (unsigned int i = 0; i < N_PEERS; i++)
		peers[i].most = peers[i].full;
}

static unsigned int bench_all(unsigned int least, unsigned int most)
{
	unsigned int failures;

	sleep(2);		/* the kernel may be busy with its start yet */
	empty_system_call();
	clock_call();
	failures = bench_alone();
	for (unsigned int i = 0; i < N_SIZES; i++)
		if (sizes[i] >= least && sizes[i] <= most)
			failures += bench_size(sizes[i]);
	return failures;
}

static int usage(void)
{
	printf("Usage: guest [--full] [--least N] [--most N] [--peer NAME]... [--profile F]\n\n"
	       "  --full       more timers for timerfd and io_uring; needs 2 GB and minutes\n"
	       "  --least N    no fewer than N pending timers\n"
	       "  --most N     no more than N pending timers\n"
	       "  --peer NAME  only this one: twheel, words, timerfd, posix, io_uring\n"
	       "  --profile F  mark figure F, see scripts/bench-profile\n\n"
	       "Floors are checked when all peers and sizes are measured.\n");
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
	{ "full", no_argument, NULL, 'F' },
	{ "least", required_argument, NULL, 'l' },
	{ "most", required_argument, NULL, 'm' },
	{ "peer", required_argument, NULL, 'p' },
	{ "profile", required_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

/* What the command line asks for. */
struct wishes {
	unsigned int least;
	unsigned int most;
	bool whole;
	bool help;
};

static bool parse(int argc, char **argv, struct wishes *wishes)
{
	bool good = true;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'F')
			go_full();
		else
			wishes->whole = false;
		if (c == 'l')
			wishes->least = strtoul(optarg, NULL, 10);
		else if (c == 'm')
			wishes->most = strtoul(optarg, NULL, 10);
		else if (c == 'p')
			good = want(optarg) && good;
		else if (c == 'f')
			profile(optarg);
		else if (c == 'h')
			wishes->help = true;
		else if (c != 'F')
			good = false;
	}
	return good && optind == argc;
}

int main(int argc, char **argv)
{
	struct wishes wishes = { .most = UINT_MAX, .whole = true };
	unsigned int failures;

	if (!parse(argc, argv, &wishes))
		return complain(2, "see guest --help");
	if (wishes.help)
		return usage();
	failures = bench_all(wishes.least, wishes.most);
	figures_table();
	if (!wishes.whole)
		return failures ? 1 : 0;
	if (!counts_instructions())
		return complain(3, "the clock counts no instructions: no floors");
	return floors_hold() && !failures ? 0 : 1;
}
