// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The id table: timers by index, and a generation to tell apart the timers that
 * have the same index one after another.
 *
 *	id = generation << 32 | index
 *
 * Timers lie in pages of 64 (chunks).  A radix tree of fixed depth finds them:
 *
 *	root[512]  ->  leaf: page of 512 pointers  ->  chunk: page of 64 timers
 *
 * so 2^24 timers at most, and one pointer per 64 timers of overhead.  Pages are
 * given by the caller, who can sleep for memory where this code cannot; they
 * are never taken back before the end.  A free timer is in the free list, most
 * recently freed first since its cache line is warm; its generation is that of
 * the next timer to have its index, from 1 to 2^32 - 1 and round.
 */
#include <linux/string.h>

#include "table.h"
#include "wheel.h"

static_assert(sizeof(struct tw_timer) * TW_CHUNK <= TW_PAGE_BYTES);

/**
 * tw_table_init() - make a table empty
 * @tb: the table
 * @max: most timers in use, at most TW_TABLE_MAX
 */
void tw_table_init(struct tw_table *tb, u32 max)
{
	memset(tb, 0, sizeof(*tb));
	tb->max = max;
}

/**
 * tw_table_needs_leaf() - whether a leaf must come before the next chunk
 * @tb: the table
 */
bool tw_table_needs_leaf(const struct tw_table *tb)
{
	return tb->capacity < TW_TABLE_MAX && !tb->root[tb->capacity / TW_CHUNK / TW_LEAF];
}

/**
 * tw_table_add_leaf() - give the table a page for pointers
 * @tb: a table that needs a leaf
 * @page: a page of zeroes
 */
void tw_table_add_leaf(struct tw_table *tb, void *page)
{
	tb->root[tb->capacity / TW_CHUNK / TW_LEAF] = page;
}

/**
 * tw_table_add_chunk() - give the table a page for 64 more timers
 * @tb: a table that does not need a leaf, and has room: capacity < max
 * @page: a page of zeroes
 */
void tw_table_add_chunk(struct tw_table *tb, void *page)
{
	u32 chunk = tb->capacity / TW_CHUNK;
	struct tw_timer *t = page;
	u32 i;

	for (i = TW_CHUNK; i--;) {
		t[i].index = tb->capacity + i;
		t[i].gen = 1;
		tw_table_push(tb, &t[i]);
	}
	tb->root[chunk / TW_LEAF][chunk % TW_LEAF] = page;
	tb->capacity += TW_CHUNK;
}

/**
 * tw_table_take_page() - take the pages back, one by one
 * @tb: a table that is not used any more, except for this
 *
 * Return: a page that was given, or NULL when there is none left.
 */
void *tw_table_take_page(struct tw_table *tb)
{
	u32 chunk, leaf;
	void *page;

	if (tb->capacity) {
		tb->capacity -= TW_CHUNK;
		chunk = tb->capacity / TW_CHUNK;
		return tb->root[chunk / TW_LEAF][chunk % TW_LEAF];
	}
	for (leaf = 0; leaf < TW_ROOT; leaf++) {
		page = tb->root[leaf];
		tb->root[leaf] = NULL;
		if (page)
			return page;
	}
	return NULL;
}
