// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Named cases with their right values; numbers are those of
 * Documentation/scenarios.rst.
 *
 * Most go through model.c, which looks at everything after each operation; those
 * with very many timers use the wheel alone.
 */
#include <stdio.h>
#include <stdlib.h>

#include <linux/kernel.h>
#include <linux/minmax.h>

#include "model.h"
#include "rng.h"
#include "tap.h"

#define US 1000ULL
#define MS (1000 * US)
#define SECOND (1000 * MS)
#define HOUR (3600 * SECOND)
#define DAY (24 * HOUR)
#define LAST (TW_NEVER - 1)

static struct rng rng;

static u64 level_width(unsigned int level)
{
	return 1ULL << (TW_BITS * level);
}

static u64 next(const struct model *m)
{
	return tw_wheel_next(&m->wheel);
}

/* Nothing comes before @at; then one timer does, with one event. */
static void expect_one_at(struct model *m, u64 at)
{
	tap_expect_eq(next(m), at);
	tap_expect_eq(model_pop(m, at - 1, MODEL_ALL), 0);
	tap_expect_eq(next(m), at);
	tap_expect_eq(model_pop(m, at, MODEL_ALL), 1);
}

/* A timer that is alone in the wheel, added at @now. */
static void expect_lone(struct model *m, u64 now, u64 delay)
{
	u64 refiled = m->wheel.refiled;

	model_pop(m, now, MODEL_ALL);
	model_add(m, now + delay);
	expect_one_at(m, now + delay);
	tap_expect_eq(next(m), TW_NEVER);
	tap_expect_eq(m->wheel.refiled, refiled);
}

static void b01_long_delays(void)
{
	static const u64 delays[] = {
		(1ULL << 31) - 1, 1ULL << 31, (1ULL << 32) - 1, 1ULL << 32, (1ULL << 32) + 5000,
	};
	struct model m;
	unsigned int i;

	model_init(&m, 12345, 8);
	for (i = 0; i < ARRAY_SIZE(delays); i++)
		model_add(&m, m.now + delays[i] * MS);
	tap_expect_eq(model_pop(&m, m.now + 10 * SECOND, MODEL_ALL), 0);
	for (i = 0; i < ARRAY_SIZE(delays); i++)
		expect_one_at(&m, 12345 + delays[i] * MS);
	model_exit(&m);
}

static void b03_last_times(void)
{
	static const u64 ends[] = { (1ULL << 63) - 1, 1ULL << 63, LAST };
	struct model m;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		model_init(&m, 77, 1);
		expect_lone(&m, 78, ends[i] - 78);
		model_exit(&m);
	}
}

static void b05_base_is_not_zero(void)
{
	struct model m;
	unsigned int level, i, j;
	u64 span;

	for (level = 0; level < TW_LEVELS - 2; level++) {
		span = level_width(level + 1);
		const u64 bases[] = { span + 1, 3 * span + 7, 1ULL << 40 };
		const u64 delays[] = { span - 1, span, span + 1, 10 * span };

		for (i = 0; i < ARRAY_SIZE(bases); i++) {
			model_init(&m, 0, 1);
			for (j = 0; j < ARRAY_SIZE(delays); j++)
				expect_lone(&m, max(m.now, bases[i]), delays[j]);
			model_exit(&m);
		}
	}
}

static void b07_old_empty_wheel(void)
{
	static const u64 ages[] = {
		1ULL << 32, 1ULL << 36, (1ULL << 36) + 1, 1ULL << 48, 1ULL << 62,
	};
	struct model m;
	unsigned int i;

	model_init(&m, 0, 1);
	for (i = 0; i < ARRAY_SIZE(ages); i++) {
		model_set_now(&m, ages[i]);
		expect_lone(&m, ages[i], 10 * SECOND);
	}
	model_exit(&m);
}

static void at_once(struct model *m, u64 expires, bool move)
{
	if (move) {
		model_add(m, m->now + 1000);
		model_move(m, 0, expires);
	} else {
		model_add(m, expires);
	}
	if (expires > m->now) {
		expect_one_at(m, expires);
		return;
	}
	tap_expect_le(next(m), m->now);
	tap_expect_eq(model_pop(m, m->now, MODEL_ALL), 1);
	tap_expect_eq(next(m), TW_NEVER);
}

static void b08_due_now(void)
{
	unsigned int level, i, move;
	struct model m;
	u64 now;

	for (level = 1; level < TW_LEVELS; level++) {
		for (i = 0; i < 6; i++) {
			move = i & 1;
			now = level_width(level) - 1 + i / 2;
			model_init(&m, 0, 1);
			model_set_now(&m, now);
			at_once(&m, now, move);
			at_once(&m, now - 1, move);
			at_once(&m, now + 1, move);
			model_exit(&m);
		}
	}
}

static void b09_multiples_of_the_span(void)
{
	unsigned int level, k, phase;
	struct model m;
	u64 span;

	for (level = 0; level < TW_LEVELS - 2; level++) {
		span = level_width(level + 1);
		model_init(&m, 0, 1);
		for (phase = 0; phase < 20; phase++) {
			model_set_now(&m, m.now + rng_below(&rng, span));
			for (k = 1; k <= 5; k++) {
				expect_lone(&m, m.now, k * span - 1);
				expect_lone(&m, m.now, k * span);
				expect_lone(&m, m.now, k * span + 1);
			}
		}
		model_exit(&m);
	}
}

static void b10_one_revolution(void)
{
	unsigned int level, i;
	struct model m;
	u64 at, span;

	for (level = 0; level < TW_LEVELS - 2; level++) {
		span = level_width(level + 1);
		at = 5 * span + 17 * level_width(level);
		model_init(&m, 5 * span, 8);
		for (i = 0; i < 3; i++)
			model_add(&m, at);
		tap_expect_eq(model_pop(&m, at, 1), 1);	/* two are left in the slot */
		model_add(&m, at + span);
		tap_expect_eq(model_pop(&m, at, MODEL_ALL), 2);
		expect_one_at(&m, at + span);
		for (i = 2; i < 10; i++) {			/* the periodic one */
			model_add(&m, at + i * span);
			expect_one_at(&m, at + i * span);
		}
		tap_expect_eq(next(&m), TW_NEVER);
		model_exit(&m);
	}
}

static void b12_boundaries(void)
{
	static const unsigned int jumps[] = { 1, 7, 63, 64, 65 };
	unsigned int level, i;
	u64 now, at;
	struct model m;

	for (level = 1; level < TW_LEVELS; level++) {
		at = level_width(level);
		for (i = 0; i < ARRAY_SIZE(jumps); i++) {
			now = at < 130 ? 0 : at - 130;
			model_init(&m, now, 1);
			model_add(&m, at);
			while (!model_pop(&m, now, MODEL_ALL))
				now += jumps[i];
			tap_expect_le(at, now);
			tap_expect_le(now - at, jumps[i] - 1);
			model_exit(&m);
		}
	}
}

static void b13_not_before_248(void)
{
	struct model m;

	model_init(&m, 100, 1);
	model_add(&m, 248);
	tap_expect_eq(model_pop(&m, 130, MODEL_ALL), 0);
	tap_expect_eq(model_pop(&m, 200, MODEL_ALL), 0);
	tap_expect_eq(model_pop(&m, 247, MODEL_ALL), 0);
	tap_expect_eq(next(&m), 248);
	tap_expect_eq(model_pop(&m, 248, MODEL_ALL), 1);
	tap_expect_eq(m.wheel.refiled, 0);
	model_exit(&m);
}

/* The caller rounds up: a slack of 5 becomes steps of 4. */
static void b14_slack(void)
{
	static const u64 deadlines[] = { 150, 160, 155 };
	struct model m;
	unsigned int i;

	model_init(&m, 100, 3);
	for (i = 0; i < ARRAY_SIZE(deadlines); i++)
		model_add(&m, (deadlines[i] + 3) & ~3ULL);
	tap_expect_eq(model_pop(&m, 110, MODEL_ALL), 0);
	tap_expect_eq(model_pop(&m, 158, MODEL_ALL), 2);	/* 152 and 156 */
	tap_expect_eq(model_pop(&m, 159, MODEL_ALL), 0);
	tap_expect_eq(model_pop(&m, 165, MODEL_ALL), 1);
	tap_expect_eq(next(&m), TW_NEVER);
	model_exit(&m);
}

static void b26_slots_of_the_next_revolution(void)
{
	struct model m;

	model_init(&m, 40, 3);
	model_add(&m, 64 + 5);
	tap_expect_eq(next(&m), 69);
	model_add(&m, 66);
	tap_expect_eq(next(&m), 66);
	model_add(&m, 50);
	expect_one_at(&m, 50);
	expect_one_at(&m, 66);
	expect_one_at(&m, 69);
	model_exit(&m);
}

static void b26_a_million_random_sets(void)
{
	static struct tw_wheel w;
	struct tw_timer t[6] = { 0 };
	unsigned int i, n, sets;
	u64 now, least;

	tw_wheel_init(&w, 0);
	for (sets = 0; sets < 1000000; sets++) {
		now = rng_u64(&rng) >> (1 + rng_below(&rng, 63));
		tw_wheel_set_now(&w, now);
		least = TW_NEVER;
		n = 1 + rng_below(&rng, ARRAY_SIZE(t));
		for (i = 0; i < n; i++) {
			t[i].expires = now + 1 + (rng_u64(&rng) >> (1 + rng_below(&rng, 63)));
			least = min(least, t[i].expires);
			tw_wheel_add(&w, &t[i]);
		}
		tap_expect_eq(tw_wheel_next(&w), least);
		while (n--)
			tw_wheel_remove(&w, &t[n]);
	}
	tap_expect_eq(tw_wheel_next(&w), TW_NEVER);
}

static void b41_first_moved_later(void)
{
	struct model m;

	model_init(&m, SECOND, 3);
	model_add(&m, SECOND + 10 * MS);
	model_add(&m, SECOND + 400 * MS);
	model_move(&m, 0, SECOND + 500 * MS);
	if (next(&m) < SECOND + 400 * MS)		/* once in vain */
		tap_expect_eq(model_pop(&m, next(&m), MODEL_ALL), 0);
	tap_expect_eq(next(&m), SECOND + 400 * MS);
	model_add(&m, SECOND + 50 * MS);
	expect_one_at(&m, SECOND + 50 * MS);
	expect_one_at(&m, SECOND + 400 * MS);
	expect_one_at(&m, SECOND + 500 * MS);
	model_exit(&m);
}

/* What may happen between two steps of a pass. */
static void b46_changes_in_mid_pass(void)
{
	unsigned int what, budget;
	struct model m;
	u64 at = 5000;

	for (what = 0; what < 4; what++) {
		for (budget = 1; budget < 10; budget++) {
			model_init(&m, 100, 20);
			model_add(&m, at);
			model_add(&m, at);
			model_add(&m, at + 1);
			model_add(&m, at + 70);
			model_add(&m, at + 70);
			model_pop(&m, at + 1, budget);
			if (what == 0)
				model_cancel(&m, 0);
			else if (what == 1)
				model_move(&m, model_count(&m) - 1, at - 1);
			else if (what == 2)
				model_move(&m, 0, at + 4096);
			else
				model_move(&m, 0, at + 1);
			model_pop(&m, at + 69, MODEL_ALL);
			tap_expect_le(at + 70, next(&m));
			model_run_dry(&m);
			model_exit(&m);
		}
	}
}

static void b89_earlier_ones_arrive(void)
{
	static const u64 delays[] = { 10, 5, 2, 8 }, nexts[] = { 10, 5, 2, 2 };
	struct model m;
	unsigned int i;

	model_init(&m, 1000 * SECOND, 4);
	for (i = 0; i < ARRAY_SIZE(delays); i++) {
		model_add(&m, 1000 * SECOND + delays[i] * MS);
		tap_expect_eq(next(&m), 1000 * SECOND + nexts[i] * MS);
	}
	expect_one_at(&m, 1000 * SECOND + 2 * MS);
	expect_one_at(&m, 1000 * SECOND + 5 * MS);
	expect_one_at(&m, 1000 * SECOND + 8 * MS);
	expect_one_at(&m, 1000 * SECOND + 10 * MS);
	model_exit(&m);
}

/* Nobody has told the wheel the time for a minute. */
static void b90_idle_for_long(void)
{
	struct model m;
	u64 now = 3 * SECOND + 60 * SECOND;

	model_init(&m, 3 * SECOND, 3);
	model_add(&m, now + 5 * SECOND);
	model_add(&m, now + 50 * MS);
	model_add(&m, now + 1);
	expect_one_at(&m, now + 1);
	expect_one_at(&m, now + 50 * MS);
	expect_one_at(&m, now + 5 * SECOND);
	model_exit(&m);
}

static void b91_no_event_after_a_cancel(void)
{
	struct model m;
	unsigned int i;

	model_init(&m, 0, 1);
	for (i = 0; i < 1000; i++) {
		model_add(&m, m.now + MS);
		model_set_now(&m, m.now + 900 * US);
		model_cancel(&m, 0);
		tap_expect_eq(next(&m), TW_NEVER);
	}
	model_exit(&m);
}

/* Late calls: jumps of 1.8 ticks of 1 ms. */
static void b93_late_calls(void)
{
	unsigned int i, popped = 0;
	struct model m;
	u64 now = 0;

	model_init(&m, 0, 1000);
	for (i = 1; i <= 1000; i++)
		model_add(&m, i * MS);
	while (popped < 1000) {
		now += 1800 * US;
		popped += model_pop(&m, now, MODEL_ALL);
		tap_expect_eq(popped, min(now / MS, 1000ULL));
	}
	model_exit(&m);
}

static void b98_tick_edges(void)
{
	static const u64 ticks[] = { US, 100 * US, 999999, MS, 4 * MS };
	unsigned int i, k, j;
	struct model m;

	for (i = 0; i < ARRAY_SIZE(ticks); i++) {
		model_init(&m, 12345, 100);
		for (k = 1; k <= 30; k++)
			for (j = 0; j < 3; j++)
				model_add(&m, 20000 + k * ticks[i] + j - 1);
		tap_expect_eq(model_run_dry(&m), 90);	/* each is a time of its own */
		model_exit(&m);
	}
}

static void b99_periodic_without_drift(void)
{
	static struct tw_wheel w;
	struct tw_timer t = { .expires = 7 + 10 * MS };
	unsigned int k, budget;
	u64 now;

	tw_wheel_init(&w, 7);
	for (k = 1; k <= 60000; k++) {
		tw_wheel_add(&w, &t);
		tap_expect_eq(tw_wheel_next(&w), 7 + k * 10 * MS);
		now = tw_wheel_next(&w) + rng_below(&rng, 3 * MS);
		tw_wheel_set_now(&w, now);
		budget = 1;
		tap_expect(tw_wheel_pop(&w, now, &budget) == &t);
		t.expires += 10 * MS;
	}
}

/* A timer is added anew for "now" whenever it comes out. */
static void b110_delay_of_zero(void)
{
	static struct tw_wheel w;
	struct tw_timer t = { .expires = 500 }, *popped;
	unsigned int budget = 256, count = 0;

	tw_wheel_init(&w, 100);
	tw_wheel_add(&w, &t);
	while ((popped = tw_wheel_pop(&w, 600, &budget))) {
		count++;
		tap_expect_le(count, 256);
		t.expires = 600;
		tw_wheel_add(&w, &t);
	}
	tap_expect_eq(count, 256);
	tap_expect_eq(budget, 0);
	tw_wheel_remove(&w, &t);
	tap_expect_eq(tw_wheel_next(&w), TW_NEVER);
}

static void b116_cancelled_ones_are_gone(void)
{
	static struct tw_wheel w;
	struct tw_timer t = { 0 };
	unsigned int i;

	tw_wheel_init(&w, 100);
	for (i = 0; i < 10000000; i++) {
		t.expires = 100 + DAY + i;
		tw_wheel_add(&w, &t);
		tw_wheel_remove(&w, &t);
	}
	tap_expect_eq(tw_wheel_next(&w), TW_NEVER);
	tap_expect(!tw_wheel_check(&w));
	tap_expect_eq(w.count, 0);
}

/* One event for each time, whatever the distance. */
static void sparse_timers(void)
{
	unsigned int round, i;
	struct model m;
	u64 at;

	for (round = 0; round < 50; round++) {
		model_init(&m, rng_u64(&rng) >> 2, 2 * TW_SPLIT_MIN);
		for (i = 0; i < TW_SPLIT_MIN; i++) {
			at = (rng_u64(&rng) >> (1 + rng_below(&rng, 62))) & ~255ULL;
			model_add(&m, m.now + at + 1 + i);
		}
		tap_expect_eq(model_run_dry(&m), TW_SPLIT_MIN);
		model_exit(&m);
	}
}

/* A removed minimum costs one event in vain at most. */
static void removed_minimum(void)
{
	unsigned int round, i, removed, vain;
	struct model m;

	for (round = 0; round < 50; round++) {
		model_init(&m, rng_u64(&rng) >> 2, 100);
		for (i = 0; i < 100; i++)
			model_add(&m, m.now + 1 + (rng_u64(&rng) >> (10 + rng_below(&rng, 50))));
		removed = 0;
		vain = 0;
		while (model_count(&m)) {
			if (rng_one_in(&rng, 2)) {
				model_cancel(&m, 0);
				removed++;
			} else {
				vain += !model_pop(&m, next(&m), MODEL_ALL);
			}
		}
		tap_expect_le(vain, removed);
		model_exit(&m);
	}
}

static void past_ones_come_behind(void)
{
	struct model m;

	model_init(&m, 1000, 4);
	model_add(&m, 1500);
	model_add(&m, 1600);
	tap_expect_eq(model_pop(&m, 1550, MODEL_ALL), 1);
	model_add(&m, 1400);
	model_add(&m, 1550);
	tap_expect_le(next(&m), 1550);
	tap_expect_eq(model_pop(&m, 1550, MODEL_ALL), 2);
	expect_one_at(&m, 1600);
	model_exit(&m);
}

static void crowd_is_opened_at_its_start(void)
{
	u64 start = 5 * level_width(4);
	struct model m;
	unsigned int i;

	model_init(&m, 1000, 2 * TW_SPLIT_MIN);
	for (i = 0; i < TW_SPLIT_MIN; i++)
		model_add(&m, start + 500000 + i);
	tap_expect_eq(next(&m), start + 500000);
	model_add(&m, start + 500000 + i);
	tap_expect_eq(next(&m), start);
	tap_expect_eq(model_pop(&m, start, 100), 0);		/* one step */
	tap_expect(m.wheel.open);
	model_add(&m, start + 5);				/* meanwhile */
	tap_expect_eq(model_pop(&m, start, MODEL_ALL), 0);
	tap_expect_eq(next(&m), start + 5);
	tap_expect_eq(model_pop(&m, start + 500000 + TW_SPLIT_MIN, MODEL_ALL), TW_SPLIT_MIN + 2);
	model_exit(&m);
}

static void equal_crowd_is_not_taken_apart(void)
{
	struct model m;
	unsigned int i;

	model_init(&m, 1000, 1000);
	for (i = 0; i < 1000; i++)
		model_add(&m, HOUR);
	tap_expect_eq(next(&m), HOUR);
	tap_expect_eq(model_pop(&m, HOUR, 256), 256);
	tap_expect_eq(model_pop(&m, HOUR, MODEL_ALL), 1000 - 256);
	tap_expect_eq(m.wheel.refiled, 0);
	model_exit(&m);
}

static void clock_goes_back_and_comes_again(void)
{
	struct model m;

	/*
	 * 0x40 to 0x7f is a slot of level 1, seen from 0.  A timer waits there
	 * while the clock, after it was set back, enters the slot by another way.
	 */
	model_init(&m, 4096, 4);
	model_add(&m, 4096 + 0x50);			/* level 1 */
	model_set_now(&m, 10);
	model_add(&m, 4096 + 0x48);			/* level 2 */
	expect_one_at(&m, 4096 + 0x48);
	model_add(&m, 4096 + 0x60);			/* level 0 */
	expect_one_at(&m, 4096 + 0x50);
	expect_one_at(&m, 4096 + 0x60);
	tap_expect_eq(m.wheel.high, 0);
	model_exit(&m);
}

static void clock_goes_back_in_mid_pass(void)
{
	struct model m;
	unsigned int i;

	model_init(&m, 5000, 10);
	for (i = 0; i < 5; i++)
		model_add(&m, 6000 + i % 2);
	tap_expect_eq(model_pop(&m, 6000, 1), 1);
	model_add(&m, 5900);					/* late */
	model_set_now(&m, 5500);
	tap_expect_eq(model_pop(&m, 5500, MODEL_ALL), 0);	/* not late any more */
	expect_one_at(&m, 5900);
	tap_expect_le(model_pop(&m, 6000, MODEL_ALL), 2);
	tap_expect_eq(model_pop(&m, 6001, MODEL_ALL) + model_count(&m), 2);
	model_exit(&m);
}

static void order_is_found_again_after_a_set_back(void)
{
	struct model m;
	unsigned int i;

	model_init(&m, DAY, 200);
	for (i = 0; i < 100; i++)
		model_add(&m, DAY + rng_below(&rng, 2 * HOUR));
	model_set_now(&m, DAY - HOUR);
	for (i = 0; i < 100; i++)
		model_add(&m, DAY - HOUR + rng_below(&rng, 2 * HOUR));
	tap_expect_eq(m.wheel.high, DAY);
	model_pop(&m, DAY + 3 * HOUR / 2, MODEL_ALL);
	tap_expect(model_count(&m));
	tap_expect_eq(m.wheel.high, 0);
	model_run_dry(&m);
	model_exit(&m);
}

static void time_moves_up_to_the_first_slot(void)
{
	struct model m;

	model_init(&m, 0, 2);
	model_add(&m, HOUR);
	model_set_now(&m, HOUR / 2 & ~63ULL);
	tap_expect_eq(m.wheel.now, HOUR / 2 & ~63ULL);
	model_add(&m, m.now + 50);
	tap_expect_eq(tw_wheel_level_count(&m.wheel, 0), 1);
	model_cancel(&m, 0);
	model_set_now(&m, HOUR + 5);			/* not into its slot */
	tap_expect_le(m.wheel.now, HOUR - 1);
	tap_expect_eq(model_pop(&m, HOUR + 5, MODEL_ALL), 1);
	model_exit(&m);
}

static void count_per_level(void)
{
	unsigned int level, sum = 0;
	struct model m;

	model_init(&m, 64, TW_LEVELS + 1);
	model_add(&m, 5);					/* late */
	model_add(&m, 66);
	for (level = 1; level < TW_LEVELS; level++)
		model_add(&m, 2 * level_width(level));
	for (level = 0; level < TW_LEVELS; level++)
		sum += tw_wheel_level_count(&m.wheel, level);
	tap_expect_eq(sum, TW_LEVELS + 1);
	tap_expect_eq(tw_wheel_level_count(&m.wheel, 0), 2);
	tap_expect_eq(tw_wheel_level_count(&m.wheel, TW_LEVELS - 1), 1);
	model_exit(&m);
}

/* Very many timers: the wheel alone, drained with limited budgets. */

#define MANY 1000000U
#define BUDGET 256U

struct many {
	struct tw_wheel wheel;
	struct tw_timer *timers;
	u64 calls;
};

static void many_begin(struct many *x)
{
	x->timers = calloc(MANY, sizeof(*x->timers));
	x->calls = 0;
	tw_wheel_init(&x->wheel, 1000);
}

static void many_end(struct many *x)
{
	tap_expect(!tw_wheel_check(&x->wheel));
	tap_expect_eq(x->wheel.count, 0);
	tap_expect_eq(tw_wheel_next(&x->wheel), TW_NEVER);
	free(x->timers);
}

static void many_add(struct many *x, unsigned int i, u64 expires)
{
	x->timers[i].expires = expires;
	tw_wheel_add(&x->wheel, &x->timers[i]);
}

/* Hand out what is due at @now in steps; returns how many. */
static u64 many_pop(struct many *x, u64 now, u64 *last)
{
	struct tw_timer *t;
	unsigned int budget;
	u64 popped = 0;

	do {
		budget = BUDGET;
		x->calls++;
		while ((t = tw_wheel_pop(&x->wheel, now, &budget))) {
			tap_expect_le(t->expires, now);
			tap_expect_le(*last, t->expires);
			*last = t->expires;
			popped++;
		}
	} while (!budget);
	return popped;
}

static void a_million_overdue(void)
{
	static struct many x;
	unsigned int i;
	u64 last = 0;

	many_begin(&x);
	for (i = 0; i < MANY; i++)
		many_add(&x, i, 2000 + rng_below(&rng, 11 * 60 * SECOND));
	tap_expect_eq(many_pop(&x, HOUR, &last), MANY);
	tap_expect_le(x.wheel.refiled, 10ULL * MANY);
	tap_expect_le(x.calls, (MANY + x.wheel.refiled) / BUDGET + 1);
	printf("# %u overdue timers: %.1f refiles each, %llu steps\n",
	       MANY, (double)x.wheel.refiled / MANY, x.calls);
	many_end(&x);
}

static void a_million_at_one_time(void)
{
	static struct many x;
	unsigned int i;
	u64 last = 0;

	many_begin(&x);
	for (i = 0; i < MANY; i++)
		many_add(&x, i, HOUR);
	tap_expect_eq(tw_wheel_next(&x.wheel), HOUR);
	tap_expect_eq(many_pop(&x, HOUR - 1, &last), 0);
	tap_expect_eq(many_pop(&x, HOUR, &last), MANY);
	tap_expect_eq(x.wheel.refiled, 0);
	many_end(&x);
}

static void a_million_in_one_slot(void)
{
	static struct many x;
	unsigned int i, events = 0;
	u64 popped = 0, last = 0, at = 3 * level_width(7);

	many_begin(&x);
	for (i = 0; i < MANY; i++)
		many_add(&x, i, at + rng_below(&rng, level_width(7)));
	tap_expect_eq(tw_wheel_next(&x.wheel), at);
	while (popped < MANY) {
		popped += many_pop(&x, tw_wheel_next(&x.wheel), &last);
		events++;
	}
	tap_expect_le(x.wheel.refiled, 7ULL * MANY);
	printf("# a slot of %u: %.1f refiles each, %u events\n",
	       MANY, (double)x.wheel.refiled / MANY, events);
	many_end(&x);
}

static void b11_one_long_jump(void)
{
	static struct many x;
	const u64 span = level_width(3);
	unsigned int i;
	u64 last = 0;

	many_begin(&x);
	for (i = 0; i < 100000; i++)
		many_add(&x, i, 1000 + 1 + rng_below(&rng, 5 * span));
	tap_expect_eq(many_pop(&x, 1000 + 20 * span, &last), 100000);
	many_end(&x);
}

#define TEST(fn) { #fn, fn }

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	TEST(b01_long_delays),
	TEST(b03_last_times),
	TEST(b05_base_is_not_zero),
	TEST(b07_old_empty_wheel),
	TEST(b08_due_now),
	TEST(b09_multiples_of_the_span),
	TEST(b10_one_revolution),
	TEST(b11_one_long_jump),
	TEST(b12_boundaries),
	TEST(b13_not_before_248),
	TEST(b14_slack),
	TEST(b26_slots_of_the_next_revolution),
	TEST(b26_a_million_random_sets),
	TEST(b41_first_moved_later),
	TEST(b46_changes_in_mid_pass),
	TEST(b89_earlier_ones_arrive),
	TEST(b90_idle_for_long),
	TEST(b91_no_event_after_a_cancel),
	TEST(b93_late_calls),
	TEST(b98_tick_edges),
	TEST(b99_periodic_without_drift),
	TEST(b110_delay_of_zero),
	TEST(b116_cancelled_ones_are_gone),
	TEST(sparse_timers),
	TEST(removed_minimum),
	TEST(past_ones_come_behind),
	TEST(crowd_is_opened_at_its_start),
	TEST(equal_crowd_is_not_taken_apart),
	TEST(clock_goes_back_and_comes_again),
	TEST(clock_goes_back_in_mid_pass),
	TEST(order_is_found_again_after_a_set_back),
	TEST(time_moves_up_to_the_first_slot),
	TEST(count_per_level),
	TEST(a_million_overdue),
	TEST(a_million_at_one_time),
	TEST(a_million_in_one_slot),
};

int main(int argc, char **argv)
{
	unsigned int i;

	rng.state = tap_seed(argc, argv, 1);
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		tap_begin(tests[i].name);
		tests[i].run();
		tap_end();
	}
	return tap_exit();
}
