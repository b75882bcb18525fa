// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the rules of periodic timers.
 */
#include <kunit/test.h>
#include <linux/limits.h>

#include "periodic.h"

#define SEC	1000000000ULL

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

static void periodic_periods(struct kunit *test)
{
	const struct period_case *p = test->param_value;
	struct tw_timer t = { .deadline = p->deadline, .period = p->period };

	KUNIT_EXPECT_EQ(test, tw_periods(&t, p->now), p->periods);
}

/* After the last period that fits comes the last time that there is. */
struct filed_case {
	const char *name;
	u64 deadline;
	u64 period;
	bool skipped;
	u64 time;
	u64 filed;
};

static const struct filed_case filed_cases[] = {
	{ "nothing skipped", 100, 10, false, 112, 100 },
	{ "one skipped", 100, 10, true, 110, 110 },
	{ "one skipped, rounded up", 100, 10, true, 112, 110 },
	{ "6 * 10^10 skipped", 100, 10, true, 100 + 600 * SEC, 100 + 600 * SEC },
	{ "the next is the last time", 100, S64_MAX - 50, true, S64_MAX, S64_MAX },
	{ "the next is the last time, rounded up", 100, S64_MAX - 50, true, 1ULL << 63, S64_MAX },
};

static void filed_name(const struct filed_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(filed, filed_cases, filed_name);

static void periodic_filed_deadline(struct kunit *test)
{
	const struct filed_case *c = test->param_value;
	struct tw_timer t = {
		.deadline = c->deadline, .period = c->period, .skipped = c->skipped,
	};

	KUNIT_EXPECT_EQ(test, tw_filed_deadline(&t, c->time), c->filed);
}

static void periodic_deadline_after(struct kunit *test)
{
	struct tw_timer t = { .period = 10 };

	KUNIT_EXPECT_EQ(test, tw_deadline_after(&t, 100), 110);
	KUNIT_EXPECT_EQ(test, tw_deadline_after(&t, S64_MAX - 10), S64_MAX);
	KUNIT_EXPECT_EQ(test, tw_deadline_after(&t, S64_MAX - 9), S64_MAX);
	KUNIT_EXPECT_EQ(test, tw_deadline_after(&t, S64_MAX), S64_MAX);
}

static struct kunit_case periodic_cases[] = {
	KUNIT_CASE_PARAM(periodic_periods, period_gen_params),
	KUNIT_CASE_PARAM(periodic_filed_deadline, filed_gen_params),
	KUNIT_CASE(periodic_deadline_after),
	{}
};

static struct kunit_suite periodic_suite = {
	.name = "twheel_periodic",
	.test_cases = periodic_cases,
};

kunit_test_suite(periodic_suite);
