/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_TURNS_H
#define TWHEEL_TURNS_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

struct tw_queue;

/**
 * struct tw_turns - the queues of a user that have more to do
 * @lock: protects the members that follow, but for @work
 * @line: queues, linked by @turn, in the order of their turns
 * @now: whose turn it is, or NULL
 * @work: gives the first queue in the line its turn
 */
struct tw_turns {
	spinlock_t lock;		/* see above */
	struct list_head line;
	struct tw_queue *now;
	struct work_struct work;
};

void tw_turns_init(struct tw_turns *turns);
void tw_turns_destroy(struct tw_turns *turns);
void tw_turns_join(struct tw_turns *turns, struct tw_queue *q);
void tw_turns_leave(struct tw_turns *turns, struct tw_queue *q);

extern struct workqueue_struct *tw_workqueue;

#endif /* TWHEEL_TURNS_H */
