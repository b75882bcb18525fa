// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts of the processor's own timer, as /proc/interrupts counts them, which
 * is the same for all who use hrtimers.  The kernel has some without anybody's
 * timers; a sleep tells how many, and they are taken off.
 */
#include <stdio.h>

#include "guest.h"

#define SLEEP	100		/* s; virtual ones, that take no time */

static double start, start_count;

static double count(void)
{
	FILE *file = fopen("/proc/interrupts", "re");
	char line[256];
	double sum = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " LOC: %lf", &sum) == 1)
			break;
	if (file)
		fclose(file);
	return sum;
}

/* Interrupts in a ns in which nobody wants any. */
static double usual(void)
{
	const struct timespec pause = { SLEEP, 0 };
	static double rate = -1;
	double before, since;

	if (rate < 0) {
		before = count();
		since = now();
		nanosleep(&pause, NULL);
		rate = (count() - before) / (now() - since);
	}
	return rate;
}

void interrupts_start(void)
{
	start = now();
	start_count = count();
}

double interrupts_stop(void)
{
	double interrupts = count() - start_count, time = now() - start;

	return interrupts - usual() * time;
}
