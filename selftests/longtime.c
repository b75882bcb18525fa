// SPDX-License-Identifier: GPL-2.0-only
/*
 * Long times, for real: years of timers, in a kernel that skips the time in which
 * nothing happens (user-mode Linux, time-travel=inf-cpu).  scripts/check.d/longtime.sh
 * runs this there; anywhere else it would not end.
 *
 * Time stands still while a program computes, so nothing here may wait by looking
 * at the clock again and again.  Lateness is next to nothing, which is asserted.
 * Interrupts are counted: none for an empty queue, one per distinct expiry.
 */
#include "common.h"

#include "kselftest_harness.h"

#define DAY		(24 * HOUR)
#define YEAR		(365 * DAY)
#define LIMIT		2000000000	/* s, the harness's patience: 63 years */
#define LATE		(10 * USEC)	/* user-mode Linux counts in steps of 256 ns */

FIXTURE(longtime) {
	struct queue q;
	int fd;
};

FIXTURE_SETUP(longtime)
{
	ASSERT_EQ(0, queue_open(&self->q, CLOCK_MONOTONIC, 1 << 10));
	self->fd = self->q.fd;
}

FIXTURE_TEARDOWN(longtime)
{
	queue_close(&self->q);
}

/* The next record, whenever it comes. */
static bool wait_record(int fd, struct twheel_record *rec)
{
	return read_records(fd, rec, 1) == 1;
}

/* How many hrtimers of queues the kernel has, in its own words. */
static int hrtimers(void)
{
	static char text[1 << 16];
	int n = 0;

	if (file_get("/proc/timer_list", text, sizeof(text)) <= 0)
		return -1;
	for (char *at = text; (at = strstr(at, "on_hrtimer")); at++)
		n++;
	return n;
}

/* B91: an empty queue has no hrtimer, also one that was not always empty. */
TEST_F_TIMEOUT(longtime, empty_queue_has_no_interrupts, LIMIT)
{
	static const clockid_t clocks[] = {
		CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME, CLOCK_TAI,
	};
	struct queue q[4];
	__u64 start;

	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, queue_open(&q[i], clocks[i], 8));
		for (int k = 0; k < 10; k++) {
			ASSERT_EQ(0, cancel(q[i].fd, arm_rel(q[i].fd, HOUR + k, k)));
		}
	}
	EXPECT_EQ(0, hrtimers());
	start = mono();
	sleep_ns(DAY);
	EXPECT_LE(start + DAY, mono());
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(0ULL, stats(q[i].fd).interrupts);
		EXPECT_EQ(0ULL, stats(q[i].fd).passes);
		ASSERT_NE(0ULL, arm_rel(q[i].fd, HOUR, 1));
	}
	EXPECT_EQ(4, hrtimers());
	for (int i = 0; i < 4; i++)
		queue_close(&q[i]);
	EXPECT_EQ(0, hrtimers());
}

static int compare(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

/*
 * Reads n records: their deadlines are those of the sorted array, to the
 * nanosecond and in this order; none early, none late. Returns how many distinct
 * times there were.
 */
static unsigned int expect_all(struct __test_metadata *_metadata, int fd,
			       const __u64 *deadlines, unsigned int n)
{
	unsigned int distinct = 0;
	struct twheel_record rec;

	for (unsigned int i = 0; i < n; i++) {
		ASSERT_TRUE(wait_record(fd, &rec));
		ASSERT_EQ(deadlines[i], rec.deadline);
		ASSERT_LE(rec.deadline, mono());
		ASSERT_GT(LATE, rec.lateness);
		distinct += !i || deadlines[i] != deadlines[i - 1];
	}
	return distinct;
}

/*
 * One a day, one an hour, a thousand at any millisecond of a year. A crowd of more
 * than 128 in one slot of the wheel is opened at the slot's start, by an interrupt
 * of its own; so full are only those of level 9, of 208 days each.
 */
TEST_F_TIMEOUT(longtime, a_year_of_sparse_timers, LIMIT)
{
	enum { DAYS = 365, HOURS = DAYS * 24, RANDOM = 1000, N = DAYS + HOURS + RANDOM };
	static __u64 deadlines[N];
	__u64 start = mono() + SEC, seed = random_seed();
	unsigned int n = 0, distinct, crowds;

	for (int i = 1; i <= DAYS; i++)
		deadlines[n++] = start + i * DAY;
	for (int i = 1; i <= HOURS; i++)
		deadlines[n++] = start + i * HOUR;
	for (int i = 0; i < RANDOM; i++)
		deadlines[n++] = start + random_below(&seed, YEAR / MSEC) * MSEC;
	for (unsigned int i = 0; i < N; i++) {
		ASSERT_NE(0ULL, arm(self->fd, deadlines[i], i));
	}
	qsort(deadlines, N, sizeof(deadlines[0]), compare);
	distinct = expect_all(_metadata, self->fd, deadlines, N);
	crowds = (deadlines[N - 1] >> 54) - (start >> 54);
	EXPECT_EQ((__u64)distinct + crowds, stats(self->fd).interrupts);
	EXPECT_EQ(0ULL, stats(self->fd).allocated);
	EXPECT_EQ(0, hrtimers());
	TH_LOG("%u distinct times in a year: %llu interrupts", distinct,
	       stats(self->fd).interrupts);
}

/* The k-th deadline is first + k * period, after a year as after an hour. */
TEST_F_TIMEOUT(longtime, periodic_timer_does_not_drift_in_a_year, LIMIT)
{
	const __u64 period = HOUR + 1, first = mono() + 12345, count = YEAR / period;
	struct twheel_record rec;
	__u64 id;

	id = arm_periodic(self->fd, first, period, 1);
	ASSERT_NE(0ULL, id);
	for (__u64 k = 0; k < count; k++) {
		ASSERT_TRUE(wait_record(self->fd, &rec));
		ASSERT_EQ(first + k * period, rec.deadline);
		ASSERT_EQ(0U, rec.missed);
		ASSERT_GT(LATE, rec.lateness);
	}
	EXPECT_EQ(count, stats(self->fd).interrupts);
	EXPECT_EQ(0, cancel(self->fd, id));
}

/* Half a year in which nobody reads: one record, and the next one tells. */
TEST_F_TIMEOUT(longtime, periods_of_half_a_year_are_counted, LIMIT)
{
	const __u64 first = mono() + HOUR;
	struct twheel_record rec;

	ASSERT_NE(0ULL, arm_periodic(self->fd, first, HOUR, 1));
	sleep_ns(YEAR / 2);
	EXPECT_EQ(1ULL, stats(self->fd).unread);
	ASSERT_TRUE(wait_record(self->fd, &rec));
	EXPECT_EQ(first, rec.deadline);
	ASSERT_TRUE(wait_record(self->fd, &rec));
	EXPECT_EQ(YEAR / 2 / HOUR - 1, rec.missed);
	EXPECT_EQ(first + (rec.missed + 1) * HOUR, rec.deadline);
}

/*
 * Where the digits of the wheel's time roll over: the nanosecond before, the first
 * one and the one after it, at each level up to the one that rolls over in 208 days;
 * the next one does in 36 years.
 */
TEST_F_TIMEOUT(longtime, boundaries_of_the_digits, LIMIT)
{
	enum { LEVELS = TWHEEL_LEVELS - 2, N = 3 * LEVELS };
	__u64 deadlines[N], interrupts;
	unsigned int n = 0;

	for (int level = 1; level <= LEVELS; level++) {
		__u64 width = 1ULL << (6 * level);
		__u64 boundary = ((mono() + MSEC) / width + 1) * width;

		for (int i = -1; i <= 1; i++)
			deadlines[n++] = boundary + i;
	}
	for (int i = 0; i < N; i++) {
		ASSERT_NE(0ULL, arm(self->fd, deadlines[i], i));
	}
	qsort(deadlines, N, sizeof(deadlines[0]), compare);
	expect_all(_metadata, self->fd, deadlines, N);
	/* Those of one boundary may come together: the clock is not finer. */
	interrupts = stats(self->fd).interrupts;
	EXPECT_LE((__u64)LEVELS - 3, interrupts);
	EXPECT_GE((__u64)N, interrupts);
}

/* Counters of 32 bits in a record end at their largest value, they do not wrap. */
TEST_F_TIMEOUT(longtime, lateness_and_missed_periods_saturate, LIMIT)
{
	__u64 start = mono(), min_period = parameter("min_period_ns");
	struct queue small, often;
	struct twheel_record rec;

	ASSERT_EQ(0, parameter_set("min_period_ns", 20 * USEC));
	ASSERT_EQ(0, queue_open(&often, CLOCK_MONOTONIC, 1));
	EXPECT_EQ(0, parameter_set("min_period_ns", min_period));
	ASSERT_EQ(0, queue_open(&small, CLOCK_MONOTONIC, 1));
	ASSERT_NE(0ULL, arm(small.fd, start + SEC, 1));
	ASSERT_NE(0ULL, arm(small.fd, start + 2 * SEC, 2));
	sleep_ns(DAY);
	ASSERT_TRUE(wait_record(small.fd, &rec));
	EXPECT_EQ(1ULL, rec.user_data);
	ASSERT_TRUE(wait_record(small.fd, &rec));
	EXPECT_EQ(2ULL, rec.user_data);
	EXPECT_EQ(0xffffffffU, rec.lateness);
	EXPECT_EQ(0U, rec.missed);
	queue_close(&small);

	/* There are more than 2^32 of them in a day. */
	ASSERT_NE(0ULL, arm_periodic(often.fd, start, 20 * USEC, 3));
	ASSERT_TRUE(wait_record(often.fd, &rec));
	EXPECT_EQ(0xffffffffU, rec.missed);
	EXPECT_LE(start + DAY - 20 * USEC, rec.deadline);
	queue_close(&often);
}

/* An idle timeout of 30 days, pushed back each day by its word: it is looked at monthly. */
TEST_F_TIMEOUT(longtime, word_pushed_back_for_a_year, LIMIT)
{
	struct twheel_record rec;
	struct queue q;
	shared_u64 *words, *word;
	__u64 id, deadline;

	words = words_open(&q, 8, 64);
	ASSERT_NE(NULL, words);
	deadline = (mono() + 30 * DAY) & ~TWHEEL_WORD_STATE;
	id = arm_keep(q.fd, deadline, 5);
	ASSERT_NE(0ULL, id);
	word = &words[(__u32)id];
	for (int day = 1; day <= 365; day++) {
		__u64 armed = deadline | TWHEEL_WORD_ARMED;

		sleep_ns(DAY);
		deadline += DAY;
		ASSERT_TRUE(__atomic_compare_exchange_n(word, &armed, deadline | TWHEEL_WORD_ARMED,
							false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	}
	EXPECT_FALSE(readable(q.fd, 0));
	EXPECT_GE(365ULL / 29, stats(q.fd).interrupts);
	EXPECT_EQ(stats(q.fd).pushed, stats(q.fd).interrupts);
	ASSERT_TRUE(wait_record(q.fd, &rec));
	EXPECT_EQ(deadline, rec.deadline);
	EXPECT_GT(LATE, rec.lateness);
	munmap(words, q.setup.words_size);
	queue_close(&q);
}

TEST_HARNESS_MAIN
