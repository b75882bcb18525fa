/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef TWHEEL_COUNTERS_H
#define TWHEEL_COUNTERS_H

/* Events of a queue's timers are counted where they happen, under the lock. */
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/twheel.h>
#include <linux/types.h>

/**
 * struct tw_counters - what happened to a queue's timers; see struct twheel_stats
 * @armed: armings
 * @moved: pending timers moved
 * @cancelled: armings ended by the program's ops
 * @expired: records of timers written
 * @missed: periods without a record
 * @pushed: timers filed again because of their word
 * @reaped: timers taken out because of their word
 * @steps: steps of the clock
 * @interrupts: expiries of the hrtimer
 * @passes: passes over due timers
 * @signals: wake-ups
 * @lateness: records by lateness
 */
struct tw_counters {
	u64 armed;
	u64 moved;
	u64 cancelled;
	u64 expired;
	u64 missed;
	u64 pushed;
	u64 reaped;
	u64 steps;
	u64 interrupts;
	u64 passes;
	u64 signals;
	u64 lateness[TWHEEL_LATENESS_BUCKETS];
};

/**
 * tw_count_lateness() - count a record in the histogram
 * @count: the queue's counters
 * @lateness: ns
 */
static inline void tw_count_lateness(struct tw_counters *count, u64 lateness)
{
	count->lateness[min(fls64(lateness), TWHEEL_LATENESS_BUCKETS - 1)]++;
}

#endif /* TWHEEL_COUNTERS_H */
