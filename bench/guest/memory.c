// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory per timer: how much less of it is free in the whole machine, which
 * leaves nothing out, and how much of that is in slabs.
 *
 * Not all of what timers take is charged to a cgroup (timerfd's own part is not),
 * so the machine is asked; nothing else runs in it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

/* What is freed after a grace period is free, and the counters are exact. */
static void settle(void)
{
	const struct timespec while_rcu_works = { 0, 200000000 };
	char byte;
	int fd;

	nanosleep(&while_rcu_works, NULL);
	fd = open("/proc/sys/vm/stat_refresh", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (read(fd, &byte, 1) < 0)
		complain(0, "memory counters are not exact");
	close(fd);
}

/* Bytes that are free: in the zones, and in the lists that each CPU keeps. */
static double free_memory(void)
{
	FILE *file = fopen("/proc/zoneinfo", "re");
	char line[128];
	double pages = 0;
	long value;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " pages free %ld", &value) == 1 ||
		    sscanf(line, " count: %ld", &value) == 1)
			pages += value;
	if (file)
		fclose(file);
	return pages * sysconf(_SC_PAGESIZE);
}

/* A line of /proc/meminfo, in bytes. */
static double meminfo(const char *name)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[128];
	double kib = 0;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			sscanf(line + strlen(name), ": %lf", &kib);
	if (file)
		fclose(file);
	return kib * 1024;
}

struct memory memory_now(void)
{
	settle();
	return (struct memory){ -free_memory(), meminfo("Slab") };
}

void memory_figures(const char *peer, unsigned int n, const struct memory *before)
{
	struct memory after = memory_now();

	figure(peer, "memory", n, (after.used - before->used) / n, "bytes");
	figure(peer, "memory.slab", n, (after.slab - before->slab) / n, "bytes");
}
