/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading clocks and letting time pass. */
#ifndef TWHEEL_SELFTESTS_TIME_H
#define TWHEEL_SELFTESTS_TIME_H

#include <errno.h>
#include <time.h>

#include "base.h"

static inline __u64 now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * SEC + ts.tv_nsec;
}

static inline __u64 mono(void)
{
	return now(CLOCK_MONOTONIC);
}

static inline void sleep_ns(__u64 ns)
{
	struct timespec ts = { .tv_sec = ns / SEC, .tv_nsec = ns % SEC };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
		;
}

static inline void spin_until(__u64 end)
{
	while (mono() < end)
		;
}

static inline void spin_ns(__u64 ns)
{
	spin_until(mono() + ns);
}

#endif /* TWHEEL_SELFTESTS_TIME_H */
