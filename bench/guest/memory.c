// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory per timer: how much less of it is free in the whole machine, which
 * leaves nothing out, and how much of that is in slabs.
 *
 * Not all of what timers take is charged to a cgroup (timerfd's own part is not),
 * so the machine is asked; nothing else runs in it.
 */
#include "../common/procfs.h"
#include "guest.h"

struct memory memory_now(void)
{
	double free = proc_memory_free();

	return (struct memory){ -free, proc_memory_slab() };
}

void memory_figures(const char *peer, unsigned int n, const struct memory *before)
{
	struct memory after = memory_now();

	figure(peer, "memory", n, (after.used - before->used) / n, "bytes");
	figure(peer, "memory.slab", n, (after.slab - before->slab) / n, "bytes");
}
