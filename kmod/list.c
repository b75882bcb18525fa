// SPDX-License-Identifier: GPL-2.0-only
/*
 * LIST: all timers, some at a time.
 *
 * A call looks at a bounded number of indices, a few at a time under the lock, so a
 * listing of 10^7 timers delays nobody.
 */
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "list.h"
#include "queue.h"
#include "view.h"

#define LIST_CHUNK	8	/* timers in one hold of the lock, on the stack */
#define LIST_PLACES	65536	/* indices that one call looks at */

/* Fill @infos from the table, starting at *@cursor.  Returns how many. */
static unsigned int list_some(struct tw_queue *q, u64 *cursor, struct twheel_info *infos,
			      unsigned int max)
{
	unsigned int n;

	tw_queue_lock(q);
	n = tw_view_list(&q->core, cursor, infos, max);
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
