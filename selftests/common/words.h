/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Words: the steps that a program may make.  Each is a single compare-exchange, as the
 * head comment of linux/twheel.h describes them.
 */
#ifndef TWHEEL_SELFTESTS_WORDS_H
#define TWHEEL_SELFTESTS_WORDS_H

#include <stdbool.h>

#include "ops.h"

#define ARMED(d)	((((d) + 3) & ~3ULL) | TWHEEL_WORD_ARMED)
#define STATE(w)	((w) & TWHEEL_WORD_STATE)
#define DEADLINE(w)	((w) & ~TWHEEL_WORD_STATE)

static inline __u64 word_load(const shared_u64 *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Make one step of the program; true if it succeeded. */
static inline bool word_step(shared_u64 *word, __u64 from, __u64 to)
{
	return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

/* armed(d) -> armed(later) */
static inline bool touch(shared_u64 *word, __u64 deadline)
{
	__u64 old = word_load(word);

	return STATE(old) == TWHEEL_WORD_ARMED && DEADLINE(old) <= deadline &&
	       word_step(word, old, ARMED(deadline));
}

/* armed(d) -> cancelled(d) */
static inline bool touch_cancel(shared_u64 *word)
{
	__u64 old = word_load(word);

	return STATE(old) == TWHEEL_WORD_ARMED &&
	       word_step(word, old, DEADLINE(old) | TWHEEL_WORD_CANCELLED);
}

/* cancelled(d) -> armed(d'), d' >= d; false also when the kernel was first. */
static inline bool rearm(shared_u64 *word, __u64 deadline)
{
	__u64 old = word_load(word);

	return STATE(old) == TWHEEL_WORD_CANCELLED && DEADLINE(old) <= ((deadline + 3) & ~3ULL) &&
	       word_step(word, old, ARMED(deadline));
}

static inline __u64 arm_keep_periodic(int fd, __u64 first, __u64 period)
{
	struct twheel_op op = op_arm(first, 0);

	op.flags = TWHEEL_OP_KEEP;
	op.period = period;
	return arm_op(fd, op);
}

#endif /* TWHEEL_SELFTESTS_WORDS_H */
