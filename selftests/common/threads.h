/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests that need threads, also as 32-bit programs. */
#ifndef TWHEEL_SELFTESTS_THREADS_H
#define TWHEEL_SELFTESTS_THREADS_H

#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Whether threads work: those of a 32-bit program need the futex call with 32-bit
 * time, which a kernel without CONFIG_COMPAT_32BIT_TIME does not have.
 */
static inline bool threads_work(void)
{
#ifdef SYS_futex
	int word = 0;

	return syscall(SYS_futex, &word, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0) >= 0 ||
	       errno != ENOSYS;
#else
	return true;
#endif
}

#define NEEDS_THREADS() do {						\
	if (!threads_work())						\
		SKIP(return, "no futex for 32-bit programs");		\
} while (0)

#endif /* TWHEEL_SELFTESTS_THREADS_H */
