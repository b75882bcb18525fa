/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_DEFER_H
#define TWHEEL_DEFER_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

/**
 * struct tw_deferred - work that may be deferred
 * @link: in a run queue, under its lock
 * @run: does a bounded part of the work, and defers it again if there is more
 */
struct tw_deferred {
	struct list_head link;
	void (*run)(struct tw_deferred *deferred);
};

/**
 * struct tw_run_queue - the deferred work of a user
 * @lock: protects the members that follow, except @work
 * @list: struct tw_deferred, by @link, in the order in which they will run
 * @current_one: which one runs now, or NULL
 * @work: runs the first of the list
 */
struct tw_run_queue {
	spinlock_t lock;		/* see above */
	struct list_head list;
	struct tw_deferred *current_one;
	struct work_struct work;
};

int tw_defer_init(void);
void tw_defer_exit(void);

void tw_run_queue_init(struct tw_run_queue *rq);
void tw_run_queue_destroy(struct tw_run_queue *rq);

void tw_deferred_init(struct tw_deferred *d, void (*run)(struct tw_deferred *d));
void tw_defer(struct tw_run_queue *rq, struct tw_deferred *d);
void tw_defer_cancel(struct tw_run_queue *rq, struct tw_deferred *d);

#endif /* TWHEEL_DEFER_H */
