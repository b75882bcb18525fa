// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults: the kernel counts down /proc/thread-self/fail-nth at each allocation and
 * each copy of user memory that the thread makes it do; at 0 that one fails.
 */
#include "fuzz.h"

#define DEBUGFS		"/sys/kernel/debug/"

bool fault_possible(void)
{
	static const char * const settings[] = {
		"failslab/ignore-gfp-wait", "fail_page_alloc/ignore-gfp-wait",
		"fail_page_alloc/min-order", "failslab/verbose", "fail_page_alloc/verbose",
		"fail_usercopy/verbose",
	};
	char path[128];

	for (unsigned int i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		snprintf(path, sizeof(path), DEBUGFS "%s", settings[i]);
		if (file_put(path, "0"))
			return false;
	}
	return !access("/proc/thread-self/fail-nth", W_OK);
}

int fault_open(void)
{
	return open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
}

/* It may be this write itself that fails. */
void fault_at(int fd, unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	for (int tries = 0; tries < 3; tries++)
		if (pwrite(fd, text, len, 0) == len)
			return;
}
