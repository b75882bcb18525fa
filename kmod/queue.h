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
#include "deadline.h"
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
 * struct tw_counters - what happened to a queue's timers; see struct twheel_stats
 * @armed: armings
 * @moved: pending timers moved
 * @cancelled: armings ended by the program's ops
 * @expired: records of timers written
 * @missed: periods without a record
 * @pushed: timers filed again for their word
 * @reaped: timers taken out for their word
 * @steps: steps of the clock
 * @interrupts: expiries of the hrtimer
 * @passes: passes over due timers
 * @signals: wake-ups
 * @lateness: records by lateness
 */
struct tw_counters {
	u64 armed;
	u64 moved;
	u64 cancelled;
	u64 expired;
	u64 missed;
	u64 pushed;
	u64 reaped;
	u64 steps;
	u64 interrupts;
	u64 passes;
	u64 signals;
	u64 lateness[TWHEEL_LATENESS_BUCKETS];
};

/**
 * struct tw_queue - one open of the device, set up
 * @number: names the queue in traces
 * @slack: ns, of timers that name none
 * @user: who is charged
 * @wait: the file's readers and pollers
 * @signal: the eventfd; written under @lock, read under RCU
 * @signal_later: signals it where that is not possible at once
 * @growing: one task at a time takes memory for more timers; @lock nests inside
 * @turn: in the line of @user's queues, under that line's lock
 * @lock: see below
 * @clock: the queue's clock
 * @wheel: pending timers
 * @table: all timers
 * @words: their words
 * @ring: records, and the backlog
 * @ring_area: the memory of the ring that the program can read
 * @ctl_area: and that which it writes
 * @hrtimer: runs a pass at @programmed
 * @programmed: ns, or TW_NEVER
 * @working: waits for its turn, which will program @hrtimer
 * @notify: records have come, the unlocker wakes the consumers
 * @closing: no pass must follow
 * @stepped: the clock was set and no record says so yet
 * @step: ns, by how much
 * @count: counters
 *
 * LOCKING
 *
 * @lock protects all members that follow it.  It is taken with softirqs off,
 * for the hrtimer runs in softirq context; process context, softirqs and a
 * queue's turn all use tw_queue_lock() and tw_queue_unlock(), except where the queue
 * ends: it may have been half made, and there is nobody to tell anything.
 *
 * Under @lock: no access to user memory, no allocation, no wake-up.  The hrtimer
 * may be started and tried to be cancelled, and a line joined (the locks of the
 * hrtimer core and of the line nest inside); hrtimer_cancel() and tw_turns_leave()
 * wait for code that takes @lock, so they are called without it, by
 * tw_queue_destroy() only.
 *
 * Nothing is held for longer than TW_BUDGET timers take.
 *
 * Memory shared with programs (ring.ctl, words) has no lock; see ring.c, word.c.
 */
struct tw_queue {
	u64 number;
	u64 slack;
	struct tw_user *user;
	wait_queue_head_t *wait;
	struct tw_signal __rcu *signal;
	struct irq_work signal_later;
	struct mutex growing;		/* see above */
	struct list_head turn;

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

/* An empty queue takes no more, besides its ring. */
static_assert(sizeof(struct tw_queue) <= 32 * 1024);

/* queue.c: lifetime, lock, signals */
struct tw_queue *tw_queue_create(const struct twheel_setup *setup, wait_queue_head_t *wait);
void tw_queue_destroy(struct tw_queue *q);
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

/* grow.c: memory for timers */
int tw_queue_grow(struct tw_queue *q);
void tw_queue_free_timers(struct tw_queue *q);
u64 tw_queue_memory(const struct tw_queue *q);

/**
 * tw_queue_unfile() - make a pending timer idle
 * @q: the queue
 * @t: a timer in the wheel or in the backlog
 *
 * Context: Expects q->lock to be held.
 */
static inline void tw_queue_unfile(struct tw_queue *q, struct tw_timer *t)
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
 * tw_queue_file() - file a timer in the wheel for its deadline
 * @q: the queue
 * @t: a timer with deadline and slack_shift, pending or not
 *
 * The caller sees to tw_queue_settle().
 *
 * Context: Expects q->lock to be held.
 */
static inline void tw_queue_file(struct tw_queue *q, struct tw_timer *t)
{
	u64 expires = tw_expires(t->deadline, t->slack_shift);

	lockdep_assert_held(&q->lock);
	if (t->state == TW_WHEEL) {
		tw_wheel_move(&q->wheel, t, expires);
		return;
	}
	if (t->state == TW_DUE)
		tw_queue_unfile(q, t);
	t->expires = expires;
	t->state = TW_WHEEL;
	tw_wheel_add(&q->wheel, t);
}

/* expire.c: passes over due timers */
void tw_queue_init_expiry(struct tw_queue *q);
void tw_queue_stop_expiry(struct tw_queue *q);
void tw_queue_settle(struct tw_queue *q, u64 now);
void tw_queue_turn(struct tw_queue *q);
int tw_queue_flush(struct tw_queue *q);

/* ops.c, list.c, stats.c: what the ioctls do */
int tw_queue_submit(struct tw_queue *q, const struct twheel_submit *arg);
int tw_queue_list(struct tw_queue *q, struct twheel_list *list);
void tw_queue_inspect(struct tw_queue *q, struct tw_timer *t, struct twheel_info *info);
void tw_queue_stats(struct tw_queue *q, struct twheel_stats *stats);
void tw_count_lateness(struct tw_counters *count, u64 lateness);

/* Limits, module parameters. */
u32 tw_max_timers(void);
u64 tw_min_period(void);

#define TW_MAX_BATCH		4096U
#define TW_MAX_ENTRIES		1048576U

#endif /* TWHEEL_QUEUE_H */
