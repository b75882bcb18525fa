/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef HOST_RNG_H
#define HOST_RNG_H

#include <linux/types.h>

/* splitmix64: any seed is a good one. */
struct rng {
	u64 state;
};

static inline u64 rng_u64(struct rng *r)
{
	u64 x = r->state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* 0 to @n - 1; the bias does not matter here. */
static inline u64 rng_below(struct rng *r, u64 n)
{
	return rng_u64(r) % n;
}

static inline bool rng_one_in(struct rng *r, u64 n)
{
	return !rng_below(r, n);
}

#endif /* HOST_RNG_H */
