/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef TWHEEL_CORE_H
#define TWHEEL_CORE_H

/*
 * The core of a queue: its timers and records, without what drives them.  It knows
 * no lock, no clock, no allocator and no way to wake anybody; whoever owns a core
 * has those: struct tw_queue in the kernel, the library in a program.
 *
 *	ops.c	what programs ask for		wheel, table, words  <-
 *	pass.c	what time brings		wheel -> ring, backlog
 *	view.c	what a program may look at
 *
 * A pending timer is in the wheel or in the backlog.  These functions move it.
 *
 * Not locked: callers serialise everything here.  Only the memory that is shared
 * with programs (ring.ctl, words) has no lock; see ring.h, word.h.
 */
#include <linux/types.h>

#include "counters.h"
#include "deadline.h"
#include "ring.h"
#include "table.h"
#include "timer.h"
#include "wheel.h"
#include "word.h"
#include "words.h"

/**
 * struct tw_core - timers and their records
 * @number: names the queue in traces
 * @slack: ns, of timers that are armed without a slack of their own
 * @min_period: ns, the shortest period of a timer
 * @wheel: pending timers
 * @table: all timers
 * @words: their words
 * @ring: records, and the backlog
 * @notify: records have been written that the consumers were not told of
 * @stepped: the clock was set and no record reports it yet
 * @step: ns, by how much
 * @count: counters
 */
struct tw_core {
	u64 number;
	u64 slack;
	u64 min_period;
	struct tw_wheel wheel;
	struct tw_table table;
	struct tw_words words;
	struct tw_ring ring;
	bool notify;
	bool stepped;
	s64 step;
	struct tw_counters count;
};

static inline bool tw_core_has_word(const struct tw_core *c, const struct tw_timer *t)
{
	return c->words.on && t->keep;
}

/* NULL for a timer without one. */
static inline u64 *tw_core_word(const struct tw_core *c, const struct tw_timer *t)
{
	return tw_core_has_word(c, t) ? tw_words_at(&c->words, t->index) : NULL;
}

/**
 * tw_core_set_now() - tell the core the time, before anything else is done
 * @c: the core
 * @now: ns, the queue's clock
 * @step: ns by which the clock was set since the last call, positive for forward
 */
static inline void tw_core_set_now(struct tw_core *c, u64 now, s64 step)
{
	if (step) {
		c->stepped = true;
		c->step += step;
		c->notify = true;
		tw_ring_publish(&c->ring, 1);
	}
	tw_wheel_set_now(&c->wheel, now);
}

/**
 * tw_dequeue() - make a pending timer idle
 * @c: the core
 * @t: a timer in the wheel or in the backlog
 */
static inline void tw_dequeue(struct tw_core *c, struct tw_timer *t)
{
	if (t->state == TW_WHEEL) {
		tw_wheel_remove(&c->wheel, t);
	} else {
		tw_backlog_del(&c->ring, t);
		tw_ring_publish(&c->ring, c->stepped);
	}
	t->state = TW_IDLE;
}

/**
 * tw_enqueue() - file a timer in the wheel for its deadline
 * @c: the core
 * @t: a timer with deadline and slack_shift, pending or not
 *
 * The caller must run a pass if this is due at once.
 */
static inline void tw_enqueue(struct tw_core *c, struct tw_timer *t)
{
	u64 expires = tw_expires(t->deadline, t->slack_shift);

	if (t->state == TW_WHEEL) {
		tw_wheel_move(&c->wheel, t, expires);
		return;
	}
	if (t->state == TW_DUE)
		tw_dequeue(c, t);
	t->expires = expires;
	t->state = TW_WHEEL;
	tw_wheel_add(&c->wheel, t);
}

#endif /* TWHEEL_CORE_H */
