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

#define DESTROY	"delete"
#define HANDLE	timer_t

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

static void destroy(timer_t timer)
{
	timer_delete(timer);
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

#include "each.h"

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

static void expire(unsigned int n)
{
	static timer_t timers[MAX_EXPIRIES];
	unsigned int i;
	int fd = watch();

	for (i = 0; i < MAX_EXPIRIES && !failed; i++)
		timers[i] = create();
	expire_each(fd, timers, n);
	while (i)
		destroy(timers[--i]);
	close(fd);
}

/* A signal's slot is reserved per timer. */
static void raise_limit(void)
{
	struct rlimit limit = { 1 << 21, 1 << 21 };

	setrlimit(RLIMIT_SIGPENDING, &limit);
}

int bench_posix(const struct load *load)
{
	raise_limit();
	return bench_each(load, expire);
}
