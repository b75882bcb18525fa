// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for timers and their words: taken when a batch needs it, by a task that
 * can sleep, charged to its cgroup and its user, and kept until the queue ends.
 *
 * One task at a time grows a queue, under q->growing.  It takes pages without
 * q->lock and hands them over under it.  Words come before the timers they
 * belong to.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "compat.h"
#include "queue.h"
#include "user.h"

/* Memory for words, so that there are at least @count. */
static int grow_words(struct tw_queue *q, u32 count)
{
	void *leaf = NULL;
	u64 *page;

	if (!q->words.on || q->words.capacity >= count)
		return 0;
	if (tw_words_need_leaf(&q->words)) {
		leaf = kzalloc(PAGE_SIZE, TW_GFP_USER);
		if (!leaf)
			return -ENOMEM;
	}
	page = (u64 *)__get_free_page(TW_GFP_USER);
	if (!page) {
		kfree(leaf);
		return -ENOMEM;
	}
	tw_queue_lock(q);
	if (leaf)
		tw_words_add_leaf(&q->words, leaf);
	tw_words_add_page(&q->words, page);
	tw_queue_unlock(q);
	return 0;
}

/* Memory for TW_CHUNK more timers. */
static int grow_table(struct tw_queue *q)
{
	void *chunk, *leaf = NULL;

	if (tw_table_needs_leaf(&q->table)) {
		leaf = kzalloc(TW_PAGE_BYTES, TW_GFP_USER);
		if (!leaf)
			return -ENOMEM;
	}
	chunk = kzalloc(TW_PAGE_BYTES, TW_GFP_USER);
	if (!chunk) {
		kfree(leaf);
		return -ENOMEM;
	}
	tw_queue_lock(q);
	if (leaf)
		tw_table_add_leaf(&q->table, leaf);
	tw_table_add_chunk(&q->table, chunk);
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
	err = grow_words(q, q->table.capacity + TW_CHUNK);
	if (!err)
		err = grow_table(q);
	if (err)
		tw_user_uncharge(q->user, TW_CHUNK);
	return err;
}

/**
 * tw_queue_grow() - see to it that there is a free timer
 * @q: a queue with fewer than its most timers
 *
 * Another task may take it before the caller does.
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
	enough = q->table.free || tw_table_full(&q->table);
	tw_queue_unlock(q);
	if (!enough)
		err = grow(q);
	mutex_unlock(&q->growing);
	return err;
}

/**
 * tw_queue_free_timers() - give all memory for timers back
 * @q: a queue that nobody else can reach
 *
 * Context: Process context.  May sleep.
 */
void tw_queue_free_timers(struct tw_queue *q)
{
	void *page;

	tw_user_uncharge(q->user, q->table.capacity);
	while ((page = tw_table_take_page(&q->table))) {
		kfree(page);
		cond_resched();
	}
	tw_words_destroy(&q->words);
}

/**
 * tw_queue_memory() - bytes that the queue's timers, words and ring take
 * @q: the queue
 *
 * Context: Expects q->lock to be held.
 */
u64 tw_queue_memory(const struct tw_queue *q)
{
	return sizeof(struct tw_timer) * (u64)q->table.capacity +
	       sizeof(u64) * (u64)q->words.capacity +
	       tw_area_bytes(&q->ring.area) + tw_area_bytes(&q->ring.ctl_area);
}
