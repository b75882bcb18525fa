// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queues that have more to do than there is time for take turns.  However many
 * there are, another queue still gets on, and at once if it is another user's.  Here
 * there are hundreds, with periodic timers of the shortest period whose records
 * nobody reads.
 */
#include "common.h"

#include "kselftest_harness.h"

#define BUSY_QUEUES	300
#define BUSY_TIMERS	512
#define VICTIMS		640	/* ten passes */

FIXTURE(fairness)
{
	struct queue busy[BUSY_QUEUES];
	struct queue victim;
};

static long make_busy(struct queue *q)
{
	struct twheel_op ops[BUSY_TIMERS];
	long ret = queue_open(q, CLOCK_MONOTONIC, BUSY_TIMERS);	/* one record each */

	if (ret)
		return ret;
	for (int i = 0; i < BUSY_TIMERS; i++) {
		ops[i] = op_arm(mono() + i, i);
		ops[i].period = q->setup.min_period;
	}
	return submit_all(q, ops, BUSY_TIMERS);
}

FIXTURE_SETUP(fairness)
{
	ASSERT_EQ(0, queue_open(&self->victim, CLOCK_MONOTONIC, 1024));
	for (int i = 0; i < BUSY_QUEUES; i++)
		self->busy[i].fd = -1;
}

FIXTURE_TEARDOWN(fairness)
{
	for (int i = 0; i < BUSY_QUEUES; i++)
		queue_close(&self->busy[i]);
	queue_close(&self->victim);
}

/* B113 */
TEST_F_TIMEOUT(fairness, many_busy_queues_do_not_stop_another, 100)
{
	struct twheel_record records[VICTIMS];
	struct twheel_op ops[VICTIMS];
	__u64 due;

	for (int i = 0; i < BUSY_QUEUES; i++)
		ASSERT_EQ(BUSY_TIMERS, make_busy(&self->busy[i]));
	due = mono() + 100 * MSEC;
	for (int i = 0; i < VICTIMS; i++)
		ops[i] = op_arm(due, i);
	ASSERT_EQ(VICTIMS, submit_all(&self->victim, ops, VICTIMS));
	EXPECT_EQ(VICTIMS, collect(self->victim.fd, records, VICTIMS));
	TH_LOG("the last of %d records was %llu ms late", VICTIMS, (mono() - due) / MSEC);

	/* None of them keeps a task to itself, so that closing need not wait. */
	due = mono();
	for (int i = 0; i < BUSY_QUEUES; i++)
		queue_close(&self->busy[i]);
	EXPECT_GT(GIVE_UP_MS * MSEC, mono() - due);
}

/* A queue of a user who has no other. */
static long open_as_somebody_else(struct queue *q)
{
	long ret = -EPERM;

	if (!setresuid(1000, 0, 0))
		ret = queue_open(q, CLOCK_MONOTONIC, 1024);
	if (setresuid(0, 0, 0))
		abort();
	return ret;
}

/*
 * Each user has a run queue.  How often the queues of the busy user have had their
 * turns while the other's ten passes came shows whether these passes waited behind
 * them.
 */
TEST_F_TIMEOUT(fairness, queue_of_another_user_does_not_wait_in_the_line, 100)
{
	struct twheel_record records[VICTIMS];
	struct twheel_op ops[VICTIMS];
	struct queue other;
	__u64 due, turns;

	ASSERT_EQ(0, open_as_somebody_else(&other));
	for (int i = 0; i < BUSY_QUEUES; i++)
		ASSERT_EQ(BUSY_TIMERS, make_busy(&self->busy[i]));
	due = mono() + 100 * MSEC;
	for (int i = 0; i < VICTIMS; i++)
		ops[i] = op_arm(due, i);
	ASSERT_EQ(VICTIMS, submit_all(&other, ops, VICTIMS));
	sleep_ns(due - mono());
	turns = stats(self->busy[0].fd).passes;
	EXPECT_EQ(VICTIMS, collect(other.fd, records, VICTIMS));
	turns = stats(self->busy[0].fd).passes - turns;
	TH_LOG("meanwhile each of the busy queues had %llu turns", (unsigned long long)turns);
	EXPECT_GT(VICTIMS / 64 / 2, turns);
	queue_close(&other);
}

TEST_HARNESS_MAIN
