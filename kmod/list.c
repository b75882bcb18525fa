// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inspecting timers: one (QUERY), or all of them by cursor (LIST).
 *
 * The cursor is an index of the table.  A call looks at a bounded number of
 * indices, a few at a time under the lock, so a listing of 10^7 timers delays
 * nobody.  It shows each timer as it was when its index was looked at.
 */
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "list.h"
#include "periodic.h"
#include "queue.h"

#define LIST_CHUNK	8	/* timers in one hold of the lock, on the stack */
#define LIST_PLACES	65536	/* indices that one call looks at */

/**
 * tw_queue_inspect() - describe the state of a timer
 * @q: the queue
 * @t: a timer in use
 * @info: out: all members
 *
 * Context: Expects q->lock to be held.
 */
void tw_queue_inspect(struct tw_queue *q, struct tw_timer *t, struct twheel_info *info)
{
	u64 *word = tw_queue_word(q, t);

	lockdep_assert_held(&q->lock);
	*info = (struct twheel_info){
		.id = tw_timer_id(t),
		.user_data = t->user_data,
		.deadline = t->deadline,
		.period = t->period,
		.slack = 1ULL << t->slack_shift,
		.state = TWHEEL_IDLE,
		.flags = t->keep ? TWHEEL_INFO_KEEP : 0,
	};
	if (t->state == TW_DUE) {
		info->state = TWHEEL_BACKLOG;
	} else if (t->state == TW_WHEEL) {
		info->deadline = tw_filed_deadline(t, t->expires);
		if (!word || tw_word_read(word, t, &info->deadline))
			info->state = TWHEEL_PENDING;
	}
}

/* Fill @infos from the table, starting at *@cursor.  Returns how many. */
static unsigned int list_some(struct tw_queue *q, u64 *cursor, struct twheel_info *infos,
			      unsigned int max)
{
	unsigned int n = 0, places = TW_BUDGET;
	struct tw_timer *t;

	tw_queue_lock(q);
	while (n < max && places--) {
		t = *cursor <= U32_MAX ? tw_table_at(&q->table, *cursor) : NULL;
		if (!t) {
			*cursor = TWHEEL_LIST_END;
			break;
		}
		++*cursor;
		if (t->state != TW_FREE)
			tw_queue_inspect(q, t, &infos[n++]);
	}
	tw_queue_unlock(q);
	return n;
}

/**
 * tw_queue_list() - list timers
 * @q: the queue
 * @list: the arguments, already checked; list->cursor is advanced
 *
 * Context: Process context.  May sleep.  Takes and releases q->lock.
 * Return: how many were written, or -EFAULT.
 */
int tw_queue_list(struct tw_queue *q, struct twheel_list *list)
{
	struct twheel_info __user *user = u64_to_user_ptr(list->infos);
	u64 end = list->cursor + min_t(u64, LIST_PLACES, TWHEEL_LIST_END - list->cursor);
	struct twheel_info infos[LIST_CHUNK];
	unsigned int done = 0, n;

	while (done < list->count && list->cursor < end) {
		n = list_some(q, &list->cursor, infos,
			      min_t(unsigned int, list->count - done, LIST_CHUNK));
		if (copy_to_user(user + done, infos, n * sizeof(*infos)))
			return -EFAULT;
		done += n;
		if (signal_pending(current))
			break;
		cond_resched();
	}
	return done;
}
