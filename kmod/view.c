// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What a program may look at: a timer, the timers in use one after another, and
 * the counters.
 *
 * A listing goes by a cursor, which is an index of the table.  A call looks at a
 * bounded number of indices, so its owner can drop the lock between two calls.
 * Each timer is shown as it was when its index was looked at.
 */
#include <linux/limits.h>
#include <linux/string.h>
#include <linux/twheel.h>

#include "core.h"
#include "periodic.h"
#include "view.h"

#define LIST_PLACES	64	/* indices that one call looks at */

/**
 * tw_view_timer() - describe the state of a timer
 * @c: the core
 * @t: a timer in use
 * @info: out: all members
 */
void tw_view_timer(const struct tw_core *c, const struct tw_timer *t, struct twheel_info *info)
{
	u64 *word = tw_core_word(c, t);

	*info = (struct twheel_info){
		.id = tw_timer_id(t),
		.user_data = t->user_data,
		.deadline = t->deadline,
		.period = t->period,
		.slack = 1ULL << t->slack_shift,
		.state = TWHEEL_IDLE,
		.flags = t->keep ? TWHEEL_INFO_KEEP : 0,
	};
	if (t->state == TW_DUE) {
		info->state = TWHEEL_BACKLOG;
	} else if (t->state == TW_WHEEL) {
		info->deadline = tw_filed_deadline(t, t->expires);
		if (!word || tw_word_read(word, t, &info->deadline))
			info->state = TWHEEL_PENDING;
	}
}

/**
 * tw_view_list() - describe some of the timers in use
 * @c: the core
 * @cursor: where to begin; advanced, TWHEEL_LIST_END after the last one
 * @infos: out
 * @max: how many at most
 *
 * Return: how many; this may be 0 before the end.
 */
unsigned int tw_view_list(const struct tw_core *c, u64 *cursor, struct twheel_info *infos,
			  unsigned int max)
{
	unsigned int n = 0, places = LIST_PLACES;
	struct tw_timer *t;

	while (n < max && places--) {
		t = *cursor <= U32_MAX ? tw_table_at(&c->table, *cursor) : NULL;
		if (!t) {
			*cursor = TWHEEL_LIST_END;
			break;
		}
		++*cursor;
		if (t->state != TW_FREE)
			tw_view_timer(c, t, &infos[n++]);
	}
	return n;
}

static void copy_counters(const struct tw_counters *count, struct twheel_stats *stats)
{
	stats->armed = count->armed;
	stats->moved = count->moved;
	stats->cancelled = count->cancelled;
	stats->expired = count->expired;
	stats->missed = count->missed;
	stats->pushed = count->pushed;
	stats->reaped = count->reaped;
	stats->steps = count->steps;
	stats->interrupts = count->interrupts;
	stats->passes = count->passes;
	stats->signals = count->signals;
	memcpy(stats->lateness, count->lateness, sizeof(stats->lateness));
}

/**
 * tw_view_stats() - a snapshot of the figures
 * @c: the core
 * @stats: out: all members except size, flags, now and memory, which the owner knows
 */
void tw_view_stats(const struct tw_core *c, struct twheel_stats *stats)
{
	unsigned int level;

	stats->next = tw_wheel_next(&c->wheel);
	stats->allocated = c->table.used;
	stats->pending = c->wheel.count;
	stats->backlog = c->ring.waiting;
	stats->unread = tw_ring_count(&c->ring);
	stats->refiled = c->wheel.refiled;
	copy_counters(&c->count, stats);
	for (level = 0; level < TWHEEL_LEVELS; level++)
		stats->level[level] = tw_wheel_level_count(&c->wheel, level);
}
