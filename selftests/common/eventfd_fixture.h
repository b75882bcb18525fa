/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fixture of tests that are notified by an eventfd: self->q, mapped, whose ring
 * has ENTRIES records, and self->efd.  The test defines ENTRIES.
 */
#ifndef TWHEEL_SELFTESTS_EVENTFD_FIXTURE_H
#define TWHEEL_SELFTESTS_EVENTFD_FIXTURE_H

#include <sys/eventfd.h>

#include "kselftest_harness.h"

#include "queue.h"

FIXTURE(eventfd) {
	struct queue q;
	int fd, efd;
};

FIXTURE_SETUP(eventfd)
{
	ASSERT_EQ(0, queue_open(&self->q, CLOCK_MONOTONIC, ENTRIES));
	ASSERT_EQ(0, queue_map(&self->q));
	self->fd = self->q.fd;
	self->efd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	ASSERT_EQ(0, set_eventfd(self->fd, self->efd));
}

FIXTURE_TEARDOWN(eventfd)
{
	queue_close(&self->q);
	close(self->efd);
}

/* Read and reset the counter of an eventfd. */
static inline __u64 signals(int efd)
{
	__u64 value = 0;

	return read(efd, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

#endif /* TWHEEL_SELFTESTS_EVENTFD_FIXTURE_H */
