/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data of honest queues: an arena is a queue, its workers with what they know of
 * their timers, and its consumers with what they have taken.
 */
#ifndef TWHEEL_FUZZ_ARENA_H
#define TWHEEL_FUZZ_ARENA_H

#include "actor.h"

#define WORKERS		2
#define CONSUMERS	2
#define SLOTS		150	/* timers that a worker has in mind */
#define MAX_BATCH	160	/* at least SLOTS, and the marker's two */
#define MAX_TIMERS	4000	/* in one round */
#define MAX_SPANS	8000
#define MAX_BATCHES	48
#define MAX_RECORDS	40000
#define STALE		32
#define FAR		(HOUR / 2)	/* no round lasts so long */

enum end {
	OPEN,
	DELIVERED,	/* an op has said that it is not pending any more */
	CANCELLED,	/* no record may come */
	MOVED,		/* no record of this deadline may come */
};

/*
 * What relative deadlines of one batch count from: one reading of the clock.  Each
 * batch begins with a MOVE and a QUERY of a timer that is there for nothing else, the
 * marker, so that the base is known.
 */
struct base {
	__u64 from, to;		/* around the call */
	__u64 value;		/* 0 until the marker has told */
};

/* From an op that gives a timer a deadline to the op that takes it away. */
struct span {
	struct span *next;
	struct base *base;	/* NULL: absolute */
	__u64 deadline;		/* or what it is after the base */
	__u64 period;
	__u64 from, known;	/* around the call that began it */
	__u64 until;		/* after the call that ended it */
	unsigned int grain;
	bool pushed;		/* by the word, or after that */
	enum end end;
	unsigned int records;
	__u64 following;	/* of a periodic timer: its next deadline */
};

struct taken;

struct timer {
	__u64 id, key;		/* key: its user_data */
	bool keep, word;
	bool dead;		/* the id is not valid any more */
	struct span *first, *now;	/* now: the last one */
	struct taken *taken;	/* records, by the time they were written */
};

/* A record, and when somebody took it. */
struct taken {
	struct twheel_record rec;
	__u64 seen;
	struct taken *next;
	struct span *span;	/* that explains it */
};

/* What the counters of STATS must show in the end. */
struct sums {
	__u64 armed, moved, cancelled, reaped;
};

struct arena;

struct worker {
	struct actor actor;
	struct arena *arena;
	struct timer *slots[SLOTS];	/* NULL: none; the first is the marker */
	struct timer *in_batch[MAX_BATCH];
	struct twheel_op asked[MAX_BATCH], ops[MAX_BATCH];
	int want[MAX_BATCH];		/* a result that must be, or ANY */
	unsigned int timer_count, span_count, base_count;
	struct timer timers[MAX_TIMERS];
	struct span spans[MAX_SPANS];
	struct base bases[MAX_BATCHES];
	__u64 stale[STALE];	/* ids that were valid once in this round */
	struct sums sums;
	int fault_fd;
	char *pages;		/* for batches at the edge of what can be written */
};

#define ANY		1000

enum kind { MAPPED, READ, BLOCKING, EVENTFD, KINDS };

struct consumer {
	struct actor actor;
	struct arena *arena;
	enum kind kind;
	unsigned int count;
	struct taken taken[MAX_RECORDS];
	atomic_bool done;
};

struct arena {
	unsigned int number;
	struct queue q;
	char *place;
	shared_u64 *words;	/* NULL: none */
	__u32 clock;
	int efd;
	unsigned int round, consumers;
	bool limited;		/* ENOSPC may come */
	bool blocking;		/* read() sleeps */
	bool leave;		/* timers are pending when the queue is closed */
	atomic_bool faulty;	/* armings were undone, which STATS counts */
	atomic_bool full;	/* enough records for one round */
	atomic_bool quiet;	/* consumers shall leave */
	bool ends;		/* this was the last round */
	pthread_barrier_t all, workers_only;
	struct worker worker[WORKERS];
	struct consumer consumer[CONSUMERS];
};

static inline struct queue *queue_of(const struct worker *w)
{
	return &w->arena->q;
}

static inline __u64 arena_now(const struct arena *a)
{
	return now(a->clock);
}

#endif /* TWHEEL_FUZZ_ARENA_H */
