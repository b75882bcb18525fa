/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_CLOCK_H
#define TWHEEL_CLOCK_H

#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/overflow.h>
#include <linux/types.h>

#include "timer.h"

/**
 * struct tw_clock - a queue's clock
 * @id: CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME or CLOCK_TAI
 * @offset: ns that the time namespace adds to the host's clock
 * @base: ns between CLOCK_MONOTONIC and a clock that can be set, when last seen
 * @polled: the hrtimer core does not notice that it is set; see clock.c
 */
struct tw_clock {
	clockid_t id;
	bool polled;
	s64 offset;
	s64 base;
};

/* Whether the clock can be set, so that tw_clock_step() has something to tell. */
static inline bool tw_clock_can_be_set(const struct tw_clock *c)
{
	return c->id == CLOCK_REALTIME || c->id == CLOCK_TAI;
}

int tw_clock_init(struct tw_clock *c, u32 id);
u64 tw_clock_now(const struct tw_clock *c);
s64 tw_clock_step(struct tw_clock *c);
clockid_t tw_clock_host_id(const struct tw_clock *c);
ktime_t tw_clock_to_host(const struct tw_clock *c, u64 ns);

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
 * tw_deadline() - the absolute deadline that a program asks for
 * @now: ns, the queue's clock
 * @value: ns, as the program gave it
 * @relative: whether @value counts from @now
 * @deadline: out: ns; not written after an error
 *
 * Return: 0, or -EOVERFLOW when it is beyond 2^63 - 1.
 */
static inline int tw_deadline(u64 now, u64 value, bool relative, u64 *deadline)
{
	if (relative && check_add_overflow(now, value, &value))
		return -EOVERFLOW;
	if (value > S64_MAX)
		return -EOVERFLOW;
	*deadline = value;
	return 0;
}

/**
 * tw_grain() - what a slack is rounded down to
 * @slack: ns, any
 *
 * Return: the logarithm of the largest power of two that is not above @slack;
 * 0 for no slack.
 */
static inline u8 tw_grain(u64 slack)
{
	return slack ? ilog2(slack) : 0;
}

/**
 * tw_expires() - when a timer shall be handed out
 * @deadline: ns, at most 2^64 - 2
 * @grain: from tw_grain()
 *
 * Return: the first multiple of 1 << @grain that is not before @deadline, or
 * @deadline where there is none.
 */
static inline u64 tw_expires(u64 deadline, u8 grain)
{
	u64 mask = (1ULL << grain) - 1;
	u64 expires = (deadline + mask) & ~mask;

	return expires < deadline ? deadline : expires;
}

#endif /* TWHEEL_CLOCK_H */
