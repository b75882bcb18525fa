// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Random operations on the wheel, each compared with sorted lists (model.c).
 */
#include <stdio.h>
#include <stdlib.h>

#include <linux/kernel.h>
#include <linux/minmax.h>

#include "model.h"
#include "rng.h"
#include "tap.h"

#define LAST (TW_NEVER - 1)

static u64 level_width(unsigned int level)
{
	return 1ULL << (TW_BITS * level);
}

static u64 sum(u64 a, u64 b)
{
	return a + b < a || a + b > LAST ? LAST : a + b;
}

static u64 difference(u64 a, u64 b)
{
	return a < b ? 0 : a - b;
}

/* Which times a run uses. */
enum times {
	TIMES_DENSE,	/* all close to each other */
	TIMES_LEVELS,	/* every level */
	TIMES_EQUAL,	/* few different ones */
	TIMES_BOUNDARY,	/* where digits change, and the neighbours */
	TIMES_TOP,	/* around 2^63, and the last ones there are */
	TIMES_MIXED,
};

static u64 boundary(struct rng *r, u64 now)
{
	u64 width = level_width(rng_below(r, TW_LEVELS));
	u64 start = sum(now & ~(width - 1), width * rng_below(r, 4));

	return sum(difference(start, 1), rng_below(r, 3));
}

static u64 pick_time(struct rng *r, enum times times, u64 now)
{
	static const u64 tops[] = { 1ULL << 63, LAST, 1ULL << 62 };

	switch (times) {
	case TIMES_DENSE:
		return sum(now, rng_below(r, 300));
	case TIMES_LEVELS:
		return sum(now, rng_u64(r) >> rng_below(r, 64));
	case TIMES_EQUAL:
		return sum(now | 0xfff, rng_below(r, 3) << (6 * rng_below(r, 3)));
	case TIMES_BOUNDARY:
		return boundary(r, now);
	case TIMES_TOP:
		return sum(tops[rng_below(r, ARRAY_SIZE(tops))] - 50, rng_below(r, 100));
	default:
		return pick_time(r, rng_below(r, TIMES_MIXED), now);
	}
}

/**
 * struct run - one row of the table of random runs
 * @name: of the test
 * @times: which times are used
 * @timers: number of them
 * @back: whether the clock is set back now and then
 * @adds: out of 16 operations; the others remove or expire
 */
struct run {
	const char *name;
	enum times times;
	unsigned int timers;
	bool back;
	unsigned int adds;
};

static void advance(struct rng *r, struct model *m, const struct run *run)
{
	u64 now = m->now, next = tw_wheel_next(&m->wheel);
	unsigned int budget = rng_one_in(r, 3) ? rng_below(r, 20) : MODEL_ALL;

	switch (rng_below(r, 8)) {
	case 0:
		now = sum(now, rng_below(r, 4));
		break;
	case 1:
		now = sum(now, rng_below(r, 200));
		break;
	case 2:
		now = boundary(r, now);
		break;
	case 3:
		if (rng_one_in(r, 4))
			now = pick_time(r, run->times, now);
		break;
	case 4:
		now = next == TW_NEVER ? now : difference(next, 1);
		break;
	default:
		now = next == TW_NEVER ? now : next;
	}
	now = max(now, m->now);
	if (rng_one_in(r, 3))
		model_set_now(m, now);
	if (!rng_one_in(r, 4))
		model_pop(m, now, budget);
}

static void set_back(struct rng *r, struct model *m)
{
	u64 by = rng_u64(r) >> (rng_one_in(r, 4) ? rng_below(r, 64) : 40 + rng_below(r, 24));

	if (rng_one_in(r, 2))
		model_set_now(m, difference(m->now, by));
	else
		model_pop(m, difference(m->now, by), rng_one_in(r, 2) ? MODEL_ALL : 3);
}

static void step(struct rng *r, struct model *m, const struct run *run)
{
	unsigned int dice = rng_below(r, 16);

	if (dice < run->adds) {
		model_add(m, pick_time(r, run->times, m->now));
		return;
	}
	switch (rng_below(r, 8)) {
	case 0:
		model_cancel(m, rng_one_in(r, 2) ? 0 : rng_u64(r));
		break;
	case 1:
	case 2:
		model_move(m, rng_one_in(r, 3) ? 0 : rng_u64(r),
			   pick_time(r, run->times, m->now));
		break;
	case 3:
		model_add(m, difference(m->now, rng_below(r, 3) * rng_below(r, 1000)));
		break;
	case 4:
		if (run->back && rng_one_in(r, 2)) {
			set_back(r, m);
			break;
		}
		/* fall through */
	default:
		advance(r, m, run);
	}
}

static void walk(struct rng *r, const struct run *run, u64 base, unsigned int steps)
{
	struct model m;

	model_init(&m, base, run->timers);
	while (steps--)
		step(r, &m, run);
	model_run_dry(&m);
	model_exit(&m);
}

static const struct run runs[] = {
	{ "dense",		TIMES_DENSE,	40,	false,	8 },
	{ "levels",		TIMES_LEVELS,	40,	false,	8 },
	{ "equal",		TIMES_EQUAL,	40,	false,	8 },
	{ "boundary",		TIMES_BOUNDARY,	40,	false,	8 },
	{ "top",		TIMES_TOP,	40,	false,	8 },
	{ "mixed",		TIMES_MIXED,	100,	false,	8 },
	{ "few",		TIMES_MIXED,	3,	false,	8 },
	{ "dense, set back",	TIMES_DENSE,	40,	true,	8 },
	{ "levels, set back",	TIMES_LEVELS,	40,	true,	8 },
	{ "equal, set back",	TIMES_EQUAL,	40,	true,	8 },
	{ "boundary, set back",	TIMES_BOUNDARY,	40,	true,	8 },
	{ "top, set back",	TIMES_TOP,	40,	true,	8 },
	{ "mixed, set back",	TIMES_MIXED,	100,	true,	8 },
	{ "few, set back",	TIMES_MIXED,	3,	true,	8 },
	{ "crowd, dense",	TIMES_DENSE,	1000,	false,	15 },
	{ "crowd, equal",	TIMES_EQUAL,	1000,	false,	15 },
	{ "crowd, boundary",	TIMES_BOUNDARY,	1000,	false,	15 },
	{ "crowd, mixed",	TIMES_MIXED,	1000,	false,	15 },
	{ "crowd, set back",	TIMES_MIXED,	1000,	true,	15 },
};

#define STEPS 400	/* per base */

static void run_all_bases(struct rng *r, const struct run *run)
{
	static const u64 bases[] = { 0, 1ULL << 32, 1ULL << 48, 1ULL << 62, 1ULL << 63 };
	unsigned int i, level, steps = run->timers > 100 ? 5 * run->timers : STEPS;

	tap_begin(run->name);
	for (i = 0; i < ARRAY_SIZE(bases); i++)
		walk(r, run, bases[i], steps);
	for (level = 1; level < TW_LEVELS; level++)
		for (i = 0; i < 3; i++)
			walk(r, run, level_width(level) - 1 + i, steps);
	for (i = 0; i < 5; i++)
		walk(r, run, rng_u64(r) >> 1, steps);
	tap_end();
}

int main(int argc, char **argv)
{
	struct rng r = { tap_seed(argc, argv, 1) };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(runs); i++)
		run_all_bases(&r, &runs[i]);
	return tap_exit();
}
