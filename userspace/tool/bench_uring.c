// SPDX-License-Identifier: GPL-2.0-only
/*
 * io_uring's timeouts, for twheel bench cycle.
 *
 * The system calls as they are: liburing is not worth a dependency of the command.
 * There are BATCH entries in the submission queue, which each call fills and the
 * kernel empties, so its head needs no look.  Removing a timeout gives two answers:
 * its own, -ECANCELED, and that of the removal, 0.
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "bench_uring.h"

#define ROUNDS		2U
#define ANSWERS		(2 * BATCH)
#define REMOVAL		(1ULL << 40)	/* user_data of removals; a timeout's is its number */

struct uring {
	int fd;
	unsigned int *sq_tail, *cq_head, *cq_tail, cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	char *rings;
	size_t rings_size, sqes_size;
	struct __kernel_timespec when[BATCH];
};

static void uring_end(struct uring *u)
{
	if (u->rings != MAP_FAILED)
		munmap(u->rings, u->rings_size);
	if (u->sqes != MAP_FAILED)
		munmap(u->sqes, u->sqes_size);
	close(u->fd);
}

static void *map(struct uring *u, size_t size, off_t offset)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, u->fd, offset);
}

/* Both rings are in one mapping; entry i of the submission queue is sqes[i]. */
static int uring_map(struct uring *u, const struct io_uring_params *p)
{
	size_t sq_size = p->sq_off.array + p->sq_entries * sizeof(__u32);
	unsigned int *array;

	u->rings_size = p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);
	if (u->rings_size < sq_size)
		u->rings_size = sq_size;
	u->sqes_size = p->sq_entries * sizeof(struct io_uring_sqe);
	u->rings = map(u, u->rings_size, IORING_OFF_SQ_RING);
	u->sqes = map(u, u->sqes_size, IORING_OFF_SQES);
	if (u->rings == MAP_FAILED || u->sqes == MAP_FAILED)
		return -errno;
	u->sq_tail = (void *)(u->rings + p->sq_off.tail);
	u->cq_head = (void *)(u->rings + p->cq_off.head);
	u->cq_tail = (void *)(u->rings + p->cq_off.tail);
	u->cq_mask = p->cq_entries - 1;
	u->cqes = (void *)(u->rings + p->cq_off.cqes);
	array = (void *)(u->rings + p->sq_off.array);
	for (unsigned int i = 0; i < p->sq_entries; i++)
		array[i] = i;
	return 0;
}

static int uring_begin(struct uring *u)
{
	struct io_uring_params params = { .flags = IORING_SETUP_CQSIZE, .cq_entries = ANSWERS };
	int ret;

	memset(u, 0, sizeof(*u));
	u->fd = syscall(SYS_io_uring_setup, BATCH, &params);
	if (u->fd < 0)
		return -errno;
	u->rings = MAP_FAILED;
	u->sqes = MAP_FAILED;
	ret = params.features & IORING_FEAT_SINGLE_MMAP ? uring_map(u, &params) : -EOPNOTSUPP;
	if (ret)
		uring_end(u);
	return ret;
}

/* Take @count answers; removals must have found their timeouts. */
static int take(struct uring *u, unsigned int count)
{
	unsigned int head = *u->cq_head;
	int ret = 0;

	if (__atomic_load_n(u->cq_tail, __ATOMIC_ACQUIRE) - head < count)
		return -EIO;
	for (unsigned int i = 0; i < count; i++) {
		const struct io_uring_cqe *cqe = &u->cqes[(head + i) & u->cq_mask];

		if (cqe->res != (cqe->user_data == REMOVAL ? 0 : -ECANCELED))
			ret = -EIO;
	}
	__atomic_store_n(u->cq_head, head + count, __ATOMIC_RELEASE);
	return ret;
}

/* Submit the first @count entries, and wait for that many answers. */
static int enter(struct uring *u, unsigned int count, unsigned int answers)
{
	long ret;

	__atomic_store_n(u->sq_tail, *u->sq_tail + count, __ATOMIC_RELEASE);
	ret = syscall(SYS_io_uring_enter, u->fd, count, answers, IORING_ENTER_GETEVENTS, NULL, 0);
	if (ret != (long)count)
		return ret < 0 ? -errno : -EIO;
	return take(u, answers);
}

/* The next entry: the ring is empty, so it follows tail. */
static struct io_uring_sqe *entry(struct uring *u, unsigned int i, __u8 opcode)
{
	struct io_uring_sqe *sqe = &u->sqes[(*u->sq_tail + i) % BATCH];

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = opcode;
	sqe->fd = -1;
	return sqe;
}

static __u64 random_id(unsigned int first, unsigned int i, unsigned int n)
{
	return (first + i) * 7919ULL % n;
}

/* Of timeout numbers from @first on; in order, or all over the place if @n. */
static int add(struct uring *u, unsigned int first, unsigned int count, unsigned int n)
{
	for (unsigned int i = 0; i < count; i++) {
		struct io_uring_sqe *sqe = entry(u, i, IORING_OP_TIMEOUT);

		u->when[i] = (struct __kernel_timespec){ 7200, first + i };
		sqe->addr = (uintptr_t)&u->when[i];
		sqe->len = 1;
		sqe->user_data = n ? random_id(first, i, n) : first + i;
	}
	return enter(u, count, 0);
}

static int remove_some(struct uring *u, unsigned int first, unsigned int n)
{
	for (unsigned int i = 0; i < BATCH; i++) {
		struct io_uring_sqe *sqe = entry(u, i, IORING_OP_TIMEOUT_REMOVE);

		sqe->addr = random_id(first, i, n);
		sqe->user_data = REMOVAL;
	}
	return enter(u, BATCH, ANSWERS);
}

static int cycles(struct uring *u, unsigned int n)
{
	unsigned int done;
	int ret = 0;

	for (done = 0; !ret && done < ROUNDS * BATCH; done += BATCH) {
		ret = remove_some(u, done, n);
		if (!ret)
			ret = add(u, done, BATCH, n);
	}
	return ret;
}

int measure_uring(unsigned int n, double *cost)
{
	unsigned int done, count;
	struct uring u;
	double start;
	int ret = uring_begin(&u);

	if (ret)
		return ret;
	for (done = 0; !ret && done < n; done += count) {
		count = n - done < BATCH ? n - done : BATCH;
		ret = add(&u, done, count, 0);
	}
	start = bench_now();
	if (!ret)
		ret = cycles(&u, n);
	*cost = (bench_now() - start) / (ROUNDS * BATCH);
	uring_end(&u);
	return ret;
}
