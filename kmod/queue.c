// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue's lock, and how it tells its consumers.  The lock's rules are in
 * queue.h.
 *
 * Consumers are told after the lock has been dropped.  The wait queue is woken
 * always, the eventfd unless the program asked for silence.  An eventfd must not
 * be signalled from inside another eventfd's wake-up; there the signal is left
 * to an irq_work, so that none is lost.
 */
#include <linux/eventfd.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "compat.h"
#include "queue.h"

/**
 * struct tw_signal - a registered eventfd
 * @rcu: it is given back after a grace period
 * @ctx: the eventfd
 */
struct tw_signal {
	struct rcu_head rcu;
	struct eventfd_ctx *ctx;
};

static void free_signal(struct rcu_head *rcu)
{
	struct tw_signal *signal = container_of(rcu, struct tw_signal, rcu);

	eventfd_ctx_put(signal->ctx);
	kfree(signal);
}

static void signal_eventfd(struct tw_queue *q)
{
	struct tw_signal *signal;

	rcu_read_lock();
	signal = rcu_dereference(q->signal);
	if (signal)
		tw_eventfd_signal(signal->ctx);
	rcu_read_unlock();
}

static void signal_later(struct irq_work *work)
{
	signal_eventfd(container_of(work, struct tw_queue, signal_later));
}

/**
 * tw_queue_init_signals() - make a new queue ready to signal an eventfd
 * @q: the queue
 */
void tw_queue_init_signals(struct tw_queue *q)
{
	init_irq_work(&q->signal_later, signal_later);
}

/**
 * tw_queue_stop_signals() - give the eventfd back
 * @q: a queue that nobody else can reach, after tw_queue_stop_expiry()
 *
 * Context: Process context.  May sleep.
 */
void tw_queue_stop_signals(struct tw_queue *q)
{
	irq_work_sync(&q->signal_later);
	if (rcu_access_pointer(q->signal))
		call_rcu(&rcu_dereference_protected(q->signal, true)->rcu, free_signal);
}

static void notify(struct tw_queue *q)
{
	if (wq_has_sleeper(q->wait))
		wake_up_poll(q->wait, EPOLLIN | EPOLLRDNORM);
	if (!tw_ring_wants_signal(&q->core.ring))
		return;
	if (eventfd_signal_allowed())
		signal_eventfd(q);
	else
		irq_work_queue(&q->signal_later);
}

/**
 * tw_queue_lock() - lock a queue and look at its clock
 * @q: the queue
 *
 * Notices that the clock was set, and tells the wheel the time.
 *
 * Context: Any but hardirq.  Takes q->lock.
 * Return: ns, the queue's clock.
 */
u64 tw_queue_lock(struct tw_queue *q)
	__acquires(&q->lock)
{
	s64 step = 0;
	u64 now;

	spin_lock_bh(&q->lock);
	now = tw_clock_now(&q->clock);
	if (tw_clock_can_be_set(&q->clock))
		step = tw_clock_step(&q->clock);
	if (step)	/* which may have come after the line before */
		now = tw_clock_now(&q->clock);
	tw_core_set_now(&q->core, now, step);
	return now;
}

/**
 * tw_queue_unlock() - unlock a queue, and tell the consumers what has come
 * @q: the queue
 *
 * Context: Any but hardirq.  Releases q->lock.
 */
void tw_queue_unlock(struct tw_queue *q)
	__releases(&q->lock)
{
	bool tell = q->core.notify;

	q->core.notify = false;
	q->core.count.signals += tell;
	spin_unlock_bh(&q->lock);
	if (tell)
		notify(q);
}

/**
 * tw_queue_set_eventfd() - register the eventfd, in place of the one before
 * @q: the queue
 * @fd: an eventfd, or -1 for none
 *
 * Context: Process context.  May sleep.  Takes and releases q->lock.
 * Return: 0; -EBADF, -EINVAL or -ENOMEM, and the one before stays.
 */
int tw_queue_set_eventfd(struct tw_queue *q, int fd)
{
	struct tw_signal *signal = NULL, *old;

	if (fd != -1) {
		struct eventfd_ctx *ctx = eventfd_ctx_fdget(fd);

		if (IS_ERR(ctx))
			return PTR_ERR(ctx);
		signal = kmalloc(sizeof(*signal), TW_GFP_USER);
		if (!signal) {
			eventfd_ctx_put(ctx);
			return -ENOMEM;
		}
		signal->ctx = ctx;
	}
	tw_queue_lock(q);
	old = rcu_replace_pointer(q->signal, signal, lockdep_is_held(&q->lock));
	tw_queue_unlock(q);
	if (old)
		call_rcu(&old->rcu, free_signal);
	return 0;
}
