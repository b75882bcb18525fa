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
#include "core.h"
#include "defer.h"

struct tw_signal;
struct tw_user;

/**
 * struct tw_queue - one open of the device, set up
 * @user: who is charged
 * @wait: the file's readers and pollers
 * @signal: the eventfd; written under @lock, read under RCU
 * @signal_later: signals @signal where that is not possible at once
 * @growing: one task at a time takes memory for more timers; @lock nests inside
 * @deferred: a pass, in @user's run queue, protected by that run queue's lock
 * @lock: see below
 * @clock: the queue's clock
 * @core: the timers and their records; @core.notify: tw_queue_unlock() wakes the
 *	consumers
 * @ring_area: the memory of the ring that the program can only read
 * @ctl_area: the memory of the ring that the program writes
 * @hrtimer: runs a pass at @programmed
 * @programmed: ns, or TW_NEVER
 * @working: a pass is deferred, which will program @hrtimer
 * @closing: no further pass may start
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
 * Memory shared with programs (core.ring.ctl, core.words) has no lock; see ring.h, word.h.
 */
struct tw_queue {
	struct tw_user *user;
	wait_queue_head_t *wait;
	struct tw_signal __rcu *signal;
	struct irq_work signal_later;
	struct mutex growing;		/* see above */
	struct tw_deferred deferred;

	spinlock_t lock;		/* see above */
	struct tw_clock clock;
	struct tw_core core;
	struct tw_area ring_area;
	struct tw_area ctl_area;
	struct hrtimer hrtimer;
	u64 programmed;
	bool working;
	bool closing;
};

/* An empty queue takes no more memory, except for its ring. */
static_assert(sizeof(struct tw_queue) <= 32 * 1024);

void tw_queue_init_signals(struct tw_queue *q);
void tw_queue_stop_signals(struct tw_queue *q);
int tw_queue_set_eventfd(struct tw_queue *q, int fd);
u64 tw_queue_lock(struct tw_queue *q);
void tw_queue_unlock(struct tw_queue *q);

#endif /* TWHEEL_QUEUE_H */
