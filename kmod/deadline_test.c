// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the arithmetic of deadlines.
 */
#include <kunit/test.h>
#include <linux/limits.h>

#include "deadline.h"

#define SEC	1000000000ULL

struct value_case {
	const char *name;
	u64 now;
	u64 value;
	bool relative;
	int result;
	u64 deadline;
};

/* B03, B18: too large is an error, and never fires at once. */
static const struct value_case value_cases[] = {
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

static void value_name(const struct value_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(value, value_cases, value_name);

static void deadline_of_value(struct kunit *test)
{
	const struct value_case *p = test->param_value;
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

static void deadline_slack(struct kunit *test)
{
	const struct slack_case *p = test->param_value;
	u64 expires = tw_expires(p->deadline, tw_slack_shift(p->slack));

	KUNIT_EXPECT_EQ(test, expires, p->expires);
	KUNIT_EXPECT_GE(test, expires, p->deadline);
	KUNIT_EXPECT_LE(test, expires - p->deadline, p->slack);
}

/* Every power of two, and its neighbours: never early, never later than slack. */
static void deadline_slack_bounds(struct kunit *test)
{
	u64 slack, deadline, expires;
	unsigned int i, j, k;

	for (i = 0; i < 64; i++) {
		for (j = 0; j < 63; j++) {
			for (k = 0; k < 9; k++) {
				slack = (1ULL << i) + k % 3 - 1;
				deadline = (1ULL << j) + k / 3 - 1;
				expires = tw_expires(deadline, tw_slack_shift(slack));
				KUNIT_ASSERT_GE(test, expires, deadline);
				KUNIT_ASSERT_LE(test, expires - deadline, slack);
			}
		}
	}
}

static struct kunit_case deadline_cases[] = {
	KUNIT_CASE_PARAM(deadline_of_value, value_gen_params),
	KUNIT_CASE_PARAM(deadline_slack, slack_gen_params),
	KUNIT_CASE(deadline_slack_bounds),
	{}
};

static struct kunit_suite deadline_suite = {
	.name = "twheel_deadline",
	.test_cases = deadline_cases,
};

kunit_test_suite(deadline_suite);
