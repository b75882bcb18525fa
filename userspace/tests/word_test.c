// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Words in ordinary memory: the table of answers, and then a race.
 *
 * In the race two threads push one timer back or cancel it, and a third one plays
 * the kernel: it looks at the word, fires it if it is due, arms it anew.  Time is
 * a counter of that thread.  What must come out: a touch that said DONE for d is
 * never followed by an expiry before d in the same arming, a cancel that said DONE
 * is never followed by one at all, and every arming has one end.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <twheel.h>

#define ID		((7ULL << 32) | 3)
#define TOUCHERS	2
#define ARMINGS		100000

static __u64 words[8];
static struct twheel tw = { .words = words };

#define CHECK(condition)						\
	do {								\
		if (!(condition)) {					\
			printf("word_test: line %d: %s\n", __LINE__, #condition); \
			exit(1);					\
		}							\
	} while (0)

#define NEVER		(~0ULL)

static const struct {
	__u64 old, deadline;
	enum twheel_answer answer;
	__u64 new;
} touches[] = {
	{ 1000 | TWHEEL_WORD_ARMED, 2000, TWHEEL_DONE, 2000 | TWHEEL_WORD_ARMED },
	{ 1000 | TWHEEL_WORD_ARMED, 1001, TWHEEL_DONE, 1004 | TWHEEL_WORD_ARMED },
	{ 1000 | TWHEEL_WORD_ARMED, 1003, TWHEEL_DONE, 1004 | TWHEEL_WORD_ARMED },
	{ 1000 | TWHEEL_WORD_ARMED, 1004, TWHEEL_DONE, 1004 | TWHEEL_WORD_ARMED },
	{ 1000 | TWHEEL_WORD_ARMED, 1000, TWHEEL_DONE, 1000 | TWHEEL_WORD_ARMED },
	{ 1000 | TWHEEL_WORD_ARMED, 997, TWHEEL_DONE, 1000 | TWHEEL_WORD_ARMED },
	{ 1000 | TWHEEL_WORD_ARMED, 996, TWHEEL_USE_MOVE, NEVER },
	{ 1000 | TWHEEL_WORD_ARMED, 0, TWHEEL_USE_MOVE, NEVER },
	{ 0 | TWHEEL_WORD_ARMED, (1ULL << 63) - 4, TWHEEL_DONE,
	  ((1ULL << 63) - 4) | TWHEEL_WORD_ARMED },
	{ 1000 | TWHEEL_WORD_ARMED, 1ULL << 63 | 1000, TWHEEL_USE_MOVE, NEVER },
	{ 1000 | TWHEEL_WORD_ARMED, ~0ULL, TWHEEL_USE_MOVE, NEVER },
	{ 1000 | TWHEEL_WORD_CANCELLED, 2000, TWHEEL_TOO_LATE, NEVER },
	{ 1000 | TWHEEL_WORD_CANCELLED, 0, TWHEEL_TOO_LATE, NEVER },
	{ 1000 | TWHEEL_WORD_FIRED, 2000, TWHEEL_TOO_LATE, NEVER },
	{ 1000 | TWHEEL_WORD_FIRED, 0, TWHEEL_TOO_LATE, NEVER },
	{ 0 | TWHEEL_WORD_IDLE, 2000, TWHEEL_USE_MOVE, NEVER },
	{ 1000 | TWHEEL_WORD_IDLE, 2000, TWHEEL_USE_MOVE, NEVER },
};

static void test_answers(void)
{
	for (size_t i = 0; i < sizeof(touches) / sizeof(touches[0]); i++) {
		__u64 new = touches[i].new == NEVER ? touches[i].old : touches[i].new;

		words[3] = touches[i].old;
		if (twheel_word_push(&tw, ID, touches[i].deadline) != touches[i].answer ||
		    words[3] != new) {
			printf("word_test: touch %zu left %llu\n", i, words[3]);
			exit(1);
		}
	}
	words[3] = 1000 | TWHEEL_WORD_ARMED;
	CHECK(twheel_word_state(&tw, ID) == TWHEEL_WORD_ARMED);
	CHECK(twheel_word_cancel(&tw, ID) == TWHEEL_DONE);
	CHECK(words[3] == (1000 | TWHEEL_WORD_CANCELLED));
	CHECK(twheel_word_cancel(&tw, ID) == TWHEEL_TOO_LATE);
	words[3] = 1000 | TWHEEL_WORD_FIRED;
	CHECK(twheel_word_cancel(&tw, ID) == TWHEEL_TOO_LATE);
	words[3] = TWHEEL_WORD_IDLE;
	CHECK(twheel_word_cancel(&tw, ID) == TWHEEL_TOO_LATE);
	for (int i = 0; i < 8; i++)
		CHECK(i == 3 || !words[i]);
}

/* --- the race --- */

static __u64 now;			/* the kernel thread's clock */
static __u64 promised;			/* latest deadline that a touch said DONE for */
static unsigned int cancels;		/* cancels that said DONE */
static int over;

static void promise(__u64 deadline)
{
	__u64 old = twheel_load_relaxed(&promised);

	while (old < deadline && !twheel_cas_64(&promised, &old, deadline))
		;
}

static void *toucher_thread(void *argument)
{
	unsigned int random = *(unsigned int *)argument;

	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		__u64 deadline;

		random = random * 1103515245 + 12345;
		deadline = twheel_load_relaxed(&now) + (random >> 16) % 64;
		if ((random >> 8) % 512 == 0)
			__atomic_fetch_add(&cancels, twheel_word_cancel(&tw, ID) ==
					   TWHEEL_DONE, __ATOMIC_RELEASE);
		else if (twheel_word_push(&tw, ID, deadline) == TWHEEL_DONE)
			promise(deadline);
		if ((random >> 24) % 8 == 0)
			sched_yield();
	}
	return NULL;
}

/* One arming to its end; whether it fired.  A few single exchanges, as the kernel. */
static int live(__u64 *fired_at)
{
	__u64 *word = &words[3];
	__u64 old = ((twheel_load_relaxed(&now) + 1003) & ~3ULL) | TWHEEL_WORD_ARMED;

	__atomic_store_n(word, old, __ATOMIC_RELEASE);
	for (unsigned int turn = 0;; turn++) {
		__u64 time = __atomic_add_fetch(&now, 16, __ATOMIC_RELAXED);

		old = twheel_load_acquire(word);
		if ((old & TWHEEL_WORD_STATE) == TWHEEL_WORD_CANCELLED)
			return 0;
		CHECK((old & TWHEEL_WORD_STATE) == TWHEEL_WORD_ARMED);
		if ((old & ~TWHEEL_WORD_STATE) <= time &&
		    twheel_cas_64(word, &old, old | TWHEEL_WORD_FIRED)) {
			*fired_at = time;
			return 1;
		}
		if (turn % 4 == 0)
			sched_yield();
	}
}

static void test_race(void)
{
	static unsigned int seeds[TOUCHERS] = { 1, 2 };
	pthread_t touchers[TOUCHERS];
	unsigned int fired = 0, cancelled = 0;
	__u64 fired_at;

	words[3] = TWHEEL_WORD_IDLE;
	for (int i = 0; i < TOUCHERS; i++)
		CHECK(!pthread_create(&touchers[i], NULL, toucher_thread, &seeds[i]));
	for (int i = 0; i < ARMINGS; i++) {
		if (live(&fired_at)) {
			fired++;
			/* Promises of this arming only: the clock never goes back. */
			CHECK(twheel_load_acquire(&promised) <= fired_at);
			CHECK(twheel_word_state(&tw, ID) == TWHEEL_WORD_FIRED);
		} else {
			cancelled++;
			/* Beyond all that was promised, so that it can be checked again. */
			__atomic_store_n(&now, twheel_load_relaxed(&now) + 128, __ATOMIC_RELAXED);
		}
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < TOUCHERS; i++)
		pthread_join(touchers[i], NULL);
	CHECK(cancels == cancelled);
	CHECK(fired + cancelled == ARMINGS && fired && cancelled);
	printf("word_test: %u fired, %u cancelled, none early\n", fired, cancelled);
}

int main(void)
{
	test_answers();
	test_race();
	return 0;
}
