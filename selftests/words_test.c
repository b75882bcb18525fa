// SPDX-License-Identifier: GPL-2.0-only
/*
 * Words: what a program does to its timers by writing memory, and how the kernel
 * reacts.  Steps of the program are single compare-exchanges, as the head comment of
 * linux/twheel.h describes them.
 */
#include "common.h"
#include "common/words.h"

#include <signal.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

FIXTURE(words)
{
	struct queue q;
	shared_u64 *words;
};

FIXTURE_SETUP(words)
{
	self->words = words_open(&self->q, 64, 4096);
	ASSERT_NE(NULL, self->words);
}

FIXTURE_TEARDOWN(words)
{
	munmap(self->words, self->q.setup.words_size);
	queue_close(&self->q);
}

TEST_F(words, are_offered)
{
	EXPECT_TRUE(self->q.setup.features & TWHEEL_FEAT_WORDS);
	EXPECT_EQ(4096 * sizeof(__u64), self->q.setup.words_size);
}

TEST_F(words, a_queue_without_them_has_no_mapping)
{
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 8));
	EXPECT_EQ(0, q.setup.words_size);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE_SIZE, PROT_READ, MAP_SHARED, q.fd,
				   self->q.setup.words_offset));
	EXPECT_EQ(EINVAL, errno);
	queue_close(&q);
}

TEST_F(words, mapping_larger_than_they_are_is_refused)
{
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->q.setup.words_size + PAGE_SIZE, PROT_READ,
				   MAP_SHARED, self->q.fd, self->q.setup.words_offset));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE_SIZE, PROT_READ | PROT_EXEC, MAP_SHARED,
				   self->q.fd, self->q.setup.words_offset));
	EXPECT_EQ(EACCES, errno);
}

TEST_F_SIGNAL(words, a_page_without_timers_is_a_bus_error, SIGBUS)
{
	word_load(&self->words[0]);
}

TEST_F(words, arm_keep_writes_the_word)
{
	__u64 deadline = mono() + HOUR + 1, id = arm_keep(self->q.fd, deadline, 0);

	EXPECT_EQ(ARMED(deadline), word_load(&self->words[(__u32)id]));
}

TEST_F(words, arm_without_keep_has_none)
{
	__u64 id = arm(self->q.fd, mono() + HOUR, 0);

	EXPECT_EQ(0, word_load(&self->words[(__u32)id]));
}

TEST_F(words, touch_pushes_back)
{
	__u64 first = mono() + 20 * MSEC, later = first + 40 * MSEC;
	__u64 id = arm_keep(self->q.fd, first, 7);
	struct twheel_record rec;

	ASSERT_TRUE(touch(&self->words[(__u32)id], later));
	ASSERT_EQ(1, next_record(self->q.fd, &rec));
	EXPECT_LE(later, mono());
	EXPECT_EQ((later + 3) & ~3ULL, rec.deadline);
	EXPECT_EQ(7, rec.user_data);
	EXPECT_EQ(1, stats(self->q.fd).pushed);
	EXPECT_EQ(TWHEEL_WORD_FIRED, STATE(word_load(&self->words[(__u32)id])));
	EXPECT_FALSE(touch(&self->words[(__u32)id], later + SEC));
}

TEST_F(words, a_deadline_that_is_not_touched_is_exact)
{
	__u64 deadline = (mono() + 5 * MSEC) | 3;
	struct twheel_record rec;

	arm_keep(self->q.fd, deadline, 0);
	ASSERT_EQ(1, next_record(self->q.fd, &rec));
	EXPECT_EQ(deadline, rec.deadline);
	EXPECT_EQ(0, stats(self->q.fd).pushed);
}

TEST_F(words, touch_many_times_costs_one_look)
{
	__u64 base = mono() + 300 * MSEC, id = arm_keep(self->q.fd, base, 0);
	struct twheel_record rec;
	int i;

	for (i = 1; i <= 1000; i++)
		ASSERT_TRUE(touch(&self->words[(__u32)id], base + i * 50 * USEC));
	ASSERT_EQ(1, next_record(self->q.fd, &rec));
	EXPECT_EQ((base + 50 * MSEC + 3) & ~3ULL, rec.deadline);
	EXPECT_EQ(1, stats(self->q.fd).pushed);
}

TEST_F(words, touch_cancel_gives_no_record_and_is_reaped)
{
	__u64 id = arm_keep(self->q.fd, mono() + 300 * MSEC, 0);
	struct twheel_record rec;

	ASSERT_TRUE(touch_cancel(&self->words[(__u32)id]));
	EXPECT_EQ(TWHEEL_IDLE, state(self->q.fd, id));
	EXPECT_EQ(1, stats(self->q.fd).pending);
	sleep_ns(340 * MSEC);
	EXPECT_EQ(-EAGAIN, (fcntl(self->q.fd, F_SETFL, O_NONBLOCK),
			    read_records(self->q.fd, &rec, 1)));
	EXPECT_EQ(0, stats(self->q.fd).pending);
	EXPECT_EQ(1, stats(self->q.fd).reaped);
	EXPECT_EQ(0, word_load(&self->words[(__u32)id]));
}

TEST_F(words, cancel_after_touch_cancel_is_enoent_and_reaps)
{
	__u64 id = arm_keep(self->q.fd, mono() + HOUR, 0);

	ASSERT_TRUE(touch_cancel(&self->words[(__u32)id]));
	EXPECT_EQ(-ENOENT, cancel(self->q.fd, id));
	EXPECT_EQ(0, stats(self->q.fd).pending);
	EXPECT_EQ(0, stats(self->q.fd).cancelled);
	EXPECT_EQ(-ENOENT, cancel(self->q.fd, id));
}

TEST_F(words, touch_after_cancel_finds_it_idle)
{
	__u64 id = arm_keep(self->q.fd, mono() + HOUR, 0);

	ASSERT_EQ(0, cancel(self->q.fd, id));
	EXPECT_FALSE(touch(&self->words[(__u32)id], mono() + 2 * HOUR));
	EXPECT_FALSE(touch_cancel(&self->words[(__u32)id]));
}

TEST_F(words, move_after_touch_cancel_arms_anew)
{
	__u64 id = arm_keep(self->q.fd, mono() + HOUR, 0), deadline = mono() + 5 * MSEC;
	struct twheel_record rec;

	ASSERT_TRUE(touch_cancel(&self->words[(__u32)id]));
	EXPECT_EQ(1, move(self->q.fd, id, deadline));
	ASSERT_EQ(1, next_record(self->q.fd, &rec));
	EXPECT_EQ(deadline, rec.deadline);
}

TEST_F(words, move_to_an_earlier_deadline_rewrites_the_word)
{
	__u64 id = arm_keep(self->q.fd, mono() + HOUR, 0), deadline = mono() + HOUR / 2;

	ASSERT_TRUE(touch(&self->words[(__u32)id], mono() + 2 * HOUR));
	EXPECT_EQ(0, move(self->q.fd, id, deadline));
	EXPECT_EQ(ARMED(deadline), word_load(&self->words[(__u32)id]));
}

TEST_F(words, free_after_touch_cancel_found_it_idle)
{
	__u64 id = arm_keep(self->q.fd, mono() + HOUR, 0);

	ASSERT_TRUE(touch_cancel(&self->words[(__u32)id]));
	EXPECT_EQ(0, release(self->q.fd, id));
	EXPECT_EQ(0, word_load(&self->words[(__u32)id]));
	EXPECT_EQ(0, stats(self->q.fd).allocated);
}

TEST_F(words, an_index_used_again_starts_armed)
{
	__u64 a = arm_keep(self->q.fd, mono() + HOUR, 0), b, deadline = mono() + 2 * HOUR;

	ASSERT_TRUE(touch_cancel(&self->words[(__u32)a]));
	ASSERT_EQ(0, release(self->q.fd, a));
	b = arm_keep(self->q.fd, deadline, 0);
	ASSERT_EQ((__u32)a, (__u32)b);
	EXPECT_EQ(ARMED(deadline), word_load(&self->words[(__u32)b]));
}

TEST_F(words, query_and_list_show_the_wish)
{
	__u64 id = arm_keep(self->q.fd, mono() + HOUR, 0), later = mono() + 2 * HOUR, cursor = 0;
	struct twheel_op op = op_query(id);
	struct twheel_info info;

	ASSERT_TRUE(touch(&self->words[(__u32)id], later));
	ASSERT_EQ(TWHEEL_PENDING, run_op(self->q.fd, &op));
	EXPECT_EQ((later + 3) & ~3ULL, op.deadline);
	ASSERT_EQ(1, list(self->q.fd, &cursor, &info, 1));
	EXPECT_EQ((later + 3) & ~3ULL, info.deadline);
	EXPECT_EQ(TWHEEL_INFO_KEEP, info.flags);
}

TEST_F(words, periodic_keeps_its_phase)
{
	__u64 first = (mono() + 5 * MSEC) | 1, period = 5 * MSEC + 1;
	__u64 id = arm_keep_periodic(self->q.fd, first, period), k = 0;
	struct twheel_record rec;
	int i;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(1, next_record(self->q.fd, &rec));
		k += rec.missed;
		EXPECT_EQ(first + k * period, rec.deadline);
		k++;
		EXPECT_EQ(TWHEEL_WORD_ARMED, STATE(word_load(&self->words[(__u32)id])));
	}
}

TEST_F(words, periodic_unread_goes_on_and_counts)
{
	__u64 first = mono() + 5 * MSEC, period = 5 * MSEC, seen;
	__u64 id = arm_keep_periodic(self->q.fd, first, period);
	struct twheel_record rec;

	sleep_ns(60 * MSEC);
	EXPECT_EQ(1, stats(self->q.fd).unread);
	EXPECT_EQ(TWHEEL_WORD_ARMED, STATE(word_load(&self->words[(__u32)id])));
	ASSERT_EQ(1, next_record(self->q.fd, &rec));
	EXPECT_EQ(first + rec.missed * period, rec.deadline);
	seen = rec.missed + 1;
	ASSERT_EQ(1, next_record(self->q.fd, &rec));
	EXPECT_LT(0, rec.missed);
	EXPECT_EQ(first + (seen + rec.missed) * period, rec.deadline);
}

TEST_F(words, periodic_pushed_back_changes_its_phase)
{
	__u64 period = 10 * MSEC, id = arm_keep_periodic(self->q.fd, mono() + HOUR, period);
	struct twheel_record rec;
	__u64 pushed;

	ASSERT_EQ(0, move(self->q.fd, id, mono() + HOUR));
	ASSERT_EQ(0, release(self->q.fd, id) - 1);
	id = arm_keep_periodic(self->q.fd, mono() + 10 * MSEC, period);
	pushed = (mono() + 33 * MSEC) & ~3ULL;
	ASSERT_TRUE(touch(&self->words[(__u32)id], pushed));
	ASSERT_EQ(1, next_record(self->q.fd, &rec));
	EXPECT_EQ(pushed + rec.missed * period, rec.deadline);
	pushed = rec.deadline;
	ASSERT_EQ(1, next_record(self->q.fd, &rec));
	EXPECT_EQ(pushed + (1 + rec.missed) * period, rec.deadline);
}

TEST_F(words, periodic_touch_cancelled_ends)
{
	__u64 id = arm_keep_periodic(self->q.fd, mono() + 2 * MSEC, 2 * MSEC);
	struct twheel_record rec;
	__u64 expired;

	ASSERT_EQ(1, next_record(self->q.fd, &rec));
	while (!touch_cancel(&self->words[(__u32)id]))
		;
	expired = stats(self->q.fd).expired;
	sleep_ns(20 * MSEC);
	EXPECT_EQ(expired, stats(self->q.fd).expired);
	EXPECT_EQ(0, stats(self->q.fd).pending);
}

TEST_F(words, backlog_is_fired_and_can_be_cancelled_by_op)
{
	struct twheel_op ops[80];
	int i, refused = 0;

	for (i = 0; i < 80; i++) {
		ops[i] = op_arm(mono() + MSEC, i);
		ops[i].flags = TWHEEL_OP_KEEP;
	}
	ASSERT_EQ(80, submit_all(&self->q, ops, 80));
	while (stats(self->q.fd).unread + stats(self->q.fd).backlog < 80)
		sleep_ns(MSEC);
	EXPECT_EQ(16, stats(self->q.fd).backlog);
	for (i = 0; i < 80; i++) {
		EXPECT_EQ(TWHEEL_WORD_FIRED, STATE(word_load(&self->words[(__u32)ops[i].id])));
		EXPECT_FALSE(touch_cancel(&self->words[(__u32)ops[i].id]));
		refused += cancel(self->q.fd, ops[i].id) == -ENOENT;
	}
	EXPECT_EQ(64, refused);
	EXPECT_EQ(0, stats(self->q.fd).backlog);
}

/* A cancelled timer keeps its place until its time or an op: at most max_timers. */
TEST_F(words, unreaped_timers_are_bounded_and_free_reaps)
{
	struct queue q;
	shared_u64 *words = words_open(&q, 8, 100);
	struct twheel_op op;
	__u64 ids[100];
	int i;

	ASSERT_NE(NULL, words);
	for (i = 0; i < 100; i++) {
		ids[i] = arm_keep(q.fd, mono() + HOUR, i);
		ASSERT_NE(0, ids[i]);
		ASSERT_TRUE(touch_cancel(&words[(__u32)ids[i]]));
	}
	op = op_arm(mono() + HOUR, 0);
	EXPECT_EQ(-ENOSPC, run_op(q.fd, &op));
	for (i = 0; i < 100; i++)
		EXPECT_EQ(0, release(q.fd, ids[i]));
	EXPECT_EQ(0, stats(q.fd).pending);
	EXPECT_EQ(0, run_op(q.fd, &op));
	munmap(words, q.setup.words_size);
	queue_close(&q);
}

/* --- races --------------------------------------------------------------- */

#define RACE_TIMERS	512
#define RACE_THREADS	3

struct race {
	struct queue q;
	shared_u64 *words;
	__u64 ids[RACE_TIMERS];
	unsigned int steps;
	__u64 end;			/* when the threads stop in any case */
	shared_u64 armed, cancelled, touched, moved;
	__u64 records;
	bool done;
};

_Static_assert(offsetof(struct race, armed) % 8 == 0 && _Alignof(struct race) == 8,
	       "all threads add to these");

struct racer {
	struct race *race;
	__u64 seed;
	pthread_t thread;
};

static void add(shared_u64 *sum, __u64 n)
{
	__atomic_fetch_add(sum, n, __ATOMIC_RELAXED);
}

/* One random step on one random timer, counted if it was made. */
static void race_step(struct race *r, __u64 *seed)
{
	__u64 id = r->ids[random_below(seed, RACE_TIMERS)], kind = random_below(seed, 64);
	__u64 deadline = mono() + random_below(seed, MSEC);
	shared_u64 *word = &r->words[(__u32)id];

	if (kind < 40) {
		add(&r->touched, touch(word, deadline));
	} else if (kind < 56) {
		add(&r->cancelled, touch_cancel(word));
	} else if (kind < 58) {
		add(&r->cancelled, !cancel(r->q.fd, id));
	} else {
		add(&r->moved, 1);
		add(&r->armed, move(r->q.fd, id, deadline) == 1);
	}
}

static void *race_thread(void *arg)
{
	struct racer *racer = arg;

	for (unsigned int i = 0; i < racer->race->steps && mono() < racer->race->end; i++)
		race_step(racer->race, &racer->seed);
	return NULL;
}

static void *race_consumer(void *arg)
{
	struct race *r = arg;
	struct twheel_record rec;

	while (!__atomic_load_n(&r->done, __ATOMIC_ACQUIRE) || readable(r->q.fd, 0)) {
		while (ring_take(&r->q, &rec)) {
			if (mono() < rec.deadline)
				abort();
			r->records++;
		}
		if (ring_backlog(&r->q))
			flush(r->q.fd);
	}
	return NULL;
}

/*
 * Every arming has one end: a record, a cancel by word, or a cancel by op. On an idle
 * machine the steps take 4 seconds; on a busy one there are as many as 10 allow.
 */
TEST_F(words, races_of_touch_cancel_move_and_expiry_add_up)
{
	struct race r = { .steps = rounds(350000), .armed = RACE_TIMERS };
	struct racer racers[RACE_THREADS];
	__u64 seed = random_seed();
	pthread_t consumer;
	int i;

	NEEDS_THREADS();
	r.words = words_open(&r.q, 256, RACE_TIMERS);
	ASSERT_NE(NULL, r.words);
	ASSERT_EQ(0, queue_map(&r.q));
	for (i = 0; i < RACE_TIMERS; i++)
		r.ids[i] = arm_keep(r.q.fd, mono() + MSEC, i);
	r.end = mono() + 10 * SEC;
	pthread_create(&consumer, NULL, race_consumer, &r);
	for (i = 0; i < RACE_THREADS; i++) {
		racers[i] = (struct racer){ .race = &r, .seed = seed + i + 1 };
		pthread_create(&racers[i].thread, NULL, race_thread, &racers[i]);
	}
	for (i = 0; i < RACE_THREADS; i++)
		pthread_join(racers[i].thread, NULL);
	while (stats(r.q.fd).pending)
		sleep_ns(MSEC);
	__atomic_store_n(&r.done, true, __ATOMIC_RELEASE);
	pthread_join(consumer, NULL);
	TH_LOG("%llu touched, %llu moved, %llu cancelled, %llu records", r.touched, r.moved,
	       r.cancelled, r.records);
	EXPECT_EQ(r.armed, r.records + r.cancelled);
	EXPECT_LT(0, r.touched);
	EXPECT_LT(RACE_TIMERS, r.armed);
	munmap(r.words, r.q.setup.words_size);
	queue_close(&r.q);
}

/* Who alone pushes a timer back knows its last deadline: that is the record's. */
TEST_F(words, the_last_push_that_was_made_counts)
{
	__u64 seed = random_seed(), last[512];
	struct twheel_record recs[512];
	struct twheel_op ops[512];
	struct queue q;
	shared_u64 *words = words_open(&q, 512, 512);
	int i, n;

	ASSERT_NE(NULL, words);
	for (i = 0; i < 512; i++) {
		last[i] = (mono() + 2 * MSEC + random_below(&seed, 8 * MSEC)) & ~3ULL;
		ops[i] = op_arm(last[i], i);
		ops[i].flags = TWHEEL_OP_KEEP;
	}
	ASSERT_EQ(512, submit_all(&q, ops, 512));
	for (n = 0; n < (int)rounds(100000); n++) {
		__u64 later = (mono() + random_below(&seed, 3 * MSEC)) & ~3ULL;

		i = random_below(&seed, 512);
		if (touch(&words[(__u32)ops[i].id], later))
			last[i] = later;
	}
	ASSERT_EQ(512, collect(q.fd, recs, 512));
	for (i = 0; i < 512; i++)
		EXPECT_EQ(last[recs[i].user_data], recs[i].deadline);
	munmap(words, q.setup.words_size);
	queue_close(&q);
}

/* --- a hostile writer ---------------------------------------------------- */

#define HOSTILE_TIMERS	2048

/* Mostly a deadline a little ahead, so that the timer must be filed again. */
static __u64 hostile_value(__u64 *seed)
{
	static const __u64 odd[] = { 0, 1, 2, 3, 1ULL << 63, ~0ULL };
	__u64 kind = random_below(seed, 10000);

	if (kind < 6)
		return odd[kind];
	if (kind == 6)
		return random_next(seed);
	return ARMED(mono() + random_below(seed, 200 * USEC));
}

/* A store, or a cancel and an arming for any time, which race with the reaping. */
static void hostile_step(shared_u64 *word, __u64 *seed)
{
	if (random_below(seed, 2))
		__atomic_store_n(word, hostile_value(seed), __ATOMIC_RELAXED);
	else if (touch_cancel(word))
		word_step(word, word_load(word), hostile_value(seed));
}

/* Scribble over all words until killed. */
static void scribble(const struct queue *q, __u64 seed)
{
	shared_u64 *words = words_map(q);

	for (;;)
		hostile_step(&words[random_below(&seed, HOSTILE_TIMERS)], &seed);
}

/* While it lasts, another queue's periodic timer loses nothing. */
static __u64 watch_bystander(struct queue *q, unsigned int ms)
{
	__u64 first = mono() + MSEC, end = first + ms * MSEC, count = 0, worst = 0;
	struct twheel_record rec;

	if (!arm_periodic(q->fd, first, MSEC, 0))
		return 0;
	while (mono() < end && next_record(q->fd, &rec) == 1) {
		count += 1 + rec.missed;
		if (rec.deadline != first + (count - 1) * MSEC)
			return 0;
		worst = rec.lateness > worst ? rec.lateness : worst;
	}
	printf("# bystander: %llu periods, worst lateness %llu us\n", count, worst / 1000);
	return count;
}

TEST_F(words, a_hostile_writer_harms_only_itself)
{
	long users = module_users();
	struct queue victim, bystander;
	shared_u64 *words = words_open(&victim, HOSTILE_TIMERS, HOSTILE_TIMERS);
	struct twheel_stats s;
	pid_t child;
	int i;

	ASSERT_NE(NULL, words);
	ASSERT_EQ(0, queue_open(&bystander, CLOCK_MONOTONIC, 64));
	for (i = 0; i < HOSTILE_TIMERS; i++)
		ASSERT_NE(0, arm_keep_periodic(victim.fd, mono() + MSEC, 10 * MSEC));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		scribble(&victim, random_seed());
	EXPECT_LE(1000, watch_bystander(&bystander, 1500));
	s = stats(victim.fd);
	kill(child, SIGKILL);
	EXPECT_EQ(child, waitpid(child, NULL, 0));
	TH_LOG("pushed %llu, reaped %llu, expired %llu, passes %llu", s.pushed, s.reaped,
	       s.expired, s.passes);
	/* looks at one timer are at least 50 us apart */
	EXPECT_GE(HOSTILE_TIMERS * 40000ULL, s.pushed);
	EXPECT_LT(0, s.pushed);
	munmap(words, victim.setup.words_size);
	queue_close(&victim);
	queue_close(&bystander);
	EXPECT_EQ(users, module_users());
}

TEST_HARNESS_MAIN
