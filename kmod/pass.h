/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef TWHEEL_PASS_H
#define TWHEEL_PASS_H

#include <linux/types.h>

#include "core.h"

/* Timers looked at in one hold of the lock. */
#define TW_BUDGET	64

bool tw_pass(struct tw_core *c, u64 now, unsigned int *budget);
unsigned int tw_pass_flush(struct tw_core *c, u64 now, unsigned int *budget);

/**
 * tw_pass_due() - whether there is something for a pass to do
 * @c: the core
 * @next: ns, the wheel's next event
 * @now: ns
 */
static inline bool tw_pass_due(const struct tw_core *c, u64 next, u64 now)
{
	return next <= now || c->ring.waiting || c->stepped;
}

#endif /* TWHEEL_PASS_H */
