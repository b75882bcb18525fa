// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes: a process with a timer of 1 ms that notes how late it learns of each
 * expiry.  One waits for a twheel queue, another for a timerfd, both in read().
 *
 * They are on the load's CPU and go before it (SCHED_FIFO), so what they see is not
 * the scheduler's idea of fairness but for how long interrupts, softirqs and system
 * calls of others do not let them run.  A period that passed while a probe could
 * not run counts, too, with its own lateness.
 */
#include <sched.h>
#include <sys/timerfd.h>

#include "load.h"

void pin(void)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
}

static void go_first(void)
{
	const struct sched_param param = { .sched_priority = 1 };

	pin();
	if (mlockall(MCL_CURRENT | MCL_FUTURE) || sched_setscheduler(0, SCHED_FIFO, &param))
		perror("# probe");
}

/* The expiry of @deadline is seen now. */
static void note(struct probe *p, __u64 deadline, __u64 now_ns)
{
	unsigned int n = atomic_load(&p->count);
	__u64 late = now_ns - deadline;

	if (atomic_load(&p->stop))
		return;
	if (now_ns < deadline) {
		atomic_fetch_add(&p->early, 1);
	} else if (n < MAX_SAMPLES) {
		p->late[n] = late < UINT32_MAX ? late : UINT32_MAX;
		atomic_store(&p->count, n + 1);
	}
}

void probe_by_twheel(struct probe *p)
{
	struct twheel_record rec;
	struct queue q;

	go_first();
	if (queue_open(&q, CLOCK_MONOTONIC, 64) ||
	    !arm_periodic(q.fd, mono() + MSEC, MSEC, 1))
		return;
	atomic_store(&p->ready, true);
	while (!atomic_load(&p->stop) && read_records(q.fd, &rec, 1) == 1) {
		__u64 now_ns = mono();

		for (__u32 i = 0; i <= rec.missed; i++)
			note(p, rec.deadline - (rec.missed - i) * MSEC, now_ns);
	}
	queue_close(&q);
}

void probe_by_timerfd(struct probe *p)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	struct itimerspec when = { .it_interval = { .tv_nsec = MSEC } };
	__u64 next, expired;

	go_first();
	next = mono() + MSEC;
	when.it_value = (struct timespec){ .tv_sec = next / SEC, .tv_nsec = next % SEC };
	if (fd < 0 || timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL))
		return;
	atomic_store(&p->ready, true);
	while (!atomic_load(&p->stop) && read(fd, &expired, 8) == 8) {
		__u64 now_ns = mono();

		for (; expired; expired--, next += MSEC)
			note(p, next, now_ns);
	}
	close(fd);
}
