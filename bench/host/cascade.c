// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A classic cascading wheel, written for this comparison and nobody's library:
 * ticks of 1 ms; when the first level has gone round, the next slot of the
 * second is filed anew, and so on.  All levels have 64 slots, or, with FIRST=8,
 * the first has 256, which is what Linux had until 4.8.
 */
#ifndef FIRST
#define FIRST 6
#endif
#if FIRST == 6
#define PEER "cascade64"
#else
#define PEER "cascade256"
#endif
#include "driver.h"

#define BITS	6
#define LEVELS	5

struct node {
	struct node *next;
	struct node **pprev;
	u64 expires;
	void (*function)(struct node *node);
	void *data;
};

static struct node *nodes, *slots[LEVELS][1 << FIRST];
static u64 clk;			/* the next tick to do */

static void ring(struct node *node __unused_ok)
{
	fired++;
}

static inline unsigned int shift(unsigned int level)
{
	return level ? FIRST + BITS * (level - 1) : 0;
}

static inline unsigned int slot(u64 ticks, unsigned int level)
{
	return ticks >> shift(level) & ((1U << (level ? BITS : FIRST)) - 1);
}

static void file(struct node *node)
{
	u64 expires = node->expires < clk ? clk : node->expires;
	unsigned int level = 0;
	struct node **head;

	while (level < LEVELS - 1 && (expires - clk) >> shift(level + 1))
		level++;
	head = &slots[level][slot(expires, level)];
	node->next = *head;
	node->pprev = head;
	if (node->next)
		node->next->pprev = &node->next;
	*head = node;
}

static struct node *take(struct node **head)
{
	struct node *list = *head;

	*head = NULL;
	return list;
}

static void cascade(unsigned int level)
{
	struct node *node, *next;

	for (node = take(&slots[level][slot(clk, level)]); node; node = next) {
		next = node->next;
		file(node);
	}
}

static void tick(void)
{
	unsigned int level;
	struct node *node;

	for (level = 1; level < LEVELS && !slot(clk, level - 1); level++)
		cascade(level);
	while ((node = slots[0][slot(clk, 0)])) {
		slots[0][slot(clk, 0)] = node->next;
		if (node->next)
			node->next->pprev = &slots[0][slot(clk, 0)];
		node->function(node);
	}
	clk++;
}

static void peer_init(u32 n)
{
	nodes = malloc(n * sizeof(*nodes));
	memset(nodes, 0, n * sizeof(*nodes));
	memset(slots, 0, sizeof(slots));
	clk = now / MSEC;
}

static void peer_exit(void)
{
	free(nodes);
}

static void peer_arm(u32 i, u64 expires)
{
	nodes[i].expires = (expires + MSEC - 1) / MSEC;
	nodes[i].function = ring;
	file(&nodes[i]);
}

static void peer_cancel(u32 i)
{
	struct node *node = &nodes[i];

	*node->pprev = node->next;
	if (node->next)
		node->next->pprev = node->pprev;
}

static void peer_move(u32 i, u64 expires)
{
	peer_cancel(i);
	peer_arm(i, expires);
}

static bool peer_step(u64 at)
{
	while (clk <= at / MSEC)
		tick();
	return false;
}

static void peer_tick(u64 at)
{
	peer_step(at);
}
