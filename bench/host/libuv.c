// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * libuv: a binary heap of linked nodes; ms.  Push-back is uv_timer_start().
 * Expiry of 10^7 takes minutes, so it is up to 10^6.
 */
#define PEER "libuv"
#define EXPIRE_LIMIT	1000000U
#include <uv.h>

#include "driver.h"

static uv_loop_t loop;
static uv_timer_t *timers;

static void ring(uv_timer_t *t __unused_ok)
{
	fired++;
}

static void peer_init(u32 n)
{
	u32 i;

	timers = calloc(n, sizeof(*timers));
	uv_loop_init(&loop);
	for (i = 0; i < n; i++)
		uv_timer_init(&loop, &timers[i]);
}

/* uv_close() for each would take time; that loop is not used again. */
static void peer_exit(void)
{
	memset(&loop, 0, sizeof(loop));
	free(timers);
}

static void peer_arm(u32 i, u64 expires)
{
	uv_timer_start(&timers[i], ring, (expires - now + MSEC - 1) / MSEC, 0);
}

static void peer_move(u32 i, u64 expires)
{
	peer_arm(i, expires);
}

static void peer_cancel(u32 i)
{
	uv_timer_stop(&timers[i]);
}

static void peer_tick(u64 at __unused_ok)
{
	uv_update_time(&loop);
}

static bool peer_step(u64 at __unused_ok)
{
	uv_run(&loop, UV_RUN_NOWAIT);
	return false;
}
