/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long the module keeps softirqs off, as the kernel's own tracing tells it.
 */
#ifndef TWHEEL_SELFTESTS_HOLD_TIME_H
#define TWHEEL_SELFTESTS_HOLD_TIME_H

/**
 * struct hold_time - what was seen between hold_time_start() and hold_time_stop()
 * @count: how often a queue's lock was held, and so softirqs were off
 * @longest: the longest of these, in units of the time stamp counter
 * @by: the function that took the lock then
 * @softirq: the longest softirq of hrtimers, all queues that it ran together
 * @lost: events that did not fit into the buffer, or that do not pair
 */
struct hold_time {
	unsigned long count;
	double longest;
	char by[64];
	double softirq;
	unsigned long lost;
};

void hold_time_start(void);
void hold_time_stop(struct hold_time *h);

#endif /* TWHEEL_SELFTESTS_HOLD_TIME_H */
