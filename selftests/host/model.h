/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef HOST_MODEL_H
#define HOST_MODEL_H

#include <linux/types.h>

#include "timer.h"
#include "wheel.h"

#define MODEL_ALL (~0U)		/* a budget that is never used up */
#define MODEL_LOG 64		/* operations to show when one goes wrong */

/* Pending timers in the order of their expiry. */
struct model_list {
	struct tw_timer **timers;
	unsigned int count;
};

struct model_op {
	const char *name;
	u64 a, b;
};

/**
 * struct model - a wheel, and sorted lists that say what it must do
 * @wheel: the wheel
 * @now: what the clock shows
 * @max: number of @timers
 * @timers: all of them
 * @idle: those that are not pending, a stack
 * @idle_count: their number
 * @on_time: pending, and added before their time had come
 * @late: pending, and added after the wheel had passed their time
 * @exact: tw_wheel_next() must be exact: nothing was removed, no clock set back
 * @refiles: most that the wheel may have refiled
 * @arena: memory of all that is pointed to
 * @arena_bytes: its size
 * @log: the last operations, a ring
 * @ops: number of operations so far
 *
 * Every operation is done on the wheel and on the lists, and the wheel is
 * checked afterwards.  The first difference ends the program, after the last
 * operations have been shown.
 */
struct model {
	struct tw_wheel wheel;
	u64 now;
	unsigned int max;
	struct tw_timer *timers;
	struct tw_timer **idle;
	unsigned int idle_count;
	struct model_list on_time;
	struct model_list late;
	bool exact;
	u64 refiles;
	void *arena;
	size_t arena_bytes;
	struct model_op log[MODEL_LOG];
	u64 ops;
};

void model_init(struct model *m, u64 now, unsigned int max);
void model_exit(struct model *m);

/* To go back to an earlier state: @copy has room for model_bytes(). */
size_t model_bytes(const struct model *m);
void model_save(const struct model *m, void *copy);
void model_restore(struct model *m, const void *copy);

/* False if all timers are pending already. */
bool model_add(struct model *m, u64 expires);

/* The @n-th of the pending timers, modulo their number; false if there are none. */
bool model_cancel(struct model *m, unsigned int n);
bool model_move(struct model *m, unsigned int n, u64 expires);

void model_set_now(struct model *m, u64 now);

/* Pops until NULL comes; returns how many timers came before. */
unsigned int model_pop(struct model *m, u64 now, unsigned int budget);

/* Pops at each tw_wheel_next() until the wheel is empty; returns how many pops. */
u64 model_run_dry(struct model *m);

unsigned int model_count(const struct model *m);
u64 model_earliest(const struct model *m);

#endif /* HOST_MODEL_H */
