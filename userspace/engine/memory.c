// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Memory of the engine in the process.
 *
 * Timers come in arenas of anonymous memory.  The first is for 4096 timers and takes
 * memory page by page.  The others are huge pages of 2 MB where the machine has
 * them: large tables are read at random, and a page of 4 KB would cost a TLB miss for
 * each timer.  The table is given an arena's pages one by one, as it needs them.
 *
 * The words are one mapping for as many timers as the queue may have, since programs
 * index it.  It takes memory as it is used.
 *
 * The ring is the program's own memory.  The page that @alive points into is wiped
 * by fork(), so a child knows that its copy of the queue is not the queue.
 */
#include <errno.h>
#include <linux/errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "engine.h"

#define HUGE_CHUNKS	512U	/* 2 MB */
#define FIRST_CHUNKS	64U

/* Zeroes, or NULL. */
static void *map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void unmap(const void *p, size_t bytes)
{
	if (p)
		munmap((void *)p, bytes);
}

/* @bytes of zeroes at a multiple of @bytes, in a huge page if possible; or NULL. */
static void *map_huge(size_t bytes)
{
	char *p = map(2 * bytes), *aligned;

	if (!p)
		return NULL;
	aligned = (char *)(((uintptr_t)p + bytes - 1) & ~(uintptr_t)(bytes - 1));
	if (aligned > p)
		munmap(p, (size_t)(aligned - p));
	munmap(aligned + bytes, (size_t)(p + bytes - aligned));
	madvise(aligned, bytes, MADV_HUGEPAGE);	/* a wish */
	return aligned;
}

static size_t ring_bytes(u32 entries)
{
	return tw_ring_bytes(entries) + sizeof(struct twheel_ctl);
}

/* Ring and ctl in one piece: the ctl page comes first, and is a cache line. */
static int init_ring(struct twheel_process *p, u32 entries)
{
	struct twheel_ctl *ctl = map(ring_bytes(entries));

	if (!ctl)
		return -ENOMEM;
	tw_ring_init(&p->core.ring, (void *)(ctl + 1), ctl, entries);
	return 0;
}

static int init_alive(struct twheel_process *p)
{
	u32 *alive = map(sizeof(*alive));

	if (!alive)
		return -ENOMEM;
	p->alive = alive;
	if (madvise(alive, sizeof(*alive), MADV_WIPEONFORK))
		return -errno;
	*alive = 1;
	return 0;
}

static int init_words(struct twheel_process *p, const struct twheel_setup *setup)
{
	tw_words_init(&p->core.words, setup->flags & TWHEEL_SETUP_WORDS);
	if (!p->core.words.on)
		return 0;
	p->words_bytes = sizeof(u64) * (size_t)setup->max_timers + TW_PAGE_BYTES;
	p->words = map(p->words_bytes);
	if (!p->words)
		return -ENOMEM;
	/* A child's steps by the word would go nowhere: there all of them are idle. */
	return madvise(p->words, p->words_bytes, MADV_WIPEONFORK) ? -errno : 0;
}

/**
 * engine_memory_init() - take the memory that a new queue needs
 * @p: zeroes, to be given to engine_memory_free() also after an error
 * @setup: checked
 *
 * Return: 0, -ENOMEM, or an errno of madvise(2).
 */
int engine_memory_init(struct twheel_process *p, const struct twheel_setup *setup)
{
	int err = init_alive(p);

	tw_table_init(&p->core.table, setup->max_timers);
	if (!err)
		err = init_words(p, setup);
	if (!err)
		err = init_ring(p, setup->ring_entries);
	return err;
}

static void free_leaves(struct tw_pages *pages)
{
	void *leaf;

	while ((leaf = tw_pages_take_leaf(pages)))
		free(leaf);
}

/* How many chunks the arena has that begins with this chunk; 0 if none does. */
static u32 arena_at(u32 chunk)
{
	if (!chunk)
		return FIRST_CHUNKS;
	return chunk >= FIRST_CHUNKS && (chunk - FIRST_CHUNKS) % HUGE_CHUNKS == 0 ?
	       HUGE_CHUNKS : 0;
}

static void free_arenas(struct twheel_process *p)
{
	struct tw_pages *pages = &p->core.table.pages;
	void *page;

	/* From the last to the first: an arena's first chunk has its address. */
	while ((page = tw_pages_take(pages)))
		if (arena_at(pages->count))
			unmap(page, (size_t)arena_at(pages->count) * TW_PAGE_BYTES);
}

/**
 * engine_memory_free() - give all memory back but the queue itself
 * @p: the queue, which may be half made
 */
void engine_memory_free(struct twheel_process *p)
{
	free_arenas(p);
	free_leaves(&p->core.table.pages);
	free_leaves(&p->core.words.pages);
	if (p->core.ring.ctl)
		unmap(p->core.ring.ctl, ring_bytes(p->core.ring.entries));
	unmap(p->words, p->words_bytes);
	unmap(p->alive, sizeof(*p->alive));
}

/* Give a directory a leaf if its next page needs one. */
static int add_leaf(struct tw_pages *pages)
{
	void *leaf;

	if (!tw_pages_need_leaf(pages))
		return 0;
	leaf = calloc(1, TW_PAGE_BYTES);
	if (!leaf)
		return -ENOMEM;
	tw_pages_add_leaf(pages, leaf);
	return 0;
}

/* Let the directory have another page of the words' mapping unless there are @count. */
static int grow_words(struct twheel_process *p, u32 count)
{
	struct tw_words *words = &p->core.words;
	int err;

	if (!words->on || tw_words_capacity(words) >= count)
		return 0;
	err = add_leaf(&words->pages);
	if (!err)
		tw_pages_add(&words->pages,
			     p->words + (size_t)words->pages.count * TW_PAGE_BYTES);
	return err;
}

/* The page for the next chunk: the next of the last arena, or of a new one. */
static void *next_chunk(struct twheel_process *p)
{
	u32 count = p->core.table.pages.count;
	u32 chunks = arena_at(count);

	if (!chunks)
		return (char *)tw_page(p->core.table.root, count - 1) + TW_PAGE_BYTES;
	if (chunks < HUGE_CHUNKS)
		return map((size_t)chunks * TW_PAGE_BYTES);
	return map_huge((size_t)chunks * TW_PAGE_BYTES);
}

/**
 * engine_grow() - add memory for TW_CHUNK timers and their words
 * @p: the queue, locked
 *
 * Return: 0 or -ENOMEM.
 */
int engine_grow(struct twheel_process *p)
{
	struct tw_table *table = &p->core.table;
	int err = grow_words(p, table->capacity + TW_CHUNK);
	void *chunk;

	if (!err)
		err = add_leaf(&table->pages);
	if (err)
		return err;
	chunk = next_chunk(p);
	if (!chunk)
		return -ENOMEM;
	tw_table_add_chunk(table, chunk);
	return 0;
}

/**
 * engine_memory() - bytes taken by a queue's timers, words and ring
 * @p: the queue, locked
 */
u64 engine_memory(const struct twheel_process *p)
{
	const struct tw_core *c = &p->core;

	return sizeof(struct tw_timer) * (u64)c->table.capacity +
	       sizeof(u64) * (u64)tw_words_capacity(&c->words) +
	       ring_bytes(c->ring.entries);
}
