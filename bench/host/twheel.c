// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * kmod/wheel.c, as it is.  A step looks at no more than 256 timers, as a pass in
 * the kernel does; who has more to do comes back.
 */
#define PEER "twheel"
#include <linux/kernel.h>

#include "timer.h"
#include "wheel.h"

#include "driver.h"

#define BUDGET 256U

static struct tw_wheel wheel;
static struct tw_timer *timers;

static void peer_init(u32 n)
{
	timers = aligned_alloc(64, n * sizeof(*timers));
	memset(timers, 0, n * sizeof(*timers));
	tw_wheel_init(&wheel, now);
}

static void peer_exit(void)
{
	free(timers);
}

static void peer_arm(u32 i, u64 expires)
{
	timers[i].expires = expires;
	tw_wheel_add(&wheel, &timers[i]);
}

static void peer_cancel(u32 i)
{
	tw_wheel_remove(&wheel, &timers[i]);
}

static void peer_move(u32 i, u64 expires)
{
	tw_wheel_move(&wheel, &timers[i], expires);
}

static void peer_tick(u64 at)
{
	tw_wheel_set_now(&wheel, at);
}

static bool peer_step(u64 at)
{
	unsigned int budget = BUDGET;

	while (tw_wheel_pop(&wheel, at, &budget))
		fired++;
	return !budget;
}
