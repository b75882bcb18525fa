// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of clocks and of the arithmetic of deadlines.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/limits.h>

#include "clock.c"

#define SEC	1000000000ULL

struct id_case {
	const char *name;
	u32 id;
	int result;
};

static const struct id_case id_cases[] = {
	{ "CLOCK_MONOTONIC", CLOCK_MONOTONIC, 0 },
	{ "CLOCK_BOOTTIME", CLOCK_BOOTTIME, 0 },
	{ "CLOCK_REALTIME", CLOCK_REALTIME, 0 },
	{ "CLOCK_TAI", CLOCK_TAI, 0 },
	{ "CLOCK_MONOTONIC_RAW", CLOCK_MONOTONIC_RAW, -EINVAL },
	{ "CLOCK_PROCESS_CPUTIME_ID", CLOCK_PROCESS_CPUTIME_ID, -EINVAL },
	{ "CLOCK_BOOTTIME_ALARM", CLOCK_BOOTTIME_ALARM, -EINVAL },
	{ "no clock", 12, -EINVAL },
	{ "all bits", U32_MAX, -EINVAL },
};

static void id_name(const struct id_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(id, id_cases, id_name);

/* A clock that is accepted goes forward, and nobody has set it meanwhile. */
static void clock_init_by_id(struct kunit *test)
{
	const struct id_case *p = test->param_value;
	struct tw_clock c;
	u64 before;

	KUNIT_ASSERT_EQ(test, tw_clock_init(&c, p->id), p->result);
	if (p->result)
		return;
	before = tw_clock_now(&c);
	usleep_range(1000, 2000);
	KUNIT_EXPECT_GE(test, tw_clock_now(&c), before + 1000000);
	KUNIT_EXPECT_EQ(test, tw_clock_step(&c), 0);
}

static void clock_step_is_told_once(struct kunit *test)
{
	struct tw_clock c;

	KUNIT_ASSERT_EQ(test, tw_clock_init(&c, CLOCK_REALTIME), 0);
	c.base -= 3600 * (s64)SEC;		/* as if set forward by an hour */
	KUNIT_EXPECT_EQ(test, tw_clock_step(&c), 3600 * (s64)SEC);
	KUNIT_EXPECT_EQ(test, tw_clock_step(&c), 0);
	c.base += 5;
	KUNIT_EXPECT_EQ(test, tw_clock_step(&c), -5);
	KUNIT_EXPECT_EQ(test, tw_clock_step(&c), 0);
}

struct host_case {
	const char *name;
	s64 offset;
	u64 ns;
	s64 host;
};

static const struct host_case host_cases[] = {
	{ "no offset", 0, 12345, 12345 },
	{ "no offset, the last time", 0, S64_MAX, S64_MAX },
	{ "no offset, never", 0, U64_MAX, S64_MAX },
	{ "forward", 1000, 12345, 11345 },
	{ "forward, before the host's 0", 1000, 999, 0 },
	{ "forward, never", 1000, U64_MAX, S64_MAX },
	{ "back", -1000, 12345, 13345 },
	{ "back, the last time", -1000, S64_MAX - 1000, S64_MAX },
	{ "back, after the last time", -1000, S64_MAX - 999, S64_MAX },
	{ "back, never", -1000, U64_MAX, S64_MAX },
	{ "far back, never", -S64_MAX, U64_MAX - 1, S64_MAX },
};

static void host_name(const struct host_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(host, host_cases, host_name);

static void clock_to_host(struct kunit *test)
{
	const struct host_case *p = test->param_value;
	struct tw_clock c = { .id = CLOCK_MONOTONIC, .offset = p->offset };

	KUNIT_EXPECT_EQ(test, ktime_to_ns(tw_clock_to_host(&c, p->ns)), p->host);
}

/* Looked at every tick, on a clock that cannot be set. */
static void clock_that_is_polled(struct kunit *test)
{
	struct tw_clock c = { .id = CLOCK_REALTIME, .polled = true };
	ktime_t before = ktime_get();
	ktime_t far = tw_clock_to_host(&c, S64_MAX), past = tw_clock_to_host(&c, 1);
	ktime_t after = ktime_get();

	KUNIT_EXPECT_EQ(test, tw_clock_host_id(&c), CLOCK_MONOTONIC);
	KUNIT_EXPECT_GE(test, far, ktime_add_ns(before, TICK_NSEC));
	KUNIT_EXPECT_LE(test, far, ktime_add_ns(after, TICK_NSEC));
	KUNIT_EXPECT_GE(test, past, before);
	KUNIT_EXPECT_LE(test, past, after);
}

struct deadline_case {
	const char *name;
	u64 now;
	u64 value;
	bool relative;
	int result;
	u64 deadline;
};

/* B03, B18: too large is an error, and never fires at once. */
static const struct deadline_case deadline_cases[] = {
	{ "absolute", 1000, 5000, false, 0, 5000 },
	{ "absolute, past", 1000, 5, false, 0, 5 },
	{ "absolute, 0", 1000, 0, false, 0, 0 },
	{ "absolute, 2^63 - 1", 1000, S64_MAX, false, 0, S64_MAX },
	{ "absolute, 2^63", 1000, 1ULL << 63, false, -EOVERFLOW },
	{ "absolute, 9223372036.999999999 s", 0, 9223372036 * SEC + 999999999, false, -EOVERFLOW },
	{ "absolute, -1", 1000, -1ULL, false, -EOVERFLOW },
	{ "relative", 1000, 5000, true, 0, 6000 },
	{ "relative, 0", 1000, 0, true, 0, 1000 },
	{ "relative, 2^63 - 1 - now", 1000, S64_MAX - 1000, true, 0, S64_MAX },
	{ "relative, 2^63 - now", 1000, S64_MAX - 999, true, -EOVERFLOW },
	{ "relative, 2^63 - 1", 1000, S64_MAX, true, -EOVERFLOW },
	{ "relative, -1000000", 2000000, -1000000ULL, true, -EOVERFLOW },
	{ "relative, -1", 1000, -1ULL, true, -EOVERFLOW },
	{ "relative, 9223372036.854775807 s", 0, 9223372036 * SEC + 854775807, true, 0, S64_MAX },
	{ "relative, 9223372036.854775808 s", 0, 9223372036 * SEC + 854775808, true, -EOVERFLOW },
	{ "relative, 9223372036.999999999 s", 0, 9223372036 * SEC + 999999999, true, -EOVERFLOW },
};

static void deadline_name(const struct deadline_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(deadline, deadline_cases, deadline_name);

static void clock_deadline(struct kunit *test)
{
	const struct deadline_case *p = test->param_value;
	u64 deadline = 0xdead;

	KUNIT_EXPECT_EQ(test, tw_deadline(p->now, p->value, p->relative, &deadline), p->result);
	KUNIT_EXPECT_EQ(test, deadline, p->result ? 0xdead : p->deadline);
}

struct slack_case {
	const char *name;
	u64 deadline;
	u64 slack;
	u64 expires;
};

/* B14 */
static const struct slack_case slack_cases[] = {
	{ "slack 0 is exact", 12345, 0, 12345 },
	{ "slack 1 is exact", 12345, 1, 12345 },
	{ "slack 2, odd", 12345, 2, 12346 },
	{ "slack 2, even", 12346, 2, 12346 },
	{ "slack 5 rounds as 4", 150, 5, 152 },
	{ "slack 5, on a multiple", 160, 5, 160 },
	{ "slack 7 rounds as 4", 155, 7, 156 },
	{ "slack 1 ms", SEC + 1, 1000000, 1000341504 },
	{ "deadline 0", 0, 1ULL << 63, 0 },
	{ "the last deadline, slack 2", S64_MAX, 2, 1ULL << 63 },
	{ "the last deadline, slack 2^62", S64_MAX, 1ULL << 62, 1ULL << 63 },
	{ "the last deadline, all slack", S64_MAX, U64_MAX, 1ULL << 63 },
	{ "rounding up would wrap", (1ULL << 63) + 1, U64_MAX, (1ULL << 63) + 1 },
	{ "the last time of the wheel", U64_MAX - 1, 1ULL << 20, U64_MAX - 1 },
};

static void slack_name(const struct slack_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(slack, slack_cases, slack_name);

static void clock_slack(struct kunit *test)
{
	const struct slack_case *p = test->param_value;
	u64 expires = tw_expires(p->deadline, tw_grain(p->slack));

	KUNIT_EXPECT_EQ(test, expires, p->expires);
	KUNIT_EXPECT_GE(test, expires, p->deadline);
	KUNIT_EXPECT_LE(test, expires - p->deadline, p->slack);
}

/* Every power of two, and its neighbours: never early, never later than slack. */
static void clock_slack_bounds(struct kunit *test)
{
	u64 slack, deadline, expires;
	unsigned int i, j, k;

	for (i = 0; i < 64; i++) {
		for (j = 0; j < 63; j++) {
			for (k = 0; k < 9; k++) {
				slack = (1ULL << i) + k % 3 - 1;
				deadline = (1ULL << j) + k / 3 - 1;
				expires = tw_expires(deadline, tw_grain(slack));
				KUNIT_ASSERT_GE(test, expires, deadline);
				KUNIT_ASSERT_LE(test, expires - deadline, slack);
			}
		}
	}
}

struct period_case {
	const char *name;
	u64 deadline;
	u64 period;
	u64 now;
	u64 periods;
};

/* B19, B20 */
static const struct period_case period_cases[] = {
	{ "one-shot", 100, 0, 5000, 0 },
	{ "one-shot, long ago", 0, 0, U64_MAX, 0 },
	{ "not yet", 100, 10, 99, 0 },
	{ "at the deadline", 100, 10, 100, 0 },
	{ "just before the second", 100, 10, 109, 0 },
	{ "at the second", 100, 10, 110, 1 },
	{ "at the k-th", 100, 10, 100 + 10 * 60000ULL, 60000 },
	{ "more than 2^32", 0, 1000, 10 * SEC * 1000, 10 * SEC },
	{ "more than 2^33, period 1", 7, 1, 7 + 10000 * SEC, 10000 * SEC },
	{ "the longest period", 100, S64_MAX, S64_MAX, 0 },
	{ "the longest period, once", 0, S64_MAX, S64_MAX, 1 },
	{ "all there are", 0, 1, U64_MAX, U64_MAX },
};

static void period_name(const struct period_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(period, period_cases, period_name);

static void clock_periods(struct kunit *test)
{
	const struct period_case *p = test->param_value;
	struct tw_timer t = { .deadline = p->deadline, .period = p->period };

	KUNIT_EXPECT_EQ(test, tw_periods(&t, p->now), p->periods);
}

static struct kunit_case clock_cases[] = {
	KUNIT_CASE_PARAM(clock_init_by_id, id_gen_params),
	KUNIT_CASE(clock_step_is_told_once),
	KUNIT_CASE_PARAM(clock_to_host, host_gen_params),
	KUNIT_CASE(clock_that_is_polled),
	KUNIT_CASE_PARAM(clock_deadline, deadline_gen_params),
	KUNIT_CASE_PARAM(clock_slack, slack_gen_params),
	KUNIT_CASE(clock_slack_bounds),
	KUNIT_CASE_PARAM(clock_periods, period_gen_params),
	{}
};

static struct kunit_suite clock_suite = {
	.name = "twheel_clock",
	.test_cases = clock_cases,
};

kunit_test_suite(clock_suite);
