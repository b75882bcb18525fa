// SPDX-License-Identifier: GPL-2.0-only
/*
 * POSIX timers: timer_create() and timer_settime(); a queued signal each, taken
 * from a signalfd, many per read().
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "guest.h"

#define ROUNDS	16U
#define OPS	(ROUNDS * BATCH)

static const char peer[] = "posix";
static unsigned int failed;

static void settime(timer_t timer, struct timespec when)
{
	const struct itimerspec spec = { .it_value = when };

	if (timer_settime(timer, TIMER_ABSTIME, &spec, NULL))
		failed++;
}

static timer_t create(void)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN,
	};
	timer_t timer = NULL;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		failed++;
	return timer;
}

/* Create and arm the n timers; how many there are. */
static unsigned int fill(const struct load *load, timer_t *timers)
{
	double start = lap_start("arm.new");
	unsigned int i;

	for (i = 0; i < load->n; i++) {
		timers[i] = create();
		if (failed)
			return i;
		settime(timers[i], to_timespec(load->deadline[i]));
	}
	cost(peer, "arm.new", load->n, lap_stop(start), load->n);
	return i;
}

/* Sums over the rounds, one per thing that is done to BATCH more timers. */
struct sums {
	double create, arm, cancel, delete;
};

static void round_trip(const struct load *load, unsigned int first, struct sums *sums)
{
	const struct timespec never = { 0 };
	timer_t timers[BATCH];
	double start;
	unsigned int i;

	start = lap_start("create");
	for (i = 0; i < BATCH; i++)
		timers[i] = create();
	sums->create += lap_stop(start);
	start = lap_start("arm");
	for (i = 0; i < BATCH; i++)
		settime(timers[i], load->when[first + i]);
	sums->arm += lap_stop(start);
	start = lap_start("cancel");
	for (i = 0; i < BATCH; i++)
		settime(timers[load->shuffled[i]], never);
	sums->cancel += lap_stop(start);
	start = lap_start("delete");
	for (i = 0; i < BATCH; i++)
		timer_delete(timers[load->shuffled[i]]);
	sums->delete += lap_stop(start);
}

static void come_and_go(const struct load *load)
{
	struct sums sums = { 0 };

	for (unsigned int i = 0; i < ROUNDS; i++) {
		round_trip(load, i * BATCH, &sums);
		quiesce();
	}
	cost(peer, "create", load->n, sums.create, OPS);
	cost(peer, "arm", load->n, sums.arm, OPS);
	cost(peer, "cancel", load->n, sums.cancel, OPS);
	cost(peer, "delete", load->n, sums.delete, OPS);
}

static void push_back(const struct load *load, const timer_t *timers)
{
	double start = lap_start("move");

	for (unsigned int i = 0; i < OPS; i++)
		settime(timers[load->pick[i]], load->when[i]);
	cost(peer, "move", load->n, lap_stop(start), OPS);
}

/* --- expiry --- */

static int watch(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0)
		failed++;
	return fd;
}

static void collect(int fd, unsigned int count)
{
	static struct signalfd_siginfo infos[BATCH];
	unsigned int got = 0;
	ssize_t size;

	while (got < count && !failed) {
		size = read(fd, infos, sizeof(infos));
		if (size <= 0)
			failed++;
		else
			got += size / sizeof(infos[0]);
	}
}

static void expire(const struct expiry *e, int fd, const timer_t *timers, unsigned int n)
{
	__u64 start = expiry_start();

	for (unsigned int i = 0; i < e->count; i++)
		settime(timers[i], to_timespec(start + e->after(i)));
	e->begin(e);
	collect(fd, e->count);
	e->end(e, peer, n);
}

static void expire_all(unsigned int n)
{
	static timer_t timers[MOST_EXPIRIES];
	unsigned int i;
	int fd = watch();

	for (i = 0; i < MOST_EXPIRIES && !failed; i++)
		timers[i] = create();
	for (const struct expiry *e = expiries(n); e->name && !failed; e++)
		if (e->slack == 1)
			expire(e, fd, timers, n);
	while (i)
		timer_delete(timers[--i]);
	close(fd);
}

/* A signal's slot is reserved per timer. */
static void raise_limit(void)
{
	struct rlimit limit = { 1 << 21, 1 << 21 };

	setrlimit(RLIMIT_SIGPENDING, &limit);
}

/* All but expiry; how many timers there are. */
static unsigned int ops(const struct load *load, timer_t *timers)
{
	struct memory before = memory_now();
	unsigned int n = fill(load, timers);

	memory_figures(peer, load->n, &before);
	if (!failed) {
		come_and_go(load);
		push_back(load, timers);
	}
	return n;
}

int bench_posix(const struct load *load)
{
	timer_t *timers = malloc((load->n + 1) * sizeof(*timers));
	unsigned int n = 0;

	if (!timers)
		return complain(-ENOMEM, "%s: out of memory", peer);
	memset(timers, 0, load->n * sizeof(*timers));	/* its pages are there */
	failed = 0;
	raise_limit();
	if (load->n)
		n = ops(load, timers);
	if (!failed)
		expire_all(load->n);
	while (n)
		timer_delete(timers[--n]);
	free(timers);
	return failed ? complain(-EIO, "%s, %u timers: %u ops failed", peer, load->n, failed) : 0;
}
