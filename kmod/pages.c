// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The growing and the end of a directory; what it is and how a page is found
 * are in pages.h.
 */
#include <linux/string.h>

#include "pages.h"

/**
 * tw_pages_init() - make a directory empty
 * @p: the directory
 * @root: its root, in the same struct
 * @leaves: size of @root
 */
void tw_pages_init(struct tw_pages *p, void ***root, u32 leaves)
{
	memset(root, 0, leaves * sizeof(*root));
	p->root = root;
	p->leaves = leaves;
	p->count = 0;
}

/**
 * tw_pages_need_leaf() - whether a leaf must come before the next page
 * @p: the directory
 *
 * Return: false also when the directory is full.
 */
bool tw_pages_need_leaf(const struct tw_pages *p)
{
	u32 leaf = p->count / TW_LEAF;

	return leaf < p->leaves && !p->root[leaf];
}

/**
 * tw_pages_add_leaf() - give a directory a page for pointers
 * @p: a directory that needs a leaf
 * @leaf: TW_PAGE_BYTES of zeroes
 */
void tw_pages_add_leaf(struct tw_pages *p, void *leaf)
{
	p->root[p->count / TW_LEAF] = leaf;
}

/**
 * tw_pages_add() - give a directory its next page
 * @p: a directory that does not need a leaf and is not full
 * @page: the page
 */
void tw_pages_add(struct tw_pages *p, void *page)
{
	p->root[p->count / TW_LEAF][p->count % TW_LEAF] = page;
	p->count++;
}

/**
 * tw_pages_take() - take the pages back, one by one
 * @p: a directory that is not used any more, except for this; may be zeroed
 *
 * Return: the last page, or NULL when there is none left.
 */
void *tw_pages_take(struct tw_pages *p)
{
	return p->count ? tw_page(p->root, --p->count) : NULL;
}

/**
 * tw_pages_take_leaf() - take the leaves back, one by one
 * @p: a directory whose pages have been taken back
 *
 * Return: a leaf, or NULL when there is none left.
 */
void *tw_pages_take_leaf(struct tw_pages *p)
{
	while (p->leaves) {
		void *leaf = p->root[--p->leaves];

		if (leaf)
			return leaf;
	}
	return NULL;
}
