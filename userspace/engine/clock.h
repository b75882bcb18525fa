/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef TWHEEL_ENGINE_CLOCK_H
#define TWHEEL_ENGINE_CLOCK_H

#include <linux/types.h>
#include <stdbool.h>
#include <time.h>

/**
 * struct engine_clock - a queue's clock
 * @id: as the program asked for
 * @manual: stands still until the program advances it
 * @time: ns, of a manual clock
 * @base: ns, distance from CLOCK_MONOTONIC when it was last looked at
 */
struct engine_clock {
	clockid_t id;
	bool manual;
	u64 time;
	s64 base;
};

int engine_clock_init(struct engine_clock *c, clockid_t id);
u64 engine_clock_now(const struct engine_clock *c);
s64 engine_clock_step(struct engine_clock *c);
clockid_t engine_clock_timer_id(const struct engine_clock *c);
u64 engine_clock_to_timer(const struct engine_clock *c, u64 ns);

#endif /* TWHEEL_ENGINE_CLOCK_H */
