// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue: its life, its memory, its lock, and how it tells its consumers.
 *
 * The file creates it with SETUP and destroys it with the last close; whoever
 * uses it holds the file.  The lock's rules are in queue.h.
 *
 * Consumers are told after the lock has been dropped.  The wait queue is woken
 * always, the eventfd unless the program asked for silence.  An eventfd must not
 * be signalled from inside another eventfd's wake-up; there the signal is left
 * to an irq_work, so that none is lost.
 */
#include <linux/eventfd.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "compat.h"
#include "queue.h"
#include "user.h"

static uint max_timers_per_queue = TW_TABLE_MAX;
module_param(max_timers_per_queue, uint, 0644);
MODULE_PARM_DESC(max_timers_per_queue, "Most timers of one queue (default and most 16777216)");

static ulong min_period_ns = 100000;
module_param(min_period_ns, ulong, 0644);
MODULE_PARM_DESC(min_period_ns, "Shortest period of a timer in ns (default 100000)");

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

static atomic64_t last_number = ATOMIC64_INIT(0);

/**
 * tw_max_timers() - most timers that a queue may have
 */
u32 tw_max_timers(void)
{
	return min_t(u32, READ_ONCE(max_timers_per_queue), TW_TABLE_MAX);
}

/**
 * tw_min_period() - shortest period of a timer, in ns
 */
u64 tw_min_period(void)
{
	return max_t(u64, READ_ONCE(min_period_ns), 1);
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

static void notify(struct tw_queue *q)
{
	if (wq_has_sleeper(q->wait))
		wake_up_poll(q->wait, EPOLLIN | EPOLLRDNORM);
	if (!tw_ring_wants_signal(&q->ring))
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
	if (step) {
		q->stepped = true;
		q->step += step;
		q->notify = true;
		tw_ring_publish(&q->ring, 1);
	}
	tw_wheel_set_now(&q->wheel, now);
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
	bool tell = q->notify;

	q->notify = false;
	q->count.signals += tell;
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

static int init_ring(struct tw_queue *q, u32 entries)
{
	int err = tw_area_init(&q->ring_area, tw_ring_bytes(entries));

	if (!err)
		err = tw_area_init(&q->ctl_area, sizeof(struct twheel_ctl));
	if (!err)
		tw_ring_init(&q->ring, q->ring_area.addr, q->ctl_area.addr, entries);
	return err;
}

static int init_members(struct tw_queue *q, const struct twheel_setup *setup)
{
	q->number = atomic64_inc_return(&last_number);
	q->slack = setup->slack;
	tw_words_init(&q->words, setup->flags & TWHEEL_SETUP_WORDS);
	mutex_init(&q->growing);
	spin_lock_init(&q->lock);
	init_irq_work(&q->signal_later, signal_later);
	tw_wheel_init(&q->wheel, tw_clock_now(&q->clock));
	tw_table_init(&q->table, setup->max_timers);
	tw_queue_init_expiry(q);
	return init_ring(q, setup->ring_entries);
}

/**
 * tw_queue_create() - make a queue
 * @setup: what SETUP asks for, checked; ring_entries is a power of two
 * @wait: whom to wake; outlives the queue
 *
 * Context: Process context.  May sleep.
 * Return: the queue, or an ERR_PTR: -EDQUOT, -EINVAL for the clock, -ENOMEM.
 */
struct tw_queue *tw_queue_create(const struct twheel_setup *setup, wait_queue_head_t *wait)
{
	struct tw_user *user;
	struct tw_clock clock;
	struct tw_queue *q;
	int err = tw_clock_init(&clock, setup->clockid);

	if (err)
		return ERR_PTR(err);
	user = tw_user_get();
	if (IS_ERR(user))
		return ERR_CAST(user);
	q = kvzalloc(sizeof(*q), TW_GFP_USER);
	if (!q) {
		tw_user_put(user);
		return ERR_PTR(-ENOMEM);
	}
	q->user = user;
	q->wait = wait;
	q->clock = clock;
	err = init_members(q, setup);
	if (err) {
		tw_queue_destroy(q);
		return ERR_PTR(err);
	}
	return q;
}

/**
 * tw_queue_destroy() - the end of a queue and all its timers
 * @q: a queue that nobody else can reach
 *
 * Context: Process context.  May sleep.
 */
void tw_queue_destroy(struct tw_queue *q)
{
	lockdep_assert_not_held(&q->lock);
	tw_queue_stop_expiry(q);
	irq_work_sync(&q->signal_later);
	if (rcu_access_pointer(q->signal))
		call_rcu(&rcu_dereference_protected(q->signal, true)->rcu, free_signal);
	tw_queue_free_timers(q);
	tw_area_destroy(&q->ring_area);
	tw_area_destroy(&q->ctl_area);
	tw_user_put(q->user);
	kvfree(q);
}
