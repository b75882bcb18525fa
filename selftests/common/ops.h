/* SPDX-License-Identifier: GPL-2.0-only */
/* Ops: builders, batches, and functions that run one. */
#ifndef TWHEEL_SELFTESTS_OPS_H
#define TWHEEL_SELFTESTS_OPS_H

#include <stdlib.h>

#include "queue.h"

static inline struct twheel_op op_arm(__u64 deadline, __u64 user_data)
{
	return (struct twheel_op){
		.opcode = TWHEEL_OP_ARM, .result = POISON32,
		.deadline = deadline, .user_data = user_data,
	};
}

static inline struct twheel_op op_arm_rel(__u64 delay, __u64 user_data)
{
	struct twheel_op op = op_arm(delay, user_data);

	op.flags = TWHEEL_OP_REL;
	return op;
}

static inline struct twheel_op op_on(__u8 opcode, __u64 id)
{
	return (struct twheel_op){ .opcode = opcode, .result = POISON32, .id = id };
}

static inline struct twheel_op op_cancel(__u64 id)
{
	return op_on(TWHEEL_OP_CANCEL, id);
}

static inline struct twheel_op op_query(__u64 id)
{
	return op_on(TWHEEL_OP_QUERY, id);
}

static inline struct twheel_op op_free(__u64 id)
{
	return op_on(TWHEEL_OP_FREE, id);
}

static inline struct twheel_op op_move(__u64 id, __u64 deadline, __u64 period)
{
	struct twheel_op op = op_on(TWHEEL_OP_MOVE, id);

	op.deadline = deadline;
	op.period = period;
	return op;
}

/* How many of the ops ran, or a negative errno. */
static inline long submit(int fd, struct twheel_op *ops, __u32 count)
{
	struct twheel_submit arg = {
		.size = sizeof(arg), .ops = addr(ops), .count = count,
	};

	return tw_ioctl(fd, TWHEEL_IOC_SUBMIT, &arg);
}

/* Run any number of ops, in as many batches as it takes. */
static inline long submit_all(const struct queue *q, struct twheel_op *ops, __u32 count)
{
	__u32 done = 0;

	while (done < count) {
		__u32 n = count - done;
		long ret = submit(q->fd, ops + done,
				  n < q->setup.max_batch ? n : q->setup.max_batch);

		if (ret <= 0)
			return ret ? ret : -EIO;
		done += ret;
	}
	return done;
}

/* Run one op: its result, or the error if it did not run. */
static inline long run_op(int fd, struct twheel_op *op)
{
	long ret = submit(fd, op, 1);

	if (ret < 0)
		return ret;
	return ret == 1 ? op->result : -EIO;
}

/* The id, or 0. */
static inline __u64 arm_op(int fd, struct twheel_op op)
{
	return run_op(fd, &op) ? 0 : op.id;
}

static inline __u64 arm(int fd, __u64 deadline, __u64 user_data)
{
	return arm_op(fd, op_arm(deadline, user_data));
}

static inline __u64 arm_rel(int fd, __u64 delay, __u64 user_data)
{
	return arm_op(fd, op_arm_rel(delay, user_data));
}

static inline __u64 arm_periodic(int fd, __u64 first, __u64 period, __u64 user_data)
{
	struct twheel_op op = op_arm(first, user_data);

	op.period = period;
	return arm_op(fd, op);
}

static inline __u64 arm_keep(int fd, __u64 deadline, __u64 user_data)
{
	struct twheel_op op = op_arm(deadline, user_data);

	op.flags = TWHEEL_OP_KEEP;
	return arm_op(fd, op);
}

static inline long cancel(int fd, __u64 id)
{
	struct twheel_op op = op_cancel(id);

	return run_op(fd, &op);
}

static inline long move(int fd, __u64 id, __u64 deadline)
{
	struct twheel_op op = op_move(id, deadline, 0);

	return run_op(fd, &op);
}

static inline long release(int fd, __u64 id)
{
	struct twheel_op op = op_free(id);

	return run_op(fd, &op);
}

/* enum twheel_state, or a negative errno. */
static inline long state(int fd, __u64 id)
{
	struct twheel_op op = op_query(id);

	return run_op(fd, &op);
}

/* How many of n arms were accepted; all results must be 0 or @refused. */
static inline long arm_until_refused(struct queue *q, unsigned int n, int refused)
{
	struct twheel_op *ops = calloc(n, sizeof(*ops));
	long armed = 0;

	for (unsigned int i = 0; i < n; i++)
		ops[i] = op_arm(TIME_MAX - i, i);
	if (submit_all(q, ops, n) != (long)n)
		return -1;
	for (unsigned int i = 0; i < n; i++) {
		if (ops[i].result && ops[i].result != refused)
			return -2;
		armed += !ops[i].result;
	}
	free(ops);
	return armed;
}

#endif /* TWHEEL_SELFTESTS_OPS_H */
