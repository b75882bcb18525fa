/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of the whole machine, from files in /proc. */
#ifndef TWHEEL_BENCH_PROCFS_H
#define TWHEEL_BENCH_PROCFS_H

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/*
 * The sum of the numbers in those lines of a file that one of the formats fits: they
 * are sscanf()'s, with one %lf.  @other may be NULL.
 */
static inline double proc_sum(const char *path, const char *format, const char *other)
{
	FILE *file = fopen(path, "re");
	double sum = 0, value;
	char line[512];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, format, &value) == 1 ||
		    (other && sscanf(line, other, &value) == 1))
			sum += value;
	if (file)
		fclose(file);
	return sum;
}

/*
 * Bytes that are free: in the zones, and in the lists that each CPU keeps.  What is
 * freed after a grace period is free then, and the counters are exact.
 */
static inline double proc_memory_free(void)
{
	const struct timespec while_rcu_works = { 0, 300000000 };
	int fd = open("/proc/sys/vm/stat_refresh", O_RDONLY | O_CLOEXEC);
	char byte;

	nanosleep(&while_rcu_works, NULL);
	if (fd < 0 || read(fd, &byte, 1) < 0)
		fprintf(stderr, "# the kernel's memory counters are not exact\n");
	if (fd >= 0)
		close(fd);
	return proc_sum("/proc/zoneinfo", " pages free %lf", " count: %lf") *
	       sysconf(_SC_PAGESIZE);
}

/* Bytes in slabs. */
static inline double proc_memory_slab(void)
{
	return proc_sum("/proc/meminfo", "Slab: %lf", NULL) * 1024;
}

/* Interrupts of the CPUs' own timers. */
static inline double proc_timer_interrupts(void)
{
	return proc_sum("/proc/interrupts", " LOC: %lf", NULL);
}

/*
 * The kernel says "hrtimer: interrupt took" once; here it counts how often it had
 * reason to, on all CPUs.
 */
static inline double proc_timer_hangs(void)
{
	return proc_sum("/proc/timer_list", " .nr_hangs : %lf", NULL);
}

#endif /* TWHEEL_BENCH_PROCFS_H */
