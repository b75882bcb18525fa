// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many records it takes to wake a consumer: one. There is no watermark; programs
 * that want fewer wake-ups use slack.
 */
#include "common.h"
#include "common/fixtures.h"

#include <sys/epoll.h>

#include "kselftest_harness.h"

MAPPED_FIXTURE(wake, 1024)

static void *poller(void *data)
{
	return (void *)(uintptr_t)readable(*(int *)data, GIVE_UP_MS);
}

static void *epoller(void *data)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int epoll = epoll_create1(EPOLL_CLOEXEC), ret;

	epoll_ctl(epoll, EPOLL_CTL_ADD, *(int *)data, &event);
	ret = epoll_wait(epoll, &event, 1, GIVE_UP_MS);
	close(epoll);
	return (void *)(uintptr_t)(ret == 1);
}

/* B95: one record in a ring of 1024, and both are awake. */
TEST_F(wake, first_record_wakes_everyone_who_waits)
{
	void *polled, *epolled;
	pthread_t threads[2];

	ASSERT_EQ(0, pthread_create(&threads[0], NULL, poller, &self->fd));
	ASSERT_EQ(0, pthread_create(&threads[1], NULL, epoller, &self->fd));
	sleep_ns(10 * MSEC);
	ASSERT_NE(0ULL, arm_rel(self->fd, 10 * MSEC, 1));
	pthread_join(threads[0], &polled);
	pthread_join(threads[1], &epolled);
	EXPECT_NE(NULL, polled);
	EXPECT_NE(NULL, epolled);
	EXPECT_EQ(1ULL, stats(self->fd).unread);
}

/* B95: seven are far from filling anything; they come, in order, while more are due. */
TEST_F(wake, few_records_come_without_waiting_for_more)
{
	struct twheel_record rec;

	for (int i = 0; i < 7; i++) {
		ASSERT_NE(0ULL, arm_rel(self->fd, 2 * i * MSEC, i));
	}
	ASSERT_NE(0ULL, arm_rel(self->fd, HOUR, 7));
	for (__u64 i = 0; i < 7; i++) {
		ASSERT_TRUE(readable(self->fd, GIVE_UP_MS));
		ASSERT_TRUE(ring_take(&self->q, &rec));
		EXPECT_EQ(i, rec.user_data);
	}
	EXPECT_EQ(1ULL, stats(self->fd).pending);
}

/* B95: with slack they are put together, by as much as the slack and no more. */
TEST_F(wake, slack_is_the_longest_that_a_record_is_held_back)
{
	const __u64 slack = 10 * MSEC, start = mono() + 20 * MSEC;
	struct twheel_record rec;

	for (int i = 0; i < 7; i++) {
		struct twheel_op op = op_arm(start + i * 100 * USEC, i);
		__u64 next;

		op.slack = slack;
		ASSERT_NE(0ULL, arm_op(self->fd, op));
		next = stats(self->fd).next;
		if (mono() < start) {
			ASSERT_LE(start, next);
			ASSERT_GE(start + slack, next);
		}
	}
	for (int i = 0; i < 7; i++) {
		ASSERT_TRUE(readable(self->fd, GIVE_UP_MS));
		ASSERT_TRUE(ring_take(&self->q, &rec));
	}
	/* 600 us of deadlines: one edge of the 8 ms that the slack amounts to, or none. */
	EXPECT_GE(2ULL, stats(self->fd).interrupts);
	EXPECT_GE(2ULL, stats(self->fd).signals);
}

TEST_HARNESS_MAIN
