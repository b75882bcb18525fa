// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Memory of the engine in the process.
 *
 * Timers come in arenas, anonymous memory for 16384 timers each, so that the kernel
 * is asked rarely.  A page of an arena takes memory when its first timer is used.
 * The table is given an arena's pages one by one, as it needs them.
 *
 * The words are one mapping for as many timers as the queue may have, since programs
 * index it.  It takes memory as it is used.
 *
 * The ring is the program's own memory.  The page that @alive points into is wiped
 * by fork(), so a child knows that its copy of the queue is not the queue.
 */
#include <errno.h>
#include <linux/errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "engine.h"

#define ARENA_CHUNKS	256U
#define ARENA_BYTES	((size_t)ARENA_CHUNKS * TW_PAGE_BYTES)

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
	return p->words ? 0 : -ENOMEM;
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

static void free_arenas(struct twheel_process *p)
{
	struct tw_table *table = &p->core.table;
	void *page;

	/* Taken from the last to the first: the first of an arena is its address. */
	while ((page = tw_pages_take(&table->pages)))
		if (table->pages.count % ARENA_CHUNKS == 0)
			unmap(page, ARENA_BYTES);
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

/* The page for the next chunk of timers: the next of the last arena, or of a new one. */
static void *next_chunk(struct twheel_process *p)
{
	u32 count = p->core.table.pages.count;

	if (count % ARENA_CHUNKS)
		return (char *)tw_page(p->core.table.root, count - 1) + TW_PAGE_BYTES;
	return map(ARENA_BYTES);
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
