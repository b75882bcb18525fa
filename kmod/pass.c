// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A pass: what is due goes from the wheel to the ring.
 *
 *	backlog  ->  ring, while there is room
 *	wheel, what is due, in order  ->  ring, or backlog when there is no room
 *	publish; if room has come meanwhile, the backlog once more
 *
 * A pass looks at a bounded number of timers, its budget, so its owner can drop
 * the lock between two of them.
 *
 * A periodic timer counts its deadlines from the first, never from the time of
 * a pass.  While its last record is unread, or it is in the backlog, it gets no
 * other; t->deadline stays at the first deadline without a record, and the next
 * record tells how many there were.
 */
#include <linux/limits.h>
#include <linux/minmax.h>

#include "core.h"
#include "pass.h"
#include "periodic.h"
#include "trace.h"

static void write_step(struct tw_core *c, u64 now)
{
	struct twheel_record rec = {
		.user_data = c->step,
		.deadline = now,
	};

	tw_ring_write(&c->ring, &rec);
	c->stepped = false;
	c->step = 0;
	c->count.steps++;
	c->notify = true;
}

/* The word of a periodic timer, fired until now, goes on with @deadline. */
static void rearm_word(struct tw_core *c, struct tw_timer *t, u64 deadline)
{
	u64 *word = tw_core_word(c, t);

	if (!word)
		return;
	tw_ring_commit_tail(&c->ring);
	tw_word_arm(word, deadline);
}

/* Write the record of @t, whose word agrees, and file it again or end it. */
static void write_record(struct tw_core *c, struct tw_timer *t, u64 now)
{
	u64 missed = tw_periods(t, now);
	u64 deadline = t->deadline + missed * t->period;
	u64 lateness = now > deadline ? now - deadline : 0;
	struct twheel_record rec = {
		.user_data = t->user_data,
		.id = tw_timer_id(t),
		.deadline = deadline,
		.lateness = min_t(u64, lateness, U32_MAX),
		.missed = min_t(u64, missed, U32_MAX),
	};

	t->last = tw_ring_write(&c->ring, &rec);
	t->reported = true;
	t->skipped = false;
	c->count.expired++;
	c->count.missed += missed;
	tw_count_lateness(&c->count, lateness);
	trace_twheel_expire(c->number, tw_ring_at(&c->ring, t->last));
	t->state = TW_IDLE;
	if (t->period) {
		t->deadline = tw_deadline_after(t, deadline);
		tw_enqueue(c, t);
		rearm_word(c, t, t->deadline);
	} else if (!t->keep) {
		tw_table_free(&c->table, t);
	}
}

/* Whether @t gets no record now because nobody has read its last one. */
static bool must_skip(const struct tw_core *c, const struct tw_timer *t)
{
	return t->period && t->reported && tw_ring_unread(&c->ring, t->last, tw_timer_id(t));
}

static void skip_period(struct tw_core *c, struct tw_timer *t, u64 now)
{
	u64 next = tw_deadline_after(t, t->deadline + tw_periods(t, now) * t->period);

	t->skipped = true;
	t->expires = tw_expires(next, t->slack_shift);
	tw_wheel_add(&c->wheel, t);
	rearm_word(c, t, next);
}

/* The word of @t has it cancelled. */
static void reap(struct tw_core *c, struct tw_timer *t)
{
	t->state = TW_IDLE;
	c->count.reaped++;
	trace_twheel_cancel(c->number, t);
}

/* The word of @t has it fire at another deadline and not now. */
static void push_back(struct tw_core *c, struct tw_timer *t, u64 now)
{
	t->expires = max(tw_expires(t->deadline, t->slack_shift), now + TW_WORD_DISTANCE);
	tw_wheel_add(&c->wheel, t);
	c->count.pushed++;
	trace_twheel_refile(c->number, t);
}

static bool has_room(struct tw_core *c)
{
	return !tw_backlog_first(&c->ring) && !c->stepped && tw_ring_room(&c->ring);
}

static void deliver(struct tw_core *c, struct tw_timer *t, u64 now)
{
	c->notify = true;
	if (has_room(c)) {
		write_record(c, t, now);
		return;
	}
	t->state = TW_DUE;
	tw_backlog_add(&c->ring, t);
	trace_twheel_backlog(c->number, t);
}

/* The wheel has handed out @t. */
static void expire(struct tw_core *c, struct tw_timer *t, u64 now)
{
	u64 *word = tw_core_word(c, t);
	enum tw_word_verdict verdict = TW_WORD_FIRE;

	if (word)
		verdict = tw_word_expire(word, t, now);
	if (verdict == TW_WORD_GONE)
		reap(c, t);
	else if (verdict == TW_WORD_LATER)
		push_back(c, t, now);
	else if (must_skip(c, t))
		skip_period(c, t, now);
	else
		deliver(c, t, now);
}

/* Move backlog to the ring: how many records. */
static unsigned int flush(struct tw_core *c, u64 now, unsigned int *budget)
{
	unsigned int moved = 0;
	struct tw_timer *t;

	if (c->stepped && tw_ring_room(&c->ring)) {
		write_step(c, now);
		moved++;
	}
	while (*budget && (t = tw_backlog_first(&c->ring)) && tw_ring_room(&c->ring)) {
		--*budget;
		tw_backlog_del(&c->ring, t);
		write_record(c, t, now);
		moved++;
	}
	return moved;
}

/* Whether there is something that can be written to the ring, and was not. */
static bool can_write(struct tw_core *c)
{
	return (tw_backlog_first(&c->ring) || c->stepped) && tw_ring_room(&c->ring);
}

/**
 * tw_pass_flush() - move backlog into the ring while there is room, and publish
 * @c: the core, after tw_core_set_now()
 * @now: ns
 * @budget: how many timers of the backlog at most; counted down
 *
 * It goes on while the program makes room, since the program does not say when it
 * does.
 *
 * Return: how many records were written.
 */
unsigned int tw_pass_flush(struct tw_core *c, u64 now, unsigned int *budget)
{
	unsigned int sum = 0, moved;

	do {
		moved = flush(c, now, budget);
		sum += moved;
		tw_ring_publish(&c->ring, c->stepped);
	} while (*budget && can_write(c));
	return sum;
}

/**
 * tw_pass() - one bounded pass
 * @c: the core, after tw_core_set_now()
 * @now: ns
 * @budget: how many timers of the wheel, and how many of the backlog, at most;
 *	counted down
 *
 * Return: whether more is due.
 */
bool tw_pass(struct tw_core *c, u64 now, unsigned int *budget)
{
	unsigned int records = *budget;
	struct tw_timer *t;

	c->count.passes++;
	if (flush(c, now, &records))
		c->notify = true;
	while ((t = tw_wheel_pop(&c->wheel, now, budget)))
		expire(c, t, now);
	if (tw_pass_flush(c, now, &records))
		c->notify = true;
	*budget = min(*budget, records);
	return tw_wheel_next(&c->wheel) <= now || can_write(c);
}
