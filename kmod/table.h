/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef TWHEEL_TABLE_H
#define TWHEEL_TABLE_H

/*
 * The id table: timers by index.  A generation tells apart the timers that have
 * the same index one after another.
 *
 *	id = generation << 32 | index
 *
 * Timers are kept in pages of 64 (chunks), which a directory (pages.h) finds.
 * There are at most 2^24 timers; the overhead is one pointer per 64 timers.  Free
 * timers are in the free list, most recently freed first, since that one's cache
 * line is warm.  The generation of a free timer is that of the next timer to have
 * its index: 1 to 2^32 - 1, then 1 again.
 */
#include <linux/list.h>
#include <linux/nospec.h>
#include <linux/types.h>

#include "pages.h"
#include "timer.h"

#define TW_CHUNK	64U				/* timers in a page */
#define TW_TABLE_MAX	16777216U			/* timers, 2^24 */
#define TW_ROOT		(TW_TABLE_MAX / TW_CHUNK / TW_LEAF)	/* leaves */

/**
 * struct tw_table - timers by id
 * @max: how many timers may be in use
 * @capacity: how many timers there is memory for
 * @used: how many timers are in use
 * @free: the first free timer; link.next leads to the others
 * @pages: the directory of the chunks
 * @root: the root of @pages
 *
 * Not locked: callers serialise.
 */
struct tw_table {
	u32 max;
	u32 capacity;
	u32 used;
	struct hlist_node *free;
	struct tw_pages pages;
	void **root[TW_ROOT];
};

void tw_table_init(struct tw_table *tb, u32 max);
void tw_table_add_chunk(struct tw_table *tb, void *page);

static inline bool tw_table_full(const struct tw_table *tb)
{
	return tb->used >= tb->max;
}

/**
 * tw_table_alloc() - take a timer into use
 * @tb: the table
 *
 * Return: a timer in state TW_IDLE, of whose other members only index and
 * generation are defined; NULL when the table is full or needs another chunk.
 */
static inline struct tw_timer *tw_table_alloc(struct tw_table *tb)
{
	struct tw_timer *t;

	if (tw_table_full(tb) || !tb->free)
		return NULL;
	t = hlist_entry(tb->free, struct tw_timer, link);
	tb->free = t->link.next;
	t->state = TW_IDLE;
	tb->used++;
	return t;
}

/* Only the head is ever taken, so the free list needs no pprev. */
static inline void tw_table_push(struct tw_table *tb, struct tw_timer *t)
{
	t->link.next = tb->free;
	tb->free = &t->link;
}

/**
 * tw_table_free() - free a timer; its id is no longer valid
 * @tb: the table
 * @t: a timer in state TW_IDLE
 */
static inline void tw_table_free(struct tw_table *tb, struct tw_timer *t)
{
	u32 gen = t->gen + 1;

	t->state = TW_FREE;
	t->gen = gen + !gen;
	tw_table_push(tb, t);
	tb->used--;
}

/**
 * tw_table_at() - the timer with an index, in use or not
 * @tb: the table
 * @index: any number
 *
 * Return: the timer, or NULL when the table has no such index.
 */
static inline struct tw_timer *tw_table_at(const struct tw_table *tb, u32 index)
{
	struct tw_timer *chunk;

	if (index >= tb->capacity)
		return NULL;
	index = array_index_nospec(index, tb->capacity);
	chunk = tw_page(tb->root, index / TW_CHUNK);
	return &chunk[index % TW_CHUNK];
}

/**
 * tw_table_match() - the timer with an id, or the one that will have it next
 * @tb: the table
 * @id: any number
 *
 * For callers that check the timer's state themselves.
 *
 * Return: the timer, which may be in state TW_FREE; or NULL when none has this id.
 */
static inline struct tw_timer *tw_table_match(const struct tw_table *tb, u64 id)
{
	struct tw_timer *t = tw_table_at(tb, id & 0xffffffff);

	return t && t->gen == id >> 32 ? t : NULL;
}

/**
 * tw_table_find() - the timer with an id
 * @tb: the table
 * @id: any number
 *
 * Return: the timer, or NULL when none in use has this id.
 */
static inline struct tw_timer *tw_table_find(const struct tw_table *tb, u64 id)
{
	struct tw_timer *t = tw_table_match(tb, id);

	return t && t->state != TW_FREE ? t : NULL;
}

#endif /* TWHEEL_TABLE_H */
