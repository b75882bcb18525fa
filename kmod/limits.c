// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits of a queue that the administrator may set; those of a user are in user.c.
 */
#include <linux/minmax.h>
#include <linux/module.h>

#include "limits.h"
#include "table.h"

static uint max_timers_per_queue = TW_TABLE_MAX;
module_param(max_timers_per_queue, uint, 0644);
MODULE_PARM_DESC(max_timers_per_queue, "Most timers of one queue (default and most 16777216)");

static ulong min_period_ns = 100000;
module_param(min_period_ns, ulong, 0644);
MODULE_PARM_DESC(min_period_ns, "Shortest period of a timer in ns (default 100000)");

/**
 * tw_max_timers() - most timers that a queue may have
 */
u32 tw_max_timers(void)
{
	return min_t(u32, READ_ONCE(max_timers_per_queue), TW_TABLE_MAX);
}

/**
 * tw_min_period() - shortest period of a timer, in ns
 */
u64 tw_min_period(void)
{
	return max_t(u64, READ_ONCE(min_period_ns), 1);
}
