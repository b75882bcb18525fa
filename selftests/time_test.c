// SPDX-License-Identifier: GPL-2.0-only
/*
 * When timers expire, and their ids: relative deadlines, slack, ids and limits, and
 * the four clocks.
 */
#include "common.h"

#include "kselftest_harness.h"

#define ENTRIES		64
#include "common/queue_fixture.h"

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

/* B90: measured from the call, however long the wheel slept. */
TEST_F(queue, relative_timers_of_a_queue_that_slept_are_not_early)
{
	const __u64 delays[] = { 1, 50 * USEC, 5 * MSEC };

	for (size_t i = 0; i < 3 * ARRAY_SIZE(delays); i++) {
		__u64 delay = delays[i % ARRAY_SIZE(delays)], called;
		struct twheel_record rec;

		sleep_ns(10 * MSEC);
		called = mono();
		ASSERT_NE(0ULL, arm_rel(self->fd, delay, i));
		ASSERT_EQ(1, next_record(self->fd, &rec));
		ASSERT_LE(called + delay, mono());
		ASSERT_LE(called + delay, rec.deadline);
	}
}

/* B22: many of them, each called at another phase. */
TEST_F(queue, relative_timers_are_never_early)
{
	const __u64 delays[] = { USEC, 50 * USEC, MSEC, 2 * MSEC };
	enum { N = 5000, BURST = 50 };
	static __u64 due[N];
	__u64 seed = random_seed();
	unsigned int n = rounds(N), taken = 0;
	struct twheel_record rec[BURST];

	ASSERT_EQ(0, n % BURST);
	ASSERT_GE(N, n);
	for (unsigned int i = 0; i < n; i++) {
		__u64 delay = delays[i % ARRAY_SIZE(delays)] + random_below(&seed, 1000);

		due[i] = mono() + delay;
		ASSERT_NE(0ULL, arm_rel(self->fd, delay, i));
		if ((i + 1) % BURST)
			continue;
		ASSERT_EQ(BURST, collect(self->fd, rec, BURST));
		for (int k = 0; k < BURST; k++, taken++) {
			ASSERT_LE(due[rec[k].user_data], rec[k].deadline);
			ASSERT_LE(rec[k].deadline + rec[k].lateness, mono());
		}
	}
	EXPECT_EQ(n, taken);
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

/* B98: deadlines at the edges of the grain and 1 ns beside them. */
TEST_F(queue, edges_of_a_grain_cost_one_interrupt_each)
{
	const __u64 slacks[] = { USEC, 100 * USEC, 999999, MSEC, 4 * MSEC };
	enum { EDGES = 8 };

	for (size_t i = 0; i < ARRAY_SIZE(slacks); i++) {
		__u64 grain = rounded(1, slacks[i]), base = rounded(mono() + 20 * MSEC, grain);
		__u64 before = stats(self->fd).interrupts;
		struct twheel_record rec[3 * EDGES];

		for (int k = 0; k < 3 * EDGES; k++) {
			struct twheel_op op = op_arm(base + k / 3 * grain + k % 3 - 1, k);

			op.slack = slacks[i];
			ASSERT_NE(0ULL, arm_op(self->fd, op));
		}
		ASSERT_EQ(3U * EDGES, collect(self->fd, rec, 3 * EDGES));
		for (int k = 0; k < 3 * EDGES; k++) {
			ASSERT_LE(rounded(rec[k].deadline, slacks[i]), mono());
		}
		/* EDGES of them, and what is 1 ns behind the last. */
		EXPECT_GE(before + EDGES + 1, stats(self->fd).interrupts);
		EXPECT_EQ(~0ULL, stats(self->fd).next);
	}
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
