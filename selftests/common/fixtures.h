/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fixtures of tests that need one queue: self->q, whose ring has a given number of
 * records, and self->fd; mapped or not.  A test program gives its fixture a name of its
 * own, so that the names of its tests say what they are about.
 */
#ifndef TWHEEL_SELFTESTS_FIXTURES_H
#define TWHEEL_SELFTESTS_FIXTURES_H

#include "kselftest_harness.h"

#include "queue.h"

/* @prepare: an expression that prepares what else the tests need; 0 on success. */
#define QUEUE_FIXTURE_WITH(name, entries, prepare)				\
FIXTURE(name) {									\
	struct queue q;								\
	int fd;									\
	__u64 seed;	/* of random numbers, always the same */		\
};										\
										\
FIXTURE_SETUP(name)								\
{										\
	ASSERT_EQ(0, queue_open(&self->q, CLOCK_MONOTONIC, entries));		\
	self->fd = self->q.fd;							\
	self->seed = 4711;							\
	ASSERT_EQ(0, prepare);							\
}										\
										\
FIXTURE_TEARDOWN(name)								\
{										\
	queue_close(&self->q);							\
}

#define QUEUE_FIXTURE(name, entries)	QUEUE_FIXTURE_WITH(name, entries, 0)
#define MAPPED_FIXTURE(name, entries)						\
	QUEUE_FIXTURE_WITH(name, entries, self->q.setup.features & TWHEEL_FEAT_MMAP ?	\
			   queue_map(&self->q) : -EOPNOTSUPP)

#endif /* TWHEEL_SELFTESTS_FIXTURES_H */
