/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long the module keeps softirqs off, as the kernel's own tracing tells it.
 */
#ifndef TWHEEL_LOAD_HOLDS_H
#define TWHEEL_LOAD_HOLDS_H

/**
 * struct holds - what was seen between holds_start() and holds_stop()
 * @count: how often a queue's lock was held, and so softirqs were off
 * @longest: the longest of these, in units of the time stamp counter
 * @by: the function that took the lock then
 * @softirq: the longest softirq of hrtimers, all queues that it ran together
 * @lost: events that did not fit into the buffer, or that do not pair
 */
struct holds {
	unsigned long count;
	double longest;
	char by[64];
	double softirq;
	unsigned long lost;
};

void holds_start(void);
void holds_stop(struct holds *holds);

#endif /* TWHEEL_LOAD_HOLDS_H */
