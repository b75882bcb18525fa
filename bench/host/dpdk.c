// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * DPDK's rte_timer: a skip list of ten levels per core.  It reads the cycle
 * counter, which nobody can stand in for.  So the 660 s are squeezed into real
 * time, 3 us for each timer; the driver waits for each step and measures
 * rte_timer_manage() alone.  The deadlines may all have passed when the arming
 * took longer than that; their order stays.  Expiry is up to 10^6, for the
 * waiting.
 */
#define PEER "dpdk"
#define PEER_REAL_CLOCK
#define EXPIRE_LIMIT	1000000U
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_timer.h>

#include "driver.h"

static struct rte_timer *timers;
static double scale;		/* cycles per virtual ns */
static u64 origin;		/* cycles at the first deadline */
static u64 last, last_cycles;	/* the last deadline; and when it really is */

static void ring(struct rte_timer *t __unused_ok, void *arg __unused_ok)
{
	fired++;
}

static void start_eal(void)
{
	static const char *const args[] = {
		"dpdk", "--no-huge", "--no-pci", "--no-shconf", "--no-telemetry",
		"-m", "256", "--lcores", "0@(0-1)", "--log-level", "error",
	};
	char *argv[sizeof(args) / sizeof(*args)];
	static bool done;
	unsigned int i;

	if (done)
		return;
	for (i = 0; i < sizeof(args) / sizeof(*args); i++)
		argv[i] = strdup(args[i]);
	if (rte_eal_init(i, argv) < 0 || rte_timer_subsystem_init() < 0) {
		fprintf(stderr, "dpdk: the EAL does not start\n");
		exit(1);
	}
	done = true;
}

static void peer_init(u32 n)
{
	u32 i;

	start_eal();
	timers = calloc(n, sizeof(*timers));
	for (i = 0; i < n; i++)
		rte_timer_init(&timers[i]);
	scale = (double)rte_get_tsc_hz() * n * 3e-6 / span;
	origin = rte_rdtsc() + (u64)((n * 2e-6 + .05) * rte_get_tsc_hz());
	last = 0;
	last_cycles = 0;
}

static void peer_exit(void)
{
	free(timers);
}

static u64 cycles(u64 at)
{
	return origin + (u64)((at - BASE - SHORTEST) * scale);
}

/*
 * A deadline is told as a duration, and gets late when somebody else runs between the
 * two readings of the counter.
 */
static void peer_arm(u32 i, u64 expires)
{
	rte_timer_reset(&timers[i], cycles(expires) - rte_rdtsc(), SINGLE, rte_lcore_id(), ring,
			NULL);
	if (expires > last)
		last = expires;
	if (timers[i].expire > last_cycles)
		last_cycles = timers[i].expire;
}

static void peer_move(u32 i, u64 expires)
{
	peer_arm(i, expires);
}

static void peer_cancel(u32 i)
{
	rte_timer_stop(&timers[i]);
}

static void peer_tick(u64 at __unused_ok)
{
}

static void peer_wait(u64 until)
{
	u64 end = until < BASE + SHORTEST ? 0 : cycles(until), left;

	if (until > last && end < last_cycles)
		end = last_cycles;
	while (rte_rdtsc() < end) {
		left = (end - rte_rdtsc()) * 1000 / (rte_get_tsc_hz() / 1000);
		if (left > 200 && left < 1000000000)
			usleep(left - 100);
	}
}

static bool peer_step(u64 at __unused_ok)
{
	rte_timer_manage();
	return false;
}
