/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_CLOCK_H
#define TWHEEL_CLOCK_H

#include <linux/ktime.h>
#include <linux/types.h>

/**
 * struct tw_clock - a queue's clock
 * @id: CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME or CLOCK_TAI
 * @offset: ns that the time namespace adds to the host's clock
 * @base: ns between CLOCK_MONOTONIC and a clock that can be set, when last seen
 * @polled: the hrtimer core may not notice when it is set; see clock.c
 */
struct tw_clock {
	clockid_t id;
	bool polled;
	s64 offset;
	s64 base;
};

/* Whether the clock can be set, so that tw_clock_step() may return a step. */
static inline bool tw_clock_can_be_set(const struct tw_clock *c)
{
	return c->id == CLOCK_REALTIME || c->id == CLOCK_TAI;
}

int tw_clock_init(struct tw_clock *c, u32 id);
u64 tw_clock_now_other(const struct tw_clock *c);
s64 tw_clock_step(struct tw_clock *c);
clockid_t tw_clock_host_id(const struct tw_clock *c);
ktime_t tw_clock_to_host(const struct tw_clock *c, u64 ns);

/**
 * tw_clock_now() - read the clock
 * @c: the clock
 *
 * Context: Any.
 * Return: ns.
 */
static inline u64 tw_clock_now(const struct tw_clock *c)
{
	if (likely(c->id == CLOCK_MONOTONIC))
		return ktime_get_ns() + c->offset;
	return tw_clock_now_other(c);
}

#endif /* TWHEEL_CLOCK_H */
