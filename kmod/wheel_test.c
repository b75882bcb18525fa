// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the wheel.  selftests/host/ has more of them, with many more steps,
 * under other sanitizers; these say that the same code is right in the kernel.
 *
 * Numbers are those of Documentation/scenarios.rst.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "wheel.c"

#define TIMERS	300
#define ALL	UINT_MAX
#define MSEC	1000000ULL
#define SEC	(1000 * MSEC)
#define HOUR	(3600 * SEC)

/* Test data: a wheel, timers, and the state of a random generator. */
struct fixture {
	struct tw_wheel wheel;
	struct tw_timer timers[TIMERS];
	unsigned int used;
	u64 random;
};

static u64 level_width(unsigned int level)
{
	return 1ULL << (TW_BITS * level);
}

/* splitmix64 */
static u64 random_u64(struct fixture *f)
{
	u64 x = f->random += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static u32 random_below(struct fixture *f, u32 n)
{
	return (u32)(random_u64(f) >> 32) % n;
}

static struct tw_timer *add(struct fixture *f, u64 expires)
{
	struct tw_timer *t = &f->timers[f->used++];

	t->expires = expires;
	tw_wheel_add(&f->wheel, t);
	return t;
}

static void move(struct fixture *f, struct tw_timer *t, u64 expires)
{
	tw_wheel_move(&f->wheel, t, expires);
}

static u64 next(struct fixture *f)
{
	return tw_wheel_next(&f->wheel);
}

/* Hand out what is due at @now: how many timers. */
static unsigned int pop(struct fixture *f, u64 now, unsigned int budget)
{
	unsigned int count = 0;

	while (tw_wheel_pop(&f->wheel, now, &budget))
		count++;
	return count;
}

static void expect_sound(struct kunit *test, struct fixture *f)
{
	const char *wrong = tw_wheel_check(&f->wheel);

	KUNIT_EXPECT_TRUE_MSG(test, !wrong, "%s", wrong);
}

/* @t is the next to come, exactly at @at, with one event. */
static void expect_at(struct kunit *test, struct tw_timer *t, u64 at)
{
	struct fixture *f = test->priv;
	unsigned int budget = ALL;

	KUNIT_EXPECT_EQ(test, next(f), at);
	KUNIT_EXPECT_EQ(test, pop(f, at - 1, ALL), 0);
	KUNIT_EXPECT_EQ(test, next(f), at);
	KUNIT_EXPECT_PTR_EQ(test, tw_wheel_pop(&f->wheel, at, &budget), t);
	KUNIT_EXPECT_EQ(test, pop(f, at, ALL), 0);
	expect_sound(test, f);
}

static int wheel_test_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	f->random = 1;
	tw_wheel_init(&f->wheel, 0);
	test->priv = f;
	return 0;
}

static void wheel_empty(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, next(f), TW_NEVER);
	KUNIT_EXPECT_EQ(test, pop(f, HOUR, ALL), 0);
	KUNIT_EXPECT_EQ(test, f->wheel.count, 0);
	expect_sound(test, f);
}

struct lone_case {
	const char *name;
	u64 base;
	u64 delay;
};

static const struct lone_case lone_cases[] = {
	{ "1 ns after 0", 0, 1 },
	{ "63 ns after 0, the last slot of level 0", 0, 63 },
	{ "64 ns after 0, the first slot of level 1", 0, 64 },
	{ "65 ns after 63", 63, 65 },
	{ "4095 ns after 4096", 4096, 4095 },
	{ "B05: a span after more than a span", 4097, 4096 },
	{ "B05: a span - 1 after 3 spans and 7", 3 * 262144 + 7, 262143 },
	{ "B05: 10 spans after 2^40", 1ULL << 40, 10 * 262144 },
	{ "B07: 10 s after 2^32", 1ULL << 32, 10 * SEC },
	{ "B07: 10 s after 2^36", 1ULL << 36, 10 * SEC },
	{ "B07: 10 s after 2^36 + 1", (1ULL << 36) + 1, 10 * SEC },
	{ "B07: 10 s after 2^48", 1ULL << 48, 10 * SEC },
	{ "B07: 10 s after 2^62", 1ULL << 62, 10 * SEC },
	{ "B09: 5 spans of level 3 - 1", 12345678, 5 * (1ULL << 24) - 1 },
	{ "B09: 5 spans of level 3", 12345678, 5 * (1ULL << 24) },
	{ "B09: 5 spans of level 3 + 1", 12345678, 5 * (1ULL << 24) + 1 },
	{ "B01: 2^32 + 5000 ms", SEC, ((1ULL << 32) + 5000) * MSEC },
	{ "B13: 248 seen from 100", 100, 148 },
	{ "B90: 5 s after a minute that nobody told of", 0, 65 * SEC },
	{ "B03: 2^63 - 1", 1, S64_MAX - 1 },
	{ "B03: the last time there is", 1, TW_NEVER - 2 },
};

static void lone_name(const struct lone_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(lone, lone_cases, lone_name);

/* One event, at the right time, and the timer is filed once. */
static void wheel_lone_timer(struct kunit *test)
{
	const struct lone_case *c = test->param_value;
	struct fixture *f = test->priv;

	tw_wheel_set_now(&f->wheel, c->base);
	expect_at(test, add(f, c->base + c->delay), c->base + c->delay);
	KUNIT_EXPECT_EQ(test, next(f), TW_NEVER);
	KUNIT_EXPECT_EQ(test, f->wheel.refiled, 0);
}

/* B08: seen from 64^k - 1, 64^k and 64^k + 1. */
static void wheel_due_now(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int level, i;
	struct tw_timer *t;
	u64 now;

	for (level = 1; level < TW_LEVELS; level++) {
		for (i = 0; i < 3; i++) {
			f->used = 0;
			now = level_width(level) - 1 + i;
			tw_wheel_init(&f->wheel, now);
			add(f, now);
			t = add(f, now + 1000);
			move(f, t, now - 1);
			KUNIT_EXPECT_LE(test, next(f), now);
			KUNIT_EXPECT_EQ(test, pop(f, now, ALL), 2);
			expect_at(test, add(f, now + 1), now + 1);
		}
	}
}

/* B91 */
static void wheel_remove_last(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct tw_timer *t = add(f, MSEC);

	tw_wheel_remove(&f->wheel, t);
	KUNIT_EXPECT_EQ(test, next(f), TW_NEVER);
	KUNIT_EXPECT_TRUE(test, hlist_unhashed(&t->link));
	KUNIT_EXPECT_EQ(test, f->wheel.count, 0);
	expect_sound(test, f);
}

/* B41: the first of two is moved behind the second. */
static void wheel_move_first_later(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct tw_timer *a = add(f, 10 * MSEC);
	struct tw_timer *b = add(f, 400 * MSEC);
	struct tw_timer *c;

	move(f, a, 500 * MSEC);
	if (next(f) < 400 * MSEC)
		KUNIT_EXPECT_EQ(test, pop(f, next(f), ALL), 0);
	KUNIT_EXPECT_EQ(test, next(f), 400 * MSEC);
	c = add(f, 50 * MSEC);
	expect_at(test, c, 50 * MSEC);
	expect_at(test, b, 400 * MSEC);
	expect_at(test, a, 500 * MSEC);
}

/* B89 */
static void wheel_add_earlier(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct tw_timer *d, *c, *b, *a;

	d = add(f, 10 * MSEC);
	KUNIT_EXPECT_EQ(test, next(f), 10 * MSEC);
	b = add(f, 5 * MSEC);
	KUNIT_EXPECT_EQ(test, next(f), 5 * MSEC);
	a = add(f, 2 * MSEC);
	KUNIT_EXPECT_EQ(test, next(f), 2 * MSEC);
	c = add(f, 8 * MSEC);
	expect_at(test, a, 2 * MSEC);
	expect_at(test, b, 5 * MSEC);
	expect_at(test, c, 8 * MSEC);
	expect_at(test, d, 10 * MSEC);
}

/* B10: a timer is added for the same slot while that is being emptied. */
static void wheel_add_one_revolution(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int level;
	u64 at, span;

	for (level = 0; level < TW_LEVELS - 2; level++) {
		f->used = 0;
		span = level_width(level + 1);
		at = 5 * span + 17 * level_width(level);
		tw_wheel_init(&f->wheel, 5 * span);
		add(f, at);
		add(f, at);
		KUNIT_EXPECT_EQ(test, pop(f, at, 1), 1);
		add(f, at + span);
		KUNIT_EXPECT_EQ(test, pop(f, at, ALL), 1);
		expect_at(test, &f->timers[2], at + span);
	}
}

/* B12: B93: jumps that step over boundaries leave nothing behind. */
static void wheel_jump_over_boundary(struct kunit *test)
{
	static const unsigned int jumps[] = { 1, 7, 63, 64, 65 };
	struct fixture *f = test->priv;
	unsigned int level, i;
	u64 now, at;

	for (level = 1; level < TW_LEVELS; level++) {
		for (i = 0; i < ARRAY_SIZE(jumps); i++) {
			f->used = 0;
			at = level_width(level);
			now = at - min(at, 130ULL);
			tw_wheel_init(&f->wheel, now);
			add(f, at);
			while (!pop(f, now, ALL))
				now += jumps[i];
			KUNIT_EXPECT_GE(test, now, at);
			KUNIT_EXPECT_LT(test, now, at + jumps[i]);
		}
	}
}

/* B11: one jump over everything; in order all the same. */
static void wheel_overdue_in_order(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i, budget = ALL, count = 0;
	struct tw_timer *t;
	u64 last = 0;

	for (i = 0; i < TIMERS; i++)
		add(f, 1 + (random_u64(f) >> (4 + random_below(f, 50))));
	while ((t = tw_wheel_pop(&f->wheel, S64_MAX, &budget))) {
		KUNIT_EXPECT_GE(test, t->expires, last);
		last = t->expires;
		count++;
	}
	KUNIT_EXPECT_EQ(test, count, TIMERS);
	KUNIT_EXPECT_EQ(test, next(f), TW_NEVER);
	KUNIT_EXPECT_LE(test, f->wheel.refiled, 10ULL * TIMERS);
}

/* B26: seen from slot 40: the next revolution of slot 5, and one before it. */
static void wheel_next_revolution(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct tw_timer *a, *b, *c;

	tw_wheel_set_now(&f->wheel, 40);
	c = add(f, 64 + 5);
	b = add(f, 66);
	a = add(f, 50);
	expect_at(test, a, 50);
	expect_at(test, b, 66);
	expect_at(test, c, 69);
}

/* B26 */
static void wheel_next_is_least(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int set;
	u64 now, least;

	for (set = 0; set < 20000; set++) {
		now = random_u64(f) >> (1 + random_below(f, 63));
		least = TW_NEVER;
		tw_wheel_set_now(&f->wheel, now);
		for (f->used = 0; f->used < 5;)
			least = min(least, add(f, now + 1 + (random_u64(f) >> 1 >>
							     random_below(f, 63)))->expires);
		KUNIT_EXPECT_EQ(test, next(f), least);
		while (f->used)
			tw_wheel_remove(&f->wheel, &f->timers[--f->used]);
	}
	KUNIT_EXPECT_EQ(test, next(f), TW_NEVER);
}

/* One event for each time, however far away. */
static void wheel_events_of_sparse_timers(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int events = 0, count = 0;
	u64 far;

	while (f->used < TW_SPLIT_MIN) {
		far = random_u64(f) >> 1 >> random_below(f, 60);
		add(f, (far & ~255ULL) + f->used + 1);
	}
	for (; count < TW_SPLIT_MIN && events <= TW_SPLIT_MIN; events++)
		count += pop(f, next(f), ALL);
	KUNIT_EXPECT_EQ(test, events, TW_SPLIT_MIN);
}

static void wheel_events_after_remove(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int removed = 0, vain = 0, i;
	struct tw_timer *first;

	while (f->used < 100)
		add(f, HOUR + random_below(f, 1000000));
	for (i = 0; f->wheel.count && i < 1000; i++) {
		if (i % 2) {
			vain += !pop(f, next(f), ALL);
			continue;
		}
		for (first = f->timers; hlist_unhashed(&first->link);)
			first++;
		tw_wheel_remove(&f->wheel, first);
		removed++;
	}
	KUNIT_EXPECT_EQ(test, f->wheel.count, 0);
	KUNIT_EXPECT_LE(test, vain, removed);
}

static void wheel_budget(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int budget = 0;

	add(f, 100);
	add(f, 100);
	add(f, 200);
	KUNIT_EXPECT_NULL(test, tw_wheel_pop(&f->wheel, 300, &budget));
	budget = 2;
	KUNIT_EXPECT_NOT_NULL(test, tw_wheel_pop(&f->wheel, 300, &budget));
	KUNIT_EXPECT_EQ(test, budget, 1);
	KUNIT_EXPECT_EQ(test, pop(f, 300, budget), 1);
	KUNIT_EXPECT_LE(test, next(f), 200);
	KUNIT_EXPECT_EQ(test, pop(f, 300, ALL), 1);
}

/* B110: a timer added anew for "now" whenever it comes does not end a pass late. */
static void wheel_budget_ends_zero_delays(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int budget = 64, count = 0;
	struct tw_timer *t = add(f, 100);

	while (count < 1000 && tw_wheel_pop(&f->wheel, 200, &budget)) {
		count++;
		t->expires = 200;
		tw_wheel_add(&f->wheel, t);
	}
	KUNIT_EXPECT_EQ(test, count, 64);
	KUNIT_EXPECT_EQ(test, budget, 0);
}

/* B46: what may happen to a timer whose slot is half taken apart. */
static void wheel_change_in_mid_pass(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct tw_timer *t;
	unsigned int what;

	for (what = 0; what < 4; what++) {
		f->used = 0;
		tw_wheel_init(&f->wheel, 0);
		t = add(f, 5000);		/* last of its slot */
		add(f, 5000);
		add(f, 5001);
		KUNIT_EXPECT_LE(test, pop(f, 5000, 1), 1);
		tw_wheel_remove(&f->wheel, t);
		t->expires = what == 1 ? 4999 : what == 2 ? 5000 : 9000;
		if (what)
			tw_wheel_add(&f->wheel, t);
		expect_sound(test, f);
		pop(f, 5000, ALL);
		KUNIT_EXPECT_EQ(test, f->wheel.count, what == 3 ? 2 : 1);
		KUNIT_EXPECT_EQ(test, next(f), 5001);
		KUNIT_EXPECT_EQ(test, pop(f, 9000, ALL), what == 3 ? 2 : 1);
	}
}

static void wheel_past_comes_behind(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct tw_timer *late, *t;

	add(f, 1500);
	t = add(f, 1600);
	KUNIT_EXPECT_EQ(test, pop(f, 1550, ALL), 1);
	late = add(f, 1400);
	KUNIT_EXPECT_EQ(test, late->slot, TW_SLOT_PAST);
	KUNIT_EXPECT_LE(test, next(f), 1550);
	KUNIT_EXPECT_EQ(test, pop(f, 1550, ALL), 1);
	expect_at(test, t, 1600);
}

static void wheel_crowd_is_opened_at_its_start(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 start = 5 * level_width(4);
	struct tw_timer *t;

	while (f->used < TW_SPLIT_MIN)
		add(f, start + 500000 + f->used);
	KUNIT_EXPECT_EQ(test, next(f), start + 500000);
	add(f, start + 500000 + f->used);
	KUNIT_EXPECT_EQ(test, next(f), start);
	KUNIT_EXPECT_EQ(test, pop(f, start, 100), 0);
	KUNIT_EXPECT_NOT_NULL(test, f->wheel.open);
	expect_sound(test, f);
	t = add(f, start + 5);
	KUNIT_EXPECT_EQ(test, pop(f, start, ALL), 0);
	expect_at(test, t, start + 5);
	KUNIT_EXPECT_EQ(test, pop(f, start + 500000 + TW_SPLIT_MIN, ALL), TW_SPLIT_MIN + 1);
}

static void wheel_equal_crowd_stays_whole(struct kunit *test)
{
	struct fixture *f = test->priv;

	while (f->used < TIMERS)
		add(f, HOUR);
	KUNIT_EXPECT_EQ(test, next(f), HOUR);
	KUNIT_EXPECT_EQ(test, pop(f, HOUR - 1, ALL), 0);
	KUNIT_EXPECT_EQ(test, pop(f, HOUR, ALL), TIMERS);
	KUNIT_EXPECT_EQ(test, f->wheel.refiled, 0);
}

static void wheel_clock_set_back(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct tw_timer *a, *b, *c;

	tw_wheel_set_now(&f->wheel, HOUR);
	c = add(f, HOUR + SEC);
	tw_wheel_set_now(&f->wheel, HOUR / 2);
	KUNIT_EXPECT_EQ(test, next(f), HOUR + SEC);
	a = add(f, HOUR / 2 + SEC);
	b = add(f, HOUR + 1);
	expect_at(test, a, HOUR / 2 + SEC);
	KUNIT_EXPECT_EQ(test, f->wheel.high, HOUR);
	expect_at(test, b, HOUR + 1);
	expect_at(test, c, HOUR + SEC);
	KUNIT_EXPECT_EQ(test, f->wheel.high, 0);
}

/*
 * A timer waits in a slot of level 1, filed from the old time.  The new time
 * enters that slot with the event of another, higher one.
 */
static void wheel_clock_set_back_misses_slot(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct tw_timer *a, *b, *c;

	tw_wheel_set_now(&f->wheel, 4096);
	b = add(f, 4096 + 0x50);
	tw_wheel_set_now(&f->wheel, 10);
	a = add(f, 4096 + 0x48);
	expect_at(test, a, 4096 + 0x48);
	c = add(f, 4096 + 0x60);
	expect_at(test, b, 4096 + 0x50);
	expect_at(test, c, 4096 + 0x60);
	KUNIT_EXPECT_EQ(test, f->wheel.high, 0);
}

static void wheel_clock_set_back_in_mid_pass(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct tw_timer *late;

	tw_wheel_set_now(&f->wheel, 5000);
	add(f, 6000);
	add(f, 6000);
	add(f, 6001);
	KUNIT_EXPECT_LE(test, pop(f, 6000, 1), 1);
	late = add(f, 5900);
	tw_wheel_set_now(&f->wheel, 5500);
	KUNIT_EXPECT_EQ(test, pop(f, 5500, ALL), 0);
	expect_at(test, late, 5900);
	pop(f, 6000, ALL);
	KUNIT_EXPECT_EQ(test, f->wheel.count, 1);
	KUNIT_EXPECT_EQ(test, pop(f, 6001, ALL), 1);
}

static void wheel_set_now_stops_at_first_slot(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct tw_timer *t = add(f, HOUR);

	tw_wheel_set_now(&f->wheel, 4096);
	KUNIT_EXPECT_EQ(test, f->wheel.now, 4096);
	tw_wheel_set_now(&f->wheel, HOUR + 5);
	KUNIT_EXPECT_LT(test, f->wheel.now, HOUR);
	expect_sound(test, f);
	expect_at(test, t, HOUR);
	tw_wheel_set_now(&f->wheel, HOUR + 5);
	KUNIT_EXPECT_EQ(test, f->wheel.now, HOUR + 5);
}

static void wheel_level_count(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int level;

	tw_wheel_set_now(&f->wheel, 64);
	add(f, 5);
	add(f, 66);
	for (level = 1; level < TW_LEVELS; level++)
		add(f, 2 * level_width(level));
	KUNIT_EXPECT_EQ(test, tw_wheel_level_count(&f->wheel, 0), 2);
	for (level = 1; level < TW_LEVELS; level++)
		KUNIT_EXPECT_EQ(test, tw_wheel_level_count(&f->wheel, level), 1);
}

/* The check itself: it must see what is wrong. */
static void wheel_check_sees_faults(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct tw_timer *t = add(f, 1000);
	struct tw_slot *s = &f->wheel.slots[t->slot];

	expect_sound(test, f);
	t->expires = 1001;
	KUNIT_EXPECT_NOT_NULL(test, tw_wheel_check(&f->wheel));
	t->expires = 1000;
	t->slot++;
	KUNIT_EXPECT_NOT_NULL(test, tw_wheel_check(&f->wheel));
	t->slot--;
	s->count++;
	KUNIT_EXPECT_NOT_NULL(test, tw_wheel_check(&f->wheel));
	s->count--;
	f->wheel.occupied[0] = 1;
	KUNIT_EXPECT_NOT_NULL(test, tw_wheel_check(&f->wheel));
	f->wheel.occupied[0] = 0;
	f->wheel.now = 1001;
	KUNIT_EXPECT_NOT_NULL(test, tw_wheel_check(&f->wheel));
	f->wheel.now = 0;
	f->wheel.count++;
	KUNIT_EXPECT_NOT_NULL(test, tw_wheel_check(&f->wheel));
	f->wheel.count--;
	expect_sound(test, f);
}

/* Very many, all due, in steps. */
static void wheel_many_overdue(struct kunit *test)
{
	enum { MANY = 100000, STEP = 64 };
	struct fixture *f = test->priv;
	struct tw_timer *t, *timers = kvcalloc(MANY, sizeof(*timers), GFP_KERNEL);
	unsigned int i, budget, steps = 0, count = 0, disorder = 0;
	u64 last = 0;

	KUNIT_ASSERT_NOT_NULL(test, timers);
	for (i = 0; i < MANY; i++) {
		timers[i].expires = 1 + (random_u64(f) >> 24);
		tw_wheel_add(&f->wheel, &timers[i]);
	}
	do {
		budget = STEP;
		steps++;
		while ((t = tw_wheel_pop(&f->wheel, HOUR, &budget))) {
			disorder += t->expires < last;
			last = t->expires;
			count++;
		}
		cond_resched();
	} while (!budget);
	KUNIT_EXPECT_EQ(test, count, MANY);
	KUNIT_EXPECT_EQ(test, disorder, 0);
	KUNIT_EXPECT_LE(test, f->wheel.refiled, 10ULL * MANY);
	KUNIT_EXPECT_EQ(test, steps, (u32)(MANY + f->wheel.refiled) / STEP + 1);
	kvfree(timers);
}

/*
 * Random operations.  The model is the array of timers itself, looked through
 * from end to end.
 */

struct model_case {
	const char *name;
	unsigned int timers;
	unsigned int shift;	/* times are up to 2^64 >> shift ahead */
	u64 base;
	bool back;
};

static const struct model_case model_cases[] = {
	{ "dense", 100, 56, 0, false },
	{ "level 3", 100, 40, 1ULL << 32, false },
	{ "all levels", 100, 1, (1ULL << 48) - 1, false },
	{ "crowd", TIMERS, 44, 1ULL << 62, false },
	{ "dense, clock set back", 100, 56, 1ULL << 54, true },
	{ "level 3, clock set back", 100, 40, (1ULL << 36) + 1, true },
	{ "all levels, clock set back", 100, 1, 1ULL << 60, true },
	{ "crowd, clock set back", TIMERS, 44, 1ULL << 42, true },
};

static void model_name(const struct model_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(model, model_cases, model_name);

/* Smallest expiry of those that had not expired when they were added. */
static u64 model_least(const struct fixture *f, bool late_too)
{
	u64 least = TW_NEVER;
	unsigned int i;

	for (i = 0; i < TIMERS; i++)
		if (!hlist_unhashed(&f->timers[i].link) &&
		    (late_too || f->timers[i].slot != TW_SLOT_PAST))
			least = min(least, f->timers[i].expires);
	return least;
}

static u64 model_time(struct fixture *f, const struct model_case *c, u64 now)
{
	u64 time = now + (random_u64(f) >> c->shift >> random_below(f, 64 - c->shift));

	if (random_below(f, 4) == 0)
		time |= 4095;
	return time < now || time == TW_NEVER ? TW_NEVER - 1 : time;
}

static void model_pop(struct kunit *test, u64 now, unsigned int budget)
{
	struct fixture *f = test->priv;
	struct tw_timer *t;

	while ((t = tw_wheel_pop(&f->wheel, now, &budget))) {
		KUNIT_ASSERT_LE(test, t->expires, now);
		KUNIT_ASSERT_LE(test, t->expires, model_least(f, false));
	}
	if (budget)
		KUNIT_ASSERT_GT(test, model_least(f, true), now);
}

/* One operation; returns the time after it. */
static u64 model_step(struct kunit *test, const struct model_case *c, u64 now)
{
	struct fixture *f = test->priv;
	struct tw_timer *t = &f->timers[random_below(f, c->timers)];

	switch (random_below(f, 12)) {
	case 0:
		now = model_time(f, c, now);
		break;
	case 1:
		tw_wheel_set_now(&f->wheel, now);
		return now;
	case 2:
		if (c->back && random_below(f, 4) == 0)
			now -= min(now, random_u64(f) >> c->shift);
		break;
	case 3:
	case 4:
		if (f->wheel.count)
			now = max(now, next(f));
		break;
	default:
		if (!hlist_unhashed(&t->link))
			tw_wheel_remove(&f->wheel, t);
		if (random_below(f, 4)) {
			t->expires = model_time(f, c, now - min_t(u64, now, random_below(f, 5)));
			tw_wheel_add(&f->wheel, t);
		}
		return now;
	}
	model_pop(test, now, random_below(f, 2) ? ALL : random_below(f, 10));
	return now;
}

static void wheel_model(struct kunit *test)
{
	const struct model_case *c = test->param_value;
	struct fixture *f = test->priv;
	unsigned int i;
	u64 now = c->base;

	kunit_info(test, "seed %llu\n", f->random);
	tw_wheel_init(&f->wheel, now);
	for (i = 0; i < 3000; i++) {
		now = model_step(test, c, now);
		KUNIT_ASSERT_NULL(test, tw_wheel_check(&f->wheel));
		KUNIT_ASSERT_LE(test, f->wheel.now, now);
		KUNIT_ASSERT_LE(test, next(f), max(f->wheel.now, model_least(f, true)));
	}
	model_pop(test, TW_NEVER - 1, ALL);
	KUNIT_EXPECT_EQ(test, f->wheel.count, 0);
}

static struct kunit_case wheel_cases[] = {
	KUNIT_CASE(wheel_empty),
	KUNIT_CASE_PARAM(wheel_lone_timer, lone_gen_params),
	KUNIT_CASE(wheel_due_now),
	KUNIT_CASE(wheel_remove_last),
	KUNIT_CASE(wheel_move_first_later),
	KUNIT_CASE(wheel_add_earlier),
	KUNIT_CASE(wheel_add_one_revolution),
	KUNIT_CASE(wheel_jump_over_boundary),
	KUNIT_CASE(wheel_overdue_in_order),
	KUNIT_CASE(wheel_next_revolution),
	KUNIT_CASE(wheel_next_is_least),
	KUNIT_CASE(wheel_events_of_sparse_timers),
	KUNIT_CASE(wheel_events_after_remove),
	KUNIT_CASE(wheel_budget),
	KUNIT_CASE(wheel_budget_ends_zero_delays),
	KUNIT_CASE(wheel_change_in_mid_pass),
	KUNIT_CASE(wheel_past_comes_behind),
	KUNIT_CASE(wheel_crowd_is_opened_at_its_start),
	KUNIT_CASE(wheel_equal_crowd_stays_whole),
	KUNIT_CASE(wheel_clock_set_back),
	KUNIT_CASE(wheel_clock_set_back_misses_slot),
	KUNIT_CASE(wheel_clock_set_back_in_mid_pass),
	KUNIT_CASE(wheel_set_now_stops_at_first_slot),
	KUNIT_CASE(wheel_level_count),
	KUNIT_CASE(wheel_check_sees_faults),
	KUNIT_CASE(wheel_many_overdue),
	KUNIT_CASE_PARAM(wheel_model, model_gen_params),
	{}
};

static struct kunit_suite wheel_suite = {
	.name = "twheel_wheel",
	.init = wheel_test_init,
	.test_cases = wheel_cases,
};

kunit_test_suite(wheel_suite);
