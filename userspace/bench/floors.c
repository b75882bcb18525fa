// SPDX-License-Identifier: GPL-2.0-only
/*
 * What has to hold: ratios between figures of one run.  A figure that is missing
 * fails its floor.
 */
#include <stdio.h>

#include "guest.h"

#define USUAL	100000U		/* pending timers */
#define FEW	1000U
#define MANY	1000000U

static bool all;

static void verdict(bool passed, const char *text, double value, const char *relation,
		    double bound)
{
	printf("%s  %-66s %8.2f (%s %g)\n", passed ? "PASS" : "FAIL", text, value, relation,
	       bound);
	if (!passed)
		all = false;
}

static void at_least(const char *text, double peer, double ours, double bound)
{
	double ratio = peer > 0 && ours > 0 ? peer / ours : 0;

	verdict(ratio >= bound, text, ratio, "at least", bound);
}

static void at_most(const char *text, double value, double bound)
{
	verdict(value >= 0 && value <= bound, text, value, "at most", bound);
}

static double get(const char *peer, const char *name)
{
	return figure_get(peer, name, USUAL);
}

static void ops(void)
{
	double fd = get("timerfd", "move"), posix = get("posix", "move");

	at_least("arm: timerfd_settime / batched ARM", get("timerfd", "arm"),
		 get("twheel", "arm"), 5);
	at_least("arm: timerfd, creation included / batched ARM, new memory included",
		 get("timerfd", "arm.new"), get("twheel", "arm.new"), 12);
	at_least("move: timerfd_settime / batched MOVE", fd, get("twheel", "move"), 6);
	at_least("move: timerfd_settime / batched MOVE, with words", fd, get("words", "move"), 6);
	at_least("cancel: timerfd_settime / batched CANCEL", get("timerfd", "cancel"),
		 get("twheel", "cancel"), 6);
	at_least("cancel: timerfd_settime / batched CANCEL, kept timer", get("timerfd", "cancel"),
		 get("words", "cancel"), 6);
	at_least("cancel: close of a timerfd / batched CANCEL, which frees",
		 get("timerfd", "close"), get("twheel", "cancel"), 6);
	at_least("move: timerfd_settime / one MOVE", fd, get("twheel", "move.single"), 1.001);
	at_least("move: timer_settime / one MOVE", posix, get("twheel", "move.single"), 1.001);
	at_least("move: timerfd_settime / one MOVE, with words", fd,
		 get("words", "move.single"), 1.001);
	at_least("move: timer_settime / one MOVE, with words", posix,
		 get("words", "move.single"), 1.001);
}

static void growth(const char *peer, const char *name)
{
	double few = figure_get(peer, name, FEW), many = figure_get(peer, name, MANY);
	char text[64];

	snprintf(text, sizeof(text), "%s %s: 10^6 pending / 10^3", peer, name);
	at_most(text, few > 0 && many > 0 ? many / few : -1, 1.15);
}

static void growths(void)
{
	static const char *const names[] = {
		"arm", "cancel", "move", "arm.single", "cancel.single", "move.single",
	};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		growth("twheel", names[i]);
	growth("words", "move");
	growth("words", "move.single");
	growth("words", "touch");
}

/*
 * Exact timers with nothing due at the same time cost an interrupt and a wake-up
 * each, whoever does it.  So where they are spread out it is slack that saves, which
 * a timerfd cannot have.  The exact ones are told for comparison.
 */
static void expiry_floors(void)
{
	double spread = get("timerfd", "expire.spread");

	at_least("expiry: timerfd / twheel, burst", get("timerfd", "expire.burst"),
		 get("twheel", "expire.burst"), 6);
	at_least("expiry: timerfd / twheel, spread, slack 1 ms", spread,
		 get("twheel", "expire.spread.slack"), 6);
	printf("INFO  %-66s %8.2f\n", "expiry: timerfd / twheel, spread, exact",
	       spread / get("twheel", "expire.spread"));
}

bool floors_hold(void)
{
	all = true;
	printf("\nfloors, with %u pending timers unless said\n", USUAL);
	ops();
	growths();
	expiry_floors();
	at_most("memory: bytes per timer", get("twheel", "memory"), 72);
	at_most("memory: bytes per timer, with words", get("words", "memory"), 72);
	return all;
}
