// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the id table.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "table.c"

#define MOST	1000U

/* Test data: a table, the ids that are in use, and some that were. */
struct fixture {
	struct tw_table table;
	unsigned int given;
	u64 used[MOST];
	unsigned int count;
	u64 stale[MOST];
	u64 random;
};

/* splitmix64 */
static u32 random_below(struct fixture *f, u32 n)
{
	u64 x = f->random += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return (u32)(x >> 32) % n;
}

static void *new_page(struct kunit *test)
{
	struct fixture *f = test->priv;
	void *page = (void *)get_zeroed_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	f->given++;
	return page;
}

static void grow(struct kunit *test)
{
	struct fixture *f = test->priv;

	if (tw_pages_need_leaf(&f->table.pages))
		tw_pages_add_leaf(&f->table.pages, new_page(test));
	KUNIT_EXPECT_FALSE(test, tw_pages_need_leaf(&f->table.pages));
	tw_table_add_chunk(&f->table, new_page(test));
}

static int table_test_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	f->random = 1;
	tw_table_init(&f->table, 100);
	test->priv = f;
	return 0;
}

static void *take_page(struct tw_pages *pages)
{
	return tw_pages_take(pages) ?: tw_pages_take_leaf(pages);
}

/* Each page comes back once; with a wrong one the page allocator complains. */
static void table_test_exit(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int back = 0;
	void *page;

	while ((page = take_page(&f->table.pages))) {
		free_page((unsigned long)page);
		back++;
	}
	KUNIT_EXPECT_EQ(test, back, f->given);
	KUNIT_EXPECT_NULL(test, take_page(&f->table.pages));
}

static void table_empty(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_NULL(test, tw_table_alloc(&f->table));
	KUNIT_EXPECT_NULL(test, tw_table_find(&f->table, 0));
	KUNIT_EXPECT_NULL(test, tw_table_find(&f->table, 1ULL << 32));
	KUNIT_EXPECT_NULL(test, tw_table_at(&f->table, 0));
	KUNIT_EXPECT_TRUE(test, tw_pages_need_leaf(&f->table.pages));
	KUNIT_EXPECT_FALSE(test, tw_table_full(&f->table));
}

static void table_leaf_without_chunk(struct kunit *test)
{
	struct fixture *f = test->priv;

	tw_pages_add_leaf(&f->table.pages, new_page(test));
	KUNIT_EXPECT_FALSE(test, tw_pages_need_leaf(&f->table.pages));
	KUNIT_EXPECT_NULL(test, tw_table_alloc(&f->table));
	KUNIT_EXPECT_NULL(test, tw_table_at(&f->table, 0));
}

static void table_first_chunk(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct tw_timer *t;
	u32 i;

	grow(test);
	for (i = 0; i < TW_CHUNK; i++) {
		t = tw_table_alloc(&f->table);
		KUNIT_ASSERT_NOT_NULL(test, t);
		KUNIT_EXPECT_EQ(test, t->index, i);
		KUNIT_EXPECT_TRUE(test, t->state == TW_IDLE);
		KUNIT_EXPECT_EQ(test, tw_timer_id(t), 1ULL << 32 | i);
		KUNIT_EXPECT_PTR_EQ(test, tw_table_at(&f->table, i), t);
	}
	KUNIT_EXPECT_NULL(test, tw_table_alloc(&f->table));
	KUNIT_EXPECT_NULL(test, tw_table_at(&f->table, TW_CHUNK));
	KUNIT_EXPECT_FALSE(test, tw_table_full(&f->table));
}

static void table_limit_within_chunk(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	tw_table_init(&f->table, TW_CHUNK + 3);
	grow(test);
	grow(test);
	for (i = 0; i < TW_CHUNK + 3; i++)
		KUNIT_EXPECT_NOT_NULL(test, tw_table_alloc(&f->table));
	KUNIT_EXPECT_TRUE(test, tw_table_full(&f->table));
	KUNIT_EXPECT_NULL(test, tw_table_alloc(&f->table));
	tw_table_free(&f->table, tw_table_at(&f->table, 0));
	KUNIT_EXPECT_FALSE(test, tw_table_full(&f->table));
	KUNIT_EXPECT_NOT_NULL(test, tw_table_alloc(&f->table));
}

static void table_second_leaf(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	tw_table_init(&f->table, TW_TABLE_MAX);
	for (i = 0; i < TW_LEAF; i++)
		grow(test);
	KUNIT_EXPECT_TRUE(test, tw_pages_need_leaf(&f->table.pages));
	i = TW_LEAF * TW_CHUNK;
	KUNIT_EXPECT_NULL(test, tw_table_at(&f->table, i));
	grow(test);
	KUNIT_ASSERT_NOT_NULL(test, tw_table_at(&f->table, i));
	KUNIT_EXPECT_EQ(test, tw_table_at(&f->table, i)->index, i);
	KUNIT_EXPECT_EQ(test, tw_table_at(&f->table, i - 1)->index, i - 1);
}

static void table_stale_id(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct tw_timer *t;
	u64 id;

	grow(test);
	t = tw_table_alloc(&f->table);
	id = tw_timer_id(t);
	KUNIT_EXPECT_PTR_EQ(test, tw_table_find(&f->table, id), t);
	tw_table_free(&f->table, t);
	KUNIT_EXPECT_NULL(test, tw_table_find(&f->table, id));
	KUNIT_EXPECT_NULL(test, tw_table_find(&f->table, tw_timer_id(t)));
	KUNIT_EXPECT_PTR_EQ(test, tw_table_alloc(&f->table), t);
	KUNIT_EXPECT_EQ(test, tw_timer_id(t), id + (1ULL << 32));
	KUNIT_EXPECT_NULL(test, tw_table_find(&f->table, id));
	KUNIT_EXPECT_PTR_EQ(test, tw_table_find(&f->table, tw_timer_id(t)), t);
}

/* B16: generations at their maximum. */
static void table_generation_wraps_to_one(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct tw_timer *t;
	u64 last;

	grow(test);
	t = tw_table_alloc(&f->table);
	t->gen = U32_MAX;
	last = tw_timer_id(t);
	KUNIT_EXPECT_PTR_EQ(test, tw_table_find(&f->table, last), t);
	tw_table_free(&f->table, t);
	KUNIT_EXPECT_PTR_EQ(test, tw_table_alloc(&f->table), t);
	KUNIT_EXPECT_EQ(test, t->gen, 1);
	KUNIT_EXPECT_NULL(test, tw_table_find(&f->table, last));
	KUNIT_EXPECT_NULL(test, tw_table_find(&f->table, t->index));
}

struct foreign_case {
	const char *name;
	u64 id;
};

static const struct foreign_case foreign_cases[] = {
	{ "0", 0 },
	{ "generation 0", 5 },
	{ "free, generation 1", 1ULL << 32 | 5 },
	{ "the next generation", 2ULL << 32 },
	{ "first index without memory", 1ULL << 32 | TW_CHUNK },
	{ "first index of the next leaf", 1ULL << 32 | TW_CHUNK * TW_LEAF },
	{ "first index that cannot be", 1ULL << 32 | TW_TABLE_MAX },
	{ "last index of 32 bits", 1ULL << 32 | U32_MAX },
	{ "all bits", U64_MAX },
};

static void foreign_name(const struct foreign_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(foreign, foreign_cases, foreign_name);

static void table_foreign_id(struct kunit *test)
{
	const struct foreign_case *c = test->param_value;
	struct fixture *f = test->priv;

	grow(test);
	KUNIT_ASSERT_NOT_NULL(test, tw_table_alloc(&f->table));
	KUNIT_EXPECT_NULL(test, tw_table_find(&f->table, c->id));
}

static bool in_use(const struct fixture *f, u64 id)
{
	unsigned int i;

	for (i = 0; i < f->count; i++)
		if (f->used[i] == id)
			return true;
	return false;
}

static void model_alloc(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct tw_timer *t = tw_table_alloc(&f->table);

	if (!t && f->count < f->table.max) {
		grow(test);
		t = tw_table_alloc(&f->table);
	}
	if (f->count == f->table.max) {
		KUNIT_ASSERT_NULL(test, t);
		return;
	}
	KUNIT_ASSERT_NOT_NULL(test, t);
	KUNIT_ASSERT_FALSE(test, in_use(f, tw_timer_id(t)));
	f->used[f->count++] = tw_timer_id(t);
}

static void model_free(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;
	struct tw_timer *t;

	if (!f->count)
		return;
	i = random_below(f, f->count);
	t = tw_table_find(&f->table, f->used[i]);
	KUNIT_ASSERT_NOT_NULL(test, t);
	if (!random_below(f, 20)) {
		t->gen = U32_MAX - random_below(f, 3);
		f->used[i] = tw_timer_id(t);
	}
	tw_table_free(&f->table, t);
	f->stale[random_below(f, MOST)] = f->used[i];
	f->used[i] = f->used[--f->count];
}

static void table_model(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;
	u64 id;

	kunit_info(test, "seed %llu\n", f->random);
	tw_table_init(&f->table, MOST - 7);
	for (i = 0; i < 20000; i++) {
		if (random_below(f, 100) < (i / 4000 % 2 ? 30 : 80))
			model_alloc(test);
		else
			model_free(test);
		KUNIT_ASSERT_EQ(test, f->table.used, f->count);
		id = f->stale[random_below(f, MOST)];
		KUNIT_ASSERT_EQ(test, !tw_table_find(&f->table, id), !in_use(f, id));
	}
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE(table_empty),
	KUNIT_CASE(table_leaf_without_chunk),
	KUNIT_CASE(table_first_chunk),
	KUNIT_CASE(table_limit_within_chunk),
	KUNIT_CASE(table_second_leaf),
	KUNIT_CASE(table_stale_id),
	KUNIT_CASE(table_generation_wraps_to_one),
	KUNIT_CASE_PARAM(table_foreign_id, foreign_gen_params),
	KUNIT_CASE(table_model),
	{}
};

static struct kunit_suite table_suite = {
	.name = "twheel_table",
	.init = table_test_init,
	.exit = table_test_exit,
	.test_cases = table_cases,
};

kunit_test_suite(table_suite);
