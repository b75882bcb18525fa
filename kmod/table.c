// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * How the id table grows.  How timers are found, allocated and freed is in
 * table.h.
 */
#include <linux/build_bug.h>

#include "table.h"

static_assert(sizeof(struct tw_timer) * TW_CHUNK <= TW_PAGE_BYTES);
static_assert(TW_ROOT * TW_LEAF * TW_CHUNK == TW_TABLE_MAX);

/**
 * tw_table_init() - initialise an empty table
 * @tb: the table
 * @max: how many timers may be in use, at most TW_TABLE_MAX
 */
void tw_table_init(struct tw_table *tb, u32 max)
{
	tb->max = max;
	tb->capacity = 0;
	tb->used = 0;
	tb->free = NULL;
	tw_pages_init(&tb->pages, tb->root, TW_ROOT);
}

/**
 * tw_table_add_chunk() - give the table a page for 64 more timers
 * @tb: a table with capacity < max whose directory does not need a leaf
 * @page: TW_PAGE_BYTES of zeroes
 */
void tw_table_add_chunk(struct tw_table *tb, void *page)
{
	struct tw_timer *t = page;
	u32 i;

	for (i = TW_CHUNK; i--;) {
		t[i].index = tb->capacity + i;
		t[i].gen = 1;
		tw_table_push(tb, &t[i]);
	}
	tw_pages_add(&tb->pages, page);
	tb->capacity += TW_CHUNK;
}
