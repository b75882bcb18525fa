/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef TWHEEL_WORD_H
#define TWHEEL_WORD_H

/*
 * Words: 64-bit cells that a program shares with the engine, one per timer,
 * through which it pushes a timer back or cancels it without a system call.  The
 * protocol is in <linux/twheel.h>, its proof in selftests/models/words.pml.
 *
 * The engine looks at a word only when the time comes for which the timer is
 * filed, or when an op names the timer:
 *
 *	word			time has come		MOVE, CANCEL, FREE
 *
 *	armed(d), d passed	fired(d); record; if	the op's own value,
 *				  periodic, armed again	  the op succeeds
 *	armed(d), d ahead	stays, filed for d
 *	cancelled		idle, unlinked		the op's own value, it
 *							  finds the timer idle
 *
 * An op exchanges the word in one step, so it sees what the program's last step
 * was.  The expiry needs compare-exchange, since it must not undo a push-back that
 * comes in between.  It tries a few times and then files the timer again a
 * little later: a program that writes all the time gains nothing.
 *
 * A word is a wish.  Whatever it contains can only decide when this timer of this
 * program fires, and whether.  An impossible state counts as cancelled.
 */
#include <linux/atomic.h>
#include <linux/twheel.h>
#include <linux/types.h>

#include "timer.h"

#define TW_WORD_SHIFT	2U				/* the state takes two bits */
#define TW_WORD_GRAIN	4ULL				/* ns, 1 << TW_WORD_SHIFT */

/* A word that changed while it was looked at is looked at again no sooner, ns. */
#define TW_WORD_DISTANCE	50000ULL

/**
 * enum tw_word_verdict - what the word of a timer says when its time has come
 * @TW_WORD_FIRE: write the record
 * @TW_WORD_LATER: file it again for its @deadline, which has been changed
 * @TW_WORD_GONE: it was cancelled; no record
 */
enum tw_word_verdict {
	TW_WORD_FIRE,
	TW_WORD_LATER,
	TW_WORD_GONE,
};

bool tw_word_read(const u64 *word, const struct tw_timer *t, u64 *deadline);
enum tw_word_verdict tw_word_expire(u64 *word, struct tw_timer *t, u64 now);

/*
 * 32-bit machines have no 64-bit xchg(), but all have atomic64_xchg().  There it may
 * take a lock that programs do not take, so on such machines no queue has words
 * (tw_words_possible()).
 */
static inline u64 tw_word_xchg(u64 *word, u64 value)
{
	return atomic64_xchg((atomic64_t *)word, value);
}

static inline bool tw_word_try_change(u64 *word, u64 old, u64 value)
{
	return (u64)atomic64_cmpxchg((atomic64_t *)word, old, value) == old;
}

static inline u64 tw_word_state(u64 word)
{
	return word & TWHEEL_WORD_STATE;
}

static inline u64 tw_word_deadline(u64 word)
{
	return word & ~TWHEEL_WORD_STATE;
}

/* Whether a timer that is pending has not been cancelled by its word. */
static inline bool tw_word_is_pending(u64 word)
{
	return tw_word_state(word) == TWHEEL_WORD_ARMED || tw_word_state(word) == TWHEEL_WORD_FIRED;
}

static inline u64 tw_word_round_up(u64 deadline)
{
	return (deadline + TW_WORD_GRAIN - 1) & ~(TW_WORD_GRAIN - 1);
}

static inline u64 tw_word_armed(u64 deadline)
{
	return tw_word_round_up(deadline) | TWHEEL_WORD_ARMED;
}

/**
 * tw_word_arm() - write the word of a timer that is being armed
 * @word: the word
 * @deadline: ns
 */
static inline void tw_word_arm(u64 *word, u64 deadline)
{
	tw_word_xchg(word, tw_word_armed(deadline));
}

/**
 * tw_word_rearm() - give the word of a timer in the wheel a new deadline
 * @word: the word
 * @deadline: ns
 *
 * Return: whether the timer was pending until now; false when the program had
 * cancelled it.
 */
static inline bool tw_word_rearm(u64 *word, u64 deadline)
{
	return tw_word_is_pending(tw_word_xchg(word, tw_word_armed(deadline)));
}

/**
 * tw_word_end() - make the word of a pending timer idle
 * @word: the word
 *
 * Return: whether the timer was pending until now; false when the program had
 * cancelled it.
 */
static inline bool tw_word_end(u64 *word)
{
	return tw_word_is_pending(tw_word_xchg(word, TWHEEL_WORD_IDLE));
}

#endif /* TWHEEL_WORD_H */
