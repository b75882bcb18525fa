// SPDX-License-Identifier: GPL-2.0-only
/* twheel bench: finds the benchmark, and what its options say. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

static const struct benchmark {
	const char *name;
	int (*run)(unsigned int most);
} benchmarks[] = {
	{ "cycle", bench_cycle },
	{ "touch", bench_touch },
};

static int usage(void)
{
	printf("Usage: twheel bench touch [--most N]\n"
	       "       twheel bench cycle [--most N]\n\n"
	       "What it costs to push a timer back (touch): by word, by MOVE, by\n"
	       "timerfd_settime().  What it costs to arm a timeout and cancel it (cycle): by\n"
	       "word, by ARM and CANCEL, by timerfd, by a POSIX timer, by io_uring.\n\n"
	       "  --most N   no more than N pending timers (1000000)\n"
	       "  --help     this text\n\n"
	       "The unit is ns or, in a guest under icount, instructions; there the exit\n"
	       "status is 1 when a touch takes more than 15, or timerfd less than 90 times\n"
	       "as many; or a cycle by word more than 30, or timerfd less than 70 times as\n"
	       "many.\n");
	return EXIT_OK;
}

/* Is there a queue to be had?  Said once, before the tables. */
static int try_device(void)
{
	struct twheel_config config = {
		.size = sizeof(config), .clockid = CLOCK_MONOTONIC,
		.engine = TWHEEL_ENGINE_KERNEL,
	};
	struct twheel tw;
	int ret = twheel_open(&tw, &config);

	if (ret)
		return complain_device(ret, strerror(-ret));
	twheel_close(&tw);
	return EXIT_OK;
}

static int run(const char *name, unsigned int most)
{
	for (size_t i = 0; i < sizeof(benchmarks) / sizeof(benchmarks[0]); i++)
		if (!strcmp(benchmarks[i].name, name))
			return try_device() == EXIT_OK ? benchmarks[i].run(most) : EXIT_FAILED;
	return complain(EXIT_USAGE, "bench what? see 'twheel bench --help'");
}

int cmd_bench(int argc, char **argv)
{
	static const struct option options[] = {
		{ "most", required_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	unsigned long most = 1000000;
	char *end;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'h')
			return usage();
		if (c != 'm')
			return complain(EXIT_USAGE, "see 'twheel bench --help'");
		most = strtoul(optarg, &end, 10);
		if (*end || most < bench_sizes[0])
			return complain(EXIT_USAGE, "'%s' is no number from 1000 on", optarg);
	}
	return run(optind + 1 == argc ? argv[optind] : "", most);
}
