/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A figure that was measured, as bench/gate, bench/host/report and bench/results read
 * it: one line of JSON.
 */
#ifndef TWHEEL_BENCH_JSON_H
#define TWHEEL_BENCH_JSON_H

#include <stdio.h>
#include <sys/utsname.h>

/* @n: timers that were pending, or 0 where that does not matter; @peer: whose they were */
static inline void json_figure(const char *name, double value, const char *unit, unsigned int n,
			       const char *peer)
{
	static struct utsname kernel;

	if (!kernel.release[0])
		uname(&kernel);
	printf("{\"name\": \"%s\", \"value\": %.4f, \"unit\": \"%s\", \"n\": %u, "
	       "\"peer\": \"%s\", \"kernel\": \"%s\"}\n", name, value, unit, n, peer,
	       kernel.release);
	fflush(stdout);
}

#endif /* TWHEEL_BENCH_JSON_H */
