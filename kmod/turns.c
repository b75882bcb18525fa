// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns: what the hrtimer's softirq leaves to do is done here.
 *
 * The queues of a user that have more to do stand in a line.  A work item of this
 * user's gives the first of them its turn, which is one pass, and queues itself
 * again while there is a line; a queue that is not done yet goes to its end.
 *
 * A work item runs on one task at a time, of ordinary priority (a kworker, so in no
 * cgroup of the user's).  So all queues of a user together have what one more process
 * would have, however many they are and however much is due in them; and the queues
 * of another user do not wait in this line, but only for the scheduler and, where more
 * users than the workqueue has tasks for have lines, for those who came before.
 *
 * LOCKING: tw_turns.lock is taken with softirqs off.  It nests inside tw_queue.lock,
 * and the workqueue's own inside it.
 */
#include "queue.h"
#include "turns.h"

/* The queue whose turn it is now, or NULL. */
static struct tw_queue *begin_turn(struct tw_turns *turns)
{
	struct tw_queue *q;

	spin_lock_bh(&turns->lock);
	q = list_first_entry_or_null(&turns->line, struct tw_queue, turn);
	if (q)
		list_del_init(&q->turn);
	turns->now = q;
	spin_unlock_bh(&turns->lock);
	return q;
}

static void end_turn(struct tw_turns *turns)
{
	spin_lock_bh(&turns->lock);
	turns->now = NULL;
	if (!list_empty(&turns->line))
		queue_work(tw_workqueue, &turns->work);
	spin_unlock_bh(&turns->lock);
}

static void on_work(struct work_struct *work)
{
	struct tw_turns *turns = container_of(work, struct tw_turns, work);
	struct tw_queue *q = begin_turn(turns);

	if (q)
		tw_queue_turn(q);
	end_turn(turns);
}

/**
 * tw_turns_init() - make a line, with nobody in it
 * @turns: the line
 */
void tw_turns_init(struct tw_turns *turns)
{
	spin_lock_init(&turns->lock);
	INIT_LIST_HEAD(&turns->line);
	INIT_WORK(&turns->work, on_work);
}

/**
 * tw_turns_destroy() - the end of a line
 * @turns: one that all queues have left
 *
 * Context: Process context.  May sleep.
 */
void tw_turns_destroy(struct tw_turns *turns)
{
	cancel_work_sync(&turns->work);
}

/**
 * tw_turns_join() - have a queue wait for its turn
 * @turns: the line of its user
 * @q: the queue, which is in no line
 *
 * Context: Expects q->lock to be held.  Takes and releases turns->lock.
 */
void tw_turns_join(struct tw_turns *turns, struct tw_queue *q)
{
	lockdep_assert_held(&q->lock);
	spin_lock(&turns->lock);
	list_add_tail(&q->turn, &turns->line);
	if (!turns->now)	/* else end_turn() does it */
		queue_work(tw_workqueue, &turns->work);
	spin_unlock(&turns->lock);
}

/**
 * tw_turns_leave() - a queue has no turn after this
 * @turns: the line of its user
 * @q: the queue, in the line or not, which nobody will have join again
 *
 * Waits for the queue's own turn, if it has it now, and maybe for one more.
 *
 * Context: Process context.  May sleep.  Takes and releases turns->lock.  Must not
 * hold q->lock, which a turn takes.
 */
void tw_turns_leave(struct tw_turns *turns, struct tw_queue *q)
{
	bool has_turn;

	lockdep_assert_not_held(&q->lock);
	spin_lock_bh(&turns->lock);
	list_del_init(&q->turn);
	has_turn = turns->now == q;
	spin_unlock_bh(&turns->lock);
	if (has_turn)
		flush_work(&turns->work);
}
