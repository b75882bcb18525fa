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

#define DESTROY	"close"
#define HANDLE	int

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

static void destroy(int fd)
{
	close(fd);
}

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

#include "each.h"

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

static void expire(unsigned int n)
{
	static int fds[MAX_EXPIRIES];
	int epfd = epoll_create1(EPOLL_CLOEXEC);
	double start = lap_start("create.epoll");

	add(epfd, fds, MAX_EXPIRIES);
	if (n)
		cost(peer, "create.epoll", n, lap_stop(start), MAX_EXPIRIES);
	expire_each(epfd, fds, n);
	close(epfd);
	for (unsigned int i = 0; i < MAX_EXPIRIES; i++)
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

int bench_timerfd(const struct load *load)
{
	raise_limit();
	return bench_each(load, expire);
}
