/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef TWHEEL_PAGES_H
#define TWHEEL_PAGES_H

/*
 * A directory: pages by number, on two levels.
 *
 *	root: in the owner's struct  ->  leaf: page of pointers  ->  page
 *
 * It grows by one page at a time and never shrinks before the end.  All memory is
 * given by the caller, who can sleep for it where this code cannot.  A page never
 * moves, so what is in it may be pointed to.
 */
#include <linux/types.h>

#define TW_PAGE_BYTES	4096U
#define TW_LEAF		((u32)(TW_PAGE_BYTES / sizeof(void *)))	/* pages in a leaf */

/**
 * struct tw_pages - what is in a directory
 * @root: the leaves, or NULL
 * @leaves: size of @root
 * @count: pages; their numbers are 0 to @count - 1
 *
 * Lookups go to the root directly, by tw_page(), which saves a load.
 *
 * Not locked: callers serialise.
 */
struct tw_pages {
	void ***root;
	u32 leaves;
	u32 count;
};

void tw_pages_init(struct tw_pages *p, void ***root, u32 leaves);
bool tw_pages_need_leaf(const struct tw_pages *p);
void tw_pages_add_leaf(struct tw_pages *p, void *leaf);
void tw_pages_add(struct tw_pages *p, void *page);
void *tw_pages_take(struct tw_pages *p);
void *tw_pages_take_leaf(struct tw_pages *p);

/**
 * tw_page() - a page of a directory
 * @root: the directory's root
 * @number: less than its count
 */
static inline void *tw_page(void **const *root, u32 number)
{
	return root[number / TW_LEAF][number % TW_LEAF];
}

#endif /* TWHEEL_PAGES_H */
