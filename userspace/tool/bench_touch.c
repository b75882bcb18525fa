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
#include <string.h>

#include "../../bench/common/icount.h"
#include "bench.h"

#define MOVES		(64 * BATCH)
#define TIMERFDS	1000U
#define MAX_TOUCH	15.0
#define MIN_RATIO	90.0

/* Per touch; negative if one failed. */
static double time_touch(struct bench *b)
{
	struct twheel tw = b->tw;
	unsigned int failed = 0;
	double start = bench_now();

	for (unsigned int i = 0; i < STEPS; i++)
		if (twheel_word_push(&tw, b->order[i], b->deadline + i * 8ULL) != TWHEEL_DONE)
			failed++;
	return failed ? -1 : (bench_now() - start) / STEPS;
}

/* Per MOVE, in batches; negative if one failed. */
static double time_move(struct bench *b)
{
	double start, sum = 0;

	for (unsigned int done = 0; done < MOVES; done += BATCH) {
		for (unsigned int i = 0; i < BATCH; i++)
			twheel_prep_move(&b->ops[i], b->order[(done + i) % STEPS],
					 b->deadline + HOUR + done + i, 0, 0);
		start = bench_now();
		if (twheel_submit(&b->tw, b->ops, BATCH) != (int)BATCH || b->ops[0].result)
			return -1;
		sum += bench_now() - start;
	}
	return sum / MOVES;
}

/* Per timerfd_settime() of an armed one. */
static double time_settime(const int *fds)
{
	double start = bench_now();

	for (unsigned int i = 0; i < SETTIMES; i++)
		bench_settime(fds[i * 7919 % TIMERFDS], 2 * HOUR + i * 8ULL);
	return (bench_now() - start) / SETTIMES;
}

static double time_timerfd(void)
{
	int fds[TIMERFDS];
	double cost;

	if (bench_timerfds(fds, TIMERFDS))
		return -1;
	cost = time_settime(fds);
	bench_close(fds, TIMERFDS);
	return cost;
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
	nothing = bench_nothing(&b);
	touch = time_touch(&b);
	if (touch >= 0)
		touch -= nothing;
	ret = bench_row("touch", n, touch, timerfd) ? EXIT_OK : EXIT_FAILED;
	if (!bench_row("MOVE, batches of 256", n, time_move(&b), timerfd))
		ret = EXIT_FAILED;
	if (touch > *worst)
		*worst = touch;
	bench_end(&b);
	return ret;
}

/* Says PASS or FAIL for each floor. */
static bool check_floors(double touch, double timerfd)
{
	bool cheap = bench_at_most("a touch", touch, MAX_TOUCH);
	bool ahead = bench_at_least("timerfd_settime", timerfd / touch, MIN_RATIO);

	return cheap && ahead;
}

int bench_touch(unsigned int most)
{
	bool exact = counts_instructions();
	double worst = 0, timerfd = time_timerfd();
	int status = EXIT_OK;

	printf("%-28s %9s %10s %13s\n", "push back", "pending", exact ? "instr." : "ns",
	       "timerfd/this");
	if (!bench_row("timerfd_settime", TIMERFDS, timerfd, timerfd))
		return EXIT_FAILED;
	for (unsigned int i = 0; bench_sizes[i] && bench_sizes[i] <= most; i++)
		if (bench_size(bench_sizes[i], timerfd, &worst))
			status = EXIT_FAILED;
	if (exact && !check_floors(worst, timerfd))
		status = EXIT_FAILED;
	return status;
}
