// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel log of the time since kmsg_begin(): are there lines in it that a kernel
 * should never write?
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kmsg.h"

static int kmsg = -1;

void kmsg_begin(void)
{
	if (kmsg < 0)
		kmsg = open("/dev/kmsg", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	lseek(kmsg, 0, SEEK_END);
}

static bool is_bad(const char *line)
{
	static const char * const words[] = {
		"soft lockup", "hard LOCKUP", "workqueue lockup", "self-detected stall",
		"detected stall", "rcu_preempt kthread", "blocked for more than", "BUG:",
		"WARNING:", "Out of memory", "page allocation failure",
	};

	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(line, words[i]))
			return true;
	return false;
}

unsigned int kmsg_bad_lines(void)
{
	unsigned int bad = 0;
	char line[8192];
	ssize_t size;

	while ((size = read(kmsg, line, sizeof(line) - 1)) > 0) {
		line[size] = '\0';
		if (is_bad(line)) {
			printf("# kernel log: %s", line);
			bad++;
		}
	}
	return bad;
}
