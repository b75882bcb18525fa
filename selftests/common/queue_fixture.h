/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fixture of tests that need no more than a queue: self->q, whose ring has
 * ENTRIES records, and self->other.  The test defines ENTRIES.
 */
#ifndef TWHEEL_SELFTESTS_QUEUE_FIXTURE_H
#define TWHEEL_SELFTESTS_QUEUE_FIXTURE_H

#include "kselftest_harness.h"

#include "queue.h"

FIXTURE(queue) {
	struct queue q, other;
	int fd;
};

FIXTURE_SETUP(queue)
{
	ASSERT_EQ(0, queue_open(&self->q, CLOCK_MONOTONIC, ENTRIES));
	ASSERT_EQ(0, queue_open(&self->other, CLOCK_MONOTONIC, 1));
	self->fd = self->q.fd;
}

FIXTURE_TEARDOWN(queue)
{
	queue_close(&self->q);
	queue_close(&self->other);
}

#endif /* TWHEEL_SELFTESTS_QUEUE_FIXTURE_H */
