/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records: a consumer of the mapped ring that follows the protocol in
 * linux/twheel.h to the letter, and readers of the file.
 */
#ifndef TWHEEL_SELFTESTS_RECORDS_H
#define TWHEEL_SELFTESTS_RECORDS_H

#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "time.h"
#include "ops.h"

/*
 * Take one record from the mapped ring; false when there is none. The steps are
 * those of the head comment of linux/twheel.h.
 */
static inline bool ring_take(struct queue *q, struct twheel_record *rec)
{
	__u32 head = __atomic_load_n(&q->ctl->head, __ATOMIC_RELAXED);

	for (;;) {
		__u32 tail = __atomic_load_n(&q->ring->tail, __ATOMIC_ACQUIRE);

		if (tail == head)
			return false;
		*rec = q->records[head & (q->setup.ring_entries - 1)];
		if (__atomic_compare_exchange_n(&q->ctl->head, &head, head + 1, false,
						__ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return true;
	}
}

/* What a consumer checks before it sleeps: is there backlog to be flushed? */
static inline __u32 ring_backlog(const struct queue *q)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&q->ring->backlog, __ATOMIC_RELAXED);
}

/* How many records, or a negative errno. */
static inline long read_records(int fd, struct twheel_record *rec, unsigned int n)
{
	long ret;

	memset(rec, POISON_BYTE, n * sizeof(*rec));
	ret = result_of(read(fd, rec, n * sizeof(*rec)));
	return ret < 0 ? ret : ret / (long)sizeof(*rec);
}

static inline bool readable(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, timeout_ms) == 1 && (p.revents & POLLIN);
}

/* Wait for the next record. Returns 1, or -ETIMEDOUT. For a sole consumer. */
static inline long next_record(int fd, struct twheel_record *rec)
{
	if (!readable(fd, GIVE_UP_MS))
		return -ETIMEDOUT;
	return read_records(fd, rec, 1);
}

/* Wait for exactly n records within the time; returns how many came. */
static inline unsigned int collect(int fd, struct twheel_record *rec, unsigned int n)
{
	unsigned int have = 0;

	while (have < n && readable(fd, GIVE_UP_MS)) {
		long ret = read_records(fd, rec + have, n - have);

		if (ret <= 0)
			break;
		have += ret;
	}
	return have;
}

/* Whether fd stays unreadable until this time and a little longer. */
static inline bool silent_until(int fd, __u64 until)
{
	while (mono() < until + 15 * MSEC) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		if (poll(&p, 1, 5) == 1)
			return false;
	}
	return true;
}

/*
 * Arm a timer and end it again with op (CANCEL or FREE) before it is due, however
 * slow this machine is. Returns when it would have fired, or 0.
 */
static inline __u64 arm_and_end(int fd, __u8 opcode, __u16 flags)
{
	for (__u64 delay = 10 * MSEC; delay < 10 * SEC; delay *= 3) {
		struct twheel_op op = op_arm(mono() + delay, 1), end;
		int want = opcode == TWHEEL_OP_FREE;
		struct twheel_record rec;

		op.flags = flags;
		end = op_on(opcode, arm_op(fd, op));
		if (run_op(fd, &end) == want)
			return op.deadline;
		/* Too late: take the record and try again with more time. */
		if (mono() < op.deadline || read(fd, &rec, sizeof(rec)) != sizeof(rec))
			return 0;
	}
	return 0;
}

#endif /* TWHEEL_SELFTESTS_RECORDS_H */
