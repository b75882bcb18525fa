// SPDX-License-Identifier: GPL-2.0-only
/*
 * What ops mean: arm, cancel, move, query and free in every state of a timer,
 * reused ids, kept timers, batches. All in one thread: races are in race_test.c,
 * times are in time_test.c.
 */
#include "common.h"

#include "kselftest_harness.h"

#define ENTRIES		64
#include "common/queue_fixture.h"

/* --- every op in every state -------------------------------------------------- */

/*
 * B50: how a timer came where it is, and what each op then says about its id.
 * Results of one op alone and of the same op in a batch must be the same.
 */
enum where { PENDING, BACKLOGGED, FIRED_UNREAD, FIRED_READ, CANCELLED, FREED, NEVER,
	     OF_ANOTHER_QUEUE, STALE_GENERATION, IDLE_FIRED, IDLE_CANCELLED, PERIODIC };

FIXTURE(state) {
	struct queue q, other;
	int fd;
	__u64 id;
};

FIXTURE_VARIANT(state) {
	enum where where;
	long cancel, move, query, free;
	long allocated;		/* how many timers exist then */
};

FIXTURE_VARIANT_ADD(state, pending) {
	.where = PENDING,
	.cancel = 0, .move = 0, .query = TWHEEL_PENDING, .free = 1, .allocated = 1,
};

FIXTURE_VARIANT_ADD(state, periodic) {
	.where = PERIODIC,
	.cancel = 0, .move = 0, .query = TWHEEL_PENDING, .free = 1, .allocated = 1,
};

FIXTURE_VARIANT_ADD(state, backlogged) {
	.where = BACKLOGGED,
	.cancel = 0, .move = 0, .query = TWHEEL_BACKLOG, .free = 1, .allocated = 1,
};

FIXTURE_VARIANT_ADD(state, idle_after_record) {
	.where = IDLE_FIRED,
	.cancel = -ENOENT, .move = 1, .query = TWHEEL_IDLE, .free = 0, .allocated = 1,
};

FIXTURE_VARIANT_ADD(state, idle_after_cancel) {
	.where = IDLE_CANCELLED,
	.cancel = -ENOENT, .move = 1, .query = TWHEEL_IDLE, .free = 0, .allocated = 1,
};

#define GONE .cancel = -ENOENT, .move = -ENOENT, .query = -ENOENT, .free = -ENOENT

FIXTURE_VARIANT_ADD(state, fired_unread) { .where = FIRED_UNREAD, GONE, };
FIXTURE_VARIANT_ADD(state, fired_and_read) { .where = FIRED_READ, GONE, };
FIXTURE_VARIANT_ADD(state, cancelled) { .where = CANCELLED, GONE, };
FIXTURE_VARIANT_ADD(state, freed) { .where = FREED, GONE, };
FIXTURE_VARIANT_ADD(state, never_existed) { .where = NEVER, GONE, };
FIXTURE_VARIANT_ADD(state, of_another_queue) { .where = OF_ANOTHER_QUEUE, GONE, };
FIXTURE_VARIANT_ADD(state, stale_generation) { .where = STALE_GENERATION, GONE,
					       .allocated = 1, };

/* A timer that is where the variant says, on a queue whose ring has one entry. */
static __u64 timer_that_is(enum where where, int fd, int other_fd)
{
	struct twheel_record rec;
	__u64 id;

	switch (where) {
	case PENDING:
		return arm(fd, TIME_MAX, 1);
	case PERIODIC:
		return arm_periodic(fd, mono() + HOUR, HOUR, 1);
	case BACKLOGGED:
		arm(fd, 1, 9);
		return arm(fd, 2, 1);
	case FIRED_UNREAD:
		return arm(fd, 1, 1);
	case FIRED_READ:
		id = arm(fd, 1, 1);
		return next_record(fd, &rec) == 1 ? id : 0;
	case CANCELLED:
		id = arm(fd, TIME_MAX, 1);
		return cancel(fd, id) ? 0 : id;
	case FREED:
		id = arm_keep(fd, TIME_MAX, 1);
		return release(fd, id) == 1 ? id : 0;
	case NEVER:
		return (77ULL << 32) | 5;
	case OF_ANOTHER_QUEUE:
		for (int i = 0; i < 20; i++)
			arm(other_fd, TIME_MAX, 1);
		return arm(other_fd, TIME_MAX, 1);
	case STALE_GENERATION:
		return arm(fd, TIME_MAX, 1) ^ (1ULL << 40);
	case IDLE_FIRED:
		id = arm_keep(fd, 1, 1);
		return next_record(fd, &rec) == 1 ? id : 0;
	case IDLE_CANCELLED:
		id = arm_keep(fd, TIME_MAX, 1);
		return cancel(fd, id) ? 0 : id;
	}
	return 0;
}

FIXTURE_SETUP(state)
{
	ASSERT_EQ(0, queue_open(&self->q, CLOCK_MONOTONIC, 1));
	ASSERT_EQ(0, queue_open(&self->other, CLOCK_MONOTONIC, 1));
	self->fd = self->q.fd;
	self->id = timer_that_is(variant->where, self->fd, self->other.fd);
	ASSERT_NE(0ULL, self->id);
}

FIXTURE_TEARDOWN(state)
{
	queue_close(&self->q);
	queue_close(&self->other);
}

TEST_F(state, cancel)
{
	struct twheel_op op = op_cancel(self->id);
	struct twheel_stats before = stats(self->fd), after;

	EXPECT_EQ(variant->cancel, run_op(self->fd, &op));
	after = stats(self->fd);
	EXPECT_EQ(before.cancelled + !variant->cancel, after.cancelled);
	EXPECT_EQ(0LL + before.pending + before.backlog - !variant->cancel,
		  after.pending + after.backlog);
	EXPECT_EQ(-ENOENT, cancel(self->fd, self->id));
	EXPECT_EQ(after.cancelled, stats(self->fd).cancelled);
}

/* B50 */
TEST_F(state, cancel_in_a_batch_is_the_same)
{
	struct twheel_op ops[3] = { op_cancel(self->id), op_cancel(self->id), op_query(self->id) };

	EXPECT_EQ(3, submit(self->fd, ops, 3));
	EXPECT_EQ(variant->cancel, ops[0].result);
	EXPECT_EQ(-ENOENT, ops[1].result);
	EXPECT_EQ(variant->query == TWHEEL_IDLE ? TWHEEL_IDLE : -ENOENT, ops[2].result);
}

TEST_F(state, move)
{
	struct twheel_op op = op_move(self->id, TIME_MAX - 5, 0);
	struct twheel_op query = op_query(self->id);
	struct twheel_stats before = stats(self->fd), after;

	EXPECT_EQ(variant->move, run_op(self->fd, &op));
	after = stats(self->fd);
	EXPECT_EQ(before.moved + (variant->move == 0), after.moved);
	EXPECT_EQ(before.armed + (variant->move == 1), after.armed);
	if (variant->move < 0) {
		EXPECT_EQ(before.pending, after.pending);
		return;
	}
	EXPECT_EQ(TWHEEL_PENDING, run_op(self->fd, &query));
	EXPECT_EQ(TIME_MAX - 5, query.deadline);
	EXPECT_EQ(0ULL, query.period);
	EXPECT_EQ(0ULL, after.backlog);
	EXPECT_EQ(1ULL, after.pending);
}

TEST_F(state, query)
{
	struct twheel_op op = op_query(self->id);

	EXPECT_EQ(variant->query, run_op(self->fd, &op));
	if (variant->query >= 0) {
		EXPECT_EQ(1ULL, op.user_data);
	}
	EXPECT_EQ(self->id, op.id);
}

TEST_F(state, free)
{
	struct twheel_stats before = stats(self->fd), after;

	EXPECT_EQ(variant->allocated, before.allocated);
	EXPECT_EQ(variant->free, release(self->fd, self->id));
	after = stats(self->fd);
	EXPECT_EQ(before.cancelled + (variant->free == 1), after.cancelled);
	EXPECT_EQ(before.allocated - (variant->free >= 0), after.allocated);
	EXPECT_EQ(-ENOENT, release(self->fd, self->id));
	EXPECT_EQ(-ENOENT, state(self->fd, self->id));
}

TEST_F(state, other_timers_are_left_alone)
{
	__u64 id = arm(self->fd, TIME_MAX - 9, 3);
	struct twheel_op ops[4] = {
		op_query(self->id), op_move(self->id, TIME_MAX, 0),
		op_cancel(self->id), op_free(self->id),
	};
	struct twheel_op query = op_query(id);

	EXPECT_EQ(4, submit(self->fd, ops, 4));
	EXPECT_EQ(TWHEEL_PENDING, run_op(self->fd, &query));
	EXPECT_EQ(TIME_MAX - 9, query.deadline);
	EXPECT_EQ(3ULL, query.user_data);
}

/* B54: of the quickest of many, for any one may be held up by the machine. */
static __u64 quickest_cancel(int fd, __u64 id)
{
	__u64 best = SEC;

	for (int i = 0; i < 50; i++) {
		__u64 start = mono(), took;

		if (cancel(fd, id) != -ENOENT)
			return SEC;
		took = mono() - start;
		best = best < took ? best : took;
	}
	return best;
}

TEST_F(queue, cancel_of_what_is_not_pending_does_not_wait)
{
	__u64 fired = arm(self->fd, 1, 1), idle = arm_keep(self->fd, 1, 1);

	EXPECT_GT(MSEC, quickest_cancel(self->fd, fired));
	EXPECT_GT(MSEC, quickest_cancel(self->fd, idle));
	EXPECT_GT(MSEC, quickest_cancel(self->fd, 0));
	EXPECT_GT(MSEC, quickest_cancel(self->fd, (77ULL << 32) | 5));
	EXPECT_GT(MSEC, quickest_cancel(self->fd, ~0ULL));
}

/* B54 */
TEST_F(queue, any_way_of_arming_gives_an_id_that_can_be_cancelled)
{
	struct twheel_op ops[5], moved;

	for (int i = 0; i < 5; i++)
		ops[i] = i % 2 ? op_arm(TIME_MAX - i, i) : op_arm_rel(HOUR, i);
	ops[2].flags |= TWHEEL_OP_KEEP;
	ops[3].period = HOUR;
	ops[4].slack = SEC;
	ASSERT_EQ(4, submit(self->fd, ops, 4));
	ASSERT_EQ(0, run_op(self->fd, &ops[4]));
	moved = op_move(ops[0].id, TIME_MAX, HOUR);
	EXPECT_EQ(0, run_op(self->fd, &moved));
	for (int i = 0; i < 5; i++) {
		EXPECT_EQ(0, cancel(self->fd, ops[i].id));
	}
	EXPECT_EQ(1, move(self->fd, ops[2].id, TIME_MAX));
	EXPECT_EQ(0, cancel(self->fd, ops[2].id));
	EXPECT_EQ(0ULL, stats(self->fd).pending);
}

TEST_F(queue, id_0_is_nobody)
{
	ASSERT_NE(0ULL, arm(self->fd, TIME_MAX, 1));
	EXPECT_EQ(-ENOENT, cancel(self->fd, 0));
	EXPECT_EQ(-ENOENT, move(self->fd, 0, TIME_MAX));
	EXPECT_EQ(-ENOENT, state(self->fd, 0));
	EXPECT_EQ(-ENOENT, release(self->fd, 0));
	EXPECT_EQ(-ENOENT, cancel(self->fd, ~0ULL));
	EXPECT_EQ(1ULL, stats(self->fd).pending);
}

/* --- one life ------------------------------------------------------------------ */

TEST_F(queue, one_shot_fires_once_and_not_early)
{
	__u64 deadline = mono() + 10 * MSEC;
	struct twheel_record rec;
	__u64 id = arm(self->fd, deadline, 0x1122334455667788ULL);

	ASSERT_NE(0ULL, id);
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_LE(deadline, mono());
	EXPECT_EQ(id, rec.id);
	EXPECT_EQ(deadline, rec.deadline);
	EXPECT_EQ(0x1122334455667788ULL, rec.user_data);
	EXPECT_EQ(0U, rec.missed);
	EXPECT_FALSE(readable(self->fd, 20));
	EXPECT_EQ(0ULL, stats(self->fd).allocated);
	EXPECT_EQ(1ULL, stats(self->fd).expired);
}

TEST_F(queue, cancelled_one_never_fires)
{
	__u64 deadline = arm_and_end(self->fd, TWHEEL_OP_CANCEL, 0);
	__u64 expired = stats(self->fd).expired;

	ASSERT_NE(0ULL, deadline);
	EXPECT_TRUE(silent_until(self->fd, deadline));
	EXPECT_EQ(expired, stats(self->fd).expired);
	EXPECT_EQ(~0ULL, stats(self->fd).next);
}

/* Promise 3: what had been armed does not come; what took its place does. */
TEST_F(queue, moved_one_fires_at_the_new_time_only)
{
	struct twheel_record rec;
	__u64 id = arm(self->fd, mono() + HOUR, 1), later = mono() + 30 * MSEC;

	ASSERT_EQ(0, move(self->fd, id, later + HOUR));
	ASSERT_EQ(0, move(self->fd, id, later));
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_LE(later, mono());
	EXPECT_EQ(later, rec.deadline);
	EXPECT_EQ(id, rec.id);
	EXPECT_EQ(1ULL, stats(self->fd).expired);
}

/* B39, B89 */
TEST_F(queue, timer_moved_earlier_fires_earlier)
{
	struct twheel_record rec;
	__u64 id = arm(self->fd, mono() + HOUR, 1), sooner = mono() + 20 * MSEC, next;

	ASSERT_EQ(0, move(self->fd, id, sooner));
	next = stats(self->fd).next;
	if (mono() < sooner) {
		EXPECT_EQ(sooner, next);
	}
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_EQ(sooner, rec.deadline);
}

/* B89: only a far timer is there, then nearer ones come. */
TEST_F(queue, timers_armed_before_the_next_one_come_first)
{
	struct twheel_record rec[3];
	__u64 t = mono() + 30 * MSEC;

	ASSERT_NE(0ULL, arm(self->fd, t + HOUR, 0));
	ASSERT_NE(0ULL, arm(self->fd, t + 5 * MSEC, 2));
	ASSERT_NE(0ULL, arm(self->fd, t + 2 * MSEC, 1));
	ASSERT_NE(0ULL, arm(self->fd, t + 8 * MSEC, 3));
	ASSERT_EQ(3U, collect(self->fd, rec, 3));
	for (int i = 0; i < 3; i++) {
		EXPECT_LE(rec[i].deadline, mono());
		EXPECT_EQ(t + (2 + 3 * (rec[i].user_data - 1)) * MSEC, rec[i].deadline);
	}
	EXPECT_EQ(1ULL, stats(self->fd).pending);
}

/* B41: the first one moves away; nothing is lost, also not what comes next. */
TEST_F(queue, first_timer_moved_later_spares_the_others)
{
	struct twheel_record rec[3];
	__u64 t = mono() + 50 * MSEC, seen = 0;
	__u64 first = arm(self->fd, t, 1);
	long moved;

	ASSERT_NE(0ULL, arm(self->fd, t + 50 * MSEC, 2));
	moved = move(self->fd, first, t + 70 * MSEC);
	if (moved == -ENOENT && mono() > t)
		SKIP(return, "this machine is too slow today");
	ASSERT_EQ(0, moved);
	sleep_ns(60 * MSEC);
	ASSERT_NE(0ULL, arm(self->fd, t + 30 * MSEC, 4));
	ASSERT_EQ(3U, collect(self->fd, rec, 3));
	for (int i = 0; i < 3; i++)
		seen |= rec[i].user_data;
	EXPECT_EQ(7ULL, seen);
	EXPECT_GE(4ULL, stats(self->fd).interrupts);
}

TEST_F(queue, past_deadline_is_delivered_at_once)
{
	struct twheel_record rec;
	__u64 id = arm(self->fd, 1, 7);

	EXPECT_EQ(1ULL, stats(self->fd).unread);
	EXPECT_EQ(0ULL, stats(self->fd).pending);
	ASSERT_EQ(1, read_records(self->fd, &rec, 1));
	EXPECT_EQ(id, rec.id);
	EXPECT_EQ(1ULL, rec.deadline);
	EXPECT_NE(0U, rec.lateness);
}

/* B133: nothing that is told counts from now, so nothing can wrap. */
TEST_F(queue, overdue_timer_is_told_as_it_is_and_delivered)
{
	__u64 deadlines[] = { 1, mono() - 1, mono() }, cursor = 0;
	struct twheel_info infos[8];
	struct twheel_record rec;
	struct twheel_op op;

	ASSERT_NE(0ULL, arm(self->other.fd, 0, 9));	/* fills the ring */
	for (int i = 0; i < 3; i++) {
		op = op_query(arm(self->other.fd, deadlines[i], i));
		EXPECT_EQ(TWHEEL_BACKLOG, run_op(self->other.fd, &op));
		EXPECT_EQ(deadlines[i], op.deadline);
	}
	EXPECT_EQ(3ULL, stats(self->other.fd).backlog);
	EXPECT_EQ(~0ULL, stats(self->other.fd).next);
	while (cursor != TWHEEL_LIST_END) {
		long got = list(self->other.fd, &cursor, infos, 8);

		ASSERT_LE(0, got);
		for (long i = 0; i < got; i++) {
			EXPECT_EQ(deadlines[infos[i].user_data], infos[i].deadline);
			EXPECT_EQ((__u32)TWHEEL_BACKLOG, infos[i].state);
		}
	}
	ASSERT_EQ(1, next_record(self->other.fd, &rec));
	for (__u64 i = 0; i < 3; i++) {
		ASSERT_EQ(1, next_record(self->other.fd, &rec));
		EXPECT_EQ(i, rec.user_data);
		EXPECT_LE(rec.deadline + rec.lateness, mono());
	}
}

TEST_F(queue, deadline_0_is_a_past_deadline)
{
	struct twheel_record rec[2];

	ASSERT_NE(0ULL, arm(self->fd, 0, 7));
	ASSERT_NE(0ULL, arm_rel(self->fd, 0, 8));
	ASSERT_EQ(2U, collect(self->fd, rec, 2));
	EXPECT_EQ(0ULL, stats(self->fd).pending);
	EXPECT_FALSE(readable(self->fd, 0));
}

TEST_F(queue, lateness_saturates)
{
	struct twheel_record rec;
	struct queue q;

	if (now(CLOCK_REALTIME) < 10 * SEC)
		SKIP(return, "the clock says 1970");
	ASSERT_EQ(0, queue_open(&q, CLOCK_REALTIME, 8));
	ASSERT_NE(0ULL, arm(q.fd, 1, 1));
	ASSERT_EQ(1, next_record(q.fd, &rec));
	EXPECT_EQ(~0U, rec.lateness);
	EXPECT_EQ(1ULL, stats(q.fd).lateness[TWHEEL_LATENESS_BUCKETS - 1] +
			stats(q.fd).lateness[61]);
	queue_close(&q);
}

/* --- kept timers --------------------------------------------------------------- */

TEST_F(queue, kept_timer_lives_until_it_is_freed)
{
	struct twheel_record rec;
	__u64 id = arm_keep(self->fd, 1, 7);

	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_EQ(id, rec.id);
	EXPECT_EQ(TWHEEL_IDLE, state(self->fd, id));
	EXPECT_EQ(1, move(self->fd, id, mono() + MSEC));
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_EQ(id, rec.id);
	EXPECT_EQ(7ULL, rec.user_data);
	EXPECT_EQ(1, move(self->fd, id, TIME_MAX));
	EXPECT_EQ(0, move(self->fd, id, TIME_MAX - 1));
	EXPECT_EQ(0, cancel(self->fd, id));
	EXPECT_EQ(TWHEEL_IDLE, state(self->fd, id));
	EXPECT_EQ(0, release(self->fd, id));
	EXPECT_EQ(-ENOENT, state(self->fd, id));
	EXPECT_EQ(0ULL, stats(self->fd).allocated);
}

/* B44: the record of the first arming is still unread. */
TEST_F(queue, kept_timer_moved_with_its_record_unread_fires_twice)
{
	struct twheel_record rec[2];
	__u64 id = arm_keep(self->fd, 1, 7), second = mono() + 5 * MSEC;

	EXPECT_EQ(1, move(self->fd, id, second));
	ASSERT_EQ(2U, collect(self->fd, rec, 2));
	EXPECT_EQ(1ULL, rec[0].deadline);
	EXPECT_EQ(second, rec[1].deadline);
	EXPECT_EQ(2ULL, stats(self->fd).armed);
	EXPECT_EQ(2ULL, stats(self->fd).expired);
}

TEST_F(queue, freed_while_pending_never_fires)
{
	__u64 deadline = arm_and_end(self->fd, TWHEEL_OP_FREE, TWHEEL_OP_KEEP);
	__u64 cancelled = stats(self->fd).cancelled;

	ASSERT_NE(0ULL, deadline);
	EXPECT_TRUE(silent_until(self->fd, deadline));
	EXPECT_EQ(1ULL, cancelled);
}

TEST_F(queue, freed_with_its_record_unread_leaves_the_record)
{
	struct twheel_record rec;
	__u64 id = arm_keep(self->fd, 1, 7);

	EXPECT_EQ(0, release(self->fd, id));
	ASSERT_EQ(1, read_records(self->fd, &rec, 1));
	EXPECT_EQ(id, rec.id);
	EXPECT_EQ(7ULL, rec.user_data);
}

TEST_F(queue, query_of_an_idle_timer_tells_the_last_deadline)
{
	__u64 deadline = mono() + HOUR;
	__u64 id = arm_keep(self->fd, deadline, 7);
	struct twheel_op op = op_query(id);

	ASSERT_EQ(0, cancel(self->fd, id));
	EXPECT_EQ(TWHEEL_IDLE, run_op(self->fd, &op));
	EXPECT_EQ(deadline, op.deadline);
	EXPECT_EQ(7ULL, op.user_data);
}

/* --- batches ------------------------------------------------------------------------ */

TEST_F(queue, ops_of_a_batch_run_in_order)
{
	struct twheel_op ops[6];
	__u64 id = arm_keep(self->fd, TIME_MAX, 1);

	ops[0] = op_query(id);
	ops[1] = op_cancel(id);
	ops[2] = op_query(id);
	ops[3] = op_move(id, TIME_MAX - 1, 0);
	ops[4] = op_free(id);
	ops[5] = op_query(id);
	ASSERT_EQ(6, submit(self->fd, ops, 6));
	EXPECT_EQ(TWHEEL_PENDING, ops[0].result);
	EXPECT_EQ(0, ops[1].result);
	EXPECT_EQ(TWHEEL_IDLE, ops[2].result);
	EXPECT_EQ(1, ops[3].result);
	EXPECT_EQ(1, ops[4].result);
	EXPECT_EQ(-ENOENT, ops[5].result);
}

TEST_F(queue, each_op_of_a_mixed_batch_has_its_own_result)
{
	struct twheel_op ops[5] = {
		op_arm(TIME_MAX, 1), op_cancel(5), op_on(77, 0), op_arm(1ULL << 63, 2),
		op_arm(TIME_MAX, 3),
	};

	ASSERT_EQ(5, submit(self->fd, ops, 5));
	EXPECT_EQ(0, ops[0].result);
	EXPECT_EQ(-ENOENT, ops[1].result);
	EXPECT_EQ(-EINVAL, ops[2].result);
	EXPECT_EQ(-EOVERFLOW, ops[3].result);
	EXPECT_EQ(0, ops[4].result);
	EXPECT_EQ(2ULL, stats(self->fd).pending);
}

/* Other members than result, id and what QUERY tells stay as they were. */
TEST_F(queue, what_an_op_does_not_answer_is_not_written)
{
	struct twheel_op op = op_arm(TIME_MAX - 3, 4), copy = op;

	op.slack = 1000;
	copy.slack = 1000;
	ASSERT_EQ(0, run_op(self->fd, &op));
	copy.result = 0;
	copy.id = op.id;
	EXPECT_EQ(0, memcmp(&copy, &op, sizeof(op)));
	op = op_move(op.id, TIME_MAX - 7, HOUR);
	copy = op;
	ASSERT_EQ(0, run_op(self->fd, &op));
	copy.result = 0;
	EXPECT_EQ(0, memcmp(&copy, &op, sizeof(op)));
}

TEST_F(queue, query_tells_what_was_asked_for)
{
	__u64 deadline = mono() + HOUR;
	struct twheel_op op = op_arm(deadline, 99), query;

	op.period = 7 * SEC;
	op.slack = 4096;
	query = op_query(arm_op(self->fd, op));
	ASSERT_EQ(TWHEEL_PENDING, run_op(self->fd, &query));
	EXPECT_EQ(deadline, query.deadline);
	EXPECT_EQ(7 * SEC, query.period);
	EXPECT_EQ(4096ULL, query.slack);
	EXPECT_EQ(99ULL, query.user_data);
	EXPECT_EQ(0U, query.flags);
}

TEST_HARNESS_MAIN
