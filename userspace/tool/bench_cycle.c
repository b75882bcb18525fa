// SPDX-License-Identifier: GPL-2.0-only
/*
 * twheel bench cycle: what it costs to arm a timeout and to cancel it again, as
 * programs do for each request.
 *
 * By word the timer is one of n pending ones, chosen at random: it is cancelled and
 * armed again, without a system call.  By ops new timers are armed and cancelled beside n
 * pending ones, 256 a call.  A timerfd, a POSIX timer, and an io_uring timeout are
 * one of n armed ones that is disarmed and armed again; of io_uring 256 a call.
 *
 * Under -icount the unit is instructions, as in bench_touch.c, and the floors are
 * checked: 30 a cycle by word at most, and timerfd takes 70 times as many.
 *
 * What takes minutes is left out, and the table says so.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "../../bench/common/icount.h"
#include "bench.h"
#include "bench_uring.h"

#define MAX_CYCLE	30.0
#define MIN_RATIO	70.0

/* Another way to do it: 0 and what a cycle costs, or a negative errno. */
struct peer {
	const char *name;
	int (*measure)(unsigned int n, double *cost);
	unsigned int most;	/* pending timers */
	const char *reason;	/* why no more */
};

/* --- by words and by ops --------------------------------------------------------- */

/* Per cycle; negative if a step failed. */
static double time_words(struct bench *b)
{
	struct twheel tw = b->tw;
	unsigned int failed = 0;
	double start = bench_now();

	for (unsigned int i = 0; i < STEPS; i++) {
		if (twheel_word_cancel(&tw, b->order[i]) != TWHEEL_DONE)
			failed++;
		if (twheel_word_arm(&tw, b->order[i], b->deadline + i * 8ULL) != TWHEEL_DONE)
			failed++;
	}
	return failed ? -1 : (bench_now() - start) / STEPS;
}

/* Run a batch: what it costs; negative if an op failed. */
static double time_batch(struct bench *b)
{
	double cost, start = bench_now();
	int ran = twheel_submit(&b->tw, b->ops, BATCH);

	cost = bench_now() - start;
	for (unsigned int i = 0; i < BATCH; i++)
		if (ran != (int)BATCH || b->ops[i].result)
			return -1;
	return cost;
}

/* BATCH new timers and their end. */
static double time_ops_once(struct bench *b)
{
	double arm, cancel;

	for (unsigned int i = 0; i < BATCH; i++)
		twheel_prep_arm(&b->ops[i], b->deadline + i, 0, 0, 0);
	arm = time_batch(b);
	for (unsigned int i = 0; i < BATCH; i++)
		twheel_prep_cancel(&b->ops[i], b->ops[i].id);
	cancel = time_batch(b);
	return arm < 0 || cancel < 0 ? -1 : arm + cancel;
}

/* Per cycle; negative if one failed. */
static double time_ops(struct bench *b)
{
	double sum = 0, cost = time_ops_once(b);	/* pages and caches */

	for (unsigned int done = 0; cost >= 0 && done < SETTIMES; done += BATCH) {
		cost = time_ops_once(b);
		sum += cost;
	}
	return cost < 0 ? -1 : sum / SETTIMES;
}

/* --- by the kernel's other timers ------------------------------------------------ */

static int measure_timerfd(unsigned int n, double *cost)
{
	int *fds = calloc(n, sizeof(*fds)), ret = fds ? bench_timerfds(fds, n) : -ENOMEM;
	double start = bench_now();

	for (unsigned int i = 0; !ret && i < SETTIMES; i++) {
		int fd = fds[i * 7919ULL % n];

		if (bench_settime(fd, 0) || bench_settime(fd, 2 * HOUR + i * 8ULL))
			ret = -errno;
	}
	*cost = (bench_now() - start) / SETTIMES;
	if (!ret)
		bench_close(fds, n);
	free(fds);
	return ret;
}

static int settime(timer_t timer, __u64 delay)
{
	struct itimerspec when = {
		.it_value = { delay / NSEC_PER_SEC, delay % NSEC_PER_SEC },
	};

	return timer_settime(timer, 0, &when, NULL) ? -errno : 0;
}

/* Each has a signal reserved for it, of which there may be few. */
static void raise_limit(unsigned int n)
{
	struct rlimit limit = { n + 64, n + 64 };

	if (!setrlimit(RLIMIT_SIGPENDING, &limit))
		return;
	getrlimit(RLIMIT_SIGPENDING, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_SIGPENDING, &limit);
}

/* Make @n armed POSIX timers; @made tells how many there are, also after an error. */
static int make_timers(timer_t *timers, unsigned int n, unsigned int *made)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
	int ret = 0;

	raise_limit(n);
	for (*made = 0; !ret && *made < n; ++*made) {
		if (timer_create(CLOCK_MONOTONIC, &event, &timers[*made]))
			return -errno;
		ret = settime(timers[*made], HOUR + *made);
	}
	return ret;
}

static int measure_posix(unsigned int n, double *cost)
{
	timer_t *timers = calloc(n, sizeof(timer_t));
	unsigned int made = 0;
	int ret = timers ? make_timers(timers, n, &made) : -ENOMEM;
	double start = bench_now();

	for (unsigned int i = 0; !ret && i < SETTIMES; i++) {
		timer_t timer = timers[i * 7919ULL % n];

		ret = settime(timer, 0);
		ret = ret ? ret : settime(timer, 2 * HOUR + i * 8ULL);
	}
	*cost = (bench_now() - start) / SETTIMES;
	while (made)
		timer_delete(timers[--made]);
	free(timers);
	return ret;
}

static const struct peer timerfd = { "timerfd_settime, 0 and on", measure_timerfd, ~0U, NULL };

static const struct peer others[] = {
	{ "timer_settime, 0 and on", measure_posix, 100000,
	  "it is found by one of 512 lists: minutes to make them" },
	{ "io_uring, 256 a call", measure_uring, 100000,
	  "it goes through all timeouts for each op: minutes" },
};

/* --- the table ----------------------------------------------------------------------- */

/* What was closed is freed after a grace period: not at the expense of what comes. */
static void quiesce(void)
{
	const struct timespec while_rcu_works = { 0, 300000000 };

	nanosleep(&while_rcu_works, NULL);
}

/* Prints the peer's row, beside what timerfd takes, 0 if that is not known; 0 for no figure. */
static double peer_row(const struct peer *peer, unsigned int n, double beside)
{
	double cost = 0;
	const char *reason = peer->reason;
	int ret = -E2BIG;

	if (n <= peer->most) {
		ret = peer->measure(n, &cost);
		quiesce();
		reason = strerror(-ret);
	}
	if (!ret) {
		bench_row(peer->name, n, cost, peer == &timerfd ? cost : beside);
		return cost;
	}
	printf("%-28s %9u   left out: %s\n", peer->name, n, reason);
	fflush(stdout);
	return 0;
}

/* What the floors look at, over all sizes. */
struct worst {
	double words, ratio;
};

/* Words and ops beside @n pending timers; whether all went well. */
static bool own_rows(unsigned int n, double beside, struct worst *worst)
{
	struct bench b;
	double words;
	int ret = bench_begin(&b, n);
	bool good;

	if (ret) {
		complain(EXIT_FAILED, "%u timers: %s", n, strerror(-ret));
		return false;
	}
	time_words(&b);			/* pages and caches */
	b.deadline += HOUR;
	words = time_words(&b);
	if (words >= 0)
		words -= bench_nothing(&b);
	good = bench_row("word: cancel, arm again", n, words, beside);
	good = bench_row("ops: ARM, CANCEL, 256 a call", n, time_ops(&b), beside) && good;
	if (words > worst->words)
		worst->words = words;
	if (beside && beside / words < worst->ratio)
		worst->ratio = beside / words;
	bench_end(&b);
	return good;
}

static bool size_rows(unsigned int n, struct worst *worst)
{
	double beside = peer_row(&timerfd, n, 0);
	bool good = own_rows(n, beside, worst);

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		peer_row(&others[i], n, beside);
	return good;
}

/* Says PASS or FAIL for each floor. */
static bool check_floors(const struct worst *worst)
{
	bool cheap = bench_at_most("a cycle by word", worst->words, MAX_CYCLE);
	bool ahead = bench_at_least("timerfd", worst->ratio, MIN_RATIO);

	return cheap && ahead;
}

int bench_cycle(unsigned int most)
{
	bool exact = counts_instructions(), good = true;
	struct worst worst = { .words = 0, .ratio = HUGE_VAL };

	printf("%-28s %9s %10s %13s\n", "arm and cancel", "pending", exact ? "instr." : "ns",
	       "timerfd/this");
	for (unsigned int i = 0; bench_sizes[i] && bench_sizes[i] <= most; i++)
		good = size_rows(bench_sizes[i], &worst) && good;
	if (exact)
		good = check_floors(&worst) && good;
	return good ? EXIT_OK : EXIT_FAILED;
}
