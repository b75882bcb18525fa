// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The table of timers: random operations compared with plain arrays, and named
 * cases for the edges.
 */
#include <stdio.h>
#include <stdlib.h>

#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "rng.h"
#include "table.h"
#include "tap.h"
#include "wheel.h"

#define MAX_PAGES 600

/* A table, and the pages that it was given. */
struct world {
	struct tw_table table;
	void *pages[MAX_PAGES];
	unsigned int count;
};

static void *give_page(struct world *w)
{
	void *page = calloc(1, TW_PAGE_BYTES);

	if (w->count == MAX_PAGES)
		abort();
	w->pages[w->count++] = page;
	return page;
}

static void grow(struct world *w)
{
	if (tw_pages_need_leaf(&w->table.pages))
		tw_pages_add_leaf(&w->table.pages, give_page(w));
	tap_expect(!tw_pages_need_leaf(&w->table.pages));
	tw_table_add_chunk(&w->table, give_page(w));
}

static struct tw_timer *alloc(struct world *w)
{
	struct tw_timer *t = tw_table_alloc(&w->table);

	if (!t && w->table.capacity < w->table.max) {
		grow(w);
		t = tw_table_alloc(&w->table);
	}
	return t;
}

static void *take_page(struct tw_pages *pages)
{
	return tw_pages_take(pages) ?: tw_pages_take_leaf(pages);
}

/* Every page comes back, each once, and nothing else. */
static void take_back(struct world *w)
{
	unsigned int i, back = 0;
	void *page;

	while ((page = take_page(&w->table.pages))) {
		for (i = 0; i < w->count && w->pages[i] != page; i++)
			;
		tap_expect(i < w->count);
		if (i == w->count)
			break;
		w->pages[i] = NULL;
		free(page);
		back++;
	}
	tap_expect_eq(back, w->count);
	tap_expect(!take_page(&w->table.pages));
	w->count = 0;
}

static void empty(u64 seed)
{
	static struct world w;

	(void)seed;
	tw_table_init(&w.table, 100);
	tap_expect(!tw_table_alloc(&w.table));
	tap_expect(!tw_table_find(&w.table, 0));
	tap_expect(!tw_table_find(&w.table, 1ULL << 32));
	tap_expect(!tw_table_at(&w.table, 0));
	tap_expect(tw_pages_need_leaf(&w.table.pages));
	tap_expect(!tw_table_full(&w.table));
	take_back(&w);
}

static void leaf_without_chunk(u64 seed)
{
	static struct world w;

	(void)seed;
	tw_table_init(&w.table, 100);
	tw_pages_add_leaf(&w.table.pages, give_page(&w));
	tap_expect(!tw_table_alloc(&w.table));
	tap_expect(!tw_table_at(&w.table, 0));
	take_back(&w);
}

static void limit_is_no_multiple_of_a_chunk(u64 seed)
{
	static struct world w;
	struct tw_timer *t;
	unsigned int i;

	(void)seed;
	tw_table_init(&w.table, TW_CHUNK + 3);
	for (i = 0; i < TW_CHUNK + 3; i++) {
		tap_expect(!tw_table_full(&w.table));
		t = alloc(&w);
		tap_expect(t && t->index == i);
	}
	tap_expect_eq(w.table.capacity, 2 * TW_CHUNK);
	tap_expect(tw_table_full(&w.table));
	tap_expect(!alloc(&w));
	tap_expect_eq(w.table.capacity, 2 * TW_CHUNK);
	tw_table_free(&w.table, tw_table_at(&w.table, 0));
	tap_expect(alloc(&w) == tw_table_at(&w.table, 0));
	take_back(&w);
}

static void generation_wraps_to_one(u64 seed)
{
	static struct world w;
	struct tw_timer *t;
	u64 last;

	(void)seed;
	tw_table_init(&w.table, 1);
	t = alloc(&w);
	tap_expect_eq(tw_timer_id(t), 1ULL << 32);
	t->gen = 0xffffffff;
	last = tw_timer_id(t);
	tap_expect(tw_table_find(&w.table, last) == t);
	tw_table_free(&w.table, t);
	tap_expect(!tw_table_find(&w.table, last));
	tap_expect(alloc(&w) == t);
	tap_expect_eq(t->gen, 1);
	tap_expect(!tw_table_find(&w.table, last));
	tap_expect(!tw_table_find(&w.table, t->index));		/* generation 0 */
	tap_expect(tw_table_find(&w.table, tw_timer_id(t)) == t);
	take_back(&w);
}

static void a_second_leaf(u64 seed)
{
	static struct world w;
	unsigned int i, before = TW_CHUNK * TW_LEAF;

	(void)seed;
	tw_table_init(&w.table, TW_TABLE_MAX);
	for (i = 0; i < TW_LEAF; i++)
		grow(&w);
	tap_expect(tw_pages_need_leaf(&w.table.pages));
	tap_expect(!tw_table_at(&w.table, before));
	grow(&w);
	tap_expect(tw_table_at(&w.table, before));
	tap_expect_eq(tw_table_at(&w.table, before)->index, before);
	tap_expect_eq(tw_table_at(&w.table, before - 1)->index, before - 1);
	take_back(&w);
}

/* All of it; one page serves as each leaf and each chunk. */
static void the_largest_table(u64 seed)
{
	static struct tw_table tb;
	void *leaf = calloc(1, TW_PAGE_BYTES), *chunk = malloc(TW_PAGE_BYTES);
	u64 pages = 0;

	(void)seed;
	tw_table_init(&tb, TW_TABLE_MAX);
	while (tb.capacity < TW_TABLE_MAX) {
		if (tw_pages_need_leaf(&tb.pages))
			tw_pages_add_leaf(&tb.pages, leaf);
		memset(chunk, 0, TW_PAGE_BYTES);
		tb.free = NULL;
		tw_table_add_chunk(&tb, chunk);
	}
	tap_expect_eq(tb.capacity, 1 << 24);
	tap_expect(!tw_pages_need_leaf(&tb.pages));
	tap_expect_eq(tw_table_at(&tb, TW_TABLE_MAX - 1)->index, TW_TABLE_MAX - 1);
	tap_expect(!tw_table_at(&tb, TW_TABLE_MAX));
	tap_expect(!tw_table_at(&tb, 0xffffffff));
	while (take_page(&tb.pages))
		pages++;
	tap_expect_eq(pages, TW_ROOT * TW_LEAF + TW_ROOT);
	free(leaf);
	free(chunk);
}

#define STALE 1000
#define MAX_TIMERS 3000

/* What the table must know: the ids in use, and some that were. */
struct ids {
	u64 used[MAX_TIMERS];
	unsigned int count;
	u64 stale[STALE];
};

static void forget(struct rng *r, struct ids *ids, unsigned int i)
{
	ids->stale[rng_below(r, STALE)] = ids->used[i];
	ids->used[i] = ids->used[--ids->count];
}

static bool in_use(const struct ids *ids, u64 id)
{
	unsigned int i;

	for (i = 0; i < ids->count; i++)
		if (ids->used[i] == id)
			return true;
	return false;
}

static void look_up(struct rng *r, struct world *w, const struct ids *ids)
{
	u64 id = ids->stale[rng_below(r, STALE)];
	struct tw_timer *t;

	if (ids->count && rng_one_in(r, 2)) {
		id = ids->used[rng_below(r, ids->count)];
		t = tw_table_find(&w->table, id);
		tap_expect(t && tw_timer_id(t) == id && t->index == (u32)id);
		tap_expect(!tw_table_find(&w->table, id + (1ULL << 32)) ||
			   in_use(ids, id + (1ULL << 32)));
		return;
	}
	if (rng_one_in(r, 4))
		id = rng_u64(r) >> rng_below(r, 64);
	tap_expect(!tw_table_find(&w->table, id) == !in_use(ids, id));
}

static void step(struct rng *r, struct world *w, struct ids *ids, unsigned int fill)
{
	struct tw_timer *t;
	unsigned int i;

	if (rng_below(r, 100) < fill) {
		t = alloc(w);
		tap_expect(!t == (ids->count == w->table.max));
		if (!t)
			return;
		tap_expect_eq(t->state, TW_IDLE);
		tap_expect(!in_use(ids, tw_timer_id(t)));
		tap_expect(hlist_unhashed(&t->link));
		t->slot = rng_u64(r);			/* the owner may */
		ids->used[ids->count++] = tw_timer_id(t);
	} else if (ids->count) {
		i = rng_below(r, ids->count);
		t = tw_table_find(&w->table, ids->used[i]);
		tap_expect(t);
		if (!t)
			return;
		if (rng_one_in(r, 50)) {		/* soon round */
			t->gen = 0xffffffff - rng_below(r, 3);
			ids->used[i] = tw_timer_id(t);
		}
		tw_table_free(&w->table, t);
		tap_expect(!tw_table_find(&w->table, ids->used[i]));
		forget(r, ids, i);
	}
	tap_expect_eq(w->table.used, ids->count);
	look_up(r, w, ids);
}

static void random_operations(u64 seed)
{
	struct rng r = { seed };
	static struct world w;
	static struct ids ids;
	unsigned int run, i;

	for (run = 0; run < 20; run++) {
		memset(&ids, 0, sizeof(ids));
		tw_table_init(&w.table, 1 + rng_below(&r, MAX_TIMERS - 1));
		for (i = 0; i < 10000; i++)
			step(&r, &w, &ids, i / 2000 % 2 ? 30 : 80);
		take_back(&w);
	}
}

static const struct tap_test tests[] = {
	{ "empty", empty },
	{ "leaf without chunk", leaf_without_chunk },
	{ "limit is no multiple of a chunk", limit_is_no_multiple_of_a_chunk },
	{ "generation wraps to 1", generation_wraps_to_one },
	{ "a second leaf", a_second_leaf },
	{ "the largest table", the_largest_table },
	{ "random operations", random_operations },
};

int main(int argc, char **argv)
{
	return tap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
