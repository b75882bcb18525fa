/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest benchmark: what the peers' files and the measuring share.
 *
 * Every peer does the same work on the same deadlines (struct load), and hands
 * its figures to figure().  The unit is what the clock counts: instructions
 * under QEMU's -icount, where a nanosecond is one, else nanoseconds.
 */
#ifndef TWHEEL_BENCH_GUEST_H
#define TWHEEL_BENCH_GUEST_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#define NSEC_PER_SEC	1000000000ULL
#define HOUR		(3600 * NSEC_PER_SEC)
#define BATCH		256U

/* --- meter.c: the clock, and the processor's idle time --- */

double now(void);
void quiesce(void);

/* What passes between the two.  The name is the figure's, for --profile. */
double lap_start(const char *name);
double lap_stop(double start);

/* What runs between the two, without idling. */
void meter_start(const char *name);
double meter_stop(void);

/* Have bench/guest/profile count the laps and meterings of this name. */
void profile(const char *name);

/* --- load.c: the work --- */

/**
 * struct load - timers that are pending, and ops on them, the same for all peers
 * @n: timers that are pending all the while
 * @base: ns; @deadline counts from there
 * @deadline: of the pending timers, n of them
 * @pick: which of the n is moved, LOAD_OPS of them
 * @fresh: deadlines for LOAD_OPS timers that are armed or moved
 * @when: the same, as a peer's system call wants it
 * @shuffled: 0 to BATCH - 1, the order in which a batch is cancelled
 */
#define LOAD_OPS	16384U

struct load {
	unsigned int n;
	__u64 base;
	__u64 *deadline;
	__u32 *pick;
	__u64 *fresh;
	struct timespec *when;
	__u32 shuffled[BATCH];
};

int load_make(struct load *load, unsigned int n);
void load_free(struct load *load);
struct timespec to_timespec(__u64 ns);

/* --- figures.c: what was measured --- */

/* Print a figure as a line of JSON, and keep it for the table. */
void figure(const char *peer, const char *name, unsigned int n, double value,
	    const char *unit);
/* The same in units of the clock, for @count ops; nothing without a @name. */
void cost(const char *peer, const char *name, unsigned int n, double total,
	  unsigned int count);
void figures_table(void);

/* --- memory.c --- */

/* Bytes that are in use on this machine, in all and by slabs. */
struct memory {
	double used;
	double slab;
};

struct memory memory_now(void);
void memory_figures(const char *peer, unsigned int n, const struct memory *before);

/* --- longest.c: the longest that nobody else could run in between --- */

void longest_start(void);
void longest_figures(const char *peer, unsigned int n);

/* --- interrupts.c: how many there were, beyond the usual --- */

void interrupts_start(void);
double interrupts_stop(void);

/* --- expiry.c: timers that expire --- */

/**
 * struct expiry - @count timers that a peer arms, and takes when they have expired
 * @name: of the figure
 * @count: how many; MAX_EXPIRIES at most
 * @slack: ns, above 1 for those who know slack
 * @after: ns from expiry_start() to the deadline of the i-th
 * @begin: to be called when all are armed
 * @end: to be called when all have been taken, with the peer and its n
 */
struct expiry {
	const char *name;
	unsigned int count;
	__u64 slack;
	__u64 (*after)(unsigned int i);
	void (*begin)(const struct expiry *e);
	void (*end)(const struct expiry *e, const char *peer, unsigned int n);
};

#define MAX_EXPIRIES	10000U

/* The expiries beside @n pending timers; the last one has no name. */
const struct expiry *expiries(unsigned int n);
/* A time that has not come before the timers are armed. */
__u64 expiry_start(void);

/* --- the peers: 0, or a negative errno after complaining --- */

int bench_twheel(const struct load *load);
int bench_words(const struct load *load);
int bench_timerfd(const struct load *load);
int bench_posix(const struct load *load);
int bench_uring(const struct load *load);

/* Print a message on stderr; returns @status. */
int complain(int status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* TWHEEL_BENCH_GUEST_H */
