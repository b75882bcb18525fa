// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts of the processor's own timer, as /proc/interrupts counts them, which
 * is the same for all who use hrtimers.  The kernel has some without anybody's
 * timers; a sleep tells how many, and they are taken off.
 */
#include "../common/procfs.h"
#include "guest.h"

#define SLEEP	100		/* s; virtual ones, that take no time */

static double start, start_count;

/* Interrupts in a ns in which nobody wants any. */
static double usual(void)
{
	const struct timespec pause = { SLEEP, 0 };
	static double rate = -1;
	double before, since;

	if (rate < 0) {
		before = proc_timer_interrupts();
		since = now();
		nanosleep(&pause, NULL);
		rate = (proc_timer_interrupts() - before) / (now() - since);
	}
	return rate;
}

void interrupts_start(void)
{
	start = now();
	start_count = proc_timer_interrupts();
}

double interrupts_stop(void)
{
	double interrupts = proc_timer_interrupts() - start_count, time = now() - start;

	return interrupts - usual() * time;
}
