// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Words in ordinary memory: the table of answers, and then a race.
 *
 * In the race two threads push one timer back, cancel it, and arm it again, and a
 * third one plays the kernel: when the time comes for which the timer is filed, it
 * looks at the word, and fires the timer, files it again, or lets go of it; then it
 * arms it anew, as a MOVE does.  Time is a counter of that thread.  What must come
 * out: after a push or an arming that said DONE for d there is no expiry before d,
 * and every arming, by either side, has one end: it fired, or one cancel said DONE.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <twheel.h>

#define ID		((7ULL << 32) | 3)
#define PROGRAMS	2
#define MAX_MOVES	20000
#define MIN_MOVES	1000		/* also where others keep the machine busy */
#define SECONDS		2

static twheel_aligned_u64 words[8];
static struct twheel tw = { .words = words, .setup.features = TWHEEL_FEAT_WORDS_ARM };

#define CHECK(condition)						\
	do {								\
		if (!(condition)) {					\
			printf("word_test: line %d: %s\n", __LINE__, #condition); \
			exit(1);					\
		}							\
	} while (0)

#define NEVER		(~0ULL)

struct step {
	__u64 old, deadline;
	enum twheel_answer answer;
	__u64 new;
};

static const struct step pushes[] = {
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

static const struct step arms[] = {
	{ 1000 | TWHEEL_WORD_CANCELLED, 2000, TWHEEL_DONE, 2000 | TWHEEL_WORD_ARMED },
	{ 1000 | TWHEEL_WORD_CANCELLED, 1001, TWHEEL_DONE, 1004 | TWHEEL_WORD_ARMED },
	{ 1000 | TWHEEL_WORD_CANCELLED, 1000, TWHEEL_DONE, 1000 | TWHEEL_WORD_ARMED },
	{ 1000 | TWHEEL_WORD_CANCELLED, 997, TWHEEL_DONE, 1000 | TWHEEL_WORD_ARMED },
	{ 1000 | TWHEEL_WORD_CANCELLED, 996, TWHEEL_USE_MOVE, NEVER },
	{ 1000 | TWHEEL_WORD_CANCELLED, 0, TWHEEL_USE_MOVE, NEVER },
	{ 0 | TWHEEL_WORD_CANCELLED, (1ULL << 63) - 4, TWHEEL_DONE,
	  ((1ULL << 63) - 4) | TWHEEL_WORD_ARMED },
	{ 1000 | TWHEEL_WORD_CANCELLED, 1ULL << 63 | 1000, TWHEEL_USE_MOVE, NEVER },
	{ 1000 | TWHEEL_WORD_CANCELLED, ~0ULL, TWHEEL_USE_MOVE, NEVER },
	{ 1000 | TWHEEL_WORD_ARMED, 2000, TWHEEL_USE_MOVE, NEVER },
	{ 1000 | TWHEEL_WORD_FIRED, 2000, TWHEEL_USE_MOVE, NEVER },
	{ 1000 | TWHEEL_WORD_IDLE, 2000, TWHEEL_USE_MOVE, NEVER },
	{ 0 | TWHEEL_WORD_IDLE, 0, TWHEEL_USE_MOVE, NEVER },
};

static void test_step(enum twheel_answer (*step)(struct twheel *tw, __u64 id, __u64 deadline),
		      const struct step *s)
{
	words[3] = s->old;
	CHECK(step(&tw, ID, s->deadline) == s->answer);
	CHECK(words[3] == (s->new == NEVER ? s->old : s->new));
}

static void test_answers(void)
{
	for (size_t i = 0; i < sizeof(pushes) / sizeof(pushes[0]); i++)
		test_step(twheel_word_push, &pushes[i]);
	for (size_t i = 0; i < sizeof(arms) / sizeof(arms[0]); i++)
		test_step(twheel_word_arm, &arms[i]);
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

/* A kernel that does not know of the step: the word stays as it is. */
static void test_older_kernel(void)
{
	struct twheel older = tw;

	older.setup.features = TWHEEL_FEAT_WORDS | TWHEEL_FEAT_MMAP;
	words[3] = 1000 | TWHEEL_WORD_CANCELLED;
	CHECK(twheel_word_arm(&older, ID, 2000) == TWHEEL_USE_MOVE);
	CHECK(words[3] == (1000 | TWHEEL_WORD_CANCELLED));
}

/* --- the race --- */

static twheel_aligned_u64 now;			/* the kernel thread's clock */
static twheel_aligned_u64 promised;	/* latest deadline that the kernel has to keep */
static unsigned int cancels, rearms;	/* those that said DONE */
static int over;

static void promise(__u64 deadline)
{
	__u64 old = twheel_load_relaxed_64(&promised);

	while (old < deadline && !twheel_cas_64(&promised, &old, deadline))
		;
}

/* One step of the program: mostly pushes. */
static void random_step(unsigned int random)
{
	__u64 time = twheel_load_relaxed_64(&now), soon = time + random % 64;

	switch (random / 64 % 64) {
	case 0:
		if (twheel_word_cancel(&tw, ID) == TWHEEL_DONE)
			__atomic_fetch_add(&cancels, 1, __ATOMIC_RELAXED);
		break;
	case 1 ... 8:
		soon += random % 2 * 1000;
		if (twheel_word_arm(&tw, ID, soon) != TWHEEL_DONE)
			break;
		__atomic_fetch_add(&rearms, 1, __ATOMIC_RELAXED);
		promise(soon);
		break;
	default:
		if (twheel_word_push(&tw, ID, soon) == TWHEEL_DONE)
			promise(soon);
	}
}

static void *program_thread(void *argument)
{
	unsigned int random = *(unsigned int *)argument;

	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		random = random * 1103515245 + 12345;
		random_step(random >> 16);
		if ((random >> 12) % 8 == 0)
			sched_yield();
	}
	return NULL;
}

enum end { FIRED, GONE };

/* What a MOVE does, and then the kernel until the timer leaves the wheel. */
static enum end live(__u64 *fired_at)
{
	twheel_aligned_u64 *word = &words[3];
	__u64 filed = (twheel_load_relaxed_64(&now) + 1003) & ~TWHEEL_WORD_STATE;
	__u64 old, time;

	__atomic_store_n(word, filed | TWHEEL_WORD_ARMED, __ATOMIC_RELEASE);
	for (unsigned int turn = 0;; turn++) {
		if (turn % 4 == 0)
			sched_yield();
		/* A long step passes all that a push asks for: what is armed then fires. */
		time = __atomic_add_fetch(&now, turn % 8 ? 16 : 128, __ATOMIC_RELAXED);
		if (time < filed)
			continue;
		old = twheel_load_acquire_64(word);
		if (turn % 8)
			sched_yield();		/* let the program come in between */
		if ((old & TWHEEL_WORD_STATE) == TWHEEL_WORD_CANCELLED) {
			if (twheel_cas_64(word, &old, TWHEEL_WORD_IDLE))
				return GONE;
			continue;
		}
		CHECK((old & TWHEEL_WORD_STATE) == TWHEEL_WORD_ARMED);
		filed = old & ~TWHEEL_WORD_STATE;
		if (filed <= time && twheel_cas_64(word, &old, old | TWHEEL_WORD_FIRED)) {
			*fired_at = time;
			return FIRED;
		}
	}
}

static bool time_left(const struct timespec *start)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec - start->tv_sec < SECONDS;
}

static void test_race(void)
{
	static unsigned int seeds[PROGRAMS] = { 1, 2 };
	pthread_t programs[PROGRAMS];
	unsigned int moves, fired = 0;
	struct timespec start;
	__u64 fired_at;

	words[3] = TWHEEL_WORD_IDLE;
	for (int i = 0; i < PROGRAMS; i++)
		CHECK(!pthread_create(&programs[i], NULL, program_thread, &seeds[i]));
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (moves = 0; moves < MIN_MOVES || (moves < MAX_MOVES && time_left(&start)); moves++) {
		if (live(&fired_at) == FIRED) {
			fired++;
			CHECK(twheel_load_acquire_64(&promised) <= fired_at);
			CHECK(twheel_word_state(&tw, ID) == TWHEEL_WORD_FIRED);
		} else {
			CHECK(twheel_word_state(&tw, ID) == TWHEEL_WORD_IDLE);
			/* Beyond all that was promised, so that it can be checked again. */
			__atomic_fetch_add(&now, 2048, __ATOMIC_RELAXED);
		}
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < PROGRAMS; i++)
		pthread_join(programs[i], NULL);
	CHECK(fired + cancels == moves + rearms);
	CHECK(fired && cancels && rearms);
	printf("word_test: %u fired, %u cancelled, %u armed again, none early\n", fired, cancels,
	       rearms);
}

int main(void)
{
	test_answers();
	test_older_kernel();
	test_race();
	return 0;
}
