/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_QUEUE_H
#define TWHEEL_QUEUE_H

#include <linux/build_bug.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "area.h"
#include "clock.h"
#include "counters.h"
#include "deadline.h"
#include "defer.h"
#include "ring.h"
#include "table.h"
#include "wheel.h"
#include "word.h"
#include "words.h"

struct tw_signal;
struct tw_user;

/* Timers looked at in one hold of the lock. */
#define TW_BUDGET	64

/**
 * struct tw_queue - one open of the device, set up
 * @number: names the queue in traces
 * @slack: ns, of timers that are armed without a slack of their own
 * @user: who is charged
 * @wait: the file's readers and pollers
 * @signal: the eventfd; written under @lock, read under RCU
 * @signal_later: signals @signal where that is not possible at once
 * @growing: one task at a time takes memory for more timers; @lock nests inside
 * @deferred: a pass, in @user's run queue, protected by that run queue's lock
 * @lock: see below
 * @clock: the queue's clock
 * @wheel: pending timers
 * @table: all timers
 * @words: their words
 * @ring: records, and the backlog
 * @ring_area: the memory of the ring that the program can only read
 * @ctl_area: the memory of the ring that the program writes
 * @hrtimer: runs a pass at @programmed
 * @programmed: ns, or TW_NEVER
 * @working: a pass is deferred, which will program @hrtimer
 * @notify: records have been written, tw_queue_unlock() wakes the consumers
 * @closing: no further pass may start
 * @stepped: the clock was set and no record reports it yet
 * @step: ns, by how much
 * @count: counters
 *
 * LOCKING
 *
 * @lock protects all members that follow it.  It is taken with softirqs off,
 * since the hrtimer runs in softirq context.  Process context, softirqs and
 * deferred passes all use tw_queue_lock() and tw_queue_unlock(), except where the
 * queue ends: it may be half made, and there is nobody to notify.
 *
 * Under @lock: no access to user memory, no allocation, no wake-up.  hrtimer_start(),
 * hrtimer_try_to_cancel() and tw_defer() are allowed (the locks of the hrtimer core
 * and of the run queue nest inside).  hrtimer_cancel() and tw_defer_cancel() wait for
 * code that takes @lock, so they are called without it, by tw_queue_stop_expiry()
 * only.
 *
 * @lock is never held for longer than TW_BUDGET timers take.
 *
 * Memory shared with programs (ring.ctl, words) has no lock; see ring.h, word.h.
 */
struct tw_queue {
	u64 number;
	u64 slack;
	struct tw_user *user;
	wait_queue_head_t *wait;
	struct tw_signal __rcu *signal;
	struct irq_work signal_later;
	struct mutex growing;		/* see above */
	struct tw_deferred deferred;

	spinlock_t lock;		/* see above */
	struct tw_clock clock;
	struct tw_wheel wheel;
	struct tw_table table;
	struct tw_words words;
	struct tw_ring ring;
	struct tw_area ring_area;
	struct tw_area ctl_area;
	struct hrtimer hrtimer;
	u64 programmed;
	bool working;
	bool notify;
	bool closing;
	bool stepped;
	s64 step;
	struct tw_counters count;
};

/* An empty queue takes no more memory, except for its ring. */
static_assert(sizeof(struct tw_queue) <= 32 * 1024);

void tw_queue_init_signals(struct tw_queue *q);
void tw_queue_stop_signals(struct tw_queue *q);
int tw_queue_set_eventfd(struct tw_queue *q, int fd);
u64 tw_queue_lock(struct tw_queue *q);
void tw_queue_unlock(struct tw_queue *q);

static inline bool tw_queue_has_word(const struct tw_queue *q, const struct tw_timer *t)
{
	return q->words.on && t->keep;
}

/* NULL for a timer without one. */
static inline u64 *tw_queue_word(const struct tw_queue *q, const struct tw_timer *t)
{
	return tw_queue_has_word(q, t) ? tw_words_at(&q->words, t->index) : NULL;
}

/**
 * tw_dequeue() - make a pending timer idle
 * @q: the queue
 * @t: a timer in the wheel or in the backlog
 *
 * Context: Expects q->lock to be held.
 */
static inline void tw_dequeue(struct tw_queue *q, struct tw_timer *t)
{
	lockdep_assert_held(&q->lock);
	if (t->state == TW_WHEEL) {
		tw_wheel_remove(&q->wheel, t);
	} else {
		tw_backlog_del(&q->ring, t);
		tw_ring_publish(&q->ring, q->stepped);
	}
	t->state = TW_IDLE;
}

/**
 * tw_enqueue() - file a timer in the wheel for its deadline
 * @q: the queue
 * @t: a timer with deadline and slack_shift, pending or not
 *
 * The caller must call tw_run_due_and_program().
 *
 * Context: Expects q->lock to be held.
 */
static inline void tw_enqueue(struct tw_queue *q, struct tw_timer *t)
{
	u64 expires = tw_expires(t->deadline, t->slack_shift);

	lockdep_assert_held(&q->lock);
	if (t->state == TW_WHEEL) {
		tw_wheel_move(&q->wheel, t, expires);
		return;
	}
	if (t->state == TW_DUE)
		tw_dequeue(q, t);
	t->expires = expires;
	t->state = TW_WHEEL;
	tw_wheel_add(&q->wheel, t);
}

#endif /* TWHEEL_QUEUE_H */
