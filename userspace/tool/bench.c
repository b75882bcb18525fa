// SPDX-License-Identifier: GPL-2.0-only
/*
 * twheel bench touch: what a push-back costs, by word, by MOVE, by timerfd.
 *
 * All three push random timers of n pending ones back by a little, in the same
 * run.  A plain loop over the same random numbers is measured too and taken off.
 *
 * The unit is what the clock counts.  Under QEMU's -icount a nanosecond is an
 * instruction (bench/common/icount.h).  Instructions are the same from run to run
 * within a percent, so there the floors are checked: a touch takes 15 at most, and
 * timerfd_settime() 90 times as many.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <time.h>
#include <twheel.h>
#include <unistd.h>

#include "../../bench/common/icount.h"
#include "../../bench/common/random.h"
#include "tool.h"

#define HOUR		(3600 * NSEC_PER_SEC)
#define BATCH		256U
#define TOUCHES		65536U
#define MOVES		(64 * BATCH)
#define SETTIMES	4096U
#define TIMERFDS	1000U
#define MAX_TOUCH	15.0
#define MIN_RATIO	90.0

static const unsigned int sizes[] = { 1000, 10000, 100000, 1000000 };

#define N_SIZES		(sizeof(sizes) / sizeof(sizes[0]))

/* A queue of n kept timers, and the order in which they are pushed back. */
struct bench {
	struct twheel tw;
	unsigned int n;
	__u64 *ids;
	__u64 *order;		/* TOUCHES ids */
	__u64 deadline;		/* all timers are before it */
	struct twheel_op ops[BATCH];
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static int arm_all(struct bench *b)
{
	unsigned int done, i, n;
	int ret;

	for (done = 0; done < b->n; done += n) {
		n = b->n - done < BATCH ? b->n - done : BATCH;
		for (i = 0; i < n; i++)
			twheel_prep_arm(&b->ops[i], b->deadline - HOUR + done + i, 0, 0,
					TWHEEL_OP_KEEP);
		ret = twheel_submit(&b->tw, b->ops, n);
		if (ret != (int)n)
			return ret < 0 ? ret : -EIO;
		for (i = 0; i < n; i++) {
			if (b->ops[i].result)
				return b->ops[i].result;
			b->ids[done + i] = b->ops[i].id;
		}
	}
	return 0;
}

static void bench_end(struct bench *b)
{
	twheel_close(&b->tw);
	free(b->ids);
	free(b->order);
}

static int bench_begin(struct bench *b, unsigned int n)
{
	struct twheel_config config = {
		.size = sizeof(config), .flags = TWHEEL_SETUP_WORDS, .clockid = CLOCK_MONOTONIC,
	};
	__u64 seed = n;
	int ret;

	memset(b, 0, sizeof(*b));
	ret = twheel_open(&b->tw, &config);
	if (ret)
		return ret;
	b->n = n;
	b->ids = calloc(n, sizeof(*b->ids));
	b->order = calloc(TOUCHES, sizeof(*b->order));
	b->deadline = twheel_now(&b->tw) + 2 * HOUR;
	ret = b->ids && b->order ? arm_all(b) : -ENOMEM;
	for (unsigned int i = 0; !ret && i < TOUCHES; i++)
		b->order[i] = b->ids[random_below(&seed, n)];
	if (ret)
		bench_end(b);
	return ret;
}

/* What the loop costs when it does nothing. */
static double time_nothing(struct bench *b)
{
	double start = now();

	for (unsigned int i = 0; i < TOUCHES; i++)
		__asm__ volatile("" : : "r" (b->order[i]), "r" (b->deadline + i * 8ULL));
	return (now() - start) / TOUCHES;
}

/* Per touch; negative if one failed. */
static double time_touch(struct bench *b)
{
	struct twheel tw = b->tw;
	unsigned int failed = 0;
	double start = now();

	for (unsigned int i = 0; i < TOUCHES; i++)
		if (twheel_word_push(&tw, b->order[i], b->deadline + i * 8ULL) != TWHEEL_DONE)
			failed++;
	return failed ? -1 : (now() - start) / TOUCHES;
}

/* Per MOVE, in batches; negative if one failed. */
static double time_move(struct bench *b)
{
	double start, sum = 0;

	for (unsigned int done = 0; done < MOVES; done += BATCH) {
		for (unsigned int i = 0; i < BATCH; i++)
			twheel_prep_move(&b->ops[i], b->order[(done + i) % TOUCHES],
					 b->deadline + HOUR + done + i, 0, 0);
		start = now();
		if (twheel_submit(&b->tw, b->ops, BATCH) != (int)BATCH || b->ops[0].result)
			return -1;
		sum += now() - start;
	}
	return sum / MOVES;
}

static int arm_timerfd(int fd, __u64 delay)
{
	struct itimerspec when = {
		.it_value = { delay / NSEC_PER_SEC, delay % NSEC_PER_SEC },
	};

	return timerfd_settime(fd, 0, &when, NULL);
}

static int make_timerfds(int *fds)
{
	struct rlimit limit = { TIMERFDS + 64, TIMERFDS + 64 };

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	for (unsigned int i = 0; i < TIMERFDS; i++) {
		fds[i] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
		if (fds[i] < 0 || arm_timerfd(fds[i], HOUR + i))
			return -errno;
	}
	return 0;
}

/* Per timerfd_settime() of an armed one. */
static double time_settime(const int *fds)
{
	double start = now();

	for (unsigned int i = 0; i < SETTIMES; i++)
		arm_timerfd(fds[i * 7919 % TIMERFDS], 2 * HOUR + i * 8ULL);
	return (now() - start) / SETTIMES;
}

static double time_timerfd(void)
{
	int fds[TIMERFDS];
	double cost;

	memset(fds, -1, sizeof(fds));
	cost = make_timerfds(fds) ? -1 : time_settime(fds);
	for (unsigned int i = 0; i < TIMERFDS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return cost;
}

static bool row(const char *what, unsigned int n, double cost, double timerfd)
{
	if (cost < 0)
		printf("%-28s %9u   failed\n", what, n);
	else
		printf("%-28s %9u %10.1f %13.1f\n", what, n, cost, timerfd / cost);
	fflush(stdout);
	return cost >= 0;
}

/* One size: prints its rows; @worst is the dearest touch so far. */
static int bench_size(unsigned int n, double timerfd, double *worst)
{
	struct bench b;
	double touch, nothing;
	int ret = bench_begin(&b, n);

	if (ret)
		return complain(EXIT_FAILED, "%u timers: %s", n, strerror(-ret));
	time_touch(&b);			/* pages and caches */
	b.deadline += HOUR;
	nothing = time_nothing(&b);
	touch = time_touch(&b);
	if (touch >= 0)
		touch -= nothing;
	ret = row("touch", n, touch, timerfd) ? EXIT_OK : EXIT_FAILED;
	if (!row("MOVE, batches of 256", n, time_move(&b), timerfd))
		ret = EXIT_FAILED;
	if (touch > *worst)
		*worst = touch;
	bench_end(&b);
	return ret;
}

/* Says PASS or FAIL for each floor. */
static int check_floors(double touch, double timerfd)
{
	bool cheap = touch <= MAX_TOUCH, ahead = timerfd / touch >= MIN_RATIO;

	printf("%s: a touch takes %.1f instructions (at most %.0f)\n",
	       cheap ? "PASS" : "FAIL", touch, MAX_TOUCH);
	printf("%s: timerfd_settime takes %.1f times as many (at least %.0f)\n",
	       ahead ? "PASS" : "FAIL", timerfd / touch, MIN_RATIO);
	return cheap && ahead ? EXIT_OK : EXIT_FAILED;
}

static int bench_touch(unsigned int most)
{
	bool exact = counts_instructions();
	double worst = 0, timerfd = time_timerfd();
	int status = EXIT_OK;

	printf("%-28s %9s %10s %13s\n", "push back", "pending", exact ? "instr." : "ns",
	       "timerfd/this");
	if (!row("timerfd_settime", TIMERFDS, timerfd, timerfd))
		return EXIT_FAILED;
	for (unsigned int i = 0; i < N_SIZES && sizes[i] <= most; i++)
		if (bench_size(sizes[i], timerfd, &worst))
			status = EXIT_FAILED;
	if (exact && check_floors(worst, timerfd))
		status = EXIT_FAILED;
	return status;
}

static int usage(void)
{
	printf("Usage: twheel bench touch [--most N]\n\n"
	       "What a push-back costs: by word, by MOVE, by timerfd_settime().\n\n"
	       "  --most N   no more than N pending timers (1000000)\n"
	       "  --help     this text\n\n"
	       "The unit is ns or, in a guest under icount, instructions; there the exit\n"
	       "status is 1 when a touch takes more than 15, or timerfd less than 90 times\n"
	       "as many.\n");
	return EXIT_OK;
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
		if (*end || most < sizes[0])
			return complain(EXIT_USAGE, "'%s' is no number from 1000 on", optarg);
	}
	if (optind + 1 != argc || strcmp(argv[optind], "touch"))
		return complain(EXIT_USAGE, "bench what? see 'twheel bench --help'");
	return bench_touch(most);
}
