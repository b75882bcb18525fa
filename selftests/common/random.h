/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers from a seed that is printed, and how much of a test runs.  Users set
 * these with TWHEEL_SEED and TWHEEL_SCALE.
 */
#ifndef TWHEEL_SELFTESTS_RANDOM_H
#define TWHEEL_SELFTESTS_RANDOM_H

#include <stdio.h>
#include <stdlib.h>

#include "../../bench/common/random.h"
#include "time.h"

static inline __u64 number_from_env(const char *name, __u64 otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* The seed of this run; printed, so that it can be given again. */
static inline __u64 random_seed(void)
{
	__u64 seed = number_from_env("TWHEEL_SEED", now(CLOCK_REALTIME) | 1);

	printf("# TWHEEL_SEED=%llu\n", (unsigned long long)seed);
	fflush(stdout);
	return seed ? seed : 1;
}

/* n rounds, scaled by the percentage in TWHEEL_SCALE. */
static inline unsigned int rounds(unsigned int n)
{
	__u64 scaled = n * number_from_env("TWHEEL_SCALE", 100) / 100;

	return scaled ? scaled : 1;
}

#endif /* TWHEEL_SELFTESTS_RANDOM_H */
