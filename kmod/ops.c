// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Ops: what a program asks of its timers, one at a time.
 *
 *	op	timer must be		does			result
 *
 *	ARM	-			allocates, enqueues	0
 *	MOVE	in use			enqueues		0 pending until now, 1 not
 *	CANCEL	pending			dequeues; frees it	0
 *				  unless it is kept
 *	QUERY	in use			-			enum twheel_state
 *	FREE	in use			dequeues, frees		1 pending until now, 0 not
 *
 * A timer that its word has cancelled counts as not pending.  Each opcode says
 * which fields and flags it gives a meaning to; all others must be 0.
 *
 * Only ARM needs memory, which cannot be had here.  It says -EAGAIN, the caller adds
 * memory to the table, and the op runs again.
 */
#include <linux/bits.h>
#include <linux/minmax.h>

#include "core.h"
#include "ops.h"
#include "trace.h"
#include "view.h"

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
static __always_inline int op_deadline(const struct tw_core *c, const struct twheel_op *op,
				       u64 start, u64 *deadline)
{
	if (op->period && (op->period < c->min_period || op->period > S64_MAX))
		return -EINVAL;
	return tw_deadline(start, op->deadline, op->flags & TWHEEL_OP_REL, deadline);
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
static int op_arm(struct tw_core *c, struct twheel_op *op, u64 start)
{
	struct tw_timer *t;
	u64 deadline, *word;
	int err = op_deadline(c, op, start, &deadline);

	if (err)
		return err;
	t = tw_table_alloc(&c->table);
	if (!t)
		return tw_table_full(&c->table) ? -ENOSPC : -EAGAIN;
	t->user_data = op->user_data;
	t->keep = !!(op->flags & TWHEEL_OP_KEEP);
	t->slack_shift = tw_slack_shift(c->slack);
	word = tw_core_word(c, t);
	set_times(t, word, op, deadline);
	if (word)
		tw_word_arm(word, deadline);
	tw_enqueue(c, t);
	op->id = tw_timer_id(t);
	c->count.armed++;
	trace_twheel_arm(c->number, t);
	return 0;
}

/* End the arming of a pending timer.  False: the program had, by its word. */
static __always_inline bool disarm(struct tw_core *c, struct tw_timer *t)
{
	bool was_pending = !tw_core_has_word(c, t) ||
			   tw_word_end(tw_words_at(&c->words, t->index));

	tw_dequeue(c, t);
	if (was_pending)
		c->count.cancelled++;
	else
		c->count.reaped++;
	trace_twheel_cancel(c->number, t);
	return was_pending;
}

static int op_cancel(struct tw_core *c, struct twheel_op *op)
{
	struct tw_timer *t = tw_table_match(&c->table, op->id);
	bool cancelled;

	if (!t || !tw_timer_pending(t))
		return -ENOENT;
	cancelled = disarm(c, t);
	if (!t->keep)
		tw_table_free(&c->table, t);
	return cancelled ? 0 : -ENOENT;
}

static int op_move(struct tw_core *c, struct twheel_op *op, u64 start)
{
	struct tw_timer *t = tw_table_find(&c->table, op->id);
	bool was_pending;
	u64 deadline, *word;
	int err = op_deadline(c, op, start, &deadline);

	if (err || !t)
		return err ?: -ENOENT;
	was_pending = tw_timer_pending(t);
	word = tw_core_word(c, t);
	set_times(t, word, op, deadline);
	if (word && !tw_word_rearm(word, deadline) && was_pending) {
		was_pending = false;
		c->count.reaped++;
	}
	tw_enqueue(c, t);
	if (was_pending) {
		c->count.moved++;
		trace_twheel_move(c->number, t);
		return 0;
	}
	c->count.armed++;
	trace_twheel_arm(c->number, t);
	return 1;
}

static int op_query(struct tw_core *c, struct twheel_op *op)
{
	struct tw_timer *t = tw_table_find(&c->table, op->id);
	struct twheel_info info;

	if (!t)
		return -ENOENT;
	tw_view_timer(c, t, &info);
	op->deadline = info.deadline;
	op->period = info.period;
	op->slack = info.slack;
	op->user_data = info.user_data;
	return info.state;
}

static int op_free(struct tw_core *c, struct twheel_op *op)
{
	struct tw_timer *t = tw_table_find(&c->table, op->id);
	bool cancelled;

	if (!t)
		return -ENOENT;
	cancelled = tw_timer_pending(t) && disarm(c, t);
	tw_table_free(&c->table, t);
	return cancelled;
}

static __always_inline int run_op(struct tw_core *c, struct twheel_op *op, u64 start)
{
	switch (op->opcode) {
	case TWHEEL_OP_ARM:
		return op_valid(op, ARM_USES) ? op_arm(c, op, start) : -EINVAL;
	case TWHEEL_OP_CANCEL:
		return op_valid(op, 0) ? op_cancel(c, op) : -EINVAL;
	case TWHEEL_OP_MOVE:
		return op_valid(op, MOVE_USES) ? op_move(c, op, start) : -EINVAL;
	case TWHEEL_OP_QUERY:
		return op_valid(op, QUERY_USES) ? op_query(c, op) : -EINVAL;
	case TWHEEL_OP_FREE:
		return op_valid(op, 0) ? op_free(c, op) : -EINVAL;
	default:
		return -EINVAL;
	}
}

/**
 * tw_ops_run() - run ops until one needs memory
 * @c: the core, after tw_core_set_now()
 * @ops: the ops; results and ids are written
 * @count: how many
 * @start: ns, what relative deadlines count from
 *
 * Afterwards a pass may be needed.
 *
 * Return: how many ran; fewer than @count if the next one is an ARM for which the
 * table must grow first.
 */
unsigned int tw_ops_run(struct tw_core *c, struct twheel_op *ops, unsigned int count, u64 start)
{
	struct twheel_op *op = ops, *end = ops + count;
	int result;

	for (; op < end; op++) {
		result = run_op(c, op, start);
		if (result == -EAGAIN)
			break;
		op->result = result;
	}
	return op - ops;
}

/**
 * tw_ops_undo() - release the timers that ops have made
 * @c: the core, after tw_core_set_now()
 * @ops: ops that have run, whose ids the program was not given
 * @count: how many
 */
void tw_ops_undo(struct tw_core *c, struct twheel_op *ops, unsigned int count)
{
	struct twheel_op *op;

	for (op = ops; op < ops + count; op++)
		if (op->opcode == TWHEEL_OP_ARM && !op->result)
			op_free(c, op);
}
