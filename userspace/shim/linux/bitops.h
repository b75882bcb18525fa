/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef SHIM_LINUX_BITOPS_H
#define SHIM_LINUX_BITOPS_H

#include <linux/build_bug.h>
#include <linux/kernel.h>

/* 1 to 64: place of the highest set bit; 0 for no bit. */
static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

/* 0 to 63: place of the lowest set bit; there must be one. */
static inline unsigned long __ffs64(u64 x)
{
	assert(x);
	return __builtin_ctzll(x);
}

#endif /* SHIM_LINUX_BITOPS_H */
