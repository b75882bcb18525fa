/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef TWHEEL_DEADLINE_H
#define TWHEEL_DEADLINE_H

/*
 * Deadlines: what a program may ask for, and when the timer is handed out.
 *
 * A deadline is at most S64_MAX, which is as far as the kernel's own clocks go.
 * What is larger, or becomes so when "now" is added, is refused.  It is never cut
 * down or allowed to wrap, which would make a far deadline an early one.
 *
 * Slack is applied by rounding the deadline up to a multiple of the largest power
 * of two not exceeding the slack.  Timers of about the same deadline and slack
 * then expire at the same instant, and one event serves them all.  Only the
 * exponent of that power, the *slack shift*, is kept in a timer.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/types.h>

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
	if (relative) {
		value += now;
		if (value < now)	/* it has wrapped */
			return -EOVERFLOW;
	}
	if (value > S64_MAX)
		return -EOVERFLOW;
	*deadline = value;
	return 0;
}

/**
 * tw_slack_shift() - the exponent of the power of two that a slack stands for
 * @slack: ns, any
 *
 * Return: the logarithm of the largest power of two not exceeding @slack; 0 for
 * no slack.
 */
static inline u8 tw_slack_shift(u64 slack)
{
	return slack ? fls64(slack) - 1 : 0;
}

/**
 * tw_expires() - when a timer shall be handed out
 * @deadline: ns, at most 2^64 - 2
 * @slack_shift: from tw_slack_shift()
 *
 * Return: the first multiple of 1 << @slack_shift that is not before @deadline;
 * or @deadline when there is none below 2^64.
 */
static inline u64 tw_expires(u64 deadline, u8 slack_shift)
{
	u64 mask = (1ULL << slack_shift) - 1;
	u64 expires = (deadline + mask) & ~mask;

	return expires < deadline ? deadline : expires;
}

#endif /* TWHEEL_DEADLINE_H */
