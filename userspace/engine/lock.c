// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Entering and leaving a queue: its lock, its time, its passes, its timerfd.
 *
 * Nobody runs a pass while the program does something else.  So each call begins
 * with all that has become due since the last one, as of the time at which it took the
 * lock.  What it then finds and answers is what the module's engine would say: a timer
 * whose time has come cannot be cancelled any more.
 */
#include <linux/errno.h>

#include "engine.h"
#include "pass.h"

/**
 * engine_run_due() - run passes until nothing more is due
 * @p: the queue, locked
 * @now: ns
 */
void engine_run_due(struct twheel_process *p, u64 now)
{
	unsigned int budget;
	bool more = tw_pass_due(&p->core, tw_wheel_next(&p->core.wheel), now);

	while (more) {
		budget = TW_BUDGET;
		more = tw_pass(&p->core, now, &budget);
	}
}

/* The timerfd may have become readable since the last call. */
static void look_at_timer(struct twheel_process *p, u64 now, s64 step)
{
	if (p->programmed && p->programmed <= now) {
		p->programmed = 0;
		p->core.count.interrupts++;
	}
	if (step)	/* it may have been readable for a moment */
		p->programmed = 0;
}

/**
 * engine_lock_only() - lock a queue and look at its clock
 * @p: the queue
 * @now: out: ns
 *
 * Return: 0, or -ECHILD in a child after fork().
 */
int engine_lock_only(struct twheel_process *p, u64 *now)
{
	s64 step;

	if (!*p->alive)
		return -ECHILD;
	if (!p->unshared)
		pthread_mutex_lock(&p->lock);
	step = engine_clock_step(&p->clock);
	*now = engine_clock_now(&p->clock);
	tw_core_set_now(&p->core, *now, step);
	look_at_timer(p, *now, step);
	return 0;
}

/**
 * engine_lock() - lock a queue, look at its clock, have expired what is due
 * @p: the queue
 * @now: out: ns
 *
 * Return: 0, or -ECHILD in a child after fork().
 */
int engine_lock(struct twheel_process *p, u64 *now)
{
	int err = engine_lock_only(p, now);

	if (!err)
		engine_run_due(p, *now);
	return err;
}

/**
 * engine_unlock() - leave a queue, with its timerfd as it should be
 * @p: the queue
 * @now: ns, from engine_lock()
 */
void engine_unlock(struct twheel_process *p, u64 now)
{
	p->core.count.signals += p->core.notify;
	p->core.notify = false;
	engine_event_program(p, now);
	if (!p->unshared)
		pthread_mutex_unlock(&p->lock);
}
