/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fuzzer: what its files share.
 *
 *	main.c		seed, threads, time, the sum of what was found
 *	honest.c	queues whose every promise is checked, round by round
 *	worker.c	who arms, moves, cancels, touches their timers
 *	consumer.c	who takes their records
 *	model.c		what the results of the ops say
 *	judge.c		what must have been delivered, compared with what was
 *	hostile.c	ioctls that are valid, nearly valid, and not at all
 *	around.c	mmap, mprotect, fork, dup, close ... in between
 *	scribbler.c	who scribbles over all shared pages
 *
 * Each thread draws all it does from random numbers of its own, which follow from
 * the seed: the same seed is the same sequence for each thread, only the kernel's
 * interleaving differs.
 *
 * All threads share one process.  So that the hostile ones harm nobody else in it,
 * their descriptors have numbers from HOSTILE_FD on, and all mappings of queues are
 * in places reserved at the start, one per queue.
 */
#ifndef TWHEEL_FUZZ_H
#define TWHEEL_FUZZ_H

#include "../common.h"
#include "../common/fault.h"

#include <setjmp.h>

/* --- promises, and who finds them broken (main.c) ----------------------------- */

enum promise {
	NEVER_EARLY, ONE_END, ORDER, PERIODS, RESULTS, VIEWS, FAULTS, ERRNOS, MOVES_ON, PROMISES
};

#define REMEMBERED	12	/* last steps of a thread, shown with a finding */

/* A thread of the fuzzer. */
struct actor {
	const char *role;
	unsigned int number;
	__u64 random;			/* state of its random numbers */
	atomic_ullong step;
	atomic_ullong *operations;	/* ioctls, ops, system calls: the sum of all */
	char last[REMEMBERED][100];
	pthread_t thread;
};

extern atomic_bool over;	/* the time is up, or something was found */
extern atomic_bool found;
extern __u64 base_seed;

void actor_start(struct actor *a, const char *role, unsigned int number, void *(*run)(void *),
		 void *data);
/* A number below @bound. */
static inline __u64 draw(struct actor *a, __u64 bound)
{
	return random_below(&a->random, bound);
}

/* True in one of @n cases. */
static inline bool one_in(struct actor *a, unsigned int n)
{
	return !draw(a, n);
}

/* The next step of a thread, for those who read of a finding. */
void step(struct actor *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* One look at a promise: if it does not hold, say so and end the run. */
bool holds(enum promise p, struct actor *a, bool good, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* --- places for mappings (around.c) --------------------------------------------- */

#define PLACE_BYTES	(1UL << 20)
#define PLACE_CTL	(512UL << 10)
#define PLACE_WORDS	(576UL << 10)
#define PLACE_SPARE	(768UL << 10)	/* up to the end */
#define WORDS_BYTES	(64UL << 10)	/* as much of the words as is mapped */
#define HOSTILE_FD	100
#define HOSTILE_EFD	150

/* Address space that nothing else is ever mapped to. */
char *place_reserve(void);

/* --- the model of honest queues (model.c, judge.c) -------------------------------- */

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
	__u64 *words;		/* NULL: none */
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

struct timer *model_timer(struct worker *w, const struct twheel_op *asked);
struct span *model_span(struct worker *w, struct timer *t, const struct twheel_op *asked,
			struct base *b);
void model_push(struct worker *w, struct timer *t, __u64 later);
void model_end(struct worker *w, struct timer *t, enum end how, __u64 until);
void model_account(struct worker *w, unsigned int i, struct base *b);
bool model_open(const struct timer *t);
bool model_far(const struct worker *w, const struct timer *t);
bool model_full(const struct worker *w);
void model_info(struct worker *w, const struct timer *t, const struct twheel_info *info,
		__u64 from, __u64 to);
void judge_round(struct arena *a);

/* --- actors -------------------------------------------------------------------- */

void worker_begin(struct worker *w);
void worker_work(struct worker *w);
void worker_settle(struct worker *w);
void worker_rest(struct worker *w);
void worker_list(struct worker *w);
void worker_faults(struct worker *w);
void consumer_work(struct consumer *c);
void honest_start(struct arena *a, unsigned int number);
void honest_join(struct arena *a);
/* System calls that do no harm to the queue. */
void around_harmless(struct actor *a, const struct queue *q);

void hostile_start(void);
void hostile_join(void);
void hostile_nudge(void);
/* One ioctl on one of the hostile queues. */
void hostile_ioctl(struct actor *a);
void around_step(struct actor *a);
void scribbler_prepare(void);
void scribbler_step(struct actor *a);

#define VICTIMS		6
#define RECENT		64

/* A hostile queue; everybody reads and writes all of it, without a lock. */
struct victim {
	struct twheel_setup setup;
	__u64 recent[RECENT];	/* ids that were valid once */
	char *ring, *ctl, *words;	/* places: what is mapped there may change */
};

extern struct victim victims[VICTIMS];

#endif /* TWHEEL_FUZZ_H */
