// SPDX-License-Identifier: GPL-2.0-only
/*
 * Figures of a queue: the STATS ioctl and /proc/PID/fdinfo.
 */
#include <linux/seq_file.h>

#include "grow.h"
#include "queue.h"
#include "stats.h"
#include "view.h"

/**
 * tw_queue_stats() - a snapshot of a queue's figures
 * @q: the queue
 * @stats: out: all members except size and flags
 *
 * Context: Process context.  Takes and releases q->lock.
 */
void tw_queue_stats(struct tw_queue *q, struct twheel_stats *stats)
{
	stats->now = tw_queue_lock(q);
	stats->memory = tw_queue_memory(q);
	tw_view_stats(&q->core, stats);
	tw_queue_unlock(q);
}

static void show_u64(struct seq_file *m, const char *name, u64 value)
{
	seq_printf(m, "twheel-%s:\t%llu\n", name, value);
}

/**
 * tw_stats_show() - the figures as lines of text
 * @m: where to
 * @q: the queue
 *
 * Context: Process context.  Takes and releases q->lock.
 */
void tw_stats_show(struct seq_file *m, struct tw_queue *q)
{
	struct twheel_stats stats = {};

	tw_queue_stats(q, &stats);
	show_u64(m, "queue", q->core.number);
	show_u64(m, "clock", q->clock.id);
	show_u64(m, "now", stats.now);
	show_u64(m, "next", stats.next);
	show_u64(m, "allocated", stats.allocated);
	show_u64(m, "pending", stats.pending);
	show_u64(m, "backlog", stats.backlog);
	show_u64(m, "unread", stats.unread);
	show_u64(m, "armed", stats.armed);
	show_u64(m, "moved", stats.moved);
	show_u64(m, "cancelled", stats.cancelled);
	show_u64(m, "expired", stats.expired);
	show_u64(m, "missed", stats.missed);
	show_u64(m, "pushed", stats.pushed);
	show_u64(m, "reaped", stats.reaped);
	show_u64(m, "memory", stats.memory);
}
