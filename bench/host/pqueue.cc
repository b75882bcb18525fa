// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * std::priority_queue with lazy deletion: an entry is stale when its timer has
 * another generation.  Stale entries are dropped when they come to the top, and
 * all at once when they are more than the others, else memory would not end.
 */
#define PEER "priority_queue"
#include <algorithm>
#include <queue>
#include <vector>

#include "driver.h"

struct entry {
	u64 expires;
	u32 index;
	u32 gen;

	bool operator<(const entry &other) const
	{
		return expires > other.expires;
	}
};

struct timer {
	void (*function)(timer *t);
	void *data;
	u32 gen;
};

static std::vector<timer> timers;

static bool stale(const entry &e)
{
	return timers[e.index].gen != e.gen;
}

struct heap : std::priority_queue<entry> {
	void purge()
	{
		c.erase(std::remove_if(c.begin(), c.end(), stale), c.end());
		std::make_heap(c.begin(), c.end(), comp);
	}
};

static heap *queue;
static u32 live;

static void ring(timer *)
{
	fired++;
	live--;
}

static void peer_init(u32 n)
{
	timers.assign(n, { ring, NULL, 0 });
	queue = new heap;
	live = 0;
}

static void peer_exit()
{
	delete queue;
}

static void trim()
{
	while (!queue->empty() && stale(queue->top()))
		queue->pop();
	if (queue->size() > 2 * (size_t)live + 64)
		queue->purge();
}

static void peer_arm(u32 i, u64 expires)
{
	queue->push({ expires, i, timers[i].gen });
	live++;
}

static void peer_cancel(u32 i)
{
	timers[i].gen++;
	live--;
	trim();
}

static void peer_move(u32 i, u64 expires)
{
	timers[i].gen++;
	queue->push({ expires, i, timers[i].gen });
	trim();
}

static void peer_tick(u64)
{
}

static bool peer_step(u64 at)
{
	while (!queue->empty() && queue->top().expires <= at) {
		entry e = queue->top();

		queue->pop();
		if (!stale(e))
			timers[e.index].function(&timers[e.index]);
	}
	return false;
}
