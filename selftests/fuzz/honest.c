// SPDX-License-Identifier: GPL-2.0-only
/*
 * An arena: an honest queue with its workers and consumers, round after round.  In
 * each round the queue is a new one, with other settings; in the end of it nothing is
 * due any more, the views must agree with the model, and the judge has all records.
 */
#include "consumer.h"
#include "honest.h"
#include "judge.h"
#include "model.h"
#include "place.h"
#include "promise.h"
#include "worker.h"

#include "../common/fault.h"

#include <signal.h>
#include <sys/eventfd.h>

#define PATIENCE	(40 * SEC)	/* no promise, just the end of it */

/* --- a queue for a round ---------------------------------------------------------- */

static void choose(struct arena *a, struct actor *by)
{
	static const __u32 clocks[] = { CLOCK_MONOTONIC, CLOCK_MONOTONIC, CLOCK_BOOTTIME };
	static const __u32 entries[] = { 1, 2, 8, 8, 64, 512, 2048 };

	a->clock = clocks[draw(by, 3)];
	a->q.setup = setup_of(a->clock, entries[draw(by, 7)]);
	a->q.setup.flags = one_in(by, 2) ? TWHEEL_SETUP_WORDS : 0;
	a->q.setup.slack = one_in(by, 4) ? draw(by, MSEC) : 0;
	a->limited = one_in(by, 4);
	a->q.setup.max_timers = a->limited ? 40 + draw(by, 250) : 0;
	a->leave = one_in(by, 3);
	a->consumers = 1 + draw(by, CONSUMERS);
	for (unsigned int i = 0; i < CONSUMERS; i++) {
		a->consumer[i].kind = draw(by, a->consumers == 1 ? KINDS : EVENTFD);
		a->consumer[i].count = 0;
		a->consumer[i].done = false;
	}
	a->blocking = a->consumer[0].kind == BLOCKING ||
		      (a->consumers > 1 && a->consumer[1].kind == BLOCKING);
	a->full = false;
	a->quiet = false;
	a->faulty = false;
}

static bool map_at(struct arena *a, void *place, size_t size, int prot, __u64 offset)
{
	return mmap(place, size, prot, MAP_SHARED | MAP_FIXED, a->q.fd, offset) == place;
}

static bool map_all(struct arena *a)
{
	struct queue *q = &a->q;
	const struct twheel_setup *s = &q->setup;
	size_t words = s->words_size < WORDS_BYTES ? s->words_size : WORDS_BYTES;

	q->ring = (void *)a->place;
	q->records = (void *)(a->place + s->records_offset);
	q->ctl = (void *)(a->place + PLACE_CTL);
	a->words = words ? (void *)(a->place + PLACE_WORDS) : NULL;
	return map_at(a, a->place, s->ring_size, PROT_READ, s->ring_offset) &&
	       map_at(a, q->ctl, s->ctl_size, PROT_READ | PROT_WRITE, s->ctl_offset) &&
	       (!words || map_at(a, a->words, words, PROT_READ | PROT_WRITE, s->words_offset));
}

/* As place_reserve() left it: whatever was mapped there is unmapped. */
static void unmap_all(struct arena *a)
{
	mmap(a->place, PLACE_BYTES, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	a->q.ring = NULL;
	a->q.ctl = NULL;
}

static void begin(struct arena *a)
{
	struct actor *by = &a->worker[0].actor;
	long ret;

	choose(a, by);
	ret = queue_open_with(&a->q);
	step(by, "round %u: open: %ld", a->round, ret);
	if (!holds(RESULTS, by, !ret && map_all(a), "open and map: %ld, %d", ret, errno))
		_exit(1);
	if (a->consumer[0].kind == EVENTFD)
		holds(RESULTS, by, !set_eventfd(a->q.fd, a->efd), "EVENTFD");
	if (!a->blocking)
		fcntl(a->q.fd, F_SETFL, O_NONBLOCK);
}

/* --- the end of a round -------------------------------------------------------------- */

static unsigned int count_far(const struct arena *a)
{
	unsigned int far = 0;

	for (unsigned int i = 0; i < WORKERS; i++)
		for (unsigned int k = 0; k < SLOTS; k++) {
			const struct timer *t = a->worker[i].slots[k];

			far += t && model_open(t) && model_far(&a->worker[i], t);
		}
	return far;
}

/* Until all that is due has been delivered and taken. */
static void wait_until_quiet(struct arena *a)
{
	__u64 end = mono() + PATIENCE;
	unsigned int far = count_far(a);
	struct twheel_stats s;

	do {
		s = stats(a->q.fd);
		if (s.pending == far && !s.backlog && !s.unread)
			break;
		sleep_ns(MSEC);
	} while (mono() < end && !found);
	holds(MOVES_ON, &a->worker[0].actor, found || (s.pending == far && !s.backlog && !s.unread),
	      "round %u does not come to rest: %llu pending, %u far, %llu backlog, %llu unread",
	      a->round, s.pending, far, s.backlog, s.unread);
}

static void stop_consumers(struct arena *a)
{
	atomic_store(&a->quiet, true);
	for (unsigned int i = 0; i < a->consumers; i++)
		while (!atomic_load(&a->consumer[i].done)) {
			pthread_kill(a->consumer[i].actor.thread, SIGUSR1);
			sleep_ns(MSEC / 2);
		}
}

/* All counters, now that nothing moves. */
static void compare_stats(struct arena *a)
{
	struct twheel_stats s = stats(a->q.fd);
	struct actor *by = &a->worker[0].actor;
	__u64 records = 0, missed = 0, exist = 0;
	struct sums sum = { 0 };

	for (unsigned int i = 0; i < WORKERS; i++) {
		const struct worker *w = &a->worker[i];

		sum.armed += w->sums.armed;
		sum.moved += w->sums.moved;
		sum.cancelled += w->sums.cancelled;
		sum.reaped += w->sums.reaped;
		for (unsigned int k = 0; k < SLOTS; k++)
			exist += !!w->slots[k];
	}
	for (unsigned int i = 0; i < a->consumers; i++) {
		records += a->consumer[i].count;
		for (unsigned int k = 0; k < a->consumer[i].count; k++)
			missed += a->consumer[i].taken[k].rec.missed;
	}
	holds(VIEWS, by, s.armed - sum.armed == s.cancelled - sum.cancelled &&
	      (a->faulty || s.armed == sum.armed),
	      "STATS: armed %llu not %llu, cancelled %llu not %llu", s.armed, sum.armed,
	      s.cancelled, sum.cancelled);
	holds(VIEWS, by, s.moved == sum.moved && s.reaped == sum.reaped,
	      "STATS: moved %llu not %llu, reaped %llu not %llu", s.moved, sum.moved, s.reaped,
	      sum.reaped);
	holds(ONE_END, by, s.expired == records && s.missed == missed,
	      "STATS: %llu records, %llu taken; %llu missed, not %llu", s.expired, records,
	      s.missed, missed);
	holds(VIEWS, by, s.allocated == exist, "STATS: %llu timers, not %llu", s.allocated, exist);
}

/* --- threads ------------------------------------------------------------------------------ */

static bool leads(const struct worker *w)
{
	return w == &w->arena->worker[0];
}

/* One round of one worker; the first one leads. */
static void round_of(struct worker *w)
{
	struct arena *a = w->arena;

	worker_begin(w);
	pthread_barrier_wait(&a->all);
	worker_work(w);
	worker_settle(w);
	pthread_barrier_wait(&a->workers_only);
	if (leads(w))
		wait_until_quiet(a);
	pthread_barrier_wait(&a->workers_only);
	/* After a finding the round was cut off, and what is left proves nothing. */
	if (!found)
		worker_rest(w);
	pthread_barrier_wait(&a->workers_only);
	if (leads(w)) {
		stop_consumers(a);
		if (!found) {
			compare_stats(a);
			judge_round(a);
		}
		unmap_all(a);
		queue_close(&a->q);
		a->round++;
	}
}

/* The leader sets @ends before the barrier, so that all leave after the same round. */
static void *worker_run(void *data)
{
	struct worker *w = data;
	struct arena *a = w->arena;

	w->fault_fd = fault_open();
	do {
		if (leads(w)) {
			a->ends = over;
			if (!a->ends)
				begin(a);
		}
		pthread_barrier_wait(&a->all);
		if (!a->ends)
			round_of(w);
	} while (!a->ends);
	return NULL;
}

static void *consumer_run(void *data)
{
	struct consumer *c = data;
	struct arena *a = c->arena;

	for (;;) {
		pthread_barrier_wait(&a->all);
		if (a->ends)
			return NULL;
		atomic_fetch_add(&c->actor.step, 1);
		pthread_barrier_wait(&a->all);
		if (c < &a->consumer[a->consumers])
			consumer_work(c);
	}
}

void honest_start(struct arena *a, unsigned int number)
{
	a->number = number;
	a->place = place_reserve();
	a->efd = eventfd(0, EFD_CLOEXEC);
	pthread_barrier_init(&a->all, NULL, WORKERS + CONSUMERS);
	pthread_barrier_init(&a->workers_only, NULL, WORKERS);
	for (unsigned int i = 0; i < CONSUMERS; i++) {
		struct consumer *c = &a->consumer[i];

		c->arena = a;
		actor_start(&c->actor, "consumer", number * CONSUMERS + i, consumer_run, c);
	}
	for (unsigned int i = 0; i < WORKERS; i++) {
		struct worker *w = &a->worker[i];

		w->arena = a;
		w->pages = mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		actor_start(&w->actor, "worker", number * WORKERS + i, worker_run, w);
	}
}

void honest_join(struct arena *a)
{
	for (unsigned int i = 0; i < WORKERS; i++)
		pthread_join(a->worker[i].actor.thread, NULL);
	for (unsigned int i = 0; i < CONSUMERS; i++)
		pthread_join(a->consumer[i].actor.thread, NULL);
}
