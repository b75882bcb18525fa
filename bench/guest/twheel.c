// SPDX-License-Identifier: GPL-2.0-only
/*
 * twheel, as a program uses it: ops in batches and one by one, and expiries by
 * the ring, an eventfd and epoll.
 *
 * What is measured is the whole loop: filling in the ops, the system call, and
 * taking the ids out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <twheel.h>
#include <unistd.h>

#include "guest.h"

#define ROUNDS		(LOAD_OPS / BATCH)
#define SINGLE_ROUNDS	16U
#define TOUCH_TRIALS	4U
#define RING		16384U		/* a burst fits */

/* A queue with n timers in it. */
struct queue {
	const struct load *load;
	const char *peer;
	struct twheel tw;
	__u16 flags;			/* of ARM */
	__u64 *ids;			/* n */
	struct twheel_op ops[BATCH];
	__u64 fresh[BATCH];		/* ids */
	unsigned int failed;
	int efd;
	int epfd;
};

/* Run @count prepared ops, in batches of @batch. */
static void submit(struct queue *q, unsigned int count, unsigned int batch)
{
	for (unsigned int i = 0; i < count; i += batch)
		if (twheel_submit(&q->tw, &q->ops[i], batch) != (int)batch)
			q->failed++;
}

/* Not measured. */
static void check(struct queue *q, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		if (q->ops[i].result)
			q->failed++;
}

static double arm(struct queue *q, const char *name, const __u64 *deadline, __u64 *ids,
		  unsigned int count, unsigned int batch)
{
	double start = lap_start(name), sum;
	unsigned int i;

	for (i = 0; i < count; i++)
		twheel_prep_arm(&q->ops[i], deadline[i], 0, i, q->flags);
	submit(q, count, batch);
	for (i = 0; i < count; i++)
		ids[i] = q->ops[i].id;
	sum = lap_stop(start);
	check(q, count);
	return sum;
}

/* CANCEL or FREE the fresh ones. */
static inline double end_all(struct queue *q, const char *name,
			     void (*prep)(struct twheel_op *op, __u64 id), unsigned int batch)
{
	double start = lap_start(name), sum;

	for (unsigned int i = 0; i < BATCH; i++)
		prep(&q->ops[i], q->fresh[q->load->shuffled[i]]);
	submit(q, BATCH, batch);
	sum = lap_stop(start);
	check(q, BATCH);
	return sum;
}

static double move(struct queue *q, const char *name, unsigned int first, unsigned int batch)
{
	const struct load *load = q->load;
	double start = lap_start(name), sum;

	for (unsigned int i = 0; i < BATCH; i++)
		twheel_prep_move(&q->ops[i], q->ids[load->pick[first + i]],
				 load->fresh[first + i], 0, 0);
	submit(q, BATCH, batch);
	sum = lap_stop(start);
	check(q, BATCH);
	return sum;
}

/* Arm the n timers: with the memory that they take. */
static void fill(struct queue *q)
{
	unsigned int n = q->load->n, done, count;
	double sum = 0;

	for (done = 0; done < n; done += count) {
		count = n - done < BATCH ? n - done : BATCH;
		sum += arm(q, "arm.new", &q->load->deadline[done], &q->ids[done], count,
			   count);
	}
	cost(q->peer, "arm.new", n, sum, n);
}

/* Arm and cancel BATCH more timers, again and again; kept ones are freed, too. */
static void come_and_go(struct queue *q, unsigned int batch, unsigned int rounds)
{
	const char *arm_name = batch == 1 ? "arm.single" : "arm";
	const char *cancel_name = batch == 1 ? "cancel.single" : "cancel";
	const char *free_name = batch == 1 ? "free.single" : "free";
	double arms = 0, cancels = 0, frees = 0;

	for (unsigned int i = 0; i < rounds; i++) {
		arms += arm(q, arm_name, &q->load->fresh[i * BATCH], q->fresh, BATCH, batch);
		cancels += end_all(q, cancel_name, twheel_prep_cancel, batch);
		if (q->flags & TWHEEL_OP_KEEP)
			frees += end_all(q, free_name, twheel_prep_free, batch);
	}
	cost(q->peer, arm_name, q->load->n, arms, rounds * BATCH);
	cost(q->peer, cancel_name, q->load->n, cancels, rounds * BATCH);
	if (q->flags & TWHEEL_OP_KEEP)
		cost(q->peer, free_name, q->load->n, frees, rounds * BATCH);
}

static void push_back(struct queue *q, unsigned int batch, unsigned int rounds)
{
	const char *name = batch == 1 ? "move.single" : "move";
	double sum = 0;

	for (unsigned int i = 0; i < rounds; i++)
		sum += move(q, name, i * BATCH, batch);
	cost(q->peer, name, q->load->n, sum, rounds * BATCH);
}

/* --- expiry --- */

/*
 * Take records until there were @count; the loop of an event-driven program.  The
 * eventfd is a bell of which each stroke is an edge, so nobody has to read it.
 */
static void collect(struct queue *q, unsigned int count)
{
	struct twheel_record records[BATCH];
	struct epoll_event events[BATCH];
	unsigned int got = 0;
	int n;

	while (got < count) {
		if (epoll_wait(q->epfd, events, BATCH, -1) < 1)
			q->failed++;
		twheel_no_signal(&q->tw);
		do {
			while ((n = twheel_consume(&q->tw, records, BATCH)) > 0)
				got += n;
		} while (twheel_prepare_wait(&q->tw) > 0);
	}
	if (got != count)
		q->failed++;
}

static void arm_expiring(struct queue *q, const struct expiry *e)
{
	__u64 start = expiry_start();
	unsigned int done, i, n;

	for (done = 0; done < e->count; done += n) {
		n = e->count - done < BATCH ? e->count - done : BATCH;
		for (i = 0; i < n; i++) {
			twheel_prep_arm(&q->ops[i], start + e->after(done + i), 0, i, 0);
			q->ops[i].slack = e->slack;
		}
		submit(q, n, n);
		check(q, n);
	}
}

static void expire(struct queue *q)
{
	for (const struct expiry *e = expiries(q->load->n); e->name; e++) {
		arm_expiring(q, e);
		e->begin(e);
		collect(q, e->count);
		e->end(e, q->peer, q->load->n);
	}
}

/* --- the queue --- */

static int watch(struct queue *q)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	q->efd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	q->epfd = epoll_create1(EPOLL_CLOEXEC);
	if (q->efd < 0 || q->epfd < 0 || epoll_ctl(q->epfd, EPOLL_CTL_ADD, q->efd, &event))
		return -errno;
	return twheel_eventfd(&q->tw, q->efd);
}

static void end(struct queue *q)
{
	twheel_close(&q->tw);
	if (q->efd >= 0)
		close(q->efd);
	if (q->epfd >= 0)
		close(q->epfd);
	free(q->ids);
}

static int begin(struct queue *q, const struct load *load, __u32 flags)
{
	struct twheel_config config = {
		.size = sizeof(config), .flags = flags, .clockid = CLOCK_MONOTONIC,
		.ring_entries = RING,
	};
	int ret;

	memset(q, 0, sizeof(*q));
	q->load = load;
	q->peer = flags ? "words" : "twheel";
	q->flags = flags ? TWHEEL_OP_KEEP : 0;
	q->efd = -1;
	q->epfd = -1;
	ret = twheel_open(&q->tw, &config);
	if (ret)
		return complain(ret, "%s: %s", q->peer, strerror(-ret));
	q->ids = malloc(load->n * sizeof(*q->ids));
	ret = q->ids ? watch(q) : -ENOMEM;
	if (ret)
		end(q);
	else
		memset(q->ids, 1, load->n * sizeof(*q->ids));	/* its pages are there */
	return ret;
}

static int result(const struct queue *q)
{
	if (!q->failed)
		return 0;
	return complain(-EIO, "%s, %u timers: %u ops failed", q->peer, q->load->n, q->failed);
}

int bench_twheel(const struct load *load)
{
	static struct queue q;
	struct memory before;
	int ret = begin(&q, load, 0);

	if (ret)
		return ret;
	if (load->n) {
		before = memory_now();
		fill(&q);
		memory_figures(q.peer, load->n, &before);
		come_and_go(&q, BATCH, ROUNDS);
		come_and_go(&q, 1, SINGLE_ROUNDS);
		push_back(&q, BATCH, ROUNDS);
		push_back(&q, 1, SINGLE_ROUNDS);
	}
	expire(&q);
	end(&q);
	return result(&q);
}

/* --- words --- */

/* Push every timer that is picked back; by the loop alone with @word false. */
static double touch(struct queue *q, __u64 later, bool word)
{
	const struct load *load = q->load;
	struct twheel tw = q->tw;
	double start = lap_start(word ? "touch" : NULL);

	for (unsigned int i = 0; i < LOAD_OPS; i++) {
		__u64 id = q->ids[load->pick[i]], deadline = later + i * 8ULL;

		if (!word)
			__asm__ volatile("" : : "r" (id), "r" (deadline));
		else if (twheel_word_push(&tw, id, deadline) != TWHEEL_DONE)
			q->failed++;
	}
	return lap_stop(start);
}

/* The least of some: an interrupt is a percent of so little. */
static double least_touch(struct queue *q, bool word)
{
	static __u64 later;
	double least = 0, sum;

	if (later < q->load->base + 2 * HOUR)
		later = q->load->base + 2 * HOUR;
	for (unsigned int i = 0; i < TOUCH_TRIALS; i++) {
		later += HOUR;
		sum = touch(q, later, word);
		if (!i || sum < least)
			least = sum;
	}
	return least;
}

static void touches(struct queue *q)
{
	double words = least_touch(q, true);

	cost(q->peer, "touch", q->load->n, words - least_touch(q, false), LOAD_OPS);
}

int bench_words(const struct load *load)
{
	static struct queue q;
	struct memory before;
	int ret = begin(&q, load, TWHEEL_SETUP_WORDS);

	if (ret)
		return ret;
	before = memory_now();
	fill(&q);
	for (unsigned int i = 0; i < load->n; i++)	/* map them all */
		if (twheel_word_state(&q.tw, q.ids[i]) != TWHEEL_WORD_ARMED)
			q.failed++;
	memory_figures(q.peer, load->n, &before);
	come_and_go(&q, BATCH, ROUNDS);
	come_and_go(&q, 1, SINGLE_ROUNDS);
	push_back(&q, BATCH, ROUNDS);
	push_back(&q, 1, SINGLE_ROUNDS);
	touches(&q);
	end(&q);
	return result(&q);
}
