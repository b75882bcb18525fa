// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of clocks.
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

static struct kunit_case clock_cases[] = {
	KUNIT_CASE_PARAM(clock_init_by_id, id_gen_params),
	KUNIT_CASE(clock_step_is_told_once),
	KUNIT_CASE_PARAM(clock_to_host, host_gen_params),
	KUNIT_CASE(clock_that_is_polled),
	{}
};

static struct kunit_suite clock_suite = {
	.name = "twheel_clock",
	.test_cases = clock_cases,
};

kunit_test_suite(clock_suite);
