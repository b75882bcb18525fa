/* SPDX-License-Identifier: GPL-2.0-only */
/* Units, poison, and results of system calls as one value. */
#ifndef TWHEEL_SELFTESTS_BASE_H
#define TWHEEL_SELFTESTS_BASE_H

#include <errno.h>
#include <stdint.h>

#include <linux/types.h>

#define USEC		1000ULL
#define MSEC		1000000ULL
#define SEC		1000000000ULL
#define HOUR		(3600 * SEC)
#define TIME_MAX	0x7fffffffffffffffULL	/* last deadline there is */

#define GIVE_UP_MS	15000	/* no promise, just the end of patience */

#define POISON32	0x5a5a5a5a
#define POISON_BYTE	0xa5

#ifndef PAGE_SIZE
#define PAGE_SIZE	4096U
#endif

static inline long result_of(long ret)
{
	return ret < 0 ? -errno : ret;
}

static inline __u64 addr(const void *p)
{
	return (uintptr_t)p;
}

#endif /* TWHEEL_SELFTESTS_BASE_H */
