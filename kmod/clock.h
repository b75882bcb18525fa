/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_CLOCK_H
#define TWHEEL_CLOCK_H

#include <linux/ktime.h>
#include <linux/types.h>

#include "timer.h"

/**
 * struct tw_clock - a queue's clock
 * @id: CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME or CLOCK_TAI
 * @offset: ns that the time namespace adds to the host's clock
 * @base: ns between CLOCK_MONOTONIC and a clock that can be set, when last seen
 */
struct tw_clock {
	clockid_t id;
	s64 offset;
	s64 base;
};

int tw_clock_init(struct tw_clock *c, u32 id);
u64 tw_clock_now(const struct tw_clock *c);
s64 tw_clock_step(struct tw_clock *c);
ktime_t tw_clock_to_host(const struct tw_clock *c, u64 ns);

int tw_deadline(u64 now, u64 value, bool relative, u64 *deadline);
u8 tw_grain(u64 slack);
u64 tw_expires(u64 deadline, u8 grain);
u64 tw_periods(const struct tw_timer *t, u64 now);

#endif /* TWHEEL_CLOCK_H */
