// SPDX-License-Identifier: GPL-2.0-only
/*
 * Deferred work: what the hrtimer's softirq leaves to do is done here.
 *
 * Each user has a run queue.  A queue that has more to do than one pass is put at
 * its end.  The user's work item runs the first of the run queue, which is one
 * pass, and queues itself again while there are others; a queue that is not done
 * yet goes to the end again.
 *
 * A work item runs on one task at a time, of ordinary priority (a kworker, so in no
 * cgroup of the user's).  So a user's queues together get the share of one ordinary
 * task, however many they are and however much is due in them.  Other users wait
 * only for the scheduler and, when more users are deferred than the workqueue has
 * workers, for users queued earlier.
 *
 * LOCKING: tw_run_queue.lock is taken with softirqs off.  It nests inside
 * tw_queue.lock, and the workqueue's own inside it.
 */
#include <linux/errno.h>

#include "defer.h"

static struct workqueue_struct *workqueue;

/**
 * tw_defer_init() - when the module is loaded
 *
 * Context: Process context.  May sleep.
 * Return: 0 or -ENOMEM.
 */
int tw_defer_init(void)
{
	workqueue = alloc_workqueue("twheel", WQ_UNBOUND, WQ_UNBOUND_MAX_ACTIVE);
	return workqueue ? 0 : -ENOMEM;
}

/**
 * tw_defer_exit() - when the module goes; no run queue is left
 *
 * Context: Process context.  May sleep.
 */
void tw_defer_exit(void)
{
	destroy_workqueue(workqueue);
}

/* The one to run now, or NULL. */
static struct tw_deferred *begin_one(struct tw_run_queue *rq)
{
	struct tw_deferred *d;

	spin_lock_bh(&rq->lock);
	d = list_first_entry_or_null(&rq->list, struct tw_deferred, link);
	if (d)
		list_del_init(&d->link);
	rq->current_one = d;
	spin_unlock_bh(&rq->lock);
	return d;
}

static void end_one(struct tw_run_queue *rq)
{
	spin_lock_bh(&rq->lock);
	rq->current_one = NULL;
	if (!list_empty(&rq->list))
		queue_work(workqueue, &rq->work);
	spin_unlock_bh(&rq->lock);
}

static void on_work(struct work_struct *work)
{
	struct tw_run_queue *rq = container_of(work, struct tw_run_queue, work);
	struct tw_deferred *d = begin_one(rq);

	if (d)
		d->run(d);
	end_one(rq);
}

/**
 * tw_run_queue_init() - make an empty run queue
 * @rq: the run queue
 */
void tw_run_queue_init(struct tw_run_queue *rq)
{
	spin_lock_init(&rq->lock);
	INIT_LIST_HEAD(&rq->list);
	INIT_WORK(&rq->work, on_work);
}

/**
 * tw_run_queue_destroy() - the end of a run queue
 * @rq: one that nobody defers to any more
 *
 * Context: Process context.  May sleep.
 */
void tw_run_queue_destroy(struct tw_run_queue *rq)
{
	cancel_work_sync(&rq->work);
}

/**
 * tw_deferred_init() - make work that can be deferred
 * @d: the work
 * @run: what it does
 */
void tw_deferred_init(struct tw_deferred *d, void (*run)(struct tw_deferred *d))
{
	INIT_LIST_HEAD(&d->link);
	d->run = run;
}

/**
 * tw_defer() - have work run later
 * @rq: the run queue of its user
 * @d: the work, which is in no run queue
 *
 * Context: Softirqs are off.  Takes and releases rq->lock.
 */
void tw_defer(struct tw_run_queue *rq, struct tw_deferred *d)
{
	spin_lock(&rq->lock);
	list_add_tail(&d->link, &rq->list);
	if (!rq->current_one)	/* otherwise end_one() does it */
		queue_work(workqueue, &rq->work);
	spin_unlock(&rq->lock);
}

/**
 * tw_defer_cancel() - deferred work does not run after this
 * @rq: the run queue of its user
 * @d: the work, deferred or not, which nobody will defer again
 *
 * Waits for the work itself, if it runs now, and maybe for what comes next.
 *
 * Context: Process context.  May sleep.  Takes and releases rq->lock.  Must not hold
 * a lock that the work takes.
 */
void tw_defer_cancel(struct tw_run_queue *rq, struct tw_deferred *d)
{
	bool runs;

	spin_lock_bh(&rq->lock);
	list_del_init(&d->link);
	runs = rq->current_one == d;
	spin_unlock_bh(&rq->lock);
	if (runs)
		flush_work(&rq->work);
}
