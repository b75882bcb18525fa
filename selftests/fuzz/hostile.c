// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hostile threads.  They do all they can think of to the hostile queues, which they
 * share without a lock: any queue may be closed, opened anew, unmapped or scribbled over
 * at any moment.
 */
#include "around.h"
#include "hostile.h"
#include "ioctls.h"
#include "promise.h"
#include "scribbler.h"
#include "victim.h"

#include "../common/fault.h"

#include <signal.h>

#define HOSTILES	4

static struct actor hostiles[HOSTILES];
static atomic_bool go;

/* Once there are holes in the address space nothing must be mapped just anywhere. */
static void wait_for_all(void)
{
	while (!go)
		sleep_ns(MSEC);
}

static void *ioctl_run(void *data)
{
	struct actor *a = data;
	int fd = fault_open();

	wait_for_all();
	while (!over) {
		unsigned int nth = one_in(a, 4) ? 1 + draw(a, 20) : 0;

		if (nth && fd >= 0)
			ioctl_step_with_fault(a, fd, nth);
		else
			ioctl_step(a);
	}
	return NULL;
}

static void *around_run(void *data)
{
	wait_for_all();
	while (!over)
		around_step(data);
	return NULL;
}

static void *scribbler_run(void *data)
{
	wait_for_all();
	while (!over)
		scribbler_step(data);
	return NULL;
}

void hostile_start(void)
{
	victims_reserve();
	ioctl_prepare();
	scribbler_prepare();
	actor_start(&hostiles[0], "ioctls", 0, ioctl_run, &hostiles[0]);
	actor_start(&hostiles[1], "ioctls", 1, ioctl_run, &hostiles[1]);
	actor_start(&hostiles[2], "around", 0, around_run, &hostiles[2]);
	actor_start(&hostiles[3], "scribbler", 0, scribbler_run, &hostiles[3]);
	atomic_store(&go, true);
}

/* A signal, which ends whatever sleeps. */
void hostile_nudge(void)
{
	for (int i = 0; i < HOSTILES; i++)
		pthread_kill(hostiles[i].thread, SIGUSR1);
}

void hostile_join(void)
{
	for (int i = 0; i < HOSTILES; i++)
		while (pthread_tryjoin_np(hostiles[i].thread, NULL)) {
			pthread_kill(hostiles[i].thread, SIGUSR1);
			sleep_ns(10 * MSEC);
		}
}
