// SPDX-License-Identifier: GPL-2.0-only
/*
 * io_uring: a timeout request per timer, BATCH of them per system call.
 *
 * Update and remove search the list of all timeouts, so few ops are enough to see
 * it.  A request's user_data is its number; the answers to updates and removals
 * are OPS_DATA, and that a removed timeout is done is told, too.
 */
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

#define ROUNDS		2U
#define OPS		(ROUNDS * BATCH)
#define OPS_DATA	(1ULL << 40)
#define ANSWERS		16384U		/* a burst fits */

static const char peer[] = "io_uring";
static unsigned int failed;

static struct __kernel_timespec to_kernel(__u64 ns)
{
	return (struct __kernel_timespec){ ns / NSEC_PER_SEC, ns % NSEC_PER_SEC };
}

/* Submit @count requests and take @answers; those that are no timeouts must be 0. */
static void enter(struct io_uring *ring, unsigned int count, unsigned int answers)
{
	struct io_uring_cqe *cqe;

	if (io_uring_submit_and_wait(ring, answers) != (int)count)
		failed++;
	while (answers--) {
		if (io_uring_peek_cqe(ring, &cqe)) {
			failed++;
			return;
		}
		if (cqe->user_data >= OPS_DATA && cqe->res)
			failed++;
		io_uring_cqe_seen(ring, cqe);
	}
}

static void prepare_arm(struct io_uring *ring, __u64 id, struct __kernel_timespec *when)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	io_uring_prep_timeout(sqe, when, 0, IORING_TIMEOUT_ABS);
	sqe->user_data = id;
}

static double arm(struct io_uring *ring, const char *name, const __u64 *deadline, __u64 id,
		  unsigned int count)
{
	struct __kernel_timespec when[BATCH];
	double start = lap_start(name);

	for (unsigned int i = 0; i < count; i++) {
		when[i] = to_kernel(deadline[i]);
		prepare_arm(ring, id + i, &when[i]);
	}
	enter(ring, count, 0);
	return lap_stop(start);
}

/* Remove the BATCH timeouts from @id on; two answers each. */
static double cancel(const struct load *load, struct io_uring *ring, __u64 id)
{
	double start = lap_start("cancel");

	for (unsigned int i = 0; i < BATCH; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

		io_uring_prep_timeout_remove(sqe, id + load->shuffled[i], 0);
		sqe->user_data = OPS_DATA;
	}
	enter(ring, BATCH, 2 * BATCH);
	return lap_stop(start);
}

static double move(const struct load *load, struct io_uring *ring, unsigned int first)
{
	struct __kernel_timespec when[BATCH];
	double start = lap_start("move");

	for (unsigned int i = 0; i < BATCH; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

		when[i] = to_kernel(load->fresh[first + i]);
		io_uring_prep_timeout_update(sqe, &when[i], load->pick[first + i],
					     IORING_TIMEOUT_ABS);
		sqe->user_data = OPS_DATA;
	}
	enter(ring, BATCH, BATCH);
	return lap_stop(start);
}

static void fill(const struct load *load, struct io_uring *ring)
{
	unsigned int done, count;
	double sum = 0;

	for (done = 0; done < load->n; done += count) {
		count = load->n - done < BATCH ? load->n - done : BATCH;
		sum += arm(ring, "arm.new", &load->deadline[done], done, count);
	}
	cost(peer, "arm.new", load->n, sum, load->n);
}

static void ops(const struct load *load, struct io_uring *ring)
{
	double arms = 0, cancels = 0, moves = 0;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		arms += arm(ring, "arm", &load->fresh[i * BATCH], load->n, BATCH);
		cancels += cancel(load, ring, load->n);
		quiesce();
		moves += move(load, ring, i * BATCH);
	}
	cost(peer, "arm", load->n, arms, OPS);
	cost(peer, "cancel", load->n, cancels, OPS);
	cost(peer, "move", load->n, moves, OPS);
}

/* --- expiry --- */

static void collect(struct io_uring *ring, unsigned int count)
{
	struct io_uring_cqe *cqes[BATCH];
	unsigned int got = 0, n;

	while (got < count && !failed) {
		if (io_uring_submit_and_wait(ring, 1) < 0)
			failed++;
		while ((n = io_uring_peek_batch_cqe(ring, cqes, BATCH))) {
			for (unsigned int i = 0; i < n; i++)
				if (cqes[i]->res != -ETIME)
					failed++;
			io_uring_cq_advance(ring, n);
			got += n;
		}
	}
	if (got != count)
		failed++;
}

static void arm_expiring(struct io_uring *ring, const struct expiry *e, __u64 id)
{
	__u64 start = expiry_start(), deadline[BATCH];
	unsigned int done, i, n;

	for (done = 0; done < e->count; done += n) {
		n = e->count - done < BATCH ? e->count - done : BATCH;
		for (i = 0; i < n; i++)
			deadline[i] = start + e->after(done + i);
		arm(ring, NULL, deadline, id + done, n);
	}
}

static void expire_all(struct io_uring *ring, unsigned int pending)
{
	for (const struct expiry *e = expiries(pending); e->name && !failed; e++) {
		if (e->slack > 1)
			continue;
		arm_expiring(ring, e, pending);
		e->begin(e);
		collect(ring, e->count);
		e->end(e, peer, pending);
	}
}

int bench_uring(const struct load *load)
{
	struct io_uring_params params = { .flags = IORING_SETUP_CQSIZE, .cq_entries = ANSWERS };
	struct io_uring ring;
	struct memory before;
	int ret = io_uring_queue_init_params(BATCH, &ring, &params);

	if (ret)
		return complain(ret, "%s: %s", peer, strerror(-ret));
	failed = 0;
	if (load->n) {
		before = memory_now();
		fill(load, &ring);
		memory_figures(peer, load->n, &before);
		ops(load, &ring);
	}
	expire_all(&ring, load->n);
	io_uring_queue_exit(&ring);
	return failed ? complain(-EIO, "%s, %u timers: %u ops failed", peer, load->n, failed) : 0;
}
