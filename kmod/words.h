/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef TWHEEL_WORDS_H
#define TWHEEL_WORDS_H

/*
 * The words of a queue, one for each timer, by the timer's index.  They are in
 * pages of their own, which a program maps one after another.  What a word means
 * is in word.h.
 */
#include <asm/page.h>
#include <linux/types.h>

#include "pages.h"
#include "table.h"

#define TW_WORDS	((u32)(PAGE_SIZE / sizeof(u64)))	/* per page */
#define TW_WORD_LEAVES	(TW_TABLE_MAX / TW_WORDS / TW_LEAF)

/**
 * struct tw_words - one word for each timer of a queue
 * @on: whether the queue has words
 * @pages: the directory of the pages of words
 * @root: the root of @pages
 *
 * Growing is protected by the queue's lock.  The words themselves have no lock.
 */
struct tw_words {
	bool on;
	struct tw_pages pages;
	void **root[TW_WORD_LEAVES];
};

static inline void tw_words_init(struct tw_words *ws, bool on)
{
	ws->on = on;
	tw_pages_init(&ws->pages, ws->root, TW_WORD_LEAVES);
}

/* How many words there is memory for. */
static inline u32 tw_words_capacity(const struct tw_words *ws)
{
	return ws->pages.count * TW_WORDS;
}

/* The word of the timer with @index, for which there must be memory. */
static inline u64 *tw_words_at(const struct tw_words *ws, u32 index)
{
	u64 *page = tw_page(ws->root, index / TW_WORDS);

	return &page[index % TW_WORDS];
}

#endif /* TWHEEL_WORDS_H */
