// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wall clock is set while timers run: by hours, to 1970 and 2038, hundreds of
 * times. clock_test looks at one step at a time. This is about queues that should not
 * notice the steps, and about queues that have very much to catch up with. Needs root.
 */
#include "common.h"

#include "kselftest_harness.h"

#include "common/clock_fixture.h"

/* --- those who do not notice -------------------------------------------------------- */

/* B27: two steps before its expiry, one after it. */
TEST_F(clock, boottime_timer_fires_once_at_its_time)
{
	const __s64 steps[] = { -(__s64)HOUR, 2 * HOUR };
	struct twheel_record rec;
	__u64 deadline, id;
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_BOOTTIME, 8));
	deadline = now(CLOCK_BOOTTIME) + 100 * MSEC;
	id = arm(q.fd, deadline, 1);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		struct twheel_op op = op_query(id);
		long ret;

		sleep_ns(20 * MSEC);
		ASSERT_EQ(0, step(steps[i]));
		ret = run_op(q.fd, &op);
		if (now(CLOCK_BOOTTIME) >= deadline)
			break;		/* too slow to look at it in time */
		ASSERT_EQ(TWHEEL_PENDING, ret);
		EXPECT_EQ(deadline, op.deadline);
	}
	ASSERT_EQ(1, next_record(q.fd, &rec));
	EXPECT_EQ(deadline, rec.deadline);
	EXPECT_LE(deadline, now(CLOCK_BOOTTIME));
	ASSERT_EQ(0, step(-(__s64)HOUR));
	EXPECT_FALSE(readable(q.fd, 20));
	EXPECT_EQ(1ULL, stats(q.fd).expired);
	EXPECT_EQ(0ULL, stats(q.fd).steps);
	queue_close(&q);
}

/* B28: a step does to one what a suspend would; the other counts seconds awake. */
TEST_F(clock, realtime_timer_fires_with_the_step_and_monotonic_one_stays)
{
	struct queue real, steady;
	struct twheel_record rec;
	struct twheel_op op;
	__u64 id, before, start;

	ASSERT_EQ(0, queue_open(&real, CLOCK_REALTIME, 8));
	ASSERT_EQ(0, queue_open(&steady, CLOCK_MONOTONIC, 8));
	before = mono();
	id = arm_rel(steady.fd, 60 * SEC, 1);
	ASSERT_NE(0ULL, arm(real.fd, now(CLOCK_REALTIME) + 60 * SEC, 2));
	EXPECT_TRUE(silent(real.fd, 20));
	start = mono();
	ASSERT_EQ(0, step(HOUR));
	ASSERT_EQ(1, next_timer(real.fd, &rec));
	EXPECT_GT(10 * SEC, mono() - start);
	EXPECT_LE(rec.deadline, now(CLOCK_REALTIME));
	EXPECT_TRUE(silent(real.fd, 20));
	op = op_query(id);
	EXPECT_EQ(TWHEEL_PENDING, run_op(steady.fd, &op));
	EXPECT_LE(before + 60 * SEC, op.deadline);
	EXPECT_GE(start + 60 * SEC, op.deadline);
	queue_close(&real);
	queue_close(&steady);
}

/* B33: back, forth, to 1970 and to the last second of 31 bits. */
TEST_F(clock, relative_timers_fire_at_their_relative_times)
{
	enum { N = 100 };
	struct twheel_record rec[N];
	__u64 due[N], last = 0;
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, N));
	for (int i = 0; i < N; i++) {
		__u64 delay = (10 + 2 * i) * MSEC;

		due[i] = mono() + delay;
		ASSERT_NE(0ULL, arm_rel(q.fd, delay, i));
	}
	sleep_ns(20 * MSEC);
	EXPECT_EQ(0, step(-(__s64)HOUR));
	sleep_ns(30 * MSEC);
	EXPECT_EQ(0, step(HOUR));
	sleep_ns(30 * MSEC);
	EXPECT_EQ(0, set_realtime(now(CLOCK_BOOTTIME) + SEC));	/* as early as can be */
	sleep_ns(30 * MSEC);
	EXPECT_EQ(0, set_realtime((1ULL << 31) * SEC));
	ASSERT_EQ(N, collect(q.fd, rec, N));
	for (int i = 0; i < N; i++) {
		EXPECT_LE(due[rec[i].user_data], rec[i].deadline);
		EXPECT_LE(rec[i].deadline, mono());
		EXPECT_LE(last, rec[i].deadline);
		last = rec[i].deadline;
	}
	EXPECT_EQ(0ULL, stats(q.fd).steps);
	queue_close(&q);
}

/* --- those who have to catch up ------------------------------------------------------ */

/* B103: as after a pause of two minutes; each has a million periods behind it. */
TEST_F(clock, very_many_of_the_shortest_period_catch_up_in_one_record)
{
	enum { N = 1000 };
	static struct twheel_op ops[N];
	static struct twheel_record rec[N];
	static __u64 next[N];
	__u64 first, period;
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_REALTIME, 2 * N));
	period = q.setup.min_period;
	first = now(CLOCK_REALTIME) + 20 * SEC;
	for (int i = 0; i < N; i++) {
		ops[i] = op_arm(first + i, i);
		ops[i].period = period;
		next[i] = first + i;
	}
	ASSERT_EQ(N, submit_all(&q, ops, N));
	ASSERT_EQ(0, step(140 * SEC));
	for (int taken = 0; taken < 2 * N; taken++) {
		__u64 i;

		ASSERT_EQ(1, next_timer(q.fd, &rec[0]));
		i = rec[0].user_data;
		ASSERT_EQ(next[i] + rec[0].missed * period, rec[0].deadline);
		if (next[i] == first + i) {
			ASSERT_LE(110 * SEC / period, rec[0].missed);
		}
		next[i] = rec[0].deadline + period;
	}
	for (int i = 0; i < N; i++) {
		ASSERT_LT(first + 110 * SEC, next[i]);
		ops[i] = op_cancel(ops[i].id);
	}
	ASSERT_EQ(N, submit_all(&q, ops, N));
	EXPECT_EQ(N, stats(q.fd).cancelled);
	EXPECT_EQ(0ULL, stats(q.fd).pending + stats(q.fd).backlog);
	queue_close(&q);
}

/* --- steps in parallel with everything ---------------------------------------------------- */

/* Threads that arm and cancel on a common queue, or on ever new ones of their own. */
struct armer {
	pthread_t thread;
	int fd;			/* -1: its own */
	atomic_bool stop;
	__u64 ends, steps, errors;
};

static void arm_and_cancel(struct armer *a, int fd)
{
	__u64 id = arm_rel(fd, MSEC, 1);
	struct twheel_record rec[16];
	long got;

	a->ends += id && !cancel(fd, id);
	got = read_records(fd, rec, 16);
	for (long i = 0; i < got; i++)
		a->steps += !rec[i].id;
}

static void *armer_run(void *data)
{
	struct armer *a = data;
	struct queue own;

	while (!atomic_load(&a->stop)) {
		if (a->fd >= 0) {
			arm_and_cancel(a, a->fd);
			continue;
		}
		a->errors += queue_open(&own, CLOCK_REALTIME, 8) != 0;
		fcntl(own.fd, F_SETFL, O_NONBLOCK);
		for (int i = 0; i < 10; i++)
			arm_and_cancel(a, own.fd);
		queue_close(&own);
	}
	return NULL;
}

/* B30: nothing is lost or doubled, nobody is told of more steps than there were. */
TEST_F(clock, steps_while_timers_and_queues_come_and_go)
{
	unsigned int n = rounds(500);
	struct armer armers[8] = { 0 };
	__u64 told = 0;
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_REALTIME, 64));
	ASSERT_EQ(0, fcntl(q.fd, F_SETFL, O_NONBLOCK));
	for (size_t i = 0; i < ARRAY_SIZE(armers); i++) {
		armers[i].fd = i % 2 ? q.fd : -1;
		ASSERT_EQ(0, pthread_create(&armers[i].thread, NULL, armer_run, &armers[i]));
	}
	for (unsigned int i = 0; i < n; i++) {
		ASSERT_EQ(0, step(i % 2 ? -(__s64)SEC : (__s64)SEC));
		sched_yield();
	}
	for (size_t i = 0; i < ARRAY_SIZE(armers); i++) {
		atomic_store(&armers[i].stop, true);
		pthread_join(armers[i].thread, NULL);
		EXPECT_LT(0ULL, armers[i].ends);
		EXPECT_EQ(0ULL, armers[i].errors);
		told += i % 2 ? armers[i].steps : 0;
	}
	EXPECT_LT(0ULL, told);
	EXPECT_GE(n, told);
	EXPECT_EQ(stats(q.fd).armed, stats(q.fd).pending + stats(q.fd).cancelled +
				     stats(q.fd).expired);
	queue_close(&q);
}

TEST_HARNESS_MAIN
