// SPDX-License-Identifier: GPL-2.0-only
/* What the benchmarks of the command share. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "../../bench/common/random.h"
#include "bench.h"

const unsigned int bench_sizes[] = { 1000, 10000, 100000, 1000000, 0 };

double bench_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

/* --- a queue of timers with words ---------------------------------------------- */

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

void bench_end(struct bench *b)
{
	twheel_close(&b->tw);
	free(b->ids);
	free(b->order);
}

/* 0, or a negative errno, and then there is nothing to end. */
int bench_begin(struct bench *b, unsigned int n)
{
	struct twheel_config config = {
		.size = sizeof(config), .flags = TWHEEL_SETUP_WORDS, .clockid = CLOCK_MONOTONIC,
		.engine = TWHEEL_ENGINE_KERNEL,
	};
	__u64 seed = n;
	int ret;

	memset(b, 0, sizeof(*b));
	ret = twheel_open(&b->tw, &config);
	if (ret)
		return ret;
	b->n = n;
	b->ids = calloc(n, sizeof(*b->ids));
	b->order = calloc(STEPS, sizeof(*b->order));
	b->deadline = twheel_now(&b->tw) + 2 * HOUR;
	ret = b->ids && b->order ? arm_all(b) : -ENOMEM;
	for (unsigned int i = 0; !ret && i < STEPS; i++)
		b->order[i] = b->ids[random_below(&seed, n)];
	if (ret)
		bench_end(b);
	return ret;
}

/* What a loop over all steps costs when it does nothing, per step. */
double bench_nothing(struct bench *b)
{
	double start = bench_now();

	for (unsigned int i = 0; i < STEPS; i++)
		__asm__ volatile("" : : "r" (b->order[i]), "r" (b->deadline + i * 8ULL));
	return (bench_now() - start) / STEPS;
}

/* --- timerfd --------------------------------------------------------------------- */

/* @delay: ns, 0 disarms */
int bench_settime(int fd, __u64 delay)
{
	struct itimerspec when = {
		.it_value = { delay / NSEC_PER_SEC, delay % NSEC_PER_SEC },
	};

	return timerfd_settime(fd, 0, &when, NULL);
}

void bench_close(int *fds, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static void raise_limit(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Make @n armed ones; a negative errno, and then there are none. */
int bench_timerfds(int *fds, unsigned int n)
{
	int err;

	raise_limit();
	memset(fds, -1, n * sizeof(*fds));
	for (unsigned int i = 0; i < n; i++) {
		fds[i] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
		if (fds[i] < 0 || bench_settime(fds[i], HOUR + i)) {
			err = -errno;
			bench_close(fds, n);
			return err;
		}
	}
	return 0;
}

/* --- results ----------------------------------------------------------------------- */

/*
 * One line of the table; whether there is a @cost: a negative one is a failure.  There is
 * no ratio without a @timerfd.
 */
bool bench_row(const char *what, unsigned int n, double cost, double timerfd)
{
	if (cost < 0)
		printf("%-28s %9u   failed\n", what, n);
	else if (timerfd > 0)
		printf("%-28s %9u %10.1f %13.1f\n", what, n, cost, timerfd / cost);
	else
		printf("%-28s %9u %10.1f\n", what, n, cost);
	fflush(stdout);
	return cost >= 0;
}

/* What was left out or has failed is no number above 0, and no floor holds for it. */
static bool measured(double value)
{
	return isfinite(value) && value > 0;
}

static bool say_floor(bool good, const char *what, double value, const char *unit,
		      const char *bound, double limit)
{
	if (measured(value))
		printf("%s: %s takes %.1f %s (at %s %.0f)\n", good ? "PASS" : "FAIL", what,
		       value, unit, bound, limit);
	else
		printf("FAIL: %s: not measured (at %s %.0f %s)\n", what, bound, limit, unit);
	return good;
}

bool bench_at_most(const char *what, double cost, double most)
{
	return say_floor(measured(cost) && cost <= most, what, cost, "instructions", "most",
			 most);
}

bool bench_at_least(const char *what, double ratio, double least)
{
	return say_floor(measured(ratio) && ratio >= least, what, ratio, "times as many",
			 "least", least);
}
