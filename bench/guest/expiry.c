// SPDX-License-Identifier: GPL-2.0-only
/*
 * The expiries that every peer is put through, and what is measured of each: its
 * cost, the longest stretch that kept the processor from others, or interrupts.
 *
 * A peer arms the timers, calls begin(), takes what expires until it has all in
 * its hands, and calls end().  Nothing is due before begin(), see LEAD.
 */
#include <stdio.h>

#include "guest.h"

#define LEAD		(NSEC_PER_SEC / 5)

#define BURST		MAX_EXPIRIES
#define SPREAD		4096U
#define SPREAD_GAP	20000U
#define SPARSE		256U
#define DENSE_GAP	10000U

static __u64 at_once(unsigned int i)
{
	return 0 * i;
}

/* Distinct, in no order, SPREAD_GAP apart on average. */
static __u64 spread_out(unsigned int i)
{
	unsigned int place = i * 2731 % SPREAD;

	return (__u64)place * SPREAD_GAP + place * 7919 % (SPREAD_GAP / 2);
}

static __u64 sparse(unsigned int i)
{
	return i * NSEC_PER_SEC + i * 7919ULL * 7919 % NSEC_PER_SEC;
}

static __u64 dense(unsigned int i)
{
	return (__u64)i * DENSE_GAP + i * 7919ULL * 7919 % DENSE_GAP;
}

static void cost_begin(const struct expiry *e)
{
	meter_start(e->name);
}

/*
 * The least of several runs: what the kernel's own threads happen to do at the same
 * time is in the others, and may be a tenth of a burst.
 */
static double least;

static void cost_more(const struct expiry *e __attribute__((unused)),
		      const char *peer __attribute__((unused)),
		      unsigned int n __attribute__((unused)))
{
	double total = meter_stop();

	if (!least || total < least)
		least = total;
}

static void cost_end(const struct expiry *e, const char *peer, unsigned int n)
{
	cost_more(e, peer, n);
	cost(peer, e->name, n, least, e->count);
	least = 0;
}

static void longest_begin(const struct expiry *e __attribute__((unused)))
{
	longest_start();
}

static void longest_end(const struct expiry *e __attribute__((unused)), const char *peer,
			unsigned int n)
{
	longest_figures(peer, n);
}

static void irqs_begin(const struct expiry *e __attribute__((unused)))
{
	interrupts_start();
}

static void irqs_end(const struct expiry *e, const char *peer, unsigned int n)
{
	figure(peer, e->name, n, interrupts_stop() / e->count, "per timer");
}

/* Beside n timers that are pending. */
static const struct expiry beside[] = {
	{ "expire.burst", BURST, 1, at_once, cost_begin, cost_more },
	{ "expire.burst", BURST, 1, at_once, cost_begin, cost_more },
	{ "expire.burst", BURST, 1, at_once, cost_begin, cost_end },
	{ "expire.spread", SPREAD, 1, spread_out, cost_begin, cost_end },
	{ "expire.spread.slack", SPREAD, 1000000, spread_out, cost_begin, cost_end },
	{ "longest", BURST, 1, at_once, longest_begin, longest_end },
	{ }
};

/* With nothing else pending. */
static const struct expiry alone[] = {
	{ "irqs.sparse", SPARSE, 1, sparse, irqs_begin, irqs_end },
	{ "irqs.dense", BURST, 1, dense, irqs_begin, irqs_end },
	{ "irqs.dense.slack", BURST, 1000000, dense, irqs_begin, irqs_end },
	{ }
};

const struct expiry *expiries(unsigned int n)
{
	return n ? beside : alone;
}

__u64 expiry_start(void)
{
	return (__u64)now() + LEAD;
}
