// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * libevent: a binary heap; us.  Push-back is event_add() of a pending event.
 *
 * With COMMON: a common timeout, that is a queue for one duration (there may be
 * 256 of them).  It cannot have random durations; all its workloads are with
 * one, and expiry is only that of "fifo".
 */
#ifdef COMMON
#define PEER "libevent-common"
#define PEER_FIXED true
#else
#define PEER "libevent"
#define EXPIRE_LIMIT	1000000U	/* 10^7 would take minutes */
#endif
#include <event2/event.h>
#include <event2/event_struct.h>

#include "driver.h"

static struct event_base *base;
static struct event *events;
#ifdef COMMON
static const struct timeval *common;
#endif

static void ring(evutil_socket_t fd __unused_ok, short what __unused_ok, void *arg __unused_ok)
{
	fired++;
}

static void peer_init(u32 n)
{
	u32 i;

	base = event_base_new();
	events = calloc(n, sizeof(*events));
	for (i = 0; i < n; i++)
		evtimer_assign(&events[i], base, ring, NULL);
#ifdef COMMON
	struct timeval tv = { SHORTEST / SECOND, 0 };

	common = event_base_init_common_timeout(base, &tv);
#endif
}

static void peer_exit(void)
{
	event_base_free(base);
	free(events);
}

static void peer_arm(u32 i, u64 expires)
{
#ifdef COMMON
	(void)expires;
	event_add(&events[i], common);
#else
	u64 us = (expires - now) / USEC;
	struct timeval tv = { us / 1000000, us % 1000000 };

	event_add(&events[i], &tv);
#endif
}

static void peer_move(u32 i, u64 expires)
{
	peer_arm(i, expires);
}

static void peer_cancel(u32 i)
{
	event_del(&events[i]);
}

/* event_add() reads the clock itself. */
static void peer_tick(u64 at __unused_ok)
{
}

static bool peer_step(u64 at __unused_ok)
{
	event_base_loop(base, EVLOOP_NONBLOCK);
	return false;
}
