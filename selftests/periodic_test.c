// SPDX-License-Identifier: GPL-2.0-only
/*
 * Periodic timers: no drift, every period accounted for, one record at a time.
 *
 * The rule that nearly every test here uses: from one record of a timer to the
 * next, its deadline moves by exactly (1 + missed) periods.
 */
#include "common.h"

#include "kselftest_harness.h"

FIXTURE(periodic) {
	struct queue q;
	int fd;
	__u64 period;
};

FIXTURE_SETUP(periodic)
{
	ASSERT_EQ(0, queue_open(&self->q, CLOCK_MONOTONIC, 64));
	self->fd = self->q.fd;
	self->period = 2 * MSEC;
	ASSERT_GE(self->period, self->q.setup.min_period);
}

FIXTURE_TEARDOWN(periodic)
{
	queue_close(&self->q);
}

/* Where a periodic timer is expected to go on. */
struct series {
	__u64 id, next, period;		/* next: the first deadline not accounted for */
	__u64 records, missed;
};

static void follow(struct __test_metadata *_metadata, struct series *s,
		   const struct twheel_record *rec)
{
	ASSERT_EQ(s->id, rec->id);
	ASSERT_EQ(s->next + rec->missed * s->period, rec->deadline);
	s->next = rec->deadline + s->period;
	s->records++;
	s->missed += rec->missed;
}

static struct series start(int fd, __u64 first, __u64 period)
{
	return (struct series){ arm_periodic(fd, first, period, 1), first, period, 0, 0 };
}

/* B99 */
TEST_F(periodic, deadlines_do_not_drift)
{
	struct series s = start(self->fd, mono() + self->period, self->period);
	struct twheel_record rec;

	for (int i = 0; i < 40; i++) {
		ASSERT_EQ(1, next_record(self->fd, &rec));
		ASSERT_LE(rec.deadline, mono());
		follow(_metadata, &s, &rec);
	}
	EXPECT_EQ(s.missed, stats(self->fd).missed);
}

TEST_F(periodic, odd_periods_are_exact_to_the_nanosecond)
{
	struct series s = start(self->fd, mono() + 1234567, 1999999);
	struct twheel_record rec;

	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(1, next_record(self->fd, &rec));
		follow(_metadata, &s, &rec);
	}
}

/* B101: a consumer that sleeps finds one record, not hundreds. */
TEST_F(periodic, sleeping_consumer_finds_one_record)
{
	struct series s = start(self->fd, mono() + self->period, self->period);
	struct twheel_record rec[8];
	__u64 woke;

	sleep_ns(50 * self->period);
	EXPECT_EQ(1ULL, stats(self->fd).unread);
	EXPECT_EQ(0ULL, stats(self->fd).backlog);
	woke = mono();
	ASSERT_EQ(1, read_records(self->fd, rec, 1));	/* a period may pass meanwhile */
	follow(_metadata, &s, &rec[0]);
	ASSERT_EQ(1, next_record(self->fd, &rec[0]));
	follow(_metadata, &s, &rec[0]);
	EXPECT_LT(woke, s.next);
	EXPECT_LE(48ULL, s.records + s.missed);
}

/*
 * B83: what gets no record is counted, exactly and in its place: every deadline up
 * to the last record has a record or is in the missed ones of the next.
 */
TEST_F(periodic, records_and_missed_add_up)
{
	__u64 first = mono() + self->period, seed = random_seed();
	struct series s = start(self->fd, first, self->period);
	struct twheel_record rec;

	for (int i = 0; i < 30; i++) {
		ASSERT_EQ(1, next_record(self->fd, &rec));
		follow(_metadata, &s, &rec);
		if (i % 3 == 0)
			sleep_ns(random_below(&seed, 5 * self->period));
	}
	EXPECT_EQ((rec.deadline - first) / self->period + 1, s.records + s.missed);
	EXPECT_EQ(s.records + s.missed,
		  stats(self->fd).expired - stats(self->fd).unread + s.missed);
}

TEST_F(periodic, at_most_one_record_is_outstanding)
{
	enum { TIMERS = 5 };

	for (int i = 0; i < TIMERS; i++) {
		ASSERT_NE(0ULL, start(self->fd, mono() + self->period, self->period).id);
	}
	for (int i = 0; i < 10; i++) {
		struct twheel_stats s;

		sleep_ns(3 * self->period);
		s = stats(self->fd);
		ASSERT_GE(TIMERS, s.unread + s.backlog);
	}
}

TEST_F(periodic, first_deadline_in_the_past_catches_up_at_once)
{
	__u64 before = mono(), first = before - 1000 * self->period - 5;
	struct series s = start(self->fd, first, self->period);
	struct twheel_record rec;

	ASSERT_EQ(1ULL, stats(self->fd).unread);
	ASSERT_EQ(1, read_records(self->fd, &rec, 1));
	follow(_metadata, &s, &rec);
	EXPECT_LE(1000U, rec.missed);
	EXPECT_LT(before, s.next);
	EXPECT_GE(mono(), rec.deadline);
	ASSERT_EQ(1, next_record(self->fd, &rec));
	follow(_metadata, &s, &rec);
}

/* B19: more than 2^32 periods have passed. */
TEST_F(periodic, missed_saturates_in_the_record_and_is_exact_in_stats)
{
	__u64 period = self->q.setup.min_period;
	struct twheel_record rec;
	struct queue q;

	if (now(CLOCK_REALTIME) / period < 1ULL << 33)
		SKIP(return, "the clock says 1970, or the shortest period is long");
	ASSERT_EQ(0, queue_open(&q, CLOCK_REALTIME, 8));
	ASSERT_NE(0ULL, arm_periodic(q.fd, 1, period, 1));
	ASSERT_EQ(1, next_record(q.fd, &rec));
	EXPECT_EQ(~0U, rec.missed);
	EXPECT_EQ(1ULL, rec.deadline % period);
	EXPECT_LE((rec.deadline - 1) / period, stats(q.fd).missed);
	queue_close(&q);
}

TEST_F(periodic, query_tells_the_next_deadline)
{
	struct series s = start(self->fd, mono() + self->period, HOUR);
	struct twheel_op op = op_query(s.id);
	struct twheel_record rec;

	ASSERT_EQ(1, next_record(self->fd, &rec));
	ASSERT_EQ(TWHEEL_PENDING, run_op(self->fd, &op));
	EXPECT_EQ(rec.deadline + HOUR, op.deadline);
	EXPECT_EQ(HOUR, op.period);
	EXPECT_EQ(rec.deadline + HOUR, stats(self->fd).next);
}

TEST_F(periodic, move_gives_another_period)
{
	struct series s = start(self->fd, mono() + HOUR, HOUR);
	__u64 first = mono() + self->period;
	struct twheel_op op = op_move(s.id, first, self->period);
	struct twheel_record rec;

	ASSERT_EQ(0, run_op(self->fd, &op));
	s.next = first;
	s.period = self->period;
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(1, next_record(self->fd, &rec));
		follow(_metadata, &s, &rec);
	}
}

TEST_F(periodic, move_with_period_0_makes_it_one_shot)
{
	struct series s = start(self->fd, mono() + HOUR, HOUR);
	__u64 deadline = mono() + self->period;
	struct twheel_record rec;

	ASSERT_EQ(0, move(self->fd, s.id, deadline));
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_EQ(deadline, rec.deadline);
	EXPECT_EQ(-ENOENT, state(self->fd, s.id));
	EXPECT_FALSE(readable(self->fd, 10));
	EXPECT_EQ(0ULL, stats(self->fd).allocated);
}

TEST_F(periodic, one_shot_can_become_periodic)
{
	__u64 first = mono() + self->period;
	struct series s = { arm(self->fd, TIME_MAX, 1), first, self->period, 0, 0 };
	struct twheel_op op = op_move(s.id, first, self->period);
	struct twheel_record rec;

	ASSERT_EQ(0, run_op(self->fd, &op));
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(1, next_record(self->fd, &rec));
		follow(_metadata, &s, &rec);
	}
}

TEST_F(periodic, cancel_ends_it)
{
	struct series s = start(self->fd, mono() + self->period, self->period);
	struct twheel_record rec[2];

	ASSERT_EQ(1, next_record(self->fd, rec));
	EXPECT_EQ(0, cancel(self->fd, s.id));
	while (readable(self->fd, 0)) {
		ASSERT_LT(0, read_records(self->fd, rec, 2));
	}
	EXPECT_FALSE(readable(self->fd, 10));
	EXPECT_EQ(0ULL, stats(self->fd).allocated);
	EXPECT_EQ(~0ULL, stats(self->fd).next);
}

TEST_F(periodic, kept_periodic_timer_goes_idle_when_cancelled)
{
	struct twheel_op op = op_arm(mono() + self->period, 1);
	struct twheel_record rec;
	__u64 id;

	op.flags = TWHEEL_OP_KEEP;
	op.period = self->period;
	id = arm_op(self->fd, op);
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_EQ(0, cancel(self->fd, id));
	EXPECT_EQ(TWHEEL_IDLE, state(self->fd, id));
	EXPECT_EQ(0, release(self->fd, id));
}

/* Full ring: the timer waits in the backlog, and its periods are counted there. */
TEST_F(periodic, backlogged_one_counts_its_periods)
{
	struct twheel_record rec;
	struct series s;
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 1));
	ASSERT_NE(0ULL, arm(q.fd, 1, 9));
	s = start(q.fd, mono() + self->period, self->period);
	sleep_ns(20 * self->period);
	EXPECT_EQ(1ULL, stats(q.fd).backlog);
	EXPECT_EQ(1ULL, stats(q.fd).unread);
	EXPECT_EQ(TWHEEL_BACKLOG, state(q.fd, s.id));
	ASSERT_EQ(1, next_record(q.fd, &rec));
	EXPECT_EQ(9ULL, rec.user_data);
	ASSERT_EQ(1, next_record(q.fd, &rec));
	follow(_metadata, &s, &rec);
	ASSERT_EQ(1, next_record(q.fd, &rec));
	follow(_metadata, &s, &rec);
	EXPECT_LE(19ULL, s.records + s.missed);
	queue_close(&q);
}

static bool all_have_records(const struct series *s, int n)
{
	for (int i = 0; i < n; i++)
		if (!s[i].records)
			return false;
	return true;
}

TEST_F(periodic, many_do_not_disturb_each_other)
{
	enum { N = 20 };
	struct twheel_record rec[64];
	struct series s[N];
	__u64 end = mono() + 60 * MSEC;

	for (int i = 0; i < N; i++) {
		s[i].next = mono() + 5 * MSEC + i * 333333;
		s[i].period = self->period + i * 123457;
		s[i].id = arm_periodic(self->fd, s[i].next, s[i].period, i);
		s[i].records = 0;
		s[i].missed = 0;
	}
	while (mono() < end || !all_have_records(s, N)) {
		long got = readable(self->fd, 10) ? read_records(self->fd, rec, 64) : 0;

		ASSERT_LE(0, got);
		for (long i = 0; i < got; i++)
			follow(_metadata, &s[rec[i].user_data], &rec[i]);
	}
}

/* B113: the shortest period by many timers; the machine stays usable. */
TEST_F(periodic, shortest_period_does_not_take_the_machine)
{
	enum { N = 20 };
	__u64 period = self->q.setup.min_period, t = mono();
	struct series s[N];
	struct twheel_record rec[64];

	for (int i = 0; i < N; i++) {
		s[i] = start(self->fd, t + i, period);
		ASSERT_NE(0ULL, s[i].id);
	}
	sleep_ns(100 * MSEC);
	for (int round = 0; round < 5; round++) {
		long got = read_records(self->fd, rec, 64);

		ASSERT_LT(0, got);
		for (long i = 0; i < got; i++) {
			for (int k = 0; k < N; k++) {
				if (s[k].id == rec[i].id)
					follow(_metadata, &s[k], &rec[i]);
			}
		}
	}
	for (int i = 0; i < N; i++) {
		EXPECT_EQ(0, cancel(self->fd, s[i].id));
	}
	EXPECT_EQ(0ULL, stats(self->fd).pending);
}

/* The next deadline would be beyond the last one there is: there is no next. */
TEST_F(periodic, period_that_ends_beyond_time_fires_once)
{
	struct twheel_record rec;
	__u64 id = arm_periodic(self->fd, mono() + MSEC, TIME_MAX, 1);
	struct twheel_op query = op_query(id);
	long ret;

	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_EQ(id, rec.id);
	EXPECT_LE(0, run_op(self->fd, &query));
	EXPECT_EQ(TIME_MAX, query.deadline);
	EXPECT_FALSE(readable(self->fd, 20));
	ret = cancel(self->fd, id);
	EXPECT_TRUE(ret == 0 || ret == -ENOENT);
	EXPECT_EQ(1ULL, stats(self->fd).expired);
	EXPECT_EQ(0ULL, stats(self->fd).allocated);
}

TEST_F(periodic, slack_delays_but_does_not_drift)
{
	struct twheel_op op = op_arm(mono() + self->period, 1);
	struct series s = { .next = op.deadline, .period = self->period };
	struct twheel_record rec;

	op.period = self->period;
	op.slack = MSEC;
	s.id = arm_op(self->fd, op);
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(1, next_record(self->fd, &rec));
		follow(_metadata, &s, &rec);
		ASSERT_LE(rec.deadline, mono());
	}
}

TEST_HARNESS_MAIN
