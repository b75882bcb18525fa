// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * All short sequences of operations on few timers, with times around places
 * where digits change; each step compared with sorted lists (model.c).
 *
 *	wheel_exhaustive [steps]
 */
#include <stdio.h>
#include <stdlib.h>

#include <linux/kernel.h>
#include <linux/minmax.h>

#include "model.h"
#include "tap.h"

#define TIMERS 3
#define TIMES 3
#define MAX_STEPS 8

/**
 * struct world - what one search goes through
 * @name: of the test
 * @base: where the time begins
 * @times: deadlines, and times to advance to, all relative to @base
 */
struct world {
	const char *name;
	u64 base;
	u64 times[TIMES];
};

static const struct world worlds[] = {
	{ "level 0, from 0",		0,			{ 1, 63, 64 } },
	{ "level 1, from 0",		0,			{ 64, 65, 4096 } },
	{ "level 1, before its end",	4095,			{ 1, 2, 66 } },
	{ "level 1, in a slot",		(1ULL << 32) + 70,	{ 10, 57, 59 } },
	{ "level 2, before its end",	(1ULL << 18) - 1,	{ 1, 65, 4097 } },
	{ "level 2, in a slot",		(1ULL << 48) + 5000,	{ 3191, 3192, 4000 } },
	{ "level 3, far",		(1ULL << 62) - 1,	{ 1, 1 << 18, (1 << 18) + 1 } },
	{ "level 9",			(1ULL << 54) - 1,	{ 1, 2, 1ULL << 54 } },
	{ "level 10",			(1ULL << 60) - 1,	{ 1, 2, 1ULL << 60 } },
	{ "the end of time",		TW_NEVER - 66,		{ 1, 64, 65 } },
};

static void *copies[MAX_STEPS + 1];
static u64 sequences;

/* The operations are numbered; false when there are no more. */
static bool operate(struct model *m, const struct world *w, unsigned int op)
{
	u64 next = tw_wheel_next(&m->wheel);

	if (op < TIMES)
		return model_add(m, w->base + w->times[op]), true;
	op -= TIMES;
	if (op < TIMES)
		return model_move(m, 0, w->base + w->times[op]), true;
	op -= TIMES;
	if (op < TIMES)
		return model_pop(m, max(m->now, w->base + w->times[op]), MODEL_ALL), true;
	switch (op - TIMES) {
	case 0:
		return model_cancel(m, 0), true;
	case 1:
		return model_cancel(m, model_count(m) - 1), true;
	case 2:
		return model_move(m, model_count(m) - 1, w->base + w->times[1]), true;
	case 3:
		return model_add(m, m->now), true;
	case 4:
		return model_pop(m, next == TW_NEVER ? m->now : max(m->now, next), 1), true;
	case 5:
		return model_set_now(m, max(m->now, w->base + w->times[1])), true;
	case 6:
		return model_set_now(m, w->base), true;
	}
	return false;
}

static void search(struct model *m, const struct world *w, unsigned int steps)
{
	unsigned int op;
	u64 before;

	if (!steps) {
		sequences++;
		model_run_dry(m);
		return;
	}
	model_save(m, copies[steps]);
	for (op = 0;; op++) {
		before = m->ops;
		if (!operate(m, w, op))
			break;
		if (m->ops != before) {
			search(m, w, steps - 1);
			model_restore(m, copies[steps]);
		}
	}
}

static void search_world(const struct world *w, unsigned int steps)
{
	struct model m;
	unsigned int i;

	tap_begin(w->name);
	model_init(&m, w->base, TIMERS);
	for (i = 1; i <= steps; i++)
		copies[i] = malloc(model_bytes(&m));
	search(&m, w, steps);
	for (i = 1; i <= steps; i++)
		free(copies[i]);
	model_exit(&m);
	tap_end();
}

int main(int argc, char **argv)
{
	unsigned int steps = argc > 1 ? strtoul(argv[1], NULL, 0) : 4;
	unsigned int i;

	if (steps > MAX_STEPS)
		steps = MAX_STEPS;
	for (i = 0; i < ARRAY_SIZE(worlds); i++)
		search_world(&worlds[i], steps);
	printf("# %llu sequences of %u steps\n", sequences, steps);
	return tap_exit();
}
