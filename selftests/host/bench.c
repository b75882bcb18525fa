// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What the wheel costs: ns per operation, on this machine.
 *
 *	bench [timers]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <linux/kernel.h>

#include "rng.h"
#include "timer.h"
#include "wheel.h"

#define SECOND 1000000000ULL
#define BUDGET 256U

static struct tw_wheel wheel;
static struct rng rng = { 1 };

static u64 clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

static void report(const char *what, u64 begin, unsigned int count)
{
	printf("%-46s %7.1f ns\n", what, (double)(clock_ns() - begin) / count);
}

/* 1 to 11 minutes from now, as idle timeouts are. */
static u64 deadline(void)
{
	return wheel.now + 60 * SECOND + rng_below(&rng, 600 * SECOND);
}

static void add_all(struct tw_timer *t, unsigned int count)
{
	unsigned int i;
	u64 begin;

	for (i = 0; i < count; i++)
		t[i].expires = deadline();
	begin = clock_ns();
	for (i = 0; i < count; i++)
		tw_wheel_add(&wheel, &t[i]);
	report("add", begin, count);
}

static void move_some(struct tw_timer *t, unsigned int count)
{
	unsigned int i;
	u64 begin = clock_ns();

	for (i = 0; i < count; i++) {
		struct tw_timer *one = &t[rng_below(&rng, count)];

		tw_wheel_remove(&wheel, one);
		one->expires = deadline();
		tw_wheel_add(&wheel, one);
	}
	report("remove and add, random", begin, count);
}

static void expire_all(unsigned int count)
{
	u64 begin = clock_ns(), step, longest = 0, now;
	unsigned int budget;

	while (wheel.count) {
		now = tw_wheel_next(&wheel);
		do {
			budget = BUDGET;
			step = clock_ns();
			while (tw_wheel_pop(&wheel, now, &budget))
				;
			step = clock_ns() - step;
			if (step > longest)
				longest = step;
		} while (!budget);
	}
	report("expire, event by event (with 2 clock reads)", begin, count);
	printf("%-46s %7.1f us\n", "longest step", longest / 1000.0);
	printf("%-46s %7.1f\n", "refiles per timer", (double)wheel.refiled / count);
}

static void expire_overdue(unsigned int count)
{
	u64 begin = clock_ns();
	unsigned int budget;

	do {
		budget = BUDGET;
		while (tw_wheel_pop(&wheel, TW_NEVER - 1, &budget))
			;
	} while (!budget);
	report("expire, all overdue", begin, count);
}

static void remove_all(struct tw_timer *t, unsigned int count)
{
	u64 begin = clock_ns();
	unsigned int i;

	for (i = 0; i < count; i++)
		tw_wheel_remove(&wheel, &t[i]);
	report("remove", begin, count);
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000000;
	struct tw_timer *t = calloc(count, sizeof(*t));

	if (!t || !count)
		return 1;
	printf("%u timers\n", count);
	tw_wheel_init(&wheel, 1000 * SECOND);
	add_all(t, count);
	move_some(t, count);
	expire_all(count);
	tw_wheel_init(&wheel, 1000 * SECOND);
	add_all(t, count);
	expire_overdue(count);
	tw_wheel_init(&wheel, 1000 * SECOND);
	add_all(t, count);
	remove_all(t, count);
	free(t);
	return 0;
}
