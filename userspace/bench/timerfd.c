// SPDX-License-Identifier: GPL-2.0-only
/* timerfd: a descriptor per timer; expiries by epoll_wait() and a read() each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "guest.h"

#define ROUNDS	16U
#define OPS	(ROUNDS * BATCH)

static const char peer[] = "timerfd";
static unsigned int failed;

static void settime(int fd, struct timespec when)
{
	const struct itimerspec spec = { .it_value = when };

	if (timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, NULL))
		failed++;
}

static int create(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0)
		failed++;
	return fd;
}

/* Create and arm the n timers. */
static void fill(const struct load *load, int *fds)
{
	double start = lap_start("arm.new");

	for (unsigned int i = 0; i < load->n && !failed; i++) {
		fds[i] = create();
		settime(fds[i], to_timespec(load->deadline[i]));
	}
	cost(peer, "arm.new", load->n, lap_stop(start), load->n);
}

/* Sums over the rounds, one per thing that is done to BATCH more timers. */
struct sums {
	double create, arm, cancel, close;
};

static void round_trip(const struct load *load, unsigned int first, struct sums *sums)
{
	const struct timespec never = { 0 };
	int fds[BATCH];
	double start;
	unsigned int i;

	start = lap_start("create");
	for (i = 0; i < BATCH; i++)
		fds[i] = create();
	sums->create += lap_stop(start);
	start = lap_start("arm");
	for (i = 0; i < BATCH; i++)
		settime(fds[i], load->when[first + i]);
	sums->arm += lap_stop(start);
	start = lap_start("cancel");
	for (i = 0; i < BATCH; i++)
		settime(fds[load->shuffled[i]], never);
	sums->cancel += lap_stop(start);
	start = lap_start("close");
	for (i = 0; i < BATCH; i++)
		close(fds[load->shuffled[i]]);
	sums->close += lap_stop(start);
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
	cost(peer, "close", load->n, sums.close, OPS);
}

static void push_back(const struct load *load, const int *fds)
{
	double start = lap_start("move");

	for (unsigned int i = 0; i < OPS; i++)
		settime(fds[load->pick[i]], load->when[i]);
	cost(peer, "move", load->n, lap_stop(start), OPS);
}

/* --- expiry --- */

static void collect(int epfd, unsigned int count)
{
	struct epoll_event events[BATCH];
	unsigned int got = 0;
	__u64 times;
	int n;

	while (got < count) {
		n = epoll_wait(epfd, events, BATCH, -1);
		for (int i = 0; i < n; i++)
			if (read(events[i].data.fd, &times, sizeof(times)) != sizeof(times))
				failed++;
		got += n;
	}
}

static void add(int epfd, int *fds, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		struct epoll_event event = { .events = EPOLLIN };

		fds[i] = create();
		event.data.fd = fds[i];
		if (epoll_ctl(epfd, EPOLL_CTL_ADD, fds[i], &event))
			failed++;
	}
}

static void expire(const struct expiry *e, int epfd, const int *fds, unsigned int n)
{
	__u64 start = expiry_start();

	for (unsigned int i = 0; i < e->count; i++)
		settime(fds[i], to_timespec(start + e->after(i)));
	e->begin(e);
	collect(epfd, e->count);
	e->end(e, peer, n);
}

static void expire_all(unsigned int n)
{
	static int fds[MOST_EXPIRIES];
	int epfd = epoll_create1(EPOLL_CLOEXEC);
	double start = lap_start("create.epoll");

	add(epfd, fds, MOST_EXPIRIES);
	if (n)
		cost(peer, "create.epoll", n, lap_stop(start), MOST_EXPIRIES);
	for (const struct expiry *e = expiries(n); e->name && !failed; e++)
		if (e->slack == 1)
			expire(e, epfd, fds, n);
	close(epfd);
	for (unsigned int i = 0; i < MOST_EXPIRIES; i++)
		close(fds[i]);
}

static void raise_limit(void)
{
	struct rlimit limit = { 1048576, 1048576 };

	if (!setrlimit(RLIMIT_NOFILE, &limit))
		return;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* All but expiry. */
static void ops(const struct load *load, int *fds)
{
	struct memory before = memory_now();

	fill(load, fds);
	memory_figures(peer, load->n, &before);
	if (failed)
		return;
	come_and_go(load);
	push_back(load, fds);
}

int bench_timerfd(const struct load *load)
{
	int *fds = malloc((load->n + 1) * sizeof(*fds));

	if (!fds)
		return complain(-ENOMEM, "%s: out of memory", peer);
	memset(fds, -1, load->n * sizeof(*fds));
	failed = 0;
	raise_limit();
	if (load->n)
		ops(load, fds);
	if (!failed)
		expire_all(load->n);
	for (unsigned int i = 0; i < load->n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(fds);
	return failed ? complain(-EIO, "%s, %u timers: %u ops failed", peer, load->n, failed) : 0;
}
