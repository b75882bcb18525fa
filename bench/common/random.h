/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers for benchmarks and tests: xorshift64*, the same sequence everywhere
 * for the same seed.  A state of 0 stays 0, so a seed must not be 0.
 */
#ifndef TWHEEL_BENCH_RANDOM_H
#define TWHEEL_BENCH_RANDOM_H

#include <linux/types.h>

static inline __u64 random_next(__u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

/* 0 to @bound - 1. */
static inline __u64 random_below(__u64 *state, __u64 bound)
{
	return (random_next(state) >> 11) % bound;
}

#endif /* TWHEEL_BENCH_RANDOM_H */
