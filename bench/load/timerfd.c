// SPDX-License-Identifier: GPL-2.0-only
/*
 * The same loads by timerfds, a descriptor for each timer; FILES of them where twheel
 * has ten or a hundred times as many, for a process can have no more than a million
 * descriptors, and they take 11 times the memory.
 */
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "load.h"

#define EVENTS		256
#define SPREAD		(2 * SEC)

struct files {
	unsigned int count;
	int *fds;
	int epoll;		/* or -1 */
};

static void set_time(int fd, __u64 deadline)
{
	struct itimerspec when = {
		.it_value = { .tv_sec = deadline / SEC, .tv_nsec = deadline % SEC },
	};

	timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL);
}

static bool add_file(struct files *f, unsigned int i, __u64 deadline)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = i };

	f->fds[i] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (f->fds[i] < 0)
		return false;
	set_time(f->fds[i], deadline);
	return f->epoll < 0 || !epoll_ctl(f->epoll, EPOLL_CTL_ADD, f->fds[i], &event);
}

/* @count of them, due from @start on within @spread ns; random ones or in order. */
static bool make_files(struct outcome *o, struct files *f, unsigned int count, bool watch,
		       __u64 start, __u64 spread, __u64 seed)
{
	f->count = count;
	f->fds = malloc(count * sizeof(*f->fds));
	f->epoll = watch ? epoll_create1(EPOLL_CLOEXEC) : -1;
	for (unsigned int i = 0; i < count; i++) {
		__u64 after = seed ? random_below(&seed, spread) : i * (spread / count);

		if (!add_file(f, i, start + after)) {
			wrong(o, "timerfd %u: %s", i, strerror(errno));
			return false;
		}
	}
	return true;
}

static void close_files(struct files *f)
{
	for (unsigned int i = 0; i < f->count; i++)
		close(f->fds[i]);
	if (f->epoll >= 0)
		close(f->epoll);
	free(f->fds);
}

/* Read each once. */
static void read_all(struct outcome *o, struct files *f)
{
	struct epoll_event events[EVENTS];
	unsigned int got = 0;
	__u64 expired;

	while (got < f->count) {
		int n = epoll_wait(f->epoll, events, EVENTS, PATIENCE_MS);

		for (int i = 0; i < n; i++)
			got += read(f->fds[events[i].data.u32], &expired, 8) == 8;
		if (n <= 0)
			break;
	}
	if (got != f->count)
		wrong(o, "%u of %u timerfds expired", got, f->count);
}

void timerfd_pending(struct outcome *o)
{
	__u64 start = mono() + HOUR, seed = 2;
	double before = proc_memory_free();
	struct files f;

	o->timers = FILES;
	if (!make_files(o, &f, FILES, false, start, HOUR, 1))
		return;
	o->bytes = (before - proc_memory_free()) / FILES;
	for (unsigned int i = 0; i < FILES; i += 10)
		set_time(f.fds[i], start + random_below(&seed, HOUR));
	close_files(&f);
}

void timerfd_instant(struct outcome *o)
{
	double before = proc_memory_free();
	struct files f;

	o->timers = FILES;
	if (!make_files(o, &f, FILES, true, mono() + (counts_instructions() ? 3 : 20) * SEC, 0, 0))
		return;
	o->bytes = (before - proc_memory_free()) / FILES;
	read_all(o, &f);
	close_files(&f);
}

static void timerfd_user(struct user *u)
{
	struct files f;

	if (!make_files(u->outcome, &f, USER_QUEUES * USER_TIMERS, true, u->start, SPREAD,
			u->number + 1))
		return;
	read_all(u->outcome, &f);
	close_files(&f);
}

void timerfd_users(struct outcome *o)
{
	o->timers = USERS * USER_QUEUES * USER_TIMERS;
	run_users(o, timerfd_user);
}

/* Nobody reads, or one a second. */
static void unread(struct outcome *o, bool one_a_second)
{
	__u64 start = mono() + SEC, expired;
	struct files f;

	o->timers = UNREAD;
	if (!make_files(o, &f, UNREAD, true, start, READ_SECONDS * SEC, 0))
		return;
	for (unsigned int i = 0; mono() < start + READ_SECONDS * SEC; i++) {
		sleep_ns(SEC);
		if (one_a_second && read(f.fds[i], &expired, 8) != 8)
			wrong(o, "timerfd %u cannot be read", i);
	}
	if (!one_a_second)
		read_all(o, &f);
	close_files(&f);
}

void timerfd_unread(struct outcome *o)
{
	unread(o, false);
}

void timerfd_slow_reader(struct outcome *o)
{
	unread(o, true);
}
