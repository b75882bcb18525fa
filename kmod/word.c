// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What the engine makes of a word; the rules are in word.h.
 */
#include "deadline.h"
#include "periodic.h"
#include "word.h"

#define WORD_TRIES	4

/*
 * Whether @wish is not what the engine wrote: the program pushed the timer back, or
 * cancelled it and armed it again.  What the engine wrote is what the timer is filed
 * for.  After skipped periods that has to be compared too, since a later deadline of
 * the same series then looks like the engine's own.
 */
static bool is_pushed(const struct tw_timer *t, u64 wish)
{
	return tw_expires(wish, t->slack_shift) != t->expires ||
	       tw_word_round_up(tw_filed_deadline(t, wish)) != wish;
}

/* The program can write times that there are not. */
static u64 to_deadline(u64 wish)
{
	return wish > S64_MAX ? S64_MAX : wish;
}

/**
 * tw_word_read() - what the program has made of a timer in the wheel
 * @word: its word
 * @t: the timer
 * @deadline: out: ns, of the next expiry; not written when it was cancelled
 *
 * Return: whether the timer is pending.
 */
bool tw_word_read(const u64 *word, const struct tw_timer *t, u64 *deadline)
{
	u64 value = READ_ONCE(*word);
	u64 wish = tw_word_deadline(value);

	if (tw_word_state(value) != TWHEEL_WORD_ARMED)
		return false;
	*deadline = is_pushed(t, wish) ? to_deadline(wish) : tw_filed_deadline(t, wish);
	return true;
}

/**
 * tw_word_expire() - ask the word of a timer whose filed time has come
 * @word: the word
 * @t: the timer
 * @now: ns
 *
 * When the timer fires, t->deadline is the first deadline that has no record
 * yet, and the word is fired.  A periodic timer's word is armed again by
 * tw_word_arm() once the program can see the record; were it sooner, a cancel by
 * the program could succeed and the record still come.
 *
 * Context: Expects the queue's lock to be held.
 * Return: what to do.
 */
enum tw_word_verdict tw_word_expire(u64 *word, struct tw_timer *t, u64 now)
{
	unsigned int tries;
	u64 old, wish;

	for (tries = 0; tries < WORD_TRIES; tries++) {
		old = READ_ONCE(*word);
		if (tw_word_state(old) != TWHEEL_WORD_ARMED) {
			if (tw_word_try_change(word, old, TWHEEL_WORD_IDLE))
				return TW_WORD_GONE;
			continue;
		}
		wish = tw_word_deadline(old);
		if (wish <= now && !tw_word_try_change(word, old, wish | TWHEEL_WORD_FIRED))
			continue;
		if (is_pushed(t, wish)) {
			t->deadline = to_deadline(wish);
			t->skipped = false;
		}
		return wish <= now ? TW_WORD_FIRE : TW_WORD_LATER;
	}
	return TW_WORD_LATER;
}
