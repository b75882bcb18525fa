/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fault injection: the kernel counts down /proc/thread-self/fail-nth at each
 * allocation and each copy of user memory that it does for the thread; the one that
 * reaches 0 fails.  The debug kernel has this.
 */
#ifndef TWHEEL_SELFTESTS_FAULT_H
#define TWHEEL_SELFTESTS_FAULT_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sysfs.h"

#define FAIL_NTH	"/proc/thread-self/fail-nth"

/* Enable all kinds of faults, without messages; false when this kernel has none. */
static inline bool fault_possible(void)
{
	static const char * const settings[] = {
		"failslab/ignore-gfp-wait", "failslab/verbose",
		"fail_page_alloc/ignore-gfp-wait", "fail_page_alloc/min-order",
		"fail_page_alloc/verbose", "fail_usercopy/verbose",
	};
	char path[128];

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s", settings[i]);
		if (file_put(path, "0"))
			return false;
	}
	return !access(FAIL_NTH, W_OK);
}

static inline int fault_open(void)
{
	return open(FAIL_NTH, O_RDWR | O_CLOEXEC);
}

/* Make the @nth point from here fail; 0: none.  This write itself may be the one. */
static inline void fault_at(int fd, unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	for (int tries = 0; tries < 3; tries++)
		if (pwrite(fd, text, len, 0) == len)
			return;
	abort();
}

/* How many points are left until one fails; negative when this read failed. */
static inline long fault_left(int fd)
{
	char text[16] = "";
	long ret = result_of(pread(fd, text, sizeof(text) - 1, 0));

	return ret > 0 ? atol(text) : ret;
}

#endif /* TWHEEL_SELFTESTS_FAULT_H */
