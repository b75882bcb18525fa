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
#define TIME_MAX	0x7fffffffffffffffULL	/* the last deadline possible */

#define GIVE_UP_MS	15000	/* not a promise, only when a test stops waiting */

#define POISON32	0x5a5a5a5a
#define POISON_BYTE	0xa5

#ifndef PAGE_SIZE
#define PAGE_SIZE	4096U
#endif

/*
 * For 64-bit atomics. On i386 a __u64 is aligned to 4 only. An exchange of eight
 * bytes that are not aligned to 8 stops all other CPUs of an emulated guest, and takes
 * 40 to 60 times as long. make check-static finds an atomic on a plain __u64.
 */
typedef __u64 shared_u64 __attribute__((aligned(8)));

static inline long result_of(long ret)
{
	return ret < 0 ? -errno : ret;
}

static inline __u64 addr(const void *p)
{
	return (uintptr_t)p;
}

#endif /* TWHEEL_SELFTESTS_BASE_H */
