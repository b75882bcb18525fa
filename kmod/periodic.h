/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef TWHEEL_PERIODIC_H
#define TWHEEL_PERIODIC_H

/*
 * Periodic timers.
 *
 * The deadlines of a periodic timer are counted from the first one, never from
 * the time of an expiry, so it does not drift.  t->deadline is the first deadline
 * that has no record yet.  While the last record is unread, no other is written:
 * the timer *skips* periods, t->deadline stays, and the timer is filed for a later
 * one (t->skipped).  The next record is for the latest deadline that has passed
 * and tells how many before it were missed.
 *
 * If the next deadline would be beyond S64_MAX, it is S64_MAX, the last time there
 * is.
 */
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/types.h>

#include "timer.h"

/**
 * tw_periods() - whole periods of a timer since its deadline
 * @t: the timer
 * @now: ns
 *
 * Return: how many of the deadlines after t->deadline have passed, 0 for a
 * one-shot timer.
 */
static inline u64 tw_periods(const struct tw_timer *t, u64 now)
{
	if (!t->period || now < t->deadline)
		return 0;
	return div64_u64(now - t->deadline, t->period);
}

/**
 * tw_deadline_after() - the deadline that follows another
 * @t: a periodic timer
 * @deadline: ns, one of its deadlines
 *
 * Return: ns, one period later, at most S64_MAX.
 */
static inline u64 tw_deadline_after(const struct tw_timer *t, u64 deadline)
{
	u64 next = deadline + t->period;

	return next > S64_MAX ? S64_MAX : next;
}

/**
 * tw_filed_deadline() - the deadline that a timer in the wheel was filed for
 * @t: the timer
 * @time: ns, that deadline rounded up by less than a period
 *
 * It is t->deadline or, after skipped periods, a later one.  The later one is not
 * stored but computed back from t->expires or from the deadline in the word.
 *
 * Return: ns.
 */
static inline u64 tw_filed_deadline(const struct tw_timer *t, u64 time)
{
	if (!t->skipped)
		return t->deadline;
	if (time >= S64_MAX)
		return S64_MAX;
	return t->deadline + tw_periods(t, time) * t->period;
}

#endif /* TWHEEL_PERIODIC_H */
