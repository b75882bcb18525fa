// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Entering and leaving a queue: its lock, its time, its passes, its timerfd.
 *
 * Nobody runs a pass while the program does something else.  So each call begins with
 * one if something has become due, and ends with one if the call itself made
 * something due.  A pass is bounded: no call takes long because a million timers are
 * due.  Calls that ask for records run as many passes as they need.
 */
#include <linux/errno.h>

#include "engine.h"
#include "pass.h"

/**
 * engine_due() - whether there is something for a pass to do
 * @p: the queue, locked
 * @now: ns
 */
bool engine_due(const struct twheel_process *p, u64 now)
{
	return tw_pass_due(&p->core, p->next, now);
}

/**
 * engine_pass() - run one pass
 * @p: the queue, locked
 * @now: ns
 *
 * Return: whether another could do more.
 */
bool engine_pass(struct twheel_process *p, u64 now)
{
	unsigned int budget = TW_BUDGET;
	bool more = tw_pass(&p->core, now, &budget);

	p->next = tw_wheel_next(&p->core.wheel);
	return more;
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
 * engine_lock() - lock a queue, look at its clock, run a pass if something is due
 * @p: the queue
 * @now: out: ns
 *
 * Return: 0, or -ECHILD in a child after fork().
 */
int engine_lock(struct twheel_process *p, u64 *now)
{
	int err = engine_lock_only(p, now);

	if (!err && engine_due(p, *now))
		engine_pass(p, *now);
	return err;
}

/**
 * engine_unlock() - leave a queue, with its timerfd as it should be
 * @p: the queue
 * @now: ns, from engine_lock()
 */
void engine_unlock(struct twheel_process *p, u64 now)
{
	p->next = tw_wheel_next(&p->core.wheel);
	if (engine_due(p, now))
		engine_pass(p, now);
	p->core.count.signals += p->core.notify;
	p->core.notify = false;
	engine_event_program(p, now);
	if (!p->unshared)
		pthread_mutex_unlock(&p->lock);
}
