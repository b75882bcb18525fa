// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Deadlines, slack and periods: random numbers of all sizes compared with sums in
 * 128 bits, small ones with counting.
 */
#include <linux/kernel.h>

#include "deadline.h"
#include "periodic.h"
#include "rng.h"
#include "tap.h"

#define ROUNDS	1000000
#define u128	unsigned __int128

/* Any number of bits, often next to a power of two. */
static u64 any(struct rng *r)
{
	u64 bits = rng_below(r, 65);
	u64 power = bits < 64 ? 1ULL << bits : 0;

	if (rng_one_in(r, 3))
		return power + rng_below(r, 5) - 2;
	return bits ? rng_u64(r) >> (64 - bits) : 0;
}

/* Exact, or refused when it is beyond 2^63 - 1. */
static void deadlines(u64 seed)
{
	struct rng r = { seed };
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		u64 now = any(&r), value = any(&r), deadline = 0xdead;
		bool relative = rng_one_in(&r, 2);
		u64 base = relative ? now : 0;
		bool beyond = (u128)base + value > S64_MAX;
		int err = tw_deadline(now, value, relative, &deadline);

		tap_expect_eq(err == -EOVERFLOW, beyond);
		tap_expect_eq(deadline, beyond ? 0xdead : base + value);
	}
}

/* The first multiple of the largest power of two not exceeding the slack. */
static void slack(u64 seed)
{
	struct rng r = { seed };
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		u64 deadline = any(&r) >> 1, ns = any(&r);
		u128 power = 1, right;

		while (power * 2 <= ns)
			power *= 2;
		right = (deadline + power - 1) / power * power;
		tap_expect_eq(tw_expires(deadline, tw_slack_shift(ns)), (u64)right);
	}
}

static struct tw_timer any_periodic(struct rng *r)
{
	struct tw_timer t = { .deadline = any(r) >> 1, .period = any(r) >> 1 };

	t.period += !t.period;
	return t;
}

/* No deadline after @now is counted, and none up to it is left out. */
static void periods(u64 seed)
{
	struct rng r = { seed };
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		struct tw_timer t = any_periodic(&r);
		u64 now = any(&r), n = tw_periods(&t, now);
		u128 last = t.deadline + (u128)n * t.period;

		tap_expect_eq(n, now < t.deadline ? 0 : n);
		tap_expect(now < t.deadline || last <= now);
		tap_expect(last + t.period > now);
	}
}

/*
 * Skip, as the engine does, and round by less than a period: the deadline comes
 * back, also where it is the last time that there is.
 */
static void filed_deadline_comes_back(u64 seed)
{
	struct rng r = { seed };
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		struct tw_timer t = any_periodic(&r);
		u64 now = t.deadline + rng_below(&r, S64_MAX - t.deadline + 1);
		u64 next = tw_deadline_after(&t, t.deadline + tw_periods(&t, now) * t.period);
		u64 time = next + rng_below(&r, t.period);

		tap_expect_eq(tw_filed_deadline(&t, time), t.deadline);
		t.skipped = true;
		if (next < S64_MAX && time >= S64_MAX)
			time = next;
		tap_expect_eq(tw_filed_deadline(&t, time), next);
		tap_expect(next > now || next == S64_MAX);
	}
}

static const struct tap_test tests[] = {
	{ "deadlines", deadlines },
	{ "slack", slack },
	{ "periods", periods },
	{ "the filed deadline comes back", filed_deadline_comes_back },
};

int main(int argc, char **argv)
{
	return tap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
