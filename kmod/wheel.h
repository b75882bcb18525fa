/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef TWHEEL_WHEEL_H
#define TWHEEL_WHEEL_H

#include <linux/list.h>
#include <linux/types.h>

struct tw_timer;

#define TW_BITS		6
#define TW_SLOTS	64U			/* per level, 6 bits' worth */
#define TW_LEVELS	11			/* 11 * 6 bits >= 64 bits */
#define TW_SLOT_PAST	(TW_LEVELS * TW_SLOTS)	/* had expired when added */
#define TW_NEVER	(~0ULL)

/* A slot with more timers than this is opened at its start, see wheel.c. */
#define TW_SPLIT_MIN	128

/**
 * struct tw_slot - the timers of one stretch of time
 * @timers: in no order
 * @min: ns; no timer here expires before this
 * @max: ns; no timer here expires after this
 * @count: number of timers
 */
struct tw_slot {
	struct hlist_head timers;
	u64 min;
	u64 max;
	u32 count;
};

/**
 * struct tw_wheel - timers in the order of their expiry
 * @now: ns; timers that expire up to here have been handed out, or are in the
 *	open slot or in TW_SLOT_PAST
 * @high: 0, or where @now was before it went back
 * @open: the slot being emptied, or NULL
 * @count: timers in the wheel
 * @refiled: how often a timer was moved from one slot into another, ever
 * @levels: bit k: level k has timers; one more bit for TW_SLOT_PAST
 * @occupied: bit s of word k: slot s of level k has timers
 * @slots: level by level, and TW_SLOT_PAST
 *
 * Not locked: callers serialise.
 */
struct tw_wheel {
	u64 now;
	u64 high;
	struct tw_slot *open;
	u64 count;
	u64 refiled;
	u32 levels;
	u64 occupied[TW_LEVELS + 1];
	struct tw_slot slots[TW_LEVELS * TW_SLOTS + 1];
};

void tw_wheel_init(struct tw_wheel *w, u64 now);
void tw_wheel_add(struct tw_wheel *w, struct tw_timer *t);
void tw_wheel_remove(struct tw_wheel *w, struct tw_timer *t);
void tw_wheel_move(struct tw_wheel *w, struct tw_timer *t, u64 expires);
void tw_wheel_set_now(struct tw_wheel *w, u64 now);
struct tw_timer *tw_wheel_pop(struct tw_wheel *w, u64 now, unsigned int *budget);
u64 tw_wheel_next(const struct tw_wheel *w);
u64 tw_wheel_level_count(const struct tw_wheel *w, unsigned int level);
const char *tw_wheel_check(const struct tw_wheel *w);

#endif /* TWHEEL_WHEEL_H */
