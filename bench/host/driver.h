/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * One driver for all timer facilities ("peers"): the workloads, the random
 * numbers, the clocks.  A peer is a program: it defines PEER and includes this,
 * then defines the peer_*() functions below.
 *
 *	<peer> n [ops]	prints lines of JSON, see json.h; ops: no expiry
 *
 * Time is virtual.  clock_gettime(), epoll_wait() and poll() are defined here
 * and so found before libc's by the libraries: they see the driver's clock, and
 * their loops, called so as not to wait, make no system call.  What is measured
 * is what they do with their timers, and each gets the same sequence.  A peer
 * that reads the cycle counter cannot be led like this; it defines
 * PEER_REAL_CLOCK and gets the same deadlines, squeezed, in real time.  A peer that
 * reads the clock at each operation defines PEER_PAYS_CLOCK, and each reading takes
 * as long as a real one.
 *
 * Durations are 60 to 660 s, as idle timeouts have.  The clock goes on by 1 us
 * per operation, and the peer hears of it every 64 operations, as if that many
 * were done per turn of its loop.
 *
 * All results are CPU time, in which other processes do not show.
 */
#ifndef BENCH_DRIVER_H
#define BENCH_DRIVER_H

#include <dlfcn.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../common/json.h"

typedef unsigned long long u64;
typedef unsigned int u32;

#define SECOND		1000000000ULL
#define MSEC		1000000ULL
#define USEC		1000ULL
#define BASE		(1000 * SECOND)
#define SHORTEST	(60 * SECOND)
#define SPREAD_US	600000000ULL
#define OPS		1000000U
#define MOVE_TIME	(3 * SECOND)
/* An expiry is not measured again when it took longer. */
#define EXPIRE_TIME(n)	((n) > OPS ? 15 * SECOND : 1 * SECOND)

#ifndef OPS_LIMIT
#define OPS_LIMIT	10000000U	/* largest n for arm, cancel, move */
#endif
#ifndef EXPIRE_LIMIT
#define EXPIRE_LIMIT	10000000U	/* largest n for the others */
#endif

#ifndef PEER_FIXED
#define PEER_FIXED	false		/* one duration only */
#endif

#define __unused_ok __attribute__((unused))

/* Timers are numbered from 0 to n - 1; times are ns. */
static void peer_init(u32 n);
static void peer_exit(void);
static void peer_arm(u32 i, u64 expires);
static void peer_cancel(u32 i);
static void peer_move(u32 i, u64 expires);
static void peer_tick(u64 now);		/* a turn of the loop with nothing due */
static bool peer_step(u64 now);		/* expire; whether there is more to do */

static u64 now = BASE;
static u64 span __unused_ok;	/* from the first to the last deadline, about */
static u32 fired;
static u64 rng_state;

#ifdef PEER_PAYS_CLOCK
static int (*real_clock)(clockid_t id, struct timespec *ts);

static void pay_clock(clockid_t id)
{
	struct timespec ignored;

	if (!real_clock)
		real_clock = dlsym(RTLD_NEXT, "clock_gettime");
	real_clock(id, &ignored);
}
#else
static void pay_clock(clockid_t id __unused_ok)
{
}
#endif

#ifndef PEER_REAL_CLOCK
#ifdef __cplusplus
extern "C" {
#endif
int clock_gettime(clockid_t id, struct timespec *ts)
{
	pay_clock(id);
	ts->tv_sec = now / SECOND;
	ts->tv_nsec = now % SECOND;
	return 0;
}

int epoll_wait(int fd __unused_ok, struct epoll_event *ev __unused_ok, int max __unused_ok,
	       int timeout __unused_ok)
{
	return 0;
}

int epoll_pwait(int fd __unused_ok, struct epoll_event *ev __unused_ok, int max __unused_ok,
		int timeout __unused_ok, const sigset_t *set __unused_ok)
{
	return 0;
}

int poll(struct pollfd *fds __unused_ok, nfds_t count __unused_ok, int timeout __unused_ok)
{
	return 0;
}
#ifdef __cplusplus
}
#endif

static inline void peer_wait(u64 until __unused_ok)
{
}
#else
static void peer_wait(u64 until);
#endif

static u64 cpu_ns(void)
{
	struct timespec ts;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

/* splitmix64 */
static inline u64 rng(void)
{
	u64 x = rng_state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* The low half of a random number chooses a timer, the high half a duration. */
static inline u32 which(u64 r, u32 n)
{
	return (r & 0xffffffff) * n >> 32;
}

static inline u64 deadline(u64 r)
{
	if (PEER_FIXED)
		return now + SHORTEST;
	return now + SHORTEST + ((r >> 32) * SPREAD_US >> 32) * USEC;
}

static inline void go_on(u32 i)
{
	now += USEC;
	if (i % 64 == 63)
		peer_tick(now);
}

static void report(const char *name, double value, u32 n)
{
	char full[64];

	if (!name)
		return;
	snprintf(full, sizeof(full), "host.%s", name);
	json_figure(full, value, "ns", n, PEER);
}

static void begin(u32 n, u64 deadlines_span)
{
	now = BASE;
	span = deadlines_span;
	fired = 0;
	rng_state = n;
	peer_init(n);
	peer_tick(now);
}

static u32 *shuffled(u32 n)
{
	u32 *order = (u32 *)malloc(n * sizeof(*order));
	u32 i, j;

	for (i = 0; i < n; i++) {
		j = which(rng(), i + 1);
		order[i] = order[j];
		order[j] = i;
	}
	return order;
}

/* In the order of @order, or by number if it is NULL. */
static u64 arm_all(u32 n, const u32 *order)
{
	u64 start = cpu_ns();
	u32 i;

	for (i = 0; i < n; i++) {
		peer_arm(order ? order[i] : i, deadline(rng()));
		go_on(i);
	}
	return cpu_ns() - start;
}

/* New deadlines, earlier or later than the old ones. */
static u64 any_deadline(u32 i __unused_ok, u64 r)
{
	return deadline(r);
}

/* Each timer has its own duration, from now on: later than before. */
static u64 own_duration(u32 i, u64 r __unused_ok)
{
	return deadline(i * 0x9e3779b97f4a7c15ULL);
}

/*
 * Move random timers: more than n, so that what a peer puts off comes to be
 * done; but no longer than MOVE_TIME.
 */
static inline void move_some(const char *name, u32 n, u64 (*when)(u32 i, u64 r))
{
	u32 count = n < OPS ? OPS : n + n / 8, i = 0;
	u64 start = cpu_ns(), r;

	while (i < count) {
		r = rng();
		peer_move(which(r, n), when(which(r, n), r));
		go_on(i);
		if (++i % 65536 == 0 && cpu_ns() - start > MOVE_TIME)
			break;
	}
	report(name, (double)(cpu_ns() - start) / i, n);
}

static u64 cancel_all(const u32 *order, u32 n)
{
	u64 start = cpu_ns();
	u32 i;

	for (i = 0; i < n; i++)
		peer_cancel(order[i]);
	return cpu_ns() - start;
}

/* Arm all, move random ones, cancel all in another order. */
static void operations(u32 n)
{
	u32 passes = n < OPS ? OPS / n : 1, i;
	u64 arm = 0, cancel = 0;
	u32 *order;

	begin(n, SPREAD_US * USEC);
	order = shuffled(n);
	for (i = 0; i < passes; i++) {
		arm += arm_all(n, NULL);
		if (i == passes - 1) {
			move_some("push_back", n, own_duration);
			move_some("move", n, any_deadline);
		}
		cancel += cancel_all(order, n);
	}
	report("arm", (double)arm / passes / n, n);
	report("cancel", (double)cancel / passes / n, n);
	report("arm_cancel", (double)(arm + cancel) / passes / n, n);
	free(order);
	peer_exit();
}

/* What two readings of the clock show when nothing is between them. */
static u64 clock_cost(void)
{
	u64 least = ~0ULL, t;
	u32 i;

	for (i = 0; i < 1000; i++) {
		t = cpu_ns();
		t = cpu_ns() - t;
		if (t < least)
			least = t;
	}
	return least;
}

/*
 * The CPU time of each step of an expiry.  The same is done several times; a
 * step's least time is its own, the rest is interrupts and other machines.
 */
struct steps {
	u64 *least;
	u32 count;
	u32 room;
	u64 sum;
};

static void note_step(struct steps *s, u64 t)
{
	if (s->count == s->room) {
		s->room = s->room * 2 + 1024;
		s->least = (u64 *)realloc(s->least, s->room * sizeof(*s->least));
		memset(s->least + s->count, 0xff, (s->room - s->count) * sizeof(*s->least));
	}
	if (t < s->least[s->count])
		s->least[s->count] = t;
	s->count++;
	s->sum += t;
}

/* Everything that is due at @now. */
static void expire(struct steps *s, u64 cost)
{
	bool more;
	u64 t;

	peer_wait(now);
	do {
		t = cpu_ns();
		more = peer_step(now);
		t = cpu_ns() - t;
		note_step(s, t < cost ? 0 : t - cost);
	} while (more);
}

/* From now to @end in @count equal steps. */
static void drain(struct steps *s, u64 end, u32 count)
{
	u64 cost = clock_cost(), start = now;
	u32 i;

	s->count = 0;
	for (i = 1; i <= count; i++) {
		now = start + (end - start) / count * i;
		expire(s, cost);
	}
	now += 5 * MSEC;
	expire(s, cost);
}

/*
 * Different deadlines, each in its time.  Armed in an order that has nothing to
 * do with that in memory, as it comes to be in a program that runs for long.
 */
static void uniform(u32 n, struct steps *s, u32 count)
{
	u32 *order;

	begin(n, SPREAD_US * USEC);
	order = shuffled(n);
	arm_all(n, order);
	free(order);
	drain(s, now + SHORTEST + SPREAD_US * USEC, count);
}

/* Different deadlines, but the program comes after the last. */
static void late(u32 n, struct steps *s, u32 count __unused_ok)
{
	uniform(n, s, 1);
}

/* One deadline for all. */
static void burst(u32 n, struct steps *s, u32 count __unused_ok)
{
	u64 end = BASE + 2 * SHORTEST;
	u32 *order, i;

	begin(n, SPREAD_US * USEC);
	order = shuffled(n);
	for (i = 0; i < n; i++) {
		peer_arm(order[i], end);
		go_on(i);
	}
	free(order);
	drain(s, end, 1);
}

static u64 one_duration(u32 i __unused_ok, u64 r __unused_ok)
{
	return now + SHORTEST;
}

/* One duration: idle timeouts, pushed back at random, then running out. */
static void fifo(u32 n, struct steps *s, u32 count)
{
	u64 end;
	u32 i;

	begin(n, n * 2 * USEC);
	for (i = 0; i < n; i++) {
		peer_arm(i, one_duration(i, 0));
		go_on(i);
	}
	move_some(s->count ? NULL : "fifo_move", n, one_duration);
	end = now + SHORTEST;
	now = BASE + SHORTEST;
	peer_tick(now);
	drain(s, end, count);
}

/* Do a workload up to three times; report ns per timer, and the longest step. */
static void expiry(const char *name, void (*workload)(u32 n, struct steps *s, u32 count), u32 n)
{
	u32 count = n < 1000 ? 100 : n > 1000000 ? 100000 : n / 10;
	u32 times = 0, i;
	struct steps s = { NULL, 0, 0, 0 };
	u64 longest = 0;
	char step[32];

	while (times < 3 && s.sum < EXPIRE_TIME(n)) {
		workload(n, &s, count);
		times++;
		if (fired != n) {
			fprintf(stderr, "%s: %s: %u of %u expired\n", PEER, name, fired, n);
			exit(1);
		}
		peer_exit();
	}
	for (i = 0; i < s.count; i++)
		longest = s.least[i] > longest ? s.least[i] : longest;
	snprintf(step, sizeof(step), "%s_step", name);
	report(name, (double)s.sum / times / n, n);
	report(step, longest, n);
	free(s.least);
}

int main(int argc, char **argv)
{
	u32 n = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;

	if (!n || n > 10000000) {
		fprintf(stderr, "usage: %s 1...10000000 [ops]\n", argv[0]);
		return 2;
	}
	if (n <= OPS_LIMIT)
		operations(n);
	if (argc > 2 || n > EXPIRE_LIMIT)
		return 0;
	if (!PEER_FIXED) {
		expiry("expire", uniform, n);
		if (n <= OPS)
			expiry("late", late, n);
		expiry("burst", burst, n);
	}
	expiry("fifo_expire", fifo, n);
	return 0;
}

#endif /* BENCH_DRIVER_H */
