// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* libev: a heap of four children a node; doubles.  Push-back is ev_timer_again(). */
#define PEER "libev"
#include <ev.h>

#include "driver.h"

static struct ev_loop *loop;
static ev_timer *timers;

static void ring(struct ev_loop *l __unused_ok, ev_timer *t __unused_ok, int what __unused_ok)
{
	fired++;
}

static void peer_init(u32 n)
{
	u32 i;

	loop = ev_loop_new(EVBACKEND_EPOLL);
	timers = calloc(n, sizeof(*timers));
	for (i = 0; i < n; i++)
		ev_timer_init(&timers[i], ring, 0., 0.);
}

static void peer_exit(void)
{
	ev_loop_destroy(loop);
	free(timers);
}

static void peer_arm(u32 i, u64 expires)
{
	ev_timer_set(&timers[i], (expires - now) * 1e-9, 0.);
	ev_timer_start(loop, &timers[i]);
}

/* The repeat is for ev_timer_again() only: the timers are to expire once. */
static void peer_move(u32 i, u64 expires)
{
	timers[i].repeat = (expires - now) * 1e-9;
	ev_timer_again(loop, &timers[i]);
	timers[i].repeat = 0.;
}

static void peer_cancel(u32 i)
{
	ev_timer_stop(loop, &timers[i]);
}

static void peer_tick(u64 at __unused_ok)
{
	ev_now_update(loop);
}

static bool peer_step(u64 at __unused_ok)
{
	ev_run(loop, EVRUN_NOWAIT);
	return false;
}
