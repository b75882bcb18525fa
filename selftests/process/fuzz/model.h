/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a queue owes its program, in the plainest form: a table of timers, looked through
 * from end to end.  On a manual clock nearly every answer is known exactly.
 *
 * The clock stands still between ops, so an arming is in one of three states:
 *
 *  - *not due*: its expiry is later than now.  It is pending, and the answer of each op
 *    on it is known.
 *  - *due*, and no record taken: the record may be in the ring or still wait for room, or
 *    for a pass, which the program cannot see.  An op may find it either way; its answer says
 *    which, and the model holds the engine to that: "not pending" promises a record,
 *    "was pending" that none comes.
 *  - *ended*.
 *
 * When all records have been taken, everything due must have had its record: model_drained()
 * checks that.
 */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include <stdbool.h>
#include <twheel.h>

#define MODEL_TIMERS	48
#define MODEL_WORD_DISTANCE	50000	/* ns */
#define MODEL_OWED	4	/* records that a timer's earlier armings may owe */

/**
 * struct model_timer - one place of the table
 * @id: of the timer; also when it is gone, for stale uses
 * @user_data: comes back in its records
 * @deadline: ns, of the present arming; of a periodic timer the first of its series
 * @period: ns, 0 for one-shot timers
 * @granule: ns, a power of two: expiries are multiples of it
 * @since: ns, the last change: no record of the arming is written before
 * @filed: ns, until when the wheel does not look at it, whatever its word says
 * @tolerance: ns, how late it may be looked at: a timer that was pushed back by its word
 *	is filed again at least MODEL_WORD_DISTANCE away
 * @told: deadlines of this series that records have told of
 * @taken: @told when no record was unread
 * @drained: ns, when that was
 * @owed: deadlines of records that must come, of armings that have ended
 * @owes: how many
 * @exists: the id is valid
 * @keep: it stays when its arming ends
 * @armed: an arming has not ended, as far as is known
 * @cancelled: by its word, since when @deadline is that of the cancelled arming
 */
struct model_timer {
	__u64 id, user_data;
	__u64 deadline, period, granule, since, filed, tolerance, told, taken, drained;
	__u64 owed[MODEL_OWED];
	unsigned int owes;
	bool exists, keep, armed, cancelled;
};

struct model {
	struct model_timer timers[MODEL_TIMERS];
	__u64 now;
	__u64 order;	/* no later record was due before this */
};

/* A promise was broken. */
_Noreturn void model_failed(const char *what, const struct model_timer *t);

#define MODEL_CHECK(t, condition)				\
	do {							\
		if (!(condition))				\
			model_failed(#condition, t);		\
	} while (0)

__u64 model_expiry(const struct model_timer *t, __u64 deadline);
bool model_due(const struct model *m, const struct model_timer *t);
void model_armed(struct model *m, struct model_timer *t, __u64 deadline, __u64 period,
		 __u64 slack);
void model_pushed(struct model *m, struct model_timer *t, __u64 deadline);
void model_ended(const struct model *m, struct model_timer *t, bool was_pending);
void model_record(struct model *m, const struct twheel_record *r);
void model_drained(struct model *m);

#endif /* FUZZ_MODEL_H */
