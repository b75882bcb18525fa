/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef TWHEEL_TIMER_H
#define TWHEEL_TIMER_H

#include <linux/build_bug.h>
#include <linux/list.h>
#include <linux/types.h>

/**
 * struct tw_timer - one timeout, 64 bytes, one cache line
 * @link: in a slot of the wheel, in the backlog, or in the table's free list
 * @expires: ns, when the wheel hands the timer out: @deadline with slack applied
 * @slot: for the wheel only: number of the slot that holds the timer
 * @state: enum tw_timer_state
 * @slack_shift: the slack that is applied is 1 << @slack_shift ns
 * @last: ring number of the last record, if @reported
 * @deadline: ns, the next deadline; the last one if the timer is idle
 * @period: ns, 0 for one-shot
 * @user_data: belongs to the program
 * @index: place in the table, constant
 * @gen: generation, the upper half of the id; never 0
 * @keep: stays allocated until it is freed
 * @reported: a record of this arming has been written
 * @skipped: periods from @deadline on have passed without a record
 *
 * A timer has one owner at a time, who may use @link: the table (TW_FREE), the
 * wheel (TW_WHEEL), the backlog (TW_DUE), or nobody (TW_IDLE).
 *
 * All members are protected by the queue's lock.
 */
struct tw_timer {
	struct hlist_node link;
	u64 expires;
	u64 deadline;
	u64 period;
	u64 user_data;
	u32 index;
	u32 gen;
	u32 last;
	u16 slot;
	u8 slack_shift;
	u8 state : 2;
	u8 keep : 1;
	u8 reported : 1;
	u8 skipped : 1;
};

/**
 * enum tw_timer_state - who owns a timer
 * @TW_FREE: the table; the index is not in use
 * @TW_IDLE: nobody; kept, but not armed
 * @TW_WHEEL: the wheel
 * @TW_DUE: the backlog; its time has come, its record has not been written
 */
enum tw_timer_state {
	TW_FREE,
	TW_IDLE,
	TW_WHEEL,
	TW_DUE,
};

static_assert(sizeof(struct tw_timer) <= 64);

static inline u64 tw_timer_id(const struct tw_timer *t)
{
	return (u64)t->gen << 32 | t->index;
}

static inline bool tw_timer_pending(const struct tw_timer *t)
{
	return t->state == TW_WHEEL || t->state == TW_DUE;
}

#endif /* TWHEEL_TIMER_H */
