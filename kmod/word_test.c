// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the words, the shared cells of timers.  selftests/models/words.pml proves
 * the protocol; here are single steps, and what a hostile program may write.
 */
#include <kunit/test.h>

#include "word.c"

#define ARMED(d)	((d) | TWHEEL_WORD_ARMED)
#define CANCELLED(d)	((d) | TWHEEL_WORD_CANCELLED)
#define FIRED(d)	((d) | TWHEEL_WORD_FIRED)

struct expire_case {
	const char *name;
	u64 word;		/* what is there when the time comes */
	u64 deadline;		/* of the timer */
	u64 period;
	u64 now;
	bool skipped;		/* periods without a record */
	enum tw_word_verdict verdict;
	u64 after;		/* the word */
	u64 first;		/* the timer's deadline */
	u64 filed;		/* what it is filed for, if not its deadline */
};

static const struct expire_case expire_cases[] = {
	{ "due", ARMED(1000), 1000, 0, 1000, false,
	  TW_WORD_FIRE, FIRED(1000), 1000 },
	{ "due, rounded up", ARMED(1004), 1001, 0, 1004, false,
	  TW_WORD_FIRE, FIRED(1004), 1001 },
	{ "due long ago", ARMED(1000), 1000, 0, 5000, false,
	  TW_WORD_FIRE, FIRED(1000), 1000 },
	{ "pushed back", ARMED(9000), 1000, 0, 1000, false,
	  TW_WORD_LATER, ARMED(9000), 9000 },
	{ "pushed back, and due since", ARMED(1200), 1000, 0, 1300, false,
	  TW_WORD_FIRE, FIRED(1200), 1200 },
	{ "pushed back to the end of time", ARMED(~3ULL), 1000, 0, 1000, false,
	  TW_WORD_LATER, ARMED(~3ULL), S64_MAX },
	{ "cancelled", CANCELLED(1000), 1000, 0, 1000, false,
	  TW_WORD_GONE, TWHEEL_WORD_IDLE, 1000 },
	{ "cancelled, another deadline", CANCELLED(5000), 1000, 0, 1000, false,
	  TW_WORD_GONE, TWHEEL_WORD_IDLE, 1000 },
	{ "hostile: idle", 1000, 1000, 0, 1000, false,
	  TW_WORD_GONE, TWHEEL_WORD_IDLE, 1000 },
	{ "hostile: fired", FIRED(1000), 1000, 0, 1000, false,
	  TW_WORD_GONE, TWHEEL_WORD_IDLE, 1000 },
	{ "hostile: an earlier deadline", ARMED(400), 1000, 0, 1000, false,
	  TW_WORD_FIRE, FIRED(400), 400 },
	{ "periodic, due", ARMED(1000), 1000, 100, 1000, false,
	  TW_WORD_FIRE, FIRED(1000), 1000 },
	{ "periodic, exact deadline is kept", ARMED(1004), 1001, 100, 1004, false,
	  TW_WORD_FIRE, FIRED(1004), 1001 },
	{ "periodic, two have passed", ARMED(1000), 1000, 100, 1250, false,
	  TW_WORD_FIRE, FIRED(1000), 1000 },
	{ "periodic, one had no record", ARMED(1100), 1000, 100, 1100, true,
	  TW_WORD_FIRE, FIRED(1100), 1000, 1100 },
	{ "periodic, pushed back", ARMED(1040), 1000, 100, 1000, false,
	  TW_WORD_LATER, ARMED(1040), 1040 },
	{ "periodic, one had no record, pushed back", ARMED(1140), 1000, 100, 1100, true,
	  TW_WORD_LATER, ARMED(1140), 1140, 1100 },
	{ "periodic, one had no record, pushed by a period", ARMED(1200), 1000, 100, 1100, true,
	  TW_WORD_LATER, ARMED(1200), 1200, 1100 },
	{ "periodic, one had no record, pushed by one, due", ARMED(1200), 1000, 100, 1200, true,
	  TW_WORD_FIRE, FIRED(1200), 1200, 1100 },
	{ "periodic, pushed back by a period", ARMED(1100), 1000, 100, 1000, false,
	  TW_WORD_LATER, ARMED(1100), 1100 },
	{ "periodic, pushed back by a period, due", ARMED(1100), 1000, 100, 1100, false,
	  TW_WORD_FIRE, FIRED(1100), 1100 },
	{ "periodic, cancelled", CANCELLED(1000), 1000, 100, 1000, false,
	  TW_WORD_GONE, TWHEEL_WORD_IDLE, 1000 },
};

static void expire_name(const struct expire_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(expire, expire_cases, expire_name);

static void word_expire(struct kunit *test)
{
	const struct expire_case *c = test->param_value;
	struct tw_timer t = {
		.deadline = c->deadline, .period = c->period, .skipped = c->skipped,
		.slack_shift = TW_WORD_SHIFT,
		.expires = tw_expires(c->filed ?: c->deadline, 2),
	};
	u64 word = c->word;

	KUNIT_EXPECT_EQ(test, tw_word_expire(&word, &t, c->now), c->verdict);
	KUNIT_EXPECT_EQ(test, word, c->after);
	KUNIT_EXPECT_EQ(test, t.deadline, c->first);
}

struct end_case {
	const char *name;
	u64 word;
	bool pending;
};

static const struct end_case end_cases[] = {
	{ "armed", ARMED(1000), true },
	{ "pushed back", ARMED(9000), true },
	{ "fired, in the backlog", FIRED(1000), true },
	{ "cancelled", CANCELLED(1000), false },
	{ "hostile: idle", 0, false },
};

static void end_name(const struct end_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(end, end_cases, end_name);

static void word_end(struct kunit *test)
{
	const struct end_case *c = test->param_value;
	u64 word = c->word;

	KUNIT_EXPECT_EQ(test, tw_word_end(&word), c->pending);
	KUNIT_EXPECT_EQ(test, word, TWHEEL_WORD_IDLE);
}

static void word_rearm(struct kunit *test)
{
	const struct end_case *c = test->param_value;
	u64 word = c->word;

	KUNIT_EXPECT_EQ(test, tw_word_rearm(&word, 5001), c->pending);
	KUNIT_EXPECT_EQ(test, word, ARMED(5004ULL));
}

static void word_arm(struct kunit *test)
{
	u64 word = TWHEEL_WORD_IDLE;

	tw_word_arm(&word, 1000);
	KUNIT_EXPECT_EQ(test, word, ARMED(1000ULL));
	tw_word_arm(&word, 1001);
	KUNIT_EXPECT_EQ(test, word, ARMED(1004ULL));
	tw_word_arm(&word, S64_MAX);
	KUNIT_EXPECT_EQ(test, word, ARMED(1ULL << 63));
}

struct read_case {
	const char *name;
	u64 word;
	u64 period;
	bool skipped;
	bool pending;
	u64 deadline;
	u64 filed;		/* what it is filed for, if not its deadline */
};

/* The timer's deadline is 1001. */
static const struct read_case read_cases[] = {
	{ "armed", ARMED(1004), 0, false, true, 1001 },
	{ "pushed back", ARMED(9000), 0, false, true, 9000 },
	{ "cancelled", CANCELLED(1004), 0, false, false },
	{ "fired", FIRED(1004), 0, false, false },
	{ "idle", TWHEEL_WORD_IDLE, 0, false, false },
	{ "periodic", ARMED(1004), 100, false, true, 1001 },
	{ "periodic, 3 had no record", ARMED(1304), 100, true, true, 1301, 1301 },
	{ "periodic, 1 had no record, pushed back by 2", ARMED(1304), 100, true, true, 1304, 1101 },
	{ "periodic, pushed back by 3 periods", ARMED(1304), 100, false, true, 1304 },
	{ "periodic, pushed back", ARMED(1340), 100, false, true, 1340 },
	{ "pushed back beyond the last time", ARMED(1ULL << 63), 0, false, true, S64_MAX },
	{ "periodic, the last time there is", ARMED(1ULL << 63), 1ULL << 62, true, true,
	  S64_MAX, S64_MAX },
};

static void read_name(const struct read_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(read, read_cases, read_name);

static void word_read(struct kunit *test)
{
	const struct read_case *c = test->param_value;
	struct tw_timer t = {
		.deadline = 1001, .period = c->period, .skipped = c->skipped, .slack_shift = 2,
		.expires = tw_expires(c->filed ?: 1001, 2),
	};
	u64 deadline = 0xdead, word = c->word;

	KUNIT_EXPECT_EQ(test, tw_word_read(&word, &t, &deadline), c->pending);
	KUNIT_EXPECT_EQ(test, deadline, c->pending ? c->deadline : 0xdead);
	KUNIT_EXPECT_EQ(test, word, c->word);
	KUNIT_EXPECT_EQ(test, t.deadline, 1001);
}

static struct kunit_case word_cases[] = {
	KUNIT_CASE_PARAM(word_expire, expire_gen_params),
	KUNIT_CASE_PARAM(word_end, end_gen_params),
	KUNIT_CASE_PARAM(word_rearm, end_gen_params),
	KUNIT_CASE(word_arm),
	KUNIT_CASE_PARAM(word_read, read_gen_params),
	{}
};

static struct kunit_suite word_suite = {
	.name = "twheel_word",
	.test_cases = word_cases,
};

kunit_test_suite(word_suite);
