// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Words: every small case of a step compared with the rules read out naively, and
 * a program that pushes and cancels while the engine looks.  That the steps fit
 * together is proved by selftests/models/words.pml.
 */
#include <pthread.h>
#include <string.h>

#include <linux/kernel.h>

#include "rng.h"
#include "tap.h"
#include "word.h"

#define LOOKS	100000000	/* more than the program can push meanwhile */
#define SPAN	28	/* deadlines, times; a period is at least 4 */

/* A case: what the word says, and the timer. */
struct small {
	u64 word;
	u64 now;
	struct tw_timer t;
};

/* What the timer is filed for, skipped periods included, is what the engine wrote. */
static void file(struct tw_timer *t, unsigned int skipped)
{
	t->skipped = !!skipped;
	t->slack_shift = 2;
	t->expires = (t->deadline + skipped * t->period + 3) / 4 * 4;
}

static void check_read(const struct small *c, unsigned int skipped)
{
	u64 word = c->word, deadline = 0xdead, wish = word - word % 4, right = wish;
	bool pending = tw_word_read(&word, &c->t, &deadline);

	if (wish == c->t.expires)
		right = c->t.deadline + skipped * c->t.period;
	tap_expect_eq(pending, c->word % 4 == TWHEEL_WORD_ARMED);
	tap_expect_eq(deadline, pending ? right : 0xdead);
	tap_expect_eq(word, c->word);
}

static void check_expire(const struct small *c)
{
	u64 word = c->word, wish = word - word % 4;
	bool pushed = wish != c->t.expires, due = wish <= c->now;
	struct tw_timer t = c->t;
	enum tw_word_verdict verdict = tw_word_expire(&word, &t, c->now);

	if (c->word % 4 != TWHEEL_WORD_ARMED) {
		tap_expect_eq(verdict, TW_WORD_GONE);
		tap_expect_eq(word, TWHEEL_WORD_IDLE);
		tap_expect(!memcmp(&t, &c->t, sizeof(t)));
		return;
	}
	tap_expect_eq(verdict, due ? TW_WORD_FIRE : TW_WORD_LATER);
	tap_expect_eq(word, wish | (due ? TWHEEL_WORD_FIRED : TWHEEL_WORD_ARMED));
	tap_expect_eq(t.deadline, pushed ? wish : c->t.deadline);
	tap_expect_eq(t.skipped, c->t.skipped && !pushed);
}

static void check_exchanges(const struct small *c)
{
	bool pending = c->word % 4 == TWHEEL_WORD_ARMED || c->word % 4 == TWHEEL_WORD_FIRED;
	u64 word = c->word, up = (c->t.deadline + 3) / 4 * 4;

	tap_expect_eq(tw_word_end(&word), pending);
	tap_expect_eq(word, TWHEEL_WORD_IDLE);
	word = c->word;
	tap_expect_eq(tw_word_rearm(&word, c->t.deadline), pending);
	tap_expect_eq(word, up | TWHEEL_WORD_ARMED);
}

/* One-shot, then periodic with up to three skipped periods. */
static void check_times(struct small *c)
{
	unsigned int skipped;

	for (c->now = 0; c->now < SPAN; c->now++) {
		for (skipped = 0; skipped <= (c->t.period ? 3 : 0); skipped++) {
			file(&c->t, skipped);
			check_read(c, skipped);
			check_expire(c);
		}
	}
}

static void small_cases(u64 seed)
{
	struct small c = { .word = 0 };

	(void)seed;
	for (c.word = 0; c.word < SPAN; c.word++) {
		for (c.t.deadline = 0; c.t.deadline < SPAN; c.t.deadline++) {
			c.t.period = 0;
			check_exchanges(&c);
			check_times(&c);
			for (c.t.period = 4; c.t.period < SPAN; c.t.period++)
				check_times(&c);
		}
	}
}

/* One word under two hands. */
struct race {
	u64 word;
	u64 pushes;
	u64 cancels;
	bool stop;
};

/* As a program does: push back by compare-exchange, cancel now and then. */
static void *program(void *data)
{
	struct race *race = data;
	struct rng r = { 1 };

	while (!__atomic_load_n(&race->stop, __ATOMIC_ACQUIRE)) {
		u64 old = READ_ONCE(race->word), new = old + 4;
		bool cancel = rng_one_in(&r, 8);

		if (tw_word_state(old) != TWHEEL_WORD_ARMED)
			continue;
		if (cancel)
			new = tw_word_deadline(old) | TWHEEL_WORD_CANCELLED;
		if (tw_word_try_change(&race->word, old, new))
			++*(cancel ? &race->cancels : &race->pushes);
	}
	return NULL;
}

/* Each cancel that the program was told of is seen, each push is in the deadline. */
static void races_add_up(u64 seed)
{
	struct race race = { .word = 0 };
	u64 gone = 0, distance = 0;
	struct tw_timer t = {};
	unsigned int looks;
	pthread_t thread;

	(void)seed;
	pthread_create(&thread, NULL, program, &race);
	while (gone < 2000 || distance < 2000) {
		u64 now = 1000;
		enum tw_word_verdict verdict;

		t.deadline = 1000;
		tw_word_arm(&race.word, t.deadline);
		verdict = tw_word_expire(&race.word, &t, now);
		for (looks = 0; verdict == TW_WORD_LATER && looks < LOOKS; looks++) {
			now = tw_word_deadline(READ_ONCE(race.word));
			verdict = tw_word_expire(&race.word, &t, now);
		}
		if (looks == LOOKS) {
			tap_fail(__FILE__, __LINE__, "the timer never fires");
			break;
		}
		if (verdict == TW_WORD_FIRE)
			distance += tw_word_deadline(READ_ONCE(race.word)) - 1000;
		gone += verdict == TW_WORD_GONE;
	}
	__atomic_store_n(&race.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	tap_expect_eq(gone, race.cancels);
	tap_expect_le(distance, 4 * race.pushes);
}

static const struct tap_test tests[] = {
	{ "every small case", small_cases },
	{ "races add up", races_add_up },
};

int main(int argc, char **argv)
{
	return tap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
