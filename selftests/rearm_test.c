// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arming again by word: a timer that was cancelled by its word can be armed again by
 * its word, as long as the kernel has not reaped it.
 *
 *	cancelled(d) -> armed(d'), d' >= d	the program
 *	cancelled(d) -> idle			the kernel, at the filed time
 *
 * Both are one compare-exchange, so one of them wins, and the program knows which.
 * First each step alone, with all that the kernel reports about it; then races, in
 * which every arming must have exactly one end.
 *
 * Where a timer must not be reaped before it is armed again, it has an hour, or SOON,
 * or a PERIOD. A loaded machine does not pause for that long between two lines of a
 * test.
 */
#include "common.h"
#include "common/words.h"

#include "kselftest_harness.h"

#define SOON		SEC
#define PERIOD		(SEC / 2)
#define ROUND_UP(d)	(((d) + 3) & ~3ULL)

FIXTURE(rearm)
{
	struct queue q;
	int fd;
	shared_u64 *words;
};

FIXTURE_SETUP(rearm)
{
	self->words = words_open(&self->q, 64, 100);
	ASSERT_NE(NULL, self->words);
	self->fd = self->q.fd;
}

FIXTURE_TEARDOWN(rearm)
{
	munmap(self->words, self->q.setup.words_size);
	queue_close(&self->q);
}

static shared_u64 *word_of(shared_u64 *words, __u64 id)
{
	return &words[(__u32)id];
}

/* Until the wheel is empty. */
static void wait_for_all(int fd)
{
	while (stats(fd).pending)
		sleep_ns(MSEC);
}

/* Every arming that the kernel knows has ended in one of these ways. */
static void expect_ends(struct __test_metadata *_metadata, int fd, __u64 armed, __u64 expired,
			__u64 cancelled, __u64 reaped)
{
	struct twheel_stats s = stats(fd);

	EXPECT_EQ(armed, s.armed);
	EXPECT_EQ(expired, s.expired);
	EXPECT_EQ(cancelled, s.cancelled);
	EXPECT_EQ(reaped, s.reaped);
	EXPECT_EQ(armed, expired + cancelled + reaped + s.pending + s.backlog);
}

TEST_F(rearm, fires_once_and_at_the_new_deadline)
{
	__u64 first = mono() + SOON, later = first + 20 * MSEC;
	__u64 id = arm_keep(self->fd, first, 7);
	shared_u64 *word = word_of(self->words, id);
	struct twheel_record rec;

	ASSERT_TRUE(touch_cancel(word));
	ASSERT_TRUE(rearm(word, later));
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_LE(ROUND_UP(later), mono());
	EXPECT_EQ(ROUND_UP(later), rec.deadline);
	EXPECT_EQ(7, rec.user_data);
	EXPECT_EQ(0, rec.missed);
	EXPECT_EQ(TWHEEL_WORD_FIRED, STATE(word_load(word)));
	EXPECT_FALSE(rearm(word, later + SEC));
	EXPECT_TRUE(silent_until(self->fd, mono() + 20 * MSEC));
	EXPECT_EQ(1, stats(self->fd).pushed);
	expect_ends(_metadata, self->fd, 1, 1, 0, 0);
}

/* The word has it rounded up; the kernel has not forgotten what was asked for. */
TEST_F(rearm, for_the_same_deadline_is_exact)
{
	__u64 deadline = (mono() + SOON) | 3, id = arm_keep(self->fd, deadline, 0);
	shared_u64 *word = word_of(self->words, id);
	__u64 armed = word_load(word);
	struct twheel_record rec;

	ASSERT_TRUE(touch_cancel(word));
	ASSERT_TRUE(rearm(word, deadline));
	EXPECT_EQ(armed, word_load(word));
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_EQ(deadline, rec.deadline);
	EXPECT_EQ(0, stats(self->fd).pushed);
	expect_ends(_metadata, self->fd, 1, 1, 0, 0);
}

TEST_F(rearm, many_times_costs_one_look)
{
	__u64 first = mono() + SOON, last = first + 100 * MSEC;
	__u64 id = arm_keep(self->fd, first, 0);
	shared_u64 *word = word_of(self->words, id);
	struct twheel_record rec;

	for (int i = 1; i <= 1000; i++) {
		ASSERT_TRUE(touch_cancel(word));
		ASSERT_TRUE(rearm(word, first + i * 100 * USEC));
	}
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_EQ(ROUND_UP(last), rec.deadline);
	EXPECT_EQ(1, stats(self->fd).pushed);
	expect_ends(_metadata, self->fd, 1, 1, 0, 0);
}

/* --- what the kernel tells ------------------------------------------------- */

/* QUERY and LIST agree. */
static void expect_view(struct __test_metadata *_metadata, int fd, __u64 id, __u32 state,
			__u64 deadline)
{
	struct twheel_op op = op_query(id);
	struct twheel_info info;
	__u64 cursor = 0;

	EXPECT_EQ(state, run_op(fd, &op));
	ASSERT_EQ(1, list(fd, &cursor, &info, 1));
	EXPECT_EQ(id, info.id);
	EXPECT_EQ(state, info.state);
	EXPECT_EQ(op.deadline, info.deadline);
	EXPECT_EQ(op.slack, info.slack);
	EXPECT_EQ(op.user_data, info.user_data);
	EXPECT_EQ(1024, info.slack);
	EXPECT_EQ(9, info.user_data);
	if (state == TWHEEL_PENDING)
		EXPECT_EQ(deadline, info.deadline);
	EXPECT_EQ(1, stats(fd).allocated);
}

TEST_F(rearm, query_list_and_stats_follow_each_step)
{
	__u64 deadline = (mono() + HOUR) | 1, later = deadline + HOUR;
	struct twheel_op op = op_arm(deadline, 9);
	shared_u64 *word;
	__u64 id;

	op.flags = TWHEEL_OP_KEEP;
	op.slack = 1024;
	id = arm_op(self->fd, op);
	word = word_of(self->words, id);
	for (int i = 0; i < 3; i++) {
		expect_view(_metadata, self->fd, id, TWHEEL_PENDING,
			    i ? ROUND_UP(later) : deadline);
		ASSERT_TRUE(touch_cancel(word));
		expect_view(_metadata, self->fd, id, TWHEEL_IDLE, 0);
		expect_ends(_metadata, self->fd, 1, 0, 0, 0);
		ASSERT_TRUE(rearm(word, later));
		expect_ends(_metadata, self->fd, 1, 0, 0, 0);
	}
	ASSERT_EQ(0, cancel(self->fd, id));
	expect_view(_metadata, self->fd, id, TWHEEL_IDLE, 0);
	expect_ends(_metadata, self->fd, 1, 0, 1, 0);
}

TEST_F(rearm, ops_find_it_pending)
{
	__u64 id = arm_keep(self->fd, mono() + HOUR, 0);
	shared_u64 *word = word_of(self->words, id);
	__u64 sooner = mono() + HOUR / 2;

	ASSERT_TRUE(touch_cancel(word) && rearm(word, mono() + 2 * HOUR));
	EXPECT_EQ(0, move(self->fd, id, sooner));
	EXPECT_EQ(ARMED(sooner), word_load(word));
	EXPECT_EQ(1, stats(self->fd).moved);
	ASSERT_TRUE(touch_cancel(word) && rearm(word, mono() + 2 * HOUR));
	EXPECT_EQ(0, cancel(self->fd, id));
	EXPECT_EQ(-ENOENT, cancel(self->fd, id));
	EXPECT_FALSE(rearm(word, mono() + 3 * HOUR));
	EXPECT_EQ(1, move(self->fd, id, sooner));
	ASSERT_TRUE(touch_cancel(word) && rearm(word, mono() + 2 * HOUR));
	EXPECT_EQ(1, release(self->fd, id));
	EXPECT_EQ(TWHEEL_WORD_IDLE, word_load(word));
	expect_ends(_metadata, self->fd, 2, 0, 2, 0);
}

/* The kernel was first: the word says so, and MOVE arms. */
TEST_F(rearm, a_reaped_timer_is_idle_and_needs_move)
{
	__u64 id = arm_keep(self->fd, mono() + SOON, 0);
	shared_u64 *word = word_of(self->words, id);
	__u64 soon;
	struct twheel_record rec;

	ASSERT_TRUE(touch_cancel(word));
	wait_for_all(self->fd);
	EXPECT_EQ(TWHEEL_WORD_IDLE, word_load(word));
	EXPECT_FALSE(rearm(word, mono() + HOUR));
	expect_ends(_metadata, self->fd, 1, 0, 0, 1);
	soon = mono() + 5 * MSEC;
	EXPECT_EQ(1, move(self->fd, id, soon));
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_EQ(soon, rec.deadline);
	expect_ends(_metadata, self->fd, 2, 1, 0, 1);
}

/* However often: what is unreaped is a timer that exists, and it goes at its last time. */
TEST_F(rearm, unreaped_timers_stay_bounded_and_end)
{
	__u64 first = mono() + SEC, ids[100];
	shared_u64 *word;
	struct twheel_op more = op_arm(mono() + HOUR, 0);

	for (int i = 0; i < 100; i++) {
		ids[i] = arm_keep(self->fd, first, i);
		ASSERT_NE(0, ids[i]);
	}
	for (int i = 0; i < 1000; i++) {
		word = word_of(self->words, ids[i % 100]);
		ASSERT_TRUE(touch_cancel(word) && rearm(word, first + i * USEC));
	}
	for (int i = 0; i < 100; i++)
		ASSERT_TRUE(touch_cancel(word_of(self->words, ids[i])));
	EXPECT_EQ(-ENOSPC, run_op(self->fd, &more));
	EXPECT_EQ(100, stats(self->fd).pending);
	wait_for_all(self->fd);
	EXPECT_FALSE(readable(self->fd, 0));
	expect_ends(_metadata, self->fd, 100, 0, 0, 100);
}

/* --- periodic timers --------------------------------------------------------- */

TEST_F(rearm, periodic_goes_on_from_its_new_deadline)
{
	__u64 period = 20 * MSEC, first = mono() + SOON, next = ROUND_UP(first + 33 * MSEC);
	__u64 id = arm_keep_periodic(self->fd, first, period);
	shared_u64 *word = word_of(self->words, id);
	struct twheel_record rec;

	ASSERT_TRUE(touch_cancel(word) && rearm(word, next));
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(1, next_record(self->fd, &rec));
		EXPECT_EQ(next + rec.missed * period, rec.deadline);
		next = rec.deadline + period;
	}
	EXPECT_EQ(0, cancel(self->fd, id));
}

/*
 * A periodic timer whose record nobody reads, and which has gone on without one. The
 * deadline its word has now, the second one after the record's.
 */
static __u64 arm_unread(int fd, shared_u64 *words, __u64 period, __u64 *id)
{
	__u64 first = (mono() + 5 * MSEC) | 3, second, old;
	shared_u64 *word;

	*id = arm_keep_periodic(fd, first, period);
	word = word_of(words, *id);
	do
		second = word_load(word);
	while (second == ARMED(first) || STATE(second) != TWHEEL_WORD_ARMED);
	do
		old = word_load(word);
	while (old == second || STATE(old) != TWHEEL_WORD_ARMED);
	return DEADLINE(old);
}

/* Until the kernel has gone on from this deadline, too. */
static void wait_past(const shared_u64 *word, __u64 deadline)
{
	while (DEADLINE(word_load(word)) == deadline ||
	       STATE(word_load(word)) != TWHEEL_WORD_ARMED)
		sleep_ns(MSEC);
}

/* The record of the arming before is one at a time, too; its periods are not counted. */
TEST_F(rearm, periodic_with_an_unread_record_begins_a_new_series)
{
	__u64 period = PERIOD, id, next, due = arm_unread(self->fd, self->words, period, &id);
	shared_u64 *word = word_of(self->words, id);
	struct twheel_record rec;

	next = ROUND_UP(due + 20 * MSEC);
	ASSERT_TRUE(touch_cancel(word) && rearm(word, next));
	wait_past(word, next);
	EXPECT_EQ(1, stats(self->fd).unread);
	ASSERT_EQ(1, next_record(self->fd, &rec));
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_LE(1, rec.missed);
	EXPECT_EQ(next + rec.missed * period, rec.deadline);
	EXPECT_EQ(0, cancel(self->fd, id));
}

/*
 * Also where the new deadline is one of the old series. The kernel looks once at the
 * old time, and then not before the new one.
 */
TEST_F(rearm, periodic_by_whole_periods_begins_a_new_series)
{
	__u64 period = PERIOD, id, due = arm_unread(self->fd, self->words, period, &id);
	shared_u64 *word = word_of(self->words, id);
	__u64 next = ROUND_UP(due + 2 * period);
	struct twheel_record rec;

	ASSERT_TRUE(touch_cancel(word) && rearm(word, next));
	ASSERT_EQ(1, next_record(self->fd, &rec));
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_EQ(next + rec.missed * period, rec.deadline);
	EXPECT_GE(1, stats(self->fd).pushed);
	EXPECT_EQ(0, cancel(self->fd, id));
}

/* For the very deadline it was cancelled at nothing has happened: the series goes on. */
TEST_F(rearm, periodic_for_the_same_deadline_goes_on)
{
	__u64 period = PERIOD, id, due = arm_unread(self->fd, self->words, period, &id), next;
	shared_u64 *word = word_of(self->words, id);
	struct twheel_record rec;

	ASSERT_TRUE(touch_cancel(word) && rearm(word, due));
	ASSERT_EQ(1, next_record(self->fd, &rec));
	next = rec.deadline + period;
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_LE(1, rec.missed);
	EXPECT_EQ(next + rec.missed * period, rec.deadline);
	EXPECT_EQ(0, cancel(self->fd, id));
}

/* --- races --------------------------------------------------------------------- */

#define TIMERS		64
#define THREADS		3

/* What one thread did, or several. */
struct sums {
	__u64 armed, rearmed, cancelled, records, early;
};

/* A queue of timers, and all who are at them. */
struct race {
	struct queue q;
	shared_u64 *words;
	__u64 ids[TIMERS];
	__u64 end;		/* when the threads stop */
	__u64 records[TIMERS];	/* as the consumer counts them */
	__u64 early;
	bool done;
};

struct racer {
	struct race *race;
	__u64 seed;
	__u64 span;		/* ns, of the deadlines of cycles */
	unsigned int number;
	struct sums sums;
	pthread_t thread;
};

/* A few seconds in all, whatever the machine gets done in them. */
static void race_begin(struct __test_metadata *_metadata, struct race *r)
{
	memset(r, 0, sizeof(*r));
	r->words = words_open(&r->q, 16, TIMERS);
	ASSERT_NE(NULL, r->words);
	ASSERT_EQ(0, queue_map(&r->q));
	for (int i = 0; i < TIMERS; i++)
		r->ids[i] = arm_keep(r->q.fd, mono() + MSEC, i);
	r->end = mono() + rounds(1500) * MSEC;
}

static void *consume(void *arg)
{
	struct race *r = arg;
	struct twheel_record rec;

	while (!__atomic_load_n(&r->done, __ATOMIC_ACQUIRE) || readable(r->q.fd, 0)) {
		while (ring_take(&r->q, &rec)) {
			r->early += mono() < rec.deadline;
			r->records[rec.user_data]++;
		}
		if (ring_backlog(&r->q))
			flush(r->q.fd);
		sched_yield();
	}
	return NULL;
}

/* Run the threads, and wait until every timer has ended. */
static struct sums race_run(struct race *r, void *(*run)(void *), struct racer *racers)
{
	struct sums sum = { .armed = TIMERS };
	__u64 seed = random_seed();
	pthread_t consumer;

	pthread_create(&consumer, NULL, consume, r);
	for (unsigned int i = 0; i < THREADS; i++) {
		racers[i] = (struct racer){ .race = r, .seed = seed + i, .number = i };
		pthread_create(&racers[i].thread, NULL, run, &racers[i]);
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(racers[i].thread, NULL);
		sum.armed += racers[i].sums.armed;
		sum.rearmed += racers[i].sums.rearmed;
		sum.cancelled += racers[i].sums.cancelled;
		sum.early += racers[i].sums.early;
	}
	wait_for_all(r->q.fd);
	__atomic_store_n(&r->done, true, __ATOMIC_RELEASE);
	pthread_join(consumer, NULL);
	for (unsigned int i = 0; i < TIMERS; i++)
		sum.records += r->records[i];
	return sum;
}

/* The program's sums, and then the kernel's: it does not see what words do in between. */
static void race_end(struct __test_metadata *_metadata, struct race *r, const struct sums *sum)
{
	struct twheel_stats s = stats(r->q.fd);

	TH_LOG("%llu armed by op, %llu by word, %llu cancelled, %llu records, %llu reaped",
	       sum->armed, sum->rearmed, sum->cancelled, sum->records, s.reaped);
	EXPECT_EQ(sum->armed + sum->rearmed, sum->cancelled + sum->records);
	EXPECT_EQ(0, sum->early + r->early);
	EXPECT_LT(0, sum->rearmed);
	expect_ends(_metadata, r->q.fd, sum->armed, sum->records, s.cancelled, s.reaped);
	munmap(r->words, r->q.setup.words_size);
	queue_close(&r->q);
}

/* One random step on one random timer, counted if it was made. */
static void any_step(struct racer *racer)
{
	struct race *r = racer->race;
	__u64 id = r->ids[random_below(&racer->seed, TIMERS)];
	__u64 deadline = mono() + random_below(&racer->seed, 2 * MSEC);
	__u64 kind = random_below(&racer->seed, 64);
	shared_u64 *word = word_of(r->words, id);

	if (kind < 10)
		touch(word, deadline);
	else if (kind < 30)
		racer->sums.cancelled += touch_cancel(word);
	else if (kind < 60)
		racer->sums.rearmed += rearm(word, deadline);
	else if (kind < 62)
		racer->sums.cancelled += !cancel(r->q.fd, id);
	else
		racer->sums.armed += move(r->q.fd, id, deadline) == 1;
}

static void *run_any_steps(void *arg)
{
	struct racer *racer = arg;

	while (mono() < racer->race->end)
		any_step(racer);
	return NULL;
}

/* Words and ops of several threads on the same timers. */
TEST(races_of_all_steps_add_up)
{
	struct racer racers[THREADS];
	static struct race r;
	struct sums sum;

	NEEDS_THREADS();
	race_begin(_metadata, &r);
	sum = race_run(&r, run_any_steps, racers);
	race_end(_metadata, &r, &sum);
}

/* A timer of this thread alone has fired: not before its deadline; arm it with MOVE. */
static __u64 arm_by_move(struct racer *racer, __u64 id, __u64 last)
{
	__u64 deadline = mono() + random_below(&racer->seed, racer->span);

	racer->sums.early += mono() < last;
	if (move(racer->race->q.fd, id, deadline) == 1)
		racer->sums.armed++;
	return deadline;
}

/*
 * One cycle: cancel and arm again, at once or close to the moment when the kernel
 * reaps. Whose timer it is knows its last deadline. Returns the new one.
 */
static __u64 cycle(struct racer *racer, __u64 id, __u64 last)
{
	shared_u64 *word = word_of(racer->race->words, id);
	__u64 now = mono(), deadline;

	if (!touch_cancel(word))
		return arm_by_move(racer, id, last);
	racer->sums.cancelled++;
	if (!random_below(&racer->seed, 4) && last > now && last < now + MSEC)
		spin_until(last - 20 * USEC + random_below(&racer->seed, 40 * USEC));
	deadline = mono() + random_below(&racer->seed, racer->span);
	deadline = deadline > last ? deadline : last;
	if (!rearm(word, deadline))
		return arm_by_move(racer, id, 0);
	racer->sums.rearmed++;
	return deadline;
}

/*
 * On the timers whose number leaves this thread's as the remainder. Deadlines are 2 ms
 * ahead or, on a slow machine, as far as two rounds take, but no more than 100 ms, so
 * that some timers are still pending when their turn comes, and some have expired.
 */
static void *run_cycles(void *arg)
{
	struct racer *racer = arg;
	struct race *r = racer->race;
	__u64 last[TIMERS] = { 0 };

	racer->span = 2 * MSEC;
	while (mono() < r->end) {
		__u64 begin = mono(), took;

		for (unsigned int i = racer->number; i < TIMERS; i += THREADS)
			last[i] = cycle(racer, r->ids[i], last[i]);
		took = mono() - begin;
		racer->span = took < MSEC ? 2 * MSEC : took < 50 * MSEC ? 2 * took : 100 * MSEC;
	}
	return NULL;
}

/* Each thread with its own timers, at full speed beside expiry. */
TEST(cycles_beside_expiry_are_never_early_and_add_up)
{
	struct racer racers[THREADS];
	static struct race r;
	struct sums sum;

	NEEDS_THREADS();
	race_begin(_metadata, &r);
	sum = race_run(&r, run_cycles, racers);
	race_end(_metadata, &r, &sum);
}

TEST_HARNESS_MAIN
