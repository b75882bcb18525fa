// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for timers and their words.  It is allocated when a batch needs it, by a
 * task that can sleep, charged to that task's cgroup and to the queue's user, and
 * kept until the queue ends.
 *
 * One task at a time grows a queue, under q->growing.  It allocates pages without
 * q->lock and adds them to the queue under it.  Words are added before the timers
 * they belong to.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "compat.h"
#include "grow.h"
#include "queue.h"
#include "user.h"

/* Give a directory a leaf if its next page needs one. */
static int add_leaf(struct tw_queue *q, struct tw_pages *pages)
{
	void *leaf;

	if (!tw_pages_need_leaf(pages))
		return 0;
	leaf = kzalloc(TW_PAGE_BYTES, TW_GFP_USER);
	if (!leaf)
		return -ENOMEM;
	tw_queue_lock(q);
	tw_pages_add_leaf(pages, leaf);
	tw_queue_unlock(q);
	return 0;
}

/* Add a page of words unless there are @count already. */
static int grow_words(struct tw_queue *q, u32 count)
{
	void *page;
	int err;

	if (!q->core.words.on || tw_words_capacity(&q->core.words) >= count)
		return 0;
	err = add_leaf(q, &q->core.words.pages);
	if (err)
		return err;
	page = (void *)__get_free_page(TW_GFP_USER);	/* slab memory cannot be mapped */
	if (!page)
		return -ENOMEM;
	tw_queue_lock(q);
	tw_pages_add(&q->core.words.pages, page);
	tw_queue_unlock(q);
	return 0;
}

/* Add memory for TW_CHUNK more timers. */
static int grow_table(struct tw_queue *q)
{
	void *chunk;
	int err = add_leaf(q, &q->core.table.pages);

	if (err)
		return err;
	chunk = kzalloc(TW_PAGE_BYTES, TW_GFP_USER);
	if (!chunk)
		return -ENOMEM;
	tw_queue_lock(q);
	tw_table_add_chunk(&q->core.table, chunk);
	tw_queue_unlock(q);
	return 0;
}

static int grow(struct tw_queue *q)
{
	int err;

	lockdep_assert_held(&q->growing);
	err = tw_user_charge(q->user, TW_CHUNK);
	if (err)
		return err;
	err = grow_words(q, q->core.table.capacity + TW_CHUNK);
	if (!err)
		err = grow_table(q);
	if (err)
		tw_user_uncharge(q->user, TW_CHUNK);
	return err;
}

/**
 * tw_queue_grow() - make sure that there is a free timer
 * @q: a queue with fewer timers than it may have
 *
 * Another task may allocate that timer before the caller does.
 *
 * Context: Process context.  May sleep.  Takes and releases q->growing.
 * Return: 0, -EDQUOT or -ENOMEM.
 */
int tw_queue_grow(struct tw_queue *q)
{
	bool enough;
	int err = 0;

	mutex_lock(&q->growing);
	tw_queue_lock(q);
	enough = q->core.table.free || tw_table_full(&q->core.table);
	tw_queue_unlock(q);
	if (!enough)
		err = grow(q);
	mutex_unlock(&q->growing);
	return err;
}

static void free_leaves(struct tw_pages *pages)
{
	void *leaf;

	while ((leaf = tw_pages_take_leaf(pages)))
		kfree(leaf);
}

/**
 * tw_queue_free_timers() - free all memory for timers
 * @q: a queue that nobody else can reach
 *
 * Context: Process context.  May sleep.
 */
void tw_queue_free_timers(struct tw_queue *q)
{
	void *page;

	tw_user_uncharge(q->user, q->core.table.capacity);
	while ((page = tw_pages_take(&q->core.table.pages))) {
		kfree(page);
		cond_resched();
	}
	while ((page = tw_pages_take(&q->core.words.pages))) {
		free_page((unsigned long)page);
		cond_resched();
	}
	free_leaves(&q->core.table.pages);
	free_leaves(&q->core.words.pages);
}

/**
 * tw_queue_memory() - bytes taken by a queue's timers, words and ring
 * @q: the queue
 *
 * Context: Expects q->lock to be held.
 */
u64 tw_queue_memory(const struct tw_queue *q)
{
	return sizeof(struct tw_timer) * (u64)q->core.table.capacity +
	       sizeof(u64) * (u64)tw_words_capacity(&q->core.words) +
	       tw_area_bytes(&q->ring_area) + tw_area_bytes(&q->ctl_area);
}
