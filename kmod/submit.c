// SPDX-License-Identifier: GPL-2.0-only
/*
 * A batch of ops: SUBMIT.
 *
 * Ops are copied in by the chunk, checked, run under the lock, and their
 * results copied out.  Before the lock is dropped what is due is delivered and the
 * hrtimer programmed.  So a task that sleeps on its own memory between two chunks
 * delays nobody, itself included.
 *
 * Only ARM needs memory.  It does not take it under the lock: it stops, the lock
 * is dropped, the queue grows, and the op runs again.  If the queue cannot grow, the
 * other ARMs of the batch do not ask again, since asking a full cgroup takes long.
 *
 * A timer is armed before its id is copied out.  When that fails the chunk's new
 * timers are released, so that none is left whose id nobody knows.
 */
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "expire.h"
#include "grow.h"
#include "ops.h"
#include "queue.h"
#include "submit.h"

#define STACK_OPS	2	/* ops, on the stack */
#define CHUNK_OPS	64	/* ops, in memory taken for larger batches */

/**
 * struct batch - one SUBMIT under way
 * @q: the queue
 * @user: the next op in the program's memory
 * @now: ns, what relative deadlines count from; 0 until the first chunk
 * @refused: why there is no more memory, once it has been asked for in vain
 * @ops: the current chunk
 * @count: ops in it
 * @room: most ops in it
 */
struct batch {
	struct tw_queue *q;
	struct twheel_op __user *user;
	u64 now;
	int refused;
	struct twheel_op *ops;
	unsigned int count;
	unsigned int room;
};

/*
 * Run the ops of the chunk from @done on.  Returns how many are done; fewer than
 * all when the next one needs memory.
 */
static unsigned int run_ops(struct batch *b, unsigned int done)
{
	u64 now = tw_queue_lock(b->q);

	if (!b->now)
		b->now = now;
	done += tw_ops_run(&b->q->core, b->ops + done, b->count - done, b->now);
	tw_run_due_and_program(b->q, now);
	tw_queue_unlock(b->q);
	return done;
}

static void run_chunk(struct batch *b)
{
	unsigned int done = 0;

	while ((done = run_ops(b, done)) < b->count) {
		if (!b->refused)
			b->refused = tw_queue_grow(b->q);
		if (b->refused)
			b->ops[done++].result = b->refused;
	}
}

/* The program was not given the ids of this chunk: release their timers. */
static void undo_arms(struct batch *b)
{
	u64 now = tw_queue_lock(b->q);

	tw_ops_undo(&b->q->core, b->ops, b->count);
	tw_run_due_and_program(b->q, now);
	tw_queue_unlock(b->q);
}

/* Copy in as much of a chunk as can be read. */
static unsigned int read_chunk(struct batch *b, unsigned int left)
{
	if (left == 1) {	/* a copy of constant size is quicker */
		b->count = !copy_from_user(b->ops, b->user, sizeof(*b->ops));
		return b->count;
	}
	b->count = min(left, b->room);
	while (b->count && copy_from_user(b->ops, b->user, b->count * sizeof(*b->ops)))
		b->count /= 2;
	return b->count;
}

/* What the ops tell the program; the rest of them is as the program wrote it. */
static int write_chunk(struct batch *b)
{
	struct twheel_op __user *user = b->user;
	const struct twheel_op *op;

	if (!user_write_access_begin(user, b->count * sizeof(*op)))
		return -EFAULT;
	for (op = b->ops; op < b->ops + b->count; op++, user++) {
		unsafe_put_user(op->result, &user->result, fault);
		if (op->opcode == TWHEEL_OP_ARM) {
			unsafe_put_user(op->id, &user->id, fault);
		} else if (op->opcode == TWHEEL_OP_QUERY) {
			unsafe_put_user(op->deadline, &user->deadline, fault);
			unsafe_put_user(op->period, &user->period, fault);
			unsafe_put_user(op->slack, &user->slack, fault);
			unsafe_put_user(op->user_data, &user->user_data, fault);
		}
	}
	user_write_access_end();
	return 0;

fault:
	user_write_access_end();
	return -EFAULT;
}

/* Chunk by chunk.  Returns how many ops ran: fewer than @count after a signal. */
static int submit(struct batch *b, unsigned int count)
{
	unsigned int done = 0;

	while (done < count) {
		if (!read_chunk(b, count - done))
			return done ?: -EFAULT;
		run_chunk(b);
		if (write_chunk(b)) {
			undo_arms(b);
			return -EFAULT;
		}
		b->user += b->count;
		done += b->count;
		if (done == count || signal_pending(current))
			break;
		cond_resched();
	}
	return done;
}

/**
 * tw_queue_submit() - run a batch of ops
 * @q: the queue
 * @arg: which, checked
 *
 * Context: Process context.  May sleep.  Takes and releases q->lock.
 * Return: how many ran, or -EFAULT.
 */
int tw_queue_submit(struct tw_queue *q, const struct twheel_submit *arg)
{
	struct twheel_op few[STACK_OPS] TW_UNINITIALIZED;
	struct batch b = {
		.q = q,
		.user = u64_to_user_ptr(arg->ops),
		.ops = few,
		.room = STACK_OPS,
	};
	struct twheel_op *many = NULL;
	int ret;

	if (arg->count > STACK_OPS)
		many = kmalloc_array(CHUNK_OPS, sizeof(*many), GFP_KERNEL | __GFP_NOWARN);
	if (many) {
		b.ops = many;
		b.room = CHUNK_OPS;
	}
	ret = submit(&b, arg->count);
	if (b.room == CHUNK_OPS)	/* a single op saves the call */
		kfree(b.ops);
	return ret;
}
