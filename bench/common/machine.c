// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the machine says of itself: its clock, its memory, its timer interrupt, its
 * kernel log.
 */
#include "../../selftests/common.h"
#include "machine.h"

/*
 * Whether a ns is an instruction (scripts/vm --icount): ten a turn here.  Some tries,
 * for an interrupt may come in between.
 */
bool counts_instructions(void)
{
#ifdef __x86_64__
	const unsigned long turns = 1000000;

	for (int i = 0; i < 3; i++) {
		unsigned long left = turns;
		__u64 start = mono();

		__asm__ volatile("1: nop; nop; nop; nop; nop; nop; nop; nop\n\t"
				 "dec %0\n\tjnz 1b" : "+r" (left));
		start = mono() - start;
		if (start > 9.8 * turns && start < 10.2 * turns)
			return true;
	}
#endif
	return false;
}

/* What is freed after a grace period is free, and the counters are exact. */
static void settle(void)
{
	char byte[1];

	sleep_ns(300 * MSEC);
	file_get("/proc/sys/vm/stat_refresh", byte, sizeof(byte));
}

/* In the zones, and in the lists that each CPU keeps. */
double memory_used(void)
{
	FILE *file;
	char line[128];
	double pages = 0;
	long value;

	settle();
	file = fopen("/proc/zoneinfo", "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " pages free %ld", &value) == 1 ||
		    sscanf(line, " count: %ld", &value) == 1)
			pages += value;
	if (file)
		fclose(file);
	return -pages * PAGE_SIZE;
}

/*
 * The kernel says "hrtimer: interrupt took" once; here it counts how often it had
 * reason to, on all CPUs.
 */
unsigned long timer_hangs(void)
{
	FILE *file = fopen("/proc/timer_list", "re");
	unsigned long sum = 0, hangs;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " .nr_hangs : %lu", &hangs) == 1)
			sum += hangs;
	if (file)
		fclose(file);
	return sum;
}

/* --- the kernel log ---------------------------------------------------------- */

static int kmsg = -1;

void log_begin(void)
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

unsigned int log_bad_lines(void)
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
