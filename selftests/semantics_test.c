// SPDX-License-Identifier: GPL-2.0-only
/*
 * What ops mean: arm, cancel, move, query and free in every state of a timer,
 * kept timers, relative deadlines, slack, ids, limits, and what STATS, LIST and
 * fdinfo tell about them. One thread; what happens when things meet is in
 * race_test.c.
 */
#include "common.h"

#include <strings.h>

#include "kselftest_harness.h"

FIXTURE(queue) {
	struct queue q, other;
	int fd;
};

FIXTURE_SETUP(queue)
{
	ASSERT_EQ(0, queue_open(&self->q, CLOCK_MONOTONIC, 64));
	ASSERT_EQ(0, queue_open(&self->other, CLOCK_MONOTONIC, 1));
	self->fd = self->q.fd;
}

FIXTURE_TEARDOWN(queue)
{
	queue_close(&self->q);
	queue_close(&self->other);
}

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

/* --- relative deadlines --------------------------------------------------------- */

TEST_F(queue, relative_deadlines_of_a_batch_share_one_reading)
{
	enum { N = 32 };
	struct twheel_op ops[N], queries[N];
	__u64 before, after;

	for (int i = 0; i < N; i++)
		ops[i] = op_arm_rel(HOUR, i);
	before = mono();
	ASSERT_EQ(N, submit(self->fd, ops, N));
	after = mono();
	for (int i = 0; i < N; i++)
		queries[i] = op_query(ops[i].id);
	ASSERT_EQ(N, submit(self->fd, queries, N));
	for (int i = 0; i < N; i++) {
		ASSERT_EQ(queries[0].deadline, queries[i].deadline);
	}
	EXPECT_LE(before + HOUR, queries[0].deadline);
	EXPECT_GE(after + HOUR, queries[0].deadline);
}

TEST_F(queue, relative_move_counts_from_the_same_reading)
{
	struct twheel_op ops[2], query;
	__u64 id = arm(self->fd, TIME_MAX, 1);

	ops[0] = op_arm_rel(HOUR, 1);
	ops[1] = op_move(id, HOUR, 0);
	ops[1].flags = TWHEEL_OP_REL;
	ASSERT_EQ(2, submit(self->fd, ops, 2));
	ASSERT_EQ(0, ops[1].result);
	query = op_query(ops[0].id);
	ASSERT_EQ(TWHEEL_PENDING, run_op(self->fd, &query));
	ops[1] = op_query(id);
	ASSERT_EQ(TWHEEL_PENDING, run_op(self->fd, &ops[1]));
	EXPECT_EQ(query.deadline, ops[1].deadline);
}

/* B22, B90: measured from the call, at any phase, however long the wheel slept. */
TEST_F(queue, relative_timers_are_never_early)
{
	const __u64 delays[] = { 1, 1000, 50 * USEC, MSEC, 3 * MSEC };
	__u64 seed = random_seed();

	sleep_ns(100 * MSEC);
	for (unsigned int i = 0; i < rounds(200); i++) {
		__u64 delay = delays[i % ARRAY_SIZE(delays)] + random_below(&seed, 1000);
		struct twheel_record rec;
		__u64 called = mono();

		ASSERT_NE(0ULL, arm_rel(self->fd, delay, i));
		ASSERT_EQ(1, next_record(self->fd, &rec));
		ASSERT_LE(called + delay, mono());
		ASSERT_LE(called + delay, rec.deadline);
	}
}

/* --- slack ----------------------------------------------------------------------- */

static __u64 rounded(__u64 deadline, __u64 slack)
{
	__u64 unit = 1;

	while (unit <= slack / 2)
		unit *= 2;
	return (deadline + unit - 1) & ~(unit - 1);
}

TEST_F(queue, slack_rounds_the_deadline_up_to_a_power_of_two)
{
	const __u64 slacks[] = { 1, 2, 3, 4, 1000, 1024, MSEC, SEC, 3 * SEC };

	for (size_t i = 0; i < ARRAY_SIZE(slacks); i++) {
		__u64 deadline = mono() + HOUR + i * 12345;
		struct twheel_op op = op_arm(deadline, 1);
		__u64 next;

		op.slack = slacks[i];
		op.id = arm_op(self->fd, op);
		next = stats(self->fd).next;
		EXPECT_EQ(rounded(deadline, slacks[i]), next) {
			TH_LOG("slack %llu", slacks[i]);
		}
		EXPECT_LE(deadline, next);
		EXPECT_GE(deadline + slacks[i], next);
		ASSERT_EQ(0, cancel(self->fd, op.id));
	}
}

TEST_F(queue, slack_0_takes_the_default_of_the_queue)
{
	__u64 deadline = mono() + HOUR;
	struct twheel_op op = op_arm(deadline, 1);
	struct queue q;

	q.setup = setup_of(CLOCK_MONOTONIC, 8);
	q.setup.slack = MSEC;
	ASSERT_EQ(0, queue_open_with(&q));
	ASSERT_NE(0ULL, arm_op(q.fd, op));
	EXPECT_EQ(rounded(deadline, MSEC), stats(q.fd).next);
	op.slack = 1;
	op.deadline = deadline - MSEC;
	ASSERT_NE(0ULL, arm_op(q.fd, op));
	EXPECT_EQ(deadline - MSEC, stats(q.fd).next);
	queue_close(&q);
}

TEST_F(queue, move_with_slack_0_keeps_the_slack)
{
	__u64 deadline = mono() + HOUR;
	struct twheel_op op = op_arm(deadline, 1);

	op.slack = SEC;
	op = op_move(arm_op(self->fd, op), deadline + 12345678901ULL, 0);
	EXPECT_EQ(0, run_op(self->fd, &op));
	EXPECT_EQ(rounded(op.deadline, SEC), stats(self->fd).next);
	op.slack = 1;
	EXPECT_EQ(0, run_op(self->fd, &op));
	EXPECT_EQ(op.deadline, stats(self->fd).next);
}

TEST_F(queue, slack_never_makes_a_timer_early)
{
	__u64 deadline = mono() + 10 * MSEC, due = rounded(deadline, 20 * MSEC);
	struct twheel_op op = op_arm(deadline, 1);
	struct twheel_record rec;

	op.slack = 20 * MSEC;
	ASSERT_NE(0ULL, arm_op(self->fd, op));
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_EQ(deadline, rec.deadline);
	EXPECT_LE(due, mono());
	EXPECT_LE(due - deadline, rec.lateness);
}

/* Promise 6: one interrupt for all timers whose expires is the same. */
TEST_F(queue, slack_lets_timers_share_an_interrupt)
{
	__u64 base = rounded(mono() + 80 * MSEC, 1 << 24);
	struct twheel_record rec[16];

	for (int i = 0; i < 16; i++) {
		struct twheel_op op = op_arm(base - i * 1000, i);

		op.slack = 1 << 24;
		ASSERT_NE(0ULL, arm_op(self->fd, op));
	}
	EXPECT_EQ(base, stats(self->fd).next);
	ASSERT_EQ(16U, collect(self->fd, rec, 16));
	EXPECT_EQ(1ULL, stats(self->fd).interrupts);
}

TEST_F(queue, slack_at_the_end_of_time_does_not_overflow)
{
	struct twheel_op op = op_arm(TIME_MAX, 1);

	op.slack = ~0ULL;
	ASSERT_NE(0ULL, arm_op(self->fd, op));
	op.deadline = TIME_MAX - SEC;
	op.slack = 1ULL << 62;
	ASSERT_NE(0ULL, arm_op(self->fd, op));
	sleep_ns(2 * MSEC);
	EXPECT_EQ(2ULL, stats(self->fd).pending);
	EXPECT_LE(TIME_MAX - SEC, stats(self->fd).next);
}

/* --- ids and limits --------------------------------------------------------------- */

static int compare_ids(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

TEST_F(queue, ids_are_unique_and_never_0)
{
	enum { N = 2000 };
	static struct twheel_op ops[N];
	static __u64 ids[N];

	for (int i = 0; i < N; i++)
		ops[i] = op_arm(TIME_MAX - i, i);
	ASSERT_EQ(N, submit_all(&self->q, ops, N));
	for (int i = 0; i < N; i++) {
		ASSERT_EQ(0, ops[i].result);
		ids[i] = ops[i].id;
	}
	qsort(ids, N, sizeof(ids[0]), compare_ids);
	EXPECT_NE(0ULL, ids[0]);
	for (int i = 1; i < N; i++) {
		ASSERT_NE(ids[i - 1], ids[i]);
	}
}

TEST_F(queue, reused_index_gets_another_generation)
{
	struct queue q;
	__u64 last = 0;

	q.setup = setup_of(CLOCK_MONOTONIC, 8);
	q.setup.max_timers = 1;
	ASSERT_EQ(0, queue_open_with(&q));
	for (int i = 0; i < 100; i++) {
		__u64 id = arm(q.fd, TIME_MAX, i);

		ASSERT_NE(0ULL, id);
		ASSERT_NE(last, id);
		if (last) {
			ASSERT_EQ((__u32)last, (__u32)id);
			ASSERT_EQ(-ENOENT, cancel(q.fd, last));
		}
		ASSERT_EQ(0, cancel(q.fd, id));
		last = id;
	}
	queue_close(&q);
}

TEST_F(queue, max_timers_is_enospc_until_one_is_gone)
{
	struct twheel_op ops[5];
	struct queue q;

	q.setup = setup_of(CLOCK_MONOTONIC, 8);
	q.setup.max_timers = 4;
	ASSERT_EQ(0, queue_open_with(&q));
	for (int i = 0; i < 5; i++)
		ops[i] = op_arm(TIME_MAX, i);
	ASSERT_EQ(5, submit(q.fd, ops, 5));
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(0, ops[i].result);
	}
	EXPECT_EQ(-ENOSPC, ops[4].result);
	EXPECT_EQ(4ULL, stats(q.fd).allocated);
	ops[0] = op_cancel(ops[1].id);
	ops[1] = op_arm(TIME_MAX, 1);
	ASSERT_EQ(2, submit(q.fd, ops, 2));
	EXPECT_EQ(0, ops[0].result);
	EXPECT_EQ(0, ops[1].result);
	queue_close(&q);
}

TEST_F(queue, fired_and_idle_timers_count_until_they_are_gone)
{
	struct twheel_op op = op_arm(TIME_MAX, 1);
	struct queue q;
	__u64 kept;

	q.setup = setup_of(CLOCK_MONOTONIC, 8);
	q.setup.max_timers = 1;
	ASSERT_EQ(0, queue_open_with(&q));
	ASSERT_NE(0ULL, arm(q.fd, 1, 1));
	kept = arm_keep(q.fd, 1, 2);
	ASSERT_NE(0ULL, kept);
	EXPECT_EQ(-ENOSPC, run_op(q.fd, &op));
	EXPECT_EQ(0, release(q.fd, kept));
	op = op_arm(TIME_MAX, 1);
	EXPECT_EQ(0, run_op(q.fd, &op));
	queue_close(&q);
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

/* --- LIST ------------------------------------------------------------------------------ */

/* Count each user_data below n in a full listing by pages; how many were others. */
static long list_all(int fd, __u32 page, unsigned char *seen, __u64 n, void (*between)(void *),
		     void *data)
{
	struct twheel_info *infos = calloc(page, sizeof(*infos));
	__u64 cursor = 0;
	long others = 0;

	while (cursor != TWHEEL_LIST_END) {
		long got = list(fd, &cursor, infos, page);

		if (got < 0 || got > (long)page) {
			others = got < 0 ? got : -EPROTO;
			break;
		}
		for (long i = 0; i < got; i++) {
			if (infos[i].user_data < n)
				seen[infos[i].user_data]++;
			else
				others++;
		}
		if (between)
			between(data);
	}
	free(infos);
	return others;
}

TEST_F(queue, list_of_nothing_is_empty)
{
	struct twheel_info info;
	__u64 cursor = 0;
	long got;

	do {
		got = list(self->fd, &cursor, &info, 1);
		ASSERT_EQ(0, got);
	} while (cursor != TWHEEL_LIST_END);
}

TEST_F(queue, list_has_each_timer_once_in_pages_of_any_size)
{
	enum { N = 100 };
	const __u32 pages[] = { 1, 7, 64, 100, 101 };
	unsigned char seen[N];

	for (int i = 0; i < N; i++) {
		ASSERT_NE(0ULL, arm(self->fd, TIME_MAX - i, i));
	}
	for (size_t p = 0; p < ARRAY_SIZE(pages); p++) {
		memset(seen, 0, sizeof(seen));
		EXPECT_EQ(0, list_all(self->fd, pages[p], seen, N, NULL, NULL));
		for (int i = 0; i < N; i++) {
			ASSERT_EQ(1, seen[i]);
		}
	}
}

TEST_F(queue, list_tells_state_and_members)
{
	struct twheel_info infos[4];
	__u64 cursor = 0, t = mono() + HOUR;
	struct twheel_op op = op_arm(t, 1);
	__u64 kept = arm_keep(self->fd, t + 5, 2);

	op.period = SEC;
	op.slack = 1000;
	op.id = arm_op(self->fd, op);
	ASSERT_EQ(0, cancel(self->fd, kept));
	ASSERT_EQ(2, list(self->fd, &cursor, infos, 4));
	if (infos[0].id == kept) {
		infos[2] = infos[0];
		infos[0] = infos[1];
		infos[1] = infos[2];
	}
	EXPECT_EQ(op.id, infos[0].id);
	EXPECT_EQ(t, infos[0].deadline);
	EXPECT_EQ(SEC, infos[0].period);
	EXPECT_EQ(512ULL, infos[0].slack);
	EXPECT_EQ((__u32)TWHEEL_PENDING, infos[0].state);
	EXPECT_EQ(0U, infos[0].flags);
	EXPECT_EQ(kept, infos[1].id);
	EXPECT_EQ(t + 5, infos[1].deadline);
	EXPECT_EQ((__u32)TWHEEL_IDLE, infos[1].state);
	EXPECT_EQ(TWHEEL_INFO_KEEP, infos[1].flags);
}

TEST_F(queue, list_has_the_backlog)
{
	struct twheel_info info;
	__u64 cursor = 0, id;
	long got;

	ASSERT_NE(0ULL, arm(self->other.fd, 1, 1));
	id = arm(self->other.fd, 2, 2);
	do {
		got = list(self->other.fd, &cursor, &info, 1);
	} while (!got && cursor != TWHEEL_LIST_END);
	ASSERT_EQ(1, got);
	EXPECT_EQ(id, info.id);
	EXPECT_EQ((__u32)TWHEEL_BACKLOG, info.state);
	EXPECT_EQ(2ULL, info.deadline);
}

/* Between two pages, some timers go, some come, some move. */
struct churn {
	int fd;
	__u64 *ids;
	int next, end;
};

static void churn(void *data)
{
	struct churn *c = data;

	if (c->next >= c->end)
		return;
	cancel(c->fd, c->ids[c->next]);
	move(c->fd, c->ids[c->next + 1], TIME_MAX / 2 + c->next);
	arm(c->fd, TIME_MAX, ~0ULL);
	c->next += 2;
}

TEST_F(queue, list_has_what_exists_throughout_once)
{
	enum { N = 200 };
	unsigned char seen[N] = { 0 };
	__u64 ids[N];
	struct churn c = { self->fd, ids, 0, N };

	for (int i = 0; i < N; i++) {
		ids[i] = arm(self->fd, TIME_MAX - i, i);
		ASSERT_NE(0ULL, ids[i]);
	}
	EXPECT_LE(0, list_all(self->fd, 3, seen, N, churn, &c));
	for (int i = 0; i < N; i++) {
		bool cancelled = i % 2 == 0 && i < c.next;

		ASSERT_TRUE(cancelled ? seen[i] <= 1 : seen[i] == 1) {
			TH_LOG("timer %d was listed %d times", i, seen[i]);
		}
	}
}

/* --- STATS and fdinfo ------------------------------------------------------------------ */

TEST_F(queue, counters_add_up)
{
	struct twheel_record rec[16];
	__u64 ids[40], levels = 0, late = 0;
	struct twheel_stats s;

	for (int i = 0; i < 40; i++)
		ids[i] = arm(self->fd, i < 10 ? 1 : mono() + HOUR, i);
	for (int i = 10; i < 17; i++) {
		ASSERT_EQ(0, cancel(self->fd, ids[i]));
	}
	for (int i = 17; i < 22; i++) {
		ASSERT_EQ(0, move(self->fd, ids[i], mono() + 2 * HOUR));
	}
	ASSERT_EQ(4, read_records(self->fd, rec, 4));
	s = stats(self->fd);
	EXPECT_EQ(40ULL, s.armed);
	EXPECT_EQ(7ULL, s.cancelled);
	EXPECT_EQ(5ULL, s.moved);
	EXPECT_EQ(10ULL, s.expired);
	EXPECT_EQ(23ULL, s.pending);
	EXPECT_EQ(23ULL, s.allocated);
	EXPECT_EQ(6ULL, s.unread);
	EXPECT_EQ(s.armed, s.cancelled + s.expired + s.pending + s.backlog);
	for (int i = 0; i < TWHEEL_LEVELS; i++)
		levels += s.level[i];
	EXPECT_EQ(s.pending, levels);
	for (int i = 0; i < TWHEEL_LATENESS_BUCKETS; i++)
		late += s.lateness[i];
	EXPECT_EQ(s.expired, late);
}

/* Promise 6, B91: an empty queue has no event ahead, and no interrupt. */
TEST_F(queue, empty_queue_does_not_tick)
{
	__u64 deadline = arm_and_end(self->fd, TWHEEL_OP_CANCEL, 0), interrupts;

	ASSERT_NE(0ULL, deadline);
	EXPECT_TRUE(silent_until(self->fd, deadline));
	interrupts = stats(self->fd).interrupts;
	sleep_ns(60 * MSEC);
	EXPECT_EQ(interrupts, stats(self->fd).interrupts);
	EXPECT_EQ(~0ULL, stats(self->fd).next);
}

/* B13: far away is no reason to wake up in between. */
TEST_F(queue, lone_timer_costs_one_interrupt)
{
	struct twheel_record rec;

	ASSERT_NE(0ULL, arm_rel(self->fd, 150 * MSEC, 1));
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_EQ(1ULL, stats(self->fd).interrupts);
}

TEST_F(queue, memory_is_counted)
{
	static struct twheel_op ops[4096];
	__u64 before = stats(self->fd).memory;

	for (int i = 0; i < 4096; i++)
		ops[i] = op_arm(TIME_MAX, i);
	ASSERT_EQ(4096, submit_all(&self->q, ops, 4096));
	EXPECT_LE(before + 4096 * 40, stats(self->fd).memory);
	EXPECT_GE(before + 2 * 4096 * 72, stats(self->fd).memory);
}

TEST_F(queue, fdinfo_tells_of_the_queue)
{
	char path[64], text[8192];

	ASSERT_NE(0ULL, arm(self->fd, TIME_MAX, 1));
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", self->fd);
	ASSERT_LT(0, file_get(path, text, sizeof(text)));
	EXPECT_NE(NULL, strcasestr(text, "pending")) {
		TH_LOG("%s", text);
	}
	EXPECT_NE(NULL, strcasestr(text, "clock"));
}

TEST(fdinfo_before_setup_is_harmless)
{
	char path[64], text[4096];
	int fd = device_open();

	ASSERT_LE(0, fd);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	EXPECT_LT(0, file_get(path, text, sizeof(text)));
	close(fd);
}

/* --- clocks ----------------------------------------------------------------------------- */

FIXTURE(clock) {
	struct queue q;
	int fd;
};

FIXTURE_VARIANT(clock) {
	clockid_t clock;
};

FIXTURE_VARIANT_ADD(clock, monotonic) { .clock = CLOCK_MONOTONIC };
FIXTURE_VARIANT_ADD(clock, boottime) { .clock = CLOCK_BOOTTIME };
FIXTURE_VARIANT_ADD(clock, realtime) { .clock = CLOCK_REALTIME };
FIXTURE_VARIANT_ADD(clock, tai) { .clock = CLOCK_TAI };

FIXTURE_SETUP(clock)
{
	ASSERT_EQ(0, queue_open(&self->q, variant->clock, 8));
	self->fd = self->q.fd;
}

FIXTURE_TEARDOWN(clock)
{
	queue_close(&self->q);
}

TEST_F(clock, absolute_timer_is_never_early)
{
	struct twheel_record rec;

	for (int i = 0; i < 10; i++) {
		__u64 deadline = now(variant->clock) + 3 * MSEC + i;

		ASSERT_NE(0ULL, arm(self->fd, deadline, i));
		ASSERT_EQ(1, next_record(self->fd, &rec));
		EXPECT_LE(deadline, now(variant->clock));
		EXPECT_EQ(deadline, rec.deadline);
	}
}

TEST_F(clock, relative_timer_is_never_early)
{
	__u64 before = now(variant->clock);
	struct twheel_record rec;

	ASSERT_NE(0ULL, arm_rel(self->fd, 5 * MSEC, 1));
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_LE(before + 5 * MSEC, rec.deadline);
	EXPECT_LE(rec.deadline, now(variant->clock));
}

TEST_F(clock, stats_tell_its_time)
{
	__u64 before = now(variant->clock), told = stats(self->fd).now;

	EXPECT_LE(before, told);
	EXPECT_GE(now(variant->clock), told);
}

/* Two queues share nothing, not even when their ids look alike. */
TEST_F(queue, queues_do_not_see_each_other)
{
	__u64 mine = arm(self->fd, TIME_MAX, 1), theirs = arm(self->other.fd, TIME_MAX, 2);

	EXPECT_EQ(0, cancel(self->fd, mine));
	EXPECT_EQ(TWHEEL_PENDING, state(self->other.fd, theirs));
	EXPECT_EQ(1ULL, stats(self->other.fd).pending);
	EXPECT_EQ(0ULL, stats(self->fd).pending);
}

TEST_HARNESS_MAIN
