// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clocks.  The arithmetic of deadlines is in deadline.h and periodic.h.
 *
 * A queue's time is its clock as seen by the task that set the queue up: in a
 * time namespace CLOCK_MONOTONIC and CLOCK_BOOTTIME are the host's plus an
 * offset.  All deadlines are kept in that view; only tw_clock_to_host() leaves
 * it, to program the hrtimer.
 *
 * CLOCK_REALTIME and CLOCK_TAI can be set.  The hrtimer core then looks at its
 * timers again by itself.  We notice a step by the clock's distance from
 * CLOCK_MONOTONIC.  Slewing moves both clocks and does not show.  A suspend shows
 * as a step forward, because CLOCK_MONOTONIC stands still meanwhile.
 *
 * A kernel that has neither high resolution nor a tick that stops does not look
 * at its soft timers again: a timer that a step made due would wait for as long as
 * before.  So without high resolution a clock that can be set is *polled*: the
 * hrtimer uses CLOCK_MONOTONIC, and never expires further away than a tick.
 */
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/overflow.h>

#include "clock.h"
#include "compat.h"

static s64 clock_base(const struct tw_clock *c)
{
	switch (c->id) {
	case CLOCK_REALTIME:
		return ktime_to_ns(ktime_mono_to_any(0, TK_OFFS_REAL));
	case CLOCK_TAI:
		return ktime_to_ns(ktime_mono_to_any(0, TK_OFFS_TAI));
	default:
		return 0;
	}
}

/**
 * tw_clock_init() - choose a clock, as the caller's time namespace shows it
 * @c: the clock
 * @id: its clockid
 *
 * Context: Process context.
 * Return: 0, or -EINVAL for a clock that queues do not support.
 */
int tw_clock_init(struct tw_clock *c, u32 id)
{
	switch (id) {
	case CLOCK_MONOTONIC:
	case CLOCK_BOOTTIME:
	case CLOCK_REALTIME:
	case CLOCK_TAI:
		c->id = id;
		c->offset = tw_timens_offset(id);
		c->base = clock_base(c);
		c->polled = tw_clock_can_be_set(c) && hrtimer_resolution >= TICK_NSEC;
		return 0;
	default:
		return -EINVAL;
	}
}

/**
 * tw_clock_now_other() - read a clock that is not CLOCK_MONOTONIC
 * @c: the clock
 *
 * Context: Any.
 * Return: ns.
 */
u64 tw_clock_now_other(const struct tw_clock *c)
{
	switch (c->id) {
	case CLOCK_REALTIME:
		return ktime_get_real_ns();
	case CLOCK_TAI:
		return ktime_get_clocktai_ns();
	default:
		return ktime_get_boottime_ns() + c->offset;
	}
}

/**
 * tw_clock_step() - how far the clock was set since the last call
 * @c: the clock
 *
 * Context: Any.  Callers serialise.
 * Return: ns, positive for forward; 0 when it was not set.
 */
s64 tw_clock_step(struct tw_clock *c)
{
	s64 base = clock_base(c);
	s64 step = base - c->base;

	c->base = base;
	return step;
}

/**
 * tw_clock_host_id() - the clock of the hrtimer
 * @c: the clock
 *
 * Context: Any.
 */
clockid_t tw_clock_host_id(const struct tw_clock *c)
{
	return c->polled ? CLOCK_MONOTONIC : c->id;
}

/* ns until a polled clock must be looked at; its next event is at @ns. */
static u64 until_look(const struct tw_clock *c, u64 ns)
{
	u64 now = tw_clock_now(c);

	return ns > now ? min_t(u64, ns - now, TICK_NSEC) : 0;
}

/**
 * tw_clock_to_host() - convert a time for the hrtimer core
 * @c: the clock
 * @ns: time on @c
 *
 * Context: Any.
 * Return: the time on the hrtimer's clock, or KTIME_MAX if it is beyond that.  For
 * a polled clock: when to look at it next.
 */
ktime_t tw_clock_to_host(const struct tw_clock *c, u64 ns)
{
	if (c->polled)
		return ktime_add_ns(ktime_get(), until_look(c, ns));
	if (c->offset > 0)
		ns -= min_t(u64, ns, c->offset);
	else if (check_add_overflow(ns, (u64)-c->offset, &ns))
		return KTIME_MAX;
	return ns_to_ktime(min_t(u64, ns, KTIME_MAX));
}
