// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clocks that are set, and clocks of a time namespace. Needs root. Sets the clock
 * of the machine, and puts it back as far as it can.
 */
#include "common.h"

#include <sched.h>
#include <sys/timex.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

#include "common/clock_fixture.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

#define TOLERANCE	(2 * SEC)	/* between reading a clock and setting it */

static long set_tai_offset(int seconds)
{
	struct timex tx = { .modes = ADJ_TAI, .constant = seconds };

	return result_of(adjtimex(&tx)) < 0 ? -errno : 0;
}

/* --- steps of the wall clock ------------------------------------------------------ */

/* B93: whatever has been stepped over comes. */
TEST_F(clock, forward_step_fires_what_is_due_and_nothing_else)
{
	struct twheel_record rec;
	struct queue q;
	__u64 t;

	ASSERT_EQ(0, queue_open(&q, CLOCK_REALTIME, 64));
	t = now(CLOCK_REALTIME);
	for (int i = 1; i <= 10; i++) {
		ASSERT_NE(0ULL, arm(q.fd, t + i * HOUR, i));
	}
	ASSERT_EQ(0, step(5 * HOUR + HOUR / 2));
	for (int i = 1; i <= 5; i++) {
		ASSERT_EQ(1, next_timer(q.fd, &rec));
		EXPECT_EQ(i, rec.user_data);
		EXPECT_LE(rec.deadline, now(CLOCK_REALTIME));
	}
	EXPECT_TRUE(silent(q.fd, 30));
	EXPECT_EQ(5ULL, stats(q.fd).pending);
	queue_close(&q);
}

/* B35: after a backward step the deadline is further away. */
TEST_F(clock, backward_step_makes_no_timer_early)
{
	struct twheel_record rec;
	struct queue q;
	__u64 deadline;

	ASSERT_EQ(0, queue_open(&q, CLOCK_REALTIME, 64));
	deadline = now(CLOCK_REALTIME) + 150 * MSEC;
	ASSERT_NE(0ULL, arm(q.fd, deadline, 1));
	sleep_ns(20 * MSEC);
	ASSERT_EQ(0, step(-(__s64)(159 * MSEC)));
	ASSERT_EQ(1, next_timer(q.fd, &rec));
	EXPECT_LE(deadline, now(CLOCK_REALTIME));
	EXPECT_EQ(deadline, rec.deadline);
	queue_close(&q);
}

/* The wheel must live with a "now" that has gone back, also for new timers. */
TEST_F(clock, timers_armed_after_a_backward_step_come_in_order)
{
	struct twheel_record rec;
	struct queue q;
	__u64 t;

	ASSERT_EQ(0, queue_open(&q, CLOCK_REALTIME, 64));
	t = now(CLOCK_REALTIME);
	ASSERT_NE(0ULL, arm(q.fd, t + 5 * MSEC, 0));
	ASSERT_EQ(1, next_timer(q.fd, &rec));
	ASSERT_NE(0ULL, arm(q.fd, t + HOUR, 9));
	ASSERT_EQ(0, step(-(__s64)(2 * HOUR)));
	t = now(CLOCK_REALTIME);
	ASSERT_NE(0ULL, arm(q.fd, t + 40 * MSEC, 2));
	ASSERT_NE(0ULL, arm(q.fd, t + 20 * MSEC, 1));
	ASSERT_NE(0ULL, arm(q.fd, t + 60 * MSEC, 3));
	for (int i = 1; i <= 3; i++) {
		ASSERT_EQ(1, next_timer(q.fd, &rec));
		EXPECT_EQ(i, rec.user_data);
		EXPECT_LE(rec.deadline, now(CLOCK_REALTIME));
	}
	EXPECT_TRUE(silent(q.fd, 20));
	ASSERT_EQ(0, step(4 * HOUR));
	ASSERT_EQ(1, next_timer(q.fd, &rec));
	EXPECT_EQ(9ULL, rec.user_data);
	queue_close(&q);
}

/*
 * The step comes before the deadline, so there is only one time at which the timer
 * may fire. Rounds in which this machine was too slow for that do not count.
 */
TEST_F(clock, many_steps_never_make_a_timer_early)
{
	struct twheel_record rec;
	struct queue q;
	__u64 seed = random_seed();
	unsigned int counted = 0;

	ASSERT_EQ(0, queue_open(&q, CLOCK_REALTIME, 256));
	for (unsigned int i = 0; i < rounds(60); i++) {
		__u64 start = mono(), delay = 8 * MSEC + random_below(&seed, 4 * MSEC);
		__u64 deadline = now(CLOCK_REALTIME) + delay;
		bool in_time;

		ASSERT_NE(0ULL, arm(q.fd, deadline, i));
		ASSERT_EQ(0, step((__s64)random_below(&seed, 10 * MSEC) - 5 * MSEC));
		in_time = mono() - start < 7 * MSEC;
		ASSERT_EQ(1, next_timer(q.fd, &rec));
		ASSERT_EQ(i, rec.user_data);
		if (!in_time)
			continue;
		ASSERT_LE(deadline, now(CLOCK_REALTIME));
		counted++;
	}
	EXPECT_LT(0U, counted);
	EXPECT_EQ(0ULL, stats(q.fd).pending);
	queue_close(&q);
}

/* Clocks that cannot be set do not care. */
static void unaffected(struct __test_metadata *_metadata, clockid_t clock, __s64 by)
{
	__u64 deadline = now(clock) + 40 * MSEC;
	struct twheel_record rec;
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, clock, 8));
	ASSERT_NE(0ULL, arm(q.fd, deadline, 1));
	ASSERT_NE(0ULL, arm(q.fd, deadline + HOUR / 2, 2));
	ASSERT_EQ(0, step(by));
	EXPECT_GE(deadline + HOUR / 4, now(clock));
	ASSERT_EQ(1, next_record(q.fd, &rec));
	EXPECT_EQ(deadline, rec.deadline);
	EXPECT_LE(deadline, now(clock));
	EXPECT_FALSE(readable(q.fd, 10));
	EXPECT_EQ(0ULL, stats(q.fd).steps);
	queue_close(&q);
}

TEST_F(clock, monotonic_ignores_steps)
{
	unaffected(_metadata, CLOCK_MONOTONIC, HOUR);
	unaffected(_metadata, CLOCK_MONOTONIC, -(__s64)HOUR);
}

TEST_F(clock, boottime_ignores_steps)
{
	unaffected(_metadata, CLOCK_BOOTTIME, HOUR);
	unaffected(_metadata, CLOCK_BOOTTIME, -(__s64)HOUR);
}

/* --- the record of a step ------------------------------------------------------------ */

/* The step is reported by the next event; look for it among what comes. */
static bool find_step(int fd, struct twheel_record *found)
{
	struct twheel_record rec;

	for (int i = 0; i < 8 && readable(fd, i ? 200 : GIVE_UP_MS); i++) {
		if (read_records(fd, &rec, 1) == 1 && !rec.id) {
			*found = rec;
			return true;
		}
	}
	return false;
}

static void step_is_reported(struct __test_metadata *_metadata, clockid_t clock, __s64 by)
{
	struct twheel_record rec;
	struct queue q;
	__s64 jump;
	__u64 after;

	ASSERT_EQ(0, queue_open(&q, clock, 8));
	ASSERT_NE(0ULL, arm_rel(q.fd, 5 * MSEC, 1));
	ASSERT_EQ(1, next_record(q.fd, &rec));
	ASSERT_NE(0ULL, rec.id);
	ASSERT_EQ(0, step(by));
	after = now(clock);
	ASSERT_NE(0ULL, arm_rel(q.fd, 20 * MSEC, 2));
	ASSERT_TRUE(find_step(q.fd, &rec));
	jump = rec.user_data;
	EXPECT_LE(by - (__s64)TOLERANCE, jump);
	EXPECT_GE(by + (__s64)TOLERANCE, jump);
	EXPECT_LE(after - TOLERANCE, rec.deadline);
	EXPECT_GE(now(clock), rec.deadline);
	EXPECT_EQ(0U, rec.missed);
	EXPECT_EQ(1ULL, stats(q.fd).steps);
	queue_close(&q);
}

TEST_F(clock, forward_step_is_reported)
{
	step_is_reported(_metadata, CLOCK_REALTIME, HOUR);
}

TEST_F(clock, backward_step_is_reported)
{
	step_is_reported(_metadata, CLOCK_REALTIME, -(__s64)HOUR);
}

TEST_F(clock, step_of_tai_is_reported)
{
	step_is_reported(_metadata, CLOCK_TAI, HOUR);
}

/* Without a timer, poll() and read() are the events that bring it. */
TEST_F(clock, step_is_reported_to_who_polls_or_reads)
{
	struct twheel_record rec;
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_REALTIME, 8));
	EXPECT_FALSE(readable(q.fd, 0));
	ASSERT_EQ(0, step(HOUR));
	EXPECT_TRUE(readable(q.fd, 0));
	ASSERT_EQ(1, read_records(q.fd, &rec, 1));
	EXPECT_EQ(0ULL, rec.id);
	ASSERT_EQ(0, step(-(__s64)HOUR));
	ASSERT_EQ(1, read_records(q.fd, &rec, 1));
	EXPECT_EQ(0ULL, rec.id);
	EXPECT_FALSE(readable(q.fd, 0));
	queue_close(&q);
}

/* A timer that the step makes due brings the report with it. */
TEST_F(clock, forward_step_is_reported_with_what_it_made_due)
{
	struct twheel_record rec;
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_REALTIME, 8));
	ASSERT_NE(0ULL, arm(q.fd, now(CLOCK_REALTIME) + HOUR, 1));
	ASSERT_EQ(0, step(2 * HOUR));
	ASSERT_TRUE(find_step(q.fd, &rec));
	EXPECT_LE(2 * HOUR - TOLERANCE, rec.user_data);
	EXPECT_GE(2 * HOUR + TOLERANCE, rec.user_data);
	sleep_ns(10 * MSEC);
	EXPECT_EQ(1ULL, stats(q.fd).expired);
	queue_close(&q);
}

TEST_F(clock, clock_that_is_not_set_has_no_steps)
{
	struct twheel_record rec;
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_REALTIME, 8));
	for (int i = 0; i < 20; i++) {
		ASSERT_NE(0ULL, arm_rel(q.fd, MSEC, i));
		ASSERT_EQ(1, next_record(q.fd, &rec));
		ASSERT_NE(0ULL, rec.id);
	}
	EXPECT_EQ(0ULL, stats(q.fd).steps);
	queue_close(&q);
}

/* --- periodic and relative timers ------------------------------------------------------ */

/* B36: a year of missed seconds is one record. */
TEST_F(clock, periodic_timer_counts_a_year_in_one_record)
{
	const __u64 year = 365 * 24 * HOUR;
	struct twheel_record rec;
	struct queue q;
	__u64 first;

	ASSERT_EQ(0, queue_open(&q, CLOCK_REALTIME, 64));
	first = now(CLOCK_REALTIME) + SEC;
	ASSERT_NE(0ULL, arm_periodic(q.fd, first, SEC, 1));
	ASSERT_EQ(0, step(year));
	ASSERT_EQ(1, next_timer(q.fd, &rec));
	EXPECT_LE(31536000U - 3, rec.missed);
	EXPECT_GE(31536000U + 3, rec.missed);
	EXPECT_EQ(first + rec.missed * SEC, rec.deadline);
	EXPECT_LE(rec.deadline, now(CLOCK_REALTIME));
	EXPECT_EQ(0ULL, stats(q.fd).unread);
	first = rec.deadline + SEC;
	ASSERT_EQ(1, next_timer(q.fd, &rec));
	EXPECT_EQ(first + rec.missed * SEC, rec.deadline);
	queue_close(&q);
}

/* One that has been delivered is not delivered again when its time comes back. */
TEST_F(clock, periodic_timer_waits_when_the_clock_goes_back)
{
	struct twheel_record rec;
	struct queue q;
	__u64 first, next;

	ASSERT_EQ(0, queue_open(&q, CLOCK_REALTIME, 64));
	first = now(CLOCK_REALTIME) + 5 * MSEC;
	ASSERT_NE(0ULL, arm_periodic(q.fd, first, 20 * MSEC, 1));
	ASSERT_EQ(1, next_timer(q.fd, &rec));
	next = rec.deadline + 20 * MSEC;
	ASSERT_EQ(0, step(-(__s64)(100 * MSEC)));
	ASSERT_EQ(1, next_timer(q.fd, &rec));
	EXPECT_EQ(next + rec.missed * 20 * MSEC, rec.deadline);
	EXPECT_LE(rec.deadline, now(CLOCK_REALTIME));
	queue_close(&q);
}

/* B33: relative to a clock that can be set is still that clock's deadline. */
TEST_F(clock, relative_realtime_timer_is_a_wall_clock_deadline)
{
	struct twheel_record rec;
	struct queue q;
	__u64 before;

	ASSERT_EQ(0, queue_open(&q, CLOCK_REALTIME, 8));
	before = now(CLOCK_REALTIME);
	ASSERT_NE(0ULL, arm_rel(q.fd, HOUR, 1));
	ASSERT_EQ(0, step(2 * HOUR));
	ASSERT_EQ(1, next_timer(q.fd, &rec));
	EXPECT_LE(before + HOUR, rec.deadline);
	queue_close(&q);
}

TEST_F(clock, tai_follows_its_offset)
{
	struct twheel_record rec;
	struct queue q;

	ASSERT_EQ(0, set_tai_offset(0));
	ASSERT_EQ(0, queue_open(&q, CLOCK_TAI, 8));
	ASSERT_NE(0ULL, arm(q.fd, now(CLOCK_TAI) + 30 * SEC, 1));
	ASSERT_NE(0ULL, arm(q.fd, now(CLOCK_TAI) + HOUR, 2));
	EXPECT_TRUE(silent(q.fd, 10));
	ASSERT_EQ(0, set_tai_offset(37));
	ASSERT_EQ(1, next_timer(q.fd, &rec));
	EXPECT_EQ(1ULL, rec.user_data);
	EXPECT_LE(rec.deadline, now(CLOCK_TAI));
	EXPECT_TRUE(silent(q.fd, 10));
	EXPECT_EQ(0, set_tai_offset(0));
	queue_close(&q);
}

/* --- time namespaces ---------------------------------------------------------------------- */

/*
 * Run fn in a child whose clock is ahead by the offset in seconds; it returns 0
 * when all is well, else the number of what was wrong. -1: there is no such thing.
 */
static int in_time_namespace(const char *clock, int offset, int (*fn)(struct queue *),
			     struct queue *q)
{
	char text[64];
	int status = -1;

	if (!fork()) {
		snprintf(text, sizeof(text), "%s %d 0\n", clock, offset);
		if (unshare(CLONE_NEWTIME) || file_put("/proc/self/timens_offsets", text))
			_exit(255);
		if (!fork())
			_exit(fn(q));
		wait(&status);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 254);
	}
	wait(&status);
	if (!WIFEXITED(status))
		return 253;
	return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

static int timer_means_my_clock(clockid_t clock)
{
	struct twheel_record rec;
	struct twheel_op op;
	__u64 t, deadline;
	struct queue q;

	if (queue_open(&q, clock, 8))
		return 1;
	t = now(clock);
	if (stats(q.fd).now < t || stats(q.fd).now > now(clock))
		return 2;
	deadline = t + 30 * MSEC;
	op = op_query(arm(q.fd, deadline, 1));
	if (run_op(q.fd, &op) || op.deadline != deadline)
		return 3;
	if (stats(q.fd).next != deadline)
		return 4;
	if (next_record(q.fd, &rec) != 1)
		return 5;
	if (now(clock) < deadline)
		return 6;
	if (rec.deadline != deadline)
		return 7;
	if (rec.lateness > HOUR / 1000)
		return 8;
	t = now(clock);
	arm_rel(q.fd, 10 * MSEC, 2);
	if (next_record(q.fd, &rec) != 1 || now(clock) < t + 10 * MSEC)
		return 9;
	if (rec.deadline < t + 10 * MSEC || rec.deadline > now(clock))
		return 10;
	return 0;
}

static int monotonic_in_namespace(struct queue *q)
{
	(void)q;
	return timer_means_my_clock(CLOCK_MONOTONIC);
}

static int boottime_in_namespace(struct queue *q)
{
	(void)q;
	return timer_means_my_clock(CLOCK_BOOTTIME);
}

#define IN_NAMESPACE(clock, offset, fn, q) do {				\
	int ret_ = in_time_namespace(clock, offset, fn, q);		\
									\
	if (ret_ < 0)							\
		SKIP(return, "no time namespace");			\
	EXPECT_EQ(0, ret_);						\
} while (0)

TEST(namespace_ahead_means_its_own_monotonic)
{
	IN_NAMESPACE("monotonic", 100000, monotonic_in_namespace, NULL);
}

TEST(namespace_behind_means_its_own_monotonic)
{
	IN_NAMESPACE("monotonic", -1, monotonic_in_namespace, NULL);
}

TEST(namespace_ahead_means_its_own_boottime)
{
	IN_NAMESPACE("boottime", 100000, boottime_in_namespace, NULL);
}

TEST(namespace_of_monotonic_leaves_boottime_alone)
{
	IN_NAMESPACE("monotonic", 100000, boottime_in_namespace, NULL);
}

/* Times are those of the task that called SETUP, whoever uses the queue. */
static int foreign_queue(struct queue *q)
{
	struct twheel_record rec;
	__u64 outside = stats(q->fd).now;
	struct twheel_stats s;

	if (now(CLOCK_MONOTONIC) < outside + 50000 * SEC)
		return 1;
	if (!arm(q->fd, outside + 20 * MSEC, 1))
		return 2;
	s = stats(q->fd);
	if (s.next != outside + 20 * MSEC && s.now < outside + 20 * MSEC)
		return 3;
	if (next_record(q->fd, &rec) != 1)
		return 4;
	if (rec.deadline != outside + 20 * MSEC || stats(q->fd).now < rec.deadline)
		return 5;
	return 0;
}

TEST(queue_from_outside_keeps_its_times_in_a_namespace)
{
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 8));
	IN_NAMESPACE("monotonic", 100000, foreign_queue, &q);
	queue_close(&q);
}

static int last_deadline_in_namespace(struct queue *q)
{
	struct twheel_op op;
	struct queue mine;

	(void)q;
	if (queue_open(&mine, CLOCK_MONOTONIC, 8))
		return 1;
	op = op_query(arm(mine.fd, TIME_MAX, 1));
	if (run_op(mine.fd, &op) != TWHEEL_PENDING || op.deadline != TIME_MAX)
		return 2;
	sleep_ns(2 * MSEC);
	if (stats(mine.fd).pending != 1)
		return 3;
	op = op_arm(1, 2);
	if (run_op(mine.fd, &op) || stats(mine.fd).unread != 1)
		return 4;
	return 0;
}

/* The conversion must not wrap, at neither end. */
TEST(ends_of_time_in_a_namespace)
{
	IN_NAMESPACE("monotonic", 100000, last_deadline_in_namespace, NULL);
	IN_NAMESPACE("monotonic", -1, last_deadline_in_namespace, NULL);
}

TEST_HARNESS_MAIN
