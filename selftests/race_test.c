// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every arming has exactly one end, also when a timer expires in the same moment in
 * which it is cancelled, moved or freed, and when several threads do that at once.
 *
 * Every test counts: timers armed must equal timers cancelled plus timers delivered,
 * id by id. The phases are random; the seed is printed.
 */
#include "common.h"

#include "kselftest_harness.h"

FIXTURE(race) {
	struct queue q;
	int fd;
	__u64 seed;
};

FIXTURE_SETUP(race)
{
	ASSERT_EQ(0, queue_open(&self->q, CLOCK_MONOTONIC, 1024));
	self->fd = self->q.fd;
	self->seed = random_seed();
}

FIXTURE_TEARDOWN(race)
{
	queue_close(&self->q);
}

/*
 * A thread that is given an id and does one op on it after a random while. It
 * spins: the point is to come as close to the expiry as possible.
 */
struct opponent {
	pthread_t thread;
	int fd;
	__u64 seed, spread;
	struct twheel_op op;
	atomic_int turn;	/* 0: idle, 1: op is there, 2: op has run, -1: end */
};

static void *opponent_run(void *data)
{
	struct opponent *o = data;

	for (;;) {
		int turn = atomic_load(&o->turn);

		if (turn < 0)
			return NULL;
		if (turn != 1) {
			sched_yield();
			continue;
		}
		spin_ns(random_below(&o->seed, o->spread));
		submit(o->fd, &o->op, 1);
		atomic_store(&o->turn, 2);
	}
}

static void opponent_start(struct opponent *o, int fd, __u64 seed, __u64 spread)
{
	memset(o, 0, sizeof(*o));
	o->fd = fd;
	o->seed = seed;
	o->spread = spread;
	pthread_create(&o->thread, NULL, opponent_run, o);
}

static void opponent_give(struct opponent *o, struct twheel_op op)
{
	o->op = op;
	atomic_store(&o->turn, 1);
}

static long opponent_result(struct opponent *o)
{
	while (atomic_load(&o->turn) != 2)
		sched_yield();
	atomic_store(&o->turn, 0);
	return o->op.result;
}

static void opponent_end(struct opponent *o)
{
	atomic_store(&o->turn, -1);
	pthread_join(o->thread, NULL);
}

/* B43 */
TEST_F(race, cancel_or_record_never_both_never_neither)
{
	unsigned int n = rounds(800), cancelled = 0, fired = 0;
	struct opponent o;

	opponent_start(&o, self->fd, self->seed, 500 * USEC);
	for (unsigned int i = 0; i < n; i++) {
		__u64 id = arm_rel(self->fd, 200 * USEC, i);
		struct twheel_record rec;
		long result;

		ASSERT_NE(0ULL, id);
		opponent_give(&o, op_cancel(id));
		result = opponent_result(&o);
		if (!result) {
			cancelled++;
			ASSERT_FALSE(readable(self->fd, 0));
			continue;
		}
		ASSERT_EQ(-ENOENT, result);
		ASSERT_EQ(1, next_record(self->fd, &rec));
		ASSERT_EQ(id, rec.id);
		ASSERT_EQ(i, rec.user_data);
		fired++;
	}
	opponent_end(&o);
	sleep_ns(2 * MSEC);
	EXPECT_FALSE(readable(self->fd, 0));
	EXPECT_EQ(n, cancelled + fired);
	EXPECT_EQ(cancelled, stats(self->fd).cancelled);
	EXPECT_EQ(fired, stats(self->fd).expired);
	EXPECT_EQ(0ULL, stats(self->fd).allocated);
}

/* Moved in time, or delivered; never both, never lost. */
TEST_F(race, move_or_record)
{
	unsigned int n = rounds(200), moved = 0;
	struct opponent o;

	opponent_start(&o, self->fd, self->seed, 500 * USEC);
	for (unsigned int i = 0; i < n; i++) {
		__u64 first = mono() + 200 * USEC, second = first + 700 * USEC;
		__u64 id = arm(self->fd, first, i);
		struct twheel_record rec;
		long result;

		opponent_give(&o, op_move(id, second, 0));
		result = opponent_result(&o);
		ASSERT_TRUE(result == 0 || result == -ENOENT);
		moved += !result;
		ASSERT_EQ(1, next_record(self->fd, &rec));
		ASSERT_EQ(id, rec.id);
		ASSERT_EQ(result ? first : second, rec.deadline);
		ASSERT_LE(rec.deadline, mono());
	}
	opponent_end(&o);
	EXPECT_FALSE(readable(self->fd, 2));
	EXPECT_EQ(moved, stats(self->fd).moved);
	EXPECT_EQ(n, stats(self->fd).expired);
}

/* B42: moved from close before its expiry to close after it. */
TEST_F(race, timer_moved_around_its_expiry_comes_at_its_new_time)
{
	__u64 id = arm_keep(self->fd, TIME_MAX, 1), fired = 0;
	unsigned int n = rounds(1000);

	for (unsigned int i = 0; i < n; i++) {
		__u64 first = mono() + 80 * USEC, second = first + 100 * USEC;
		struct twheel_record rec;
		long result;

		ASSERT_LE(0, move(self->fd, id, first));
		spin_until(first - 20 * USEC + random_below(&self->seed, 80 * USEC));
		result = move(self->fd, id, second);
		ASSERT_TRUE(result == 0 || result == 1);
		if (result) {
			ASSERT_EQ(1, next_record(self->fd, &rec));
			ASSERT_EQ(first, rec.deadline);
			fired++;
		}
		ASSERT_EQ(1, next_record(self->fd, &rec));
		ASSERT_EQ(second, rec.deadline);
		ASSERT_LE(second, mono());
	}
	EXPECT_EQ(n + fired, stats(self->fd).expired);
	TH_LOG("%llu of %u had fired", fired, n);
}

/* B46: a kept timer that is moved has one record more if it had fired before. */
TEST_F(race, move_of_a_kept_timer_tells_whether_it_had_fired)
{
	unsigned int n = rounds(200);
	__u64 id = arm_keep(self->fd, TIME_MAX, 1), records = 0;
	struct opponent o;

	opponent_start(&o, self->fd, self->seed, 500 * USEC);
	for (unsigned int i = 0; i < n; i++) {
		__u64 first = mono() + 200 * USEC, second = first + 700 * USEC;
		struct twheel_record rec;
		long result;

		ASSERT_LE(0, move(self->fd, id, first));
		opponent_give(&o, op_move(id, second, 0));
		result = opponent_result(&o);
		ASSERT_TRUE(result == 0 || result == 1);
		if (result == 1) {
			ASSERT_EQ(1, next_record(self->fd, &rec));
			ASSERT_EQ(first, rec.deadline);
		}
		ASSERT_EQ(1, next_record(self->fd, &rec));
		ASSERT_EQ(second, rec.deadline);
		records += 1 + result;
	}
	opponent_end(&o);
	EXPECT_EQ(records, stats(self->fd).expired);
	EXPECT_EQ(TWHEEL_IDLE, state(self->fd, id));
}

TEST_F(race, free_tells_whether_it_was_in_time)
{
	unsigned int n = rounds(200), in_time = 0, fired = 0;
	struct opponent o;

	opponent_start(&o, self->fd, self->seed, 500 * USEC);
	for (unsigned int i = 0; i < n; i++) {
		__u64 id = arm_keep(self->fd, mono() + 200 * USEC, i);
		struct twheel_record rec;
		long result;

		opponent_give(&o, op_free(id));
		result = opponent_result(&o);
		ASSERT_TRUE(result == 0 || result == 1);
		in_time += result;
		if (result)
			continue;
		ASSERT_EQ(1, next_record(self->fd, &rec));
		ASSERT_EQ(id, rec.id);
		fired++;
	}
	opponent_end(&o);
	EXPECT_FALSE(readable(self->fd, 2));
	EXPECT_EQ(n, in_time + fired);
	EXPECT_EQ(0ULL, stats(self->fd).allocated);
}

/* B47, promise 7: the first record is seen, and at once all others are cancelled. */
TEST_F(race, siblings_of_the_same_instant_are_cancelled_or_fire)
{
	enum { N = 1000 };
	static struct twheel_op ops[N];
	static struct twheel_record rec[N];
	static unsigned char ends[N];
	__u64 deadline = mono() + 60 * MSEC;
	unsigned int records;

	for (int i = 0; i < N; i++)
		ops[i] = op_arm(deadline, i);
	ASSERT_EQ(N, submit_all(&self->q, ops, N));
	ASSERT_EQ(1, next_record(self->fd, &rec[0]));
	ASSERT_LE(deadline, mono());
	for (int i = 0; i < N; i++)
		ops[i] = op_cancel(ops[i].id);
	ASSERT_EQ(N, submit_all(&self->q, ops, N));
	sleep_ns(5 * MSEC);
	records = 1;
	while (records < N && readable(self->fd, 0)) {
		long got = read_records(self->fd, rec + records, N - records);

		ASSERT_LT(0, got);
		records += got;
	}
	for (unsigned int i = 0; i < records; i++)
		ends[rec[i].user_data]++;
	for (int i = 0; i < N; i++) {
		ASSERT_TRUE(!ops[i].result || ops[i].result == -ENOENT);
		ASSERT_EQ(1, ends[i] + !ops[i].result);
	}
	EXPECT_EQ(N - records, stats(self->fd).cancelled);
	EXPECT_EQ(0ULL, stats(self->fd).allocated);
}

/* B48: not one record after the cancel has returned. */
TEST_F(race, periodic_timer_is_silent_after_its_cancel)
{
	__u64 period = self->q.setup.min_period > MSEC ? self->q.setup.min_period : MSEC;
	unsigned int n = rounds(150);
	struct opponent o;

	opponent_start(&o, self->fd, self->seed, 3 * period);
	for (unsigned int i = 0; i < n; i++) {
		struct twheel_record rec[8];
		__u64 id = arm_periodic(self->fd, mono() + period, period, i);

		opponent_give(&o, op_cancel(id));
		ASSERT_EQ(0, opponent_result(&o));
		while (readable(self->fd, 0)) {
			ASSERT_LT(0, read_records(self->fd, rec, 8));
		}
		if (i % 16 == 0)
			sleep_ns(2 * period);
		ASSERT_FALSE(readable(self->fd, 0));
		ASSERT_EQ(-ENOENT, state(self->fd, id));
	}
	opponent_end(&o);
	EXPECT_EQ(0ULL, stats(self->fd).pending);
	EXPECT_EQ(n, stats(self->fd).cancelled);
}

/* B49: it ticks, it is made one-shot, and two cancel it: one of them succeeds. */
TEST_F(race, of_two_cancels_one_succeeds)
{
	unsigned int n = rounds(150), won = 0;
	struct opponent a, b;

	opponent_start(&a, self->fd, self->seed, 100 * USEC);
	opponent_start(&b, self->fd, self->seed + 7, 100 * USEC);
	for (unsigned int i = 0; i < n; i++) {
		__u64 id = arm_periodic(self->fd, mono() + 30 * USEC, MSEC, i);
		struct twheel_record rec[64];
		long first, second, moved;

		opponent_give(&a, op_cancel(id));
		opponent_give(&b, op_cancel(id));
		moved = move(self->fd, id, TIME_MAX);
		ASSERT_TRUE(moved == 0 || moved == -ENOENT);
		first = opponent_result(&a);
		second = opponent_result(&b);
		ASSERT_EQ(-ENOENT, first + second);
		won += !first;
		while (readable(self->fd, 0)) {
			ASSERT_LT(0, read_records(self->fd, rec, 64));
		}
	}
	opponent_end(&a);
	opponent_end(&b);
	TH_LOG("of %u the first one won %u", n, won);
	EXPECT_EQ(n, stats(self->fd).cancelled);
	EXPECT_EQ(0ULL, stats(self->fd).allocated);
}

/* B104: the interval goes away and comes back while the timer runs. */
TEST_F(race, period_is_switched_off_and_on_while_it_fires)
{
	__u64 period = self->q.setup.min_period > MSEC ? self->q.setup.min_period : MSEC;
	struct twheel_op op = op_arm(mono() + period, 1);
	struct twheel_record rec[64];
	unsigned int n = rounds(400);
	struct opponent o;
	__u64 id;

	op.flags = TWHEEL_OP_KEEP;
	op.period = period;
	id = arm_op(self->fd, op);
	opponent_start(&o, self->fd, self->seed, 200 * USEC);
	for (unsigned int i = 0; i < n; i++) {
		opponent_give(&o, op_move(id, mono() + 100 * USEC, 0));
		op = op_move(id, mono() + 100 * USEC, period);
		ASSERT_LE(0, run_op(self->fd, &op));
		ASSERT_LE(0, opponent_result(&o));
		if (readable(self->fd, 0)) {
			ASSERT_LT(0, read_records(self->fd, rec, 64));
		}
	}
	opponent_end(&o);
	ASSERT_LE(0, move(self->fd, id, TIME_MAX));
	op = op_query(id);
	EXPECT_EQ(TWHEEL_PENDING, run_op(self->fd, &op));
	EXPECT_EQ(0ULL, op.period);
	EXPECT_EQ(TIME_MAX, op.deadline);
	EXPECT_EQ(1ULL, stats(self->fd).pending);
}

/* B92: cancelled just before it is due, again and again; then silence. */
TEST_F(race, timer_cancelled_just_in_time_leaves_no_interrupts)
{
	__u64 interrupts;

	for (unsigned int i = 0; i < rounds(200); i++) {
		__u64 id = arm_rel(self->fd, MSEC, i);

		spin_ns(900 * USEC);
		cancel(self->fd, id);
	}
	interrupts = stats(self->fd).interrupts;
	sleep_ns(50 * MSEC);
	EXPECT_GE(interrupts + 1, stats(self->fd).interrupts);
	EXPECT_EQ(0ULL, stats(self->fd).pending);
	EXPECT_EQ(~0ULL, stats(self->fd).next);
}

/* B53: ops on timers that are due right now, from two threads. */
TEST_F(race, ops_on_timers_that_are_due_now_never_hang)
{
	unsigned int n = rounds(400);
	struct twheel_record rec[64];
	struct opponent o;

	opponent_start(&o, self->fd, self->seed, 60 * USEC);
	for (unsigned int i = 0; i < n; i++) {
		struct twheel_op ops[3] = {
			op_arm_rel(50 * USEC, i), op_arm_rel(50 * USEC, i), op_arm_rel(0, i),
		};

		ASSERT_EQ(3, submit(self->fd, ops, 3));
		opponent_give(&o, op_cancel(ops[0].id));
		ops[0] = op_move(ops[0].id, mono(), 0);
		ops[1] = op_cancel(ops[1].id);
		ASSERT_EQ(2, submit(self->fd, ops, 2));
		opponent_result(&o);
		while (readable(self->fd, 0)) {
			ASSERT_LT(0, read_records(self->fd, rec, 64));
		}
	}
	opponent_end(&o);
	sleep_ns(2 * MSEC);
	EXPECT_EQ(0ULL, stats(self->fd).pending);
	EXPECT_EQ(3ULL * n, stats(self->fd).armed);
	EXPECT_EQ(3ULL * n, stats(self->fd).cancelled + stats(self->fd).expired);
}

/* Reads until it has been given the record that ends it. */
struct reader {
	pthread_t thread;
	int fd;
	unsigned char *seen;	/* by user_data, shared */
	unsigned int bad;
};

#define LAST	(~0ULL)

static void *reader_run(void *data)
{
	struct reader *r = data;
	struct twheel_record rec;

	for (;;) {
		if (read_records(r->fd, &rec, 1) != 1 || mono() < rec.deadline) {
			r->bad++;
			return NULL;
		}
		if (rec.user_data == LAST)
			return NULL;
		__atomic_fetch_add(&r->seen[rec.user_data], 1, __ATOMIC_RELAXED);
	}
}

/*
 * A ring so small that what one reader copies is often taken by another, and
 * written over, at the same moment: then the copy does not count.
 */
TEST_F(race, readers_of_a_small_ring_take_each_record_once)
{
	unsigned int n = rounds(4000) / 8 * 8 + 8;
	struct reader readers[3];
	struct queue q;
	unsigned char *seen = calloc(n, 1);

	ASSERT_NE(NULL, seen);
	ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 2));
	for (int i = 0; i < 3; i++) {
		readers[i] = (struct reader){ .fd = q.fd, .seen = seen };
		pthread_create(&readers[i].thread, NULL, reader_run, &readers[i]);
	}
	for (unsigned int i = 0; i < n; i += 8) {
		struct twheel_op ops[8];

		for (int k = 0; k < 8; k++)
			ops[k] = op_arm_rel(k * 10 * USEC, i + k);
		ASSERT_EQ(8, submit(q.fd, ops, 8));
	}
	while (stats(q.fd).allocated)
		sleep_ns(MSEC);
	for (int i = 0; i < 3; i++) {
		ASSERT_NE(0ULL, arm_rel(q.fd, 0, LAST));
	}
	for (int i = 0; i < 3; i++) {
		pthread_join(readers[i].thread, NULL);
		EXPECT_EQ(0U, readers[i].bad);
	}
	for (unsigned int i = 0; i < n; i++) {
		ASSERT_EQ(1, seen[i]);
	}
	free(seen);
	queue_close(&q);
}

TEST_HARNESS_MAIN
