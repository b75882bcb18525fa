// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the directory of pages, and of the words that are found by it.
 */
#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/slab.h>

#include "pages.c"
#include "words.h"

/* Add memory for one more page of words. */
static void grow(struct kunit *test, struct tw_words *ws)
{
	void *leaf, *page = (void *)get_zeroed_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	if (tw_pages_need_leaf(&ws->pages)) {
		leaf = kzalloc(TW_PAGE_BYTES, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, leaf);
		tw_pages_add_leaf(&ws->pages, leaf);
	}
	KUNIT_EXPECT_FALSE(test, tw_pages_need_leaf(&ws->pages));
	tw_pages_add(&ws->pages, page);
}

/* How many pages and leaves came back. */
static u32 shrink(struct tw_words *ws, u32 *leaves)
{
	u32 pages = 0;
	void *p;

	for (; (p = tw_pages_take(&ws->pages)); pages++)
		free_page((unsigned long)p);
	for (*leaves = 0; (p = tw_pages_take_leaf(&ws->pages)); ++*leaves)
		kfree(p);
	return pages;
}

static void pages_of_words(struct kunit *test)
{
	static struct tw_words ws;
	u32 i, leaves, pages = TW_LEAF + 2;

	tw_words_init(&ws, true);
	KUNIT_EXPECT_TRUE(test, tw_pages_need_leaf(&ws.pages));
	for (i = 0; i < pages; i++)
		grow(test, &ws);
	KUNIT_EXPECT_EQ(test, tw_words_capacity(&ws), pages * TW_WORDS);
	for (i = 0; i < pages * TW_WORDS; i += TW_WORDS / 2)
		*tw_words_at(&ws, i) = i + 1;
	for (i = 0; i < pages * TW_WORDS; i += TW_WORDS / 2)
		KUNIT_EXPECT_EQ(test, *tw_words_at(&ws, i), i + 1);
	KUNIT_EXPECT_PTR_EQ(test, tw_words_at(&ws, 1), tw_words_at(&ws, 0) + 1);
	KUNIT_EXPECT_PTR_EQ(test, tw_words_at(&ws, TW_WORDS), (u64 *)tw_page(ws.root, 1));
	KUNIT_EXPECT_EQ(test, shrink(&ws, &leaves), pages);
	KUNIT_EXPECT_EQ(test, leaves, 2);
}

static void pages_end_of_zeroes(struct kunit *test)
{
	static struct tw_words ws;
	u32 leaves;

	KUNIT_EXPECT_EQ(test, shrink(&ws, &leaves), 0);
	KUNIT_EXPECT_EQ(test, leaves, 0);
}

static struct kunit_case pages_cases[] = {
	KUNIT_CASE(pages_of_words),
	KUNIT_CASE(pages_end_of_zeroes),
	{}
};

static struct kunit_suite pages_suite = {
	.name = "twheel_pages",
	.test_cases = pages_cases,
};

kunit_test_suite(pages_suite);
