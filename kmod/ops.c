// SPDX-License-Identifier: GPL-2.0-only
/*
 * A batch of ops: SUBMIT.
 *
 * Ops are copied in by the chunk, checked, run under the lock, and their
 * results copied out.  Before the lock is dropped what is due is delivered and the
 * hrtimer programmed.  So a
 * task that sleeps on its own memory between two chunks delays nobody, itself
 * included.
 *
 * Only ARM needs memory.  It does not take it under the lock: it stops, the lock
 * is dropped, the queue grows, and the op runs again.  If the queue cannot grow, the
 * other ARMs of the batch do not ask again, since asking a full cgroup takes long.
 *
 * A timer is armed before its id is copied out.  When that fails the chunk's new
 * timers are released, so that none is left whose id nobody knows.
 */
#include <linux/bits.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "deadline.h"
#include "expire.h"
#include "grow.h"
#include "limits.h"
#include "list.h"
#include "ops.h"
#include "queue.h"
#include "trace.h"

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

/* Fields and flags that an opcode gives a meaning to. */
#define USES_TIME	BIT(16)	/* deadline, period, slack */
#define USES_DATA	BIT(17)	/* user_data */

#define ARM_USES	(TWHEEL_OP_REL | TWHEEL_OP_KEEP | USES_TIME | USES_DATA)
#define MOVE_USES	(TWHEEL_OP_REL | USES_TIME)
#define QUERY_USES	(USES_TIME | USES_DATA)

/* Whether @op leaves at 0 what is not in @uses, which is a constant. */
static __always_inline bool op_valid(const struct twheel_op *op, u32 uses)
{
	u64 unused = (op->flags & ~uses) | op->resv0 | op->resv[0] | op->resv[1];

	if (!(uses & USES_TIME))
		unused |= op->deadline | op->period | op->slack;
	if (!(uses & USES_DATA))
		unused |= op->user_data;
	return !unused;
}

/* The deadline that @op asks for, if its times are in range. */
static __always_inline int op_deadline(const struct batch *b, const struct twheel_op *op,
				       u64 *deadline)
{
	if (op->period && (op->period < tw_min_period() || op->period > S64_MAX))
		return -EINVAL;
	return tw_deadline(b->now, op->deadline, op->flags & TWHEEL_OP_REL, deadline);
}

/* @word: that of @t, or NULL */
static void set_times(struct tw_timer *t, const u64 *word, const struct twheel_op *op,
		      u64 deadline)
{
	t->deadline = deadline;
	t->period = op->period;
	t->reported = false;
	t->skipped = false;
	if (op->slack)
		t->slack_shift = tw_slack_shift(op->slack);
	if (word)
		t->slack_shift = max_t(u8, t->slack_shift, TW_WORD_SHIFT);
}

/* -EAGAIN: needs memory first. */
static int op_arm(struct batch *b, struct twheel_op *op)
{
	struct tw_queue *q = b->q;
	struct tw_timer *t;
	u64 deadline, *word;
	int err = op_deadline(b, op, &deadline);

	if (err)
		return err;
	t = tw_table_alloc(&q->table);
	if (!t)
		return tw_table_full(&q->table) ? -ENOSPC : -EAGAIN;
	t->user_data = op->user_data;
	t->keep = !!(op->flags & TWHEEL_OP_KEEP);
	t->slack_shift = tw_slack_shift(q->slack);
	word = tw_queue_word(q, t);
	set_times(t, word, op, deadline);
	if (word)
		tw_word_arm(word, deadline);
	tw_enqueue(q, t);
	op->id = tw_timer_id(t);
	q->count.armed++;
	trace_twheel_arm(q->number, t);
	return 0;
}

/* End the arming of a pending timer.  False: the program had, by its word. */
static __always_inline bool disarm(struct tw_queue *q, struct tw_timer *t)
{
	bool was_pending = !tw_queue_has_word(q, t) ||
			   tw_word_end(tw_words_at(&q->words, t->index));

	tw_dequeue(q, t);
	if (was_pending)
		q->count.cancelled++;
	else
		q->count.reaped++;
	trace_twheel_cancel(q->number, t);
	return was_pending;
}

static int op_cancel(struct batch *b, struct twheel_op *op)
{
	struct tw_timer *t = tw_table_match(&b->q->table, op->id);
	bool cancelled;

	if (!t || !tw_timer_pending(t))
		return -ENOENT;
	cancelled = disarm(b->q, t);
	if (!t->keep)
		tw_table_free(&b->q->table, t);
	return cancelled ? 0 : -ENOENT;
}

static int op_move(struct batch *b, struct twheel_op *op)
{
	struct tw_queue *q = b->q;
	struct tw_timer *t = tw_table_find(&q->table, op->id);
	bool was_pending;
	u64 deadline, *word;
	int err = op_deadline(b, op, &deadline);

	if (err || !t)
		return err ?: -ENOENT;
	was_pending = tw_timer_pending(t);
	word = tw_queue_word(q, t);
	set_times(t, word, op, deadline);
	if (word && !tw_word_rearm(word, deadline) && was_pending) {
		was_pending = false;
		q->count.reaped++;
	}
	tw_enqueue(q, t);
	if (was_pending) {
		q->count.moved++;
		trace_twheel_move(q->number, t);
		return 0;
	}
	q->count.armed++;
	trace_twheel_arm(q->number, t);
	return 1;
}

static int op_query(struct batch *b, struct twheel_op *op)
{
	struct tw_timer *t = tw_table_find(&b->q->table, op->id);
	struct twheel_info info;

	if (!t)
		return -ENOENT;
	tw_queue_inspect(b->q, t, &info);
	op->deadline = info.deadline;
	op->period = info.period;
	op->slack = info.slack;
	op->user_data = info.user_data;
	return info.state;
}

static int op_free(struct batch *b, struct twheel_op *op)
{
	struct tw_timer *t = tw_table_find(&b->q->table, op->id);
	bool cancelled;

	if (!t)
		return -ENOENT;
	cancelled = tw_timer_pending(t) && disarm(b->q, t);
	tw_table_free(&b->q->table, t);
	return cancelled;
}

static __always_inline int run_op(struct batch *b, struct twheel_op *op)
{
	switch (op->opcode) {
	case TWHEEL_OP_ARM:
		return op_valid(op, ARM_USES) ? op_arm(b, op) : -EINVAL;
	case TWHEEL_OP_CANCEL:
		return op_valid(op, 0) ? op_cancel(b, op) : -EINVAL;
	case TWHEEL_OP_MOVE:
		return op_valid(op, MOVE_USES) ? op_move(b, op) : -EINVAL;
	case TWHEEL_OP_QUERY:
		return op_valid(op, QUERY_USES) ? op_query(b, op) : -EINVAL;
	case TWHEEL_OP_FREE:
		return op_valid(op, 0) ? op_free(b, op) : -EINVAL;
	default:
		return -EINVAL;
	}
}

/*
 * Run the ops of the chunk from @done on.  Returns how many are done; fewer than
 * all when the next one needs memory.
 */
static unsigned int run_ops(struct batch *b, unsigned int done)
{
	struct twheel_op *op = b->ops + done, *end = b->ops + b->count;
	u64 now = tw_queue_lock(b->q);
	int result;

	if (!b->now)
		b->now = now;
	for (; op < end; op++) {
		result = run_op(b, op);
		if (result == -EAGAIN)
			break;
		op->result = result;
	}
	tw_run_due_and_program(b->q, now);
	tw_queue_unlock(b->q);
	return op - b->ops;
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
	struct twheel_op *op;
	u64 now = tw_queue_lock(b->q);

	for (op = b->ops; op < b->ops + b->count; op++)
		if (op->opcode == TWHEEL_OP_ARM && !op->result)
			op_free(b, op);
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
	struct twheel_op few[STACK_OPS];
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
	kfree(many);
	return ret;
}
