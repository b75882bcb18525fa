// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring: order, wrap, backlog, many consumers, and a consumer that lies.
 * How the areas may be mapped is in mmap_test.c.
 */
#include "common.h"
#include "common/fixtures.h"

#include <sys/socket.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

#define ENTRIES 8

MAPPED_FIXTURE(ring, ENTRIES)

/*
 * n timers for instants that have passed: i-th has deadline and user_data first + i.
 * One call each, so that they are delivered in this order.
 */
static void fire(struct __test_metadata *_metadata, const struct queue *q, __u64 first, __u32 n)
{
	for (__u32 i = 0; i < n; i++) {
		ASSERT_NE(0ULL, arm(q->fd, first + i, first + i));
	}
}

#define FIRE(first, n) fire(_metadata, &self->q, first, n)

static void wait_for_expired(struct __test_metadata *_metadata, int fd, __u64 due)
{
	__u64 give_up = mono() + GIVE_UP_MS * MSEC;
	struct twheel_stats s;

	do {
		sleep_ns(2 * MSEC);
		s = stats(fd);
		ASSERT_GE(give_up, mono());
	} while (s.expired + s.backlog < due);
}

/* Take one record from the mapping; it must be the one with this user_data. */
#define TAKE(data) do {						\
	struct twheel_record rec_;				\
								\
	ASSERT_TRUE(ring_take(&self->q, &rec_));		\
	ASSERT_EQ(data, rec_.user_data);			\
} while (0)

/* --- records and their order -------------------------------------------------- */

TEST_F(ring, is_empty_at_first)
{
	struct twheel_record rec;

	EXPECT_EQ(self->q.ring->tail, self->q.ctl->head);
	EXPECT_EQ(0U, self->q.ring->backlog);
	EXPECT_EQ(ENTRIES, self->q.ring->entries);
	EXPECT_FALSE(ring_take(&self->q, &rec));
}

TEST_F(ring, record_is_there_with_all_members)
{
	__u64 deadline = mono() + 5 * MSEC, id = arm(self->fd, deadline, 0xabcdef0123456789ULL);
	struct twheel_record rec;

	ASSERT_TRUE(readable(self->fd, GIVE_UP_MS));
	ASSERT_TRUE(ring_take(&self->q, &rec));
	EXPECT_EQ(id, rec.id);
	EXPECT_EQ(deadline, rec.deadline);
	EXPECT_EQ(0xabcdef0123456789ULL, rec.user_data);
	EXPECT_EQ(0U, rec.missed);
	EXPECT_LE(rec.deadline + rec.lateness, mono());
	EXPECT_FALSE(readable(self->fd, 0));
	EXPECT_EQ(0ULL, stats(self->fd).unread);
}

/* B78: slots that were never written, and reserved members, are 0. */
TEST_F(ring, unused_slots_are_zero)
{
	const unsigned char *p = (const unsigned char *)self->q.ring;

	FIRE(1, 3);
	for (size_t i = self->q.setup.records_offset + 3 * 32; i < self->q.setup.ring_size; i++) {
		ASSERT_EQ(0, p[i]);
	}
	for (size_t i = 12; i < self->q.setup.records_offset; i++) {
		ASSERT_EQ(0, p[i]);
	}
	p = (const unsigned char *)self->q.ctl;
	for (size_t i = 0; i < self->q.setup.ctl_size; i++) {
		ASSERT_EQ(0, p[i]);
	}
}

TEST_F(ring, wraps_many_times)
{
	__u64 next = 1;

	for (unsigned int round = 0; round < 300; round++) {
		__u32 n = 1 + random_below(&self->seed, ENTRIES);

		FIRE(next, n);
		for (__u32 i = 0; i < n; i++)
			TAKE(next + i);
		next += n;
	}
	EXPECT_EQ(next - 1, self->q.ring->tail);
	EXPECT_EQ(next - 1, stats(self->fd).expired);
}

TEST_F(ring, read_and_mapping_share_one_head)
{
	struct twheel_record rec[2];

	FIRE(1, 6);
	TAKE(1ULL);
	ASSERT_EQ(2, read_records(self->fd, rec, 2));
	EXPECT_EQ(2ULL, rec[0].user_data);
	EXPECT_EQ(3ULL, rec[1].user_data);
	EXPECT_EQ(self->q.ring->tail - 3, self->q.ctl->head);
	TAKE(4ULL);
	ASSERT_EQ(1, read_records(self->fd, rec, 1));
	EXPECT_EQ(5ULL, rec[0].user_data);
	EXPECT_EQ(1ULL, stats(self->fd).unread);
}

/*
 * n timers with deadlines in random order, all in the future when they have been
 * armed; false when this machine was too slow for that.
 */
static bool armed_at_random(struct __test_metadata *_metadata, struct queue *q, __u64 base,
			    __u64 spread, __u32 n, __u64 *seed)
{
	struct twheel_op *ops = calloc(n, sizeof(*ops));

	for (__u32 i = 0; i < n; i++)
		ops[i] = op_arm(base + random_below(seed, spread), i);
	ASSERT_EQ(n, submit_all(q, ops, n));
	free(ops);
	return mono() < base;
}

#define ARMED_AT_RANDOM(q, base, spread, n) do {				\
	if (!armed_at_random(_metadata, q, base, spread, n, &self->seed))	\
		SKIP(return, "this machine is too slow today");			\
} while (0)

/* Promise 9: armed in random order, delivered by expires, however late. */
TEST_F(ring, order_is_that_of_expires)
{
	enum { N = 500 };
	static struct twheel_record rec[N];
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 1024));
	ARMED_AT_RANDOM(&q, mono() + 100 * MSEC, 40 * MSEC, N);
	ASSERT_EQ(N, collect(q.fd, rec, N));
	for (int i = 1; i < N; i++) {
		ASSERT_LE(rec[i - 1].deadline, rec[i].deadline);
	}
	queue_close(&q);
}

/* Promise 9, for what is due when it is armed: the batch is delivered as a whole. */
TEST_F(ring, order_holds_for_past_deadlines_of_one_batch)
{
	const __u64 deadlines[] = { 5, 3, 8, 1, 7, 2, 6, 4 };
	struct twheel_op ops[ARRAY_SIZE(deadlines)];
	struct twheel_record rec;

	for (size_t i = 0; i < ARRAY_SIZE(deadlines); i++)
		ops[i] = op_arm(deadlines[i], i);
	ASSERT_EQ(8, submit(self->fd, ops, 8));
	for (__u64 i = 1; i <= 8; i++) {
		ASSERT_TRUE(ring_take(&self->q, &rec));
		EXPECT_EQ(i, rec.deadline);
	}
}

/* Order by expires, not by deadline: slack counts. */
TEST_F(ring, order_respects_slack)
{
	__u64 base = ((mono() + 30 * MSEC) | ((1 << 22) - 1)) + 1;
	struct twheel_record rec[3];
	struct twheel_op ops[3] = {
		op_arm(base + 5, 2), op_arm(base + 10, 1), op_arm(base + (1 << 22) + 1, 3),
	};

	ops[0].slack = 1 << 22;
	ASSERT_EQ(3, submit(self->fd, ops, 3));
	ASSERT_EQ(3U, collect(self->fd, rec, 3));
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(i + 1ULL, rec[i].user_data);
	}
}

/* --- backlog -------------------------------------------------------------------- */

TEST_F(ring, full_ring_makes_backlog_and_loses_nothing)
{
	struct twheel_stats s;

	FIRE(1, 100);
	s = stats(self->fd);
	EXPECT_EQ(ENTRIES, s.unread);
	EXPECT_EQ(100ULL - ENTRIES, s.backlog);
	EXPECT_EQ(0ULL, s.pending);
	EXPECT_EQ(100U - ENTRIES, ring_backlog(&self->q));
	EXPECT_EQ(ENTRIES, s.expired);
	for (__u64 i = 1; i <= 100; i++) {
		TAKE(i);
		ASSERT_EQ(i <= 100 - ENTRIES ? 1 : 0, flush(self->fd));
	}
	s = stats(self->fd);
	EXPECT_EQ(0ULL, s.allocated + s.backlog + s.unread);
	EXPECT_EQ(100ULL, s.expired);
	EXPECT_EQ(0U, ring_backlog(&self->q));
}

TEST_F(ring, flush_moves_as_many_as_fit)
{
	FIRE(1, 30);
	EXPECT_EQ(0, flush(self->fd));
	for (__u64 i = 1; i <= 5; i++)
		TAKE(i);
	EXPECT_EQ(5, flush(self->fd));
	EXPECT_EQ(17U, ring_backlog(&self->q));
	for (__u64 i = 6; i <= 13; i++)
		TAKE(i);
	EXPECT_EQ(8, flush(self->fd));
	EXPECT_EQ(9U, ring_backlog(&self->q));
	EXPECT_EQ(9ULL, stats(self->fd).backlog);
}

TEST_F(ring, submit_flushes)
{
	struct twheel_op op = op_query(5);

	FIRE(1, 12);
	for (__u64 i = 1; i <= 6; i++)
		TAKE(i);
	ASSERT_EQ(1, submit(self->fd, &op, 1));
	EXPECT_EQ(0U, ring_backlog(&self->q));
	for (__u64 i = 7; i <= 12; i++)
		TAKE(i);
}

TEST_F(ring, poll_flushes)
{
	FIRE(1, 12);
	for (__u64 i = 1; i <= ENTRIES; i++)
		TAKE(i);
	EXPECT_TRUE(readable(self->fd, 0));
	EXPECT_EQ(0U, ring_backlog(&self->q));
	TAKE(9ULL);
}

TEST_F(ring, read_takes_more_than_the_ring_holds)
{
	struct twheel_record rec[40];

	FIRE(1, 40);
	ASSERT_EQ(40U, collect(self->fd, rec, 40));
	for (int i = 0; i < 40; i++) {
		ASSERT_EQ(i + 1ULL, rec[i].user_data);
	}
	EXPECT_EQ(0ULL, stats(self->fd).backlog);
}

/* Promise 9: what waits comes out in the order of expires. */
TEST_F(ring, order_holds_through_the_backlog)
{
	enum { N = 200 };
	__u64 last = 0;

	ARMED_AT_RANDOM(&self->q, mono() + 60 * MSEC, 10 * MSEC, N);
	sleep_ns(70 * MSEC);
	wait_for_expired(_metadata, self->fd, N);
	for (int i = 0; i < N; i++) {
		struct twheel_record rec;

		ASSERT_TRUE(ring_take(&self->q, &rec));
		ASSERT_LE(last, rec.deadline);
		last = rec.deadline;
		ASSERT_LE(0, flush(self->fd));
	}
	EXPECT_EQ(0ULL, stats(self->fd).allocated);
}

/* B80, B81: one slot is freed at a time while a periodic timer competes for it. */
TEST_F(ring, backlog_is_not_starved_by_new_expiries)
{
	enum { N = 100 };
	__u64 period = self->q.setup.min_period > MSEC ? self->q.setup.min_period : MSEC;
	__u64 last = 0, freed = 0, seen = 0;

	ARMED_AT_RANDOM(&self->q, mono() + 40 * MSEC, MSEC, N);
	ASSERT_NE(0ULL, arm_periodic(self->fd, mono() + 2 * MSEC, period, ~0ULL));
	sleep_ns(45 * MSEC);
	wait_for_expired(_metadata, self->fd, N);
	while (seen < N) {
		struct twheel_record rec;

		ASSERT_TRUE(ring_take(&self->q, &rec));
		ASSERT_LE(0, flush(self->fd));
		freed++;
		if (freed % 16 == 0)
			sleep_ns(MSEC);
		if (rec.user_data == ~0ULL)
			continue;
		ASSERT_LE(last, rec.deadline);
		last = rec.deadline;
		seen++;
	}
	/* The periodic timer has one record at a time, among ENTRIES that wait. */
	EXPECT_GE(2 * N + ENTRIES, freed);
}

/*
 * B83: nothing is dropped, so there is nothing to report: after each drain, across
 * many wraps, what was delivered is what has expired, in one sequence.
 */
TEST_F(ring, stalled_consumer_loses_nothing)
{
	__u64 made = 1, seen = 1;

	for (unsigned int round = 0; round < rounds(60); round++) {
		struct twheel_record rec;
		__u32 n = random_below(&self->seed, 3 * ENTRIES);

		FIRE(made, n);
		made += n;
		if (random_below(&self->seed, 2))
			continue;	/* stalled */
		while (seen < made) {
			if (!ring_take(&self->q, &rec)) {
				ASSERT_LT(0, flush(self->fd));
				continue;
			}
			ASSERT_EQ(seen, rec.user_data);
			ASSERT_EQ(0U, rec.missed);
			seen++;
		}
		ASSERT_FALSE(ring_take(&self->q, &rec));
		ASSERT_EQ(made - 1, stats(self->fd).expired);
	}
}

TEST_F(ring, backlogged_timer_can_be_cancelled)
{
	__u64 ids[12];

	for (int i = 0; i < 12; i++)
		ids[i] = arm(self->fd, i + 1, i + 1);
	EXPECT_EQ(-ENOENT, cancel(self->fd, ids[0]));
	EXPECT_EQ(TWHEEL_BACKLOG, state(self->fd, ids[9]));
	EXPECT_EQ(0, cancel(self->fd, ids[9]));
	EXPECT_EQ(-ENOENT, cancel(self->fd, ids[9]));
	EXPECT_EQ(3ULL, stats(self->fd).backlog);
	EXPECT_EQ(3U, ring_backlog(&self->q));
	for (__u64 i = 1; i <= 12; i++) {
		if (i == 10)
			continue;
		TAKE(i);
		ASSERT_LE(0, flush(self->fd));
	}
	EXPECT_EQ(0ULL, stats(self->fd).allocated);
	EXPECT_EQ(11ULL, stats(self->fd).expired);
}

TEST_F(ring, backlogged_timer_can_be_moved_away)
{
	__u64 id, later = mono() + HOUR;
	struct twheel_op op;

	FIRE(1, ENTRIES);
	id = arm(self->fd, 50, 50);
	EXPECT_EQ(TWHEEL_BACKLOG, state(self->fd, id));
	EXPECT_EQ(0, move(self->fd, id, later));
	op = op_query(id);
	EXPECT_EQ(TWHEEL_PENDING, run_op(self->fd, &op));
	EXPECT_EQ(later, op.deadline);
	EXPECT_EQ(0U, ring_backlog(&self->q));
	for (__u64 i = 1; i <= ENTRIES; i++)
		TAKE(i);
	EXPECT_EQ(0, flush(self->fd));
	EXPECT_EQ(1ULL, stats(self->fd).pending);
}

TEST_F(ring, backlogged_timer_that_is_moved_within_the_past_stays)
{
	__u64 id;
	struct twheel_record rec;

	FIRE(1, ENTRIES);
	id = arm(self->fd, 50, 50);
	EXPECT_EQ(0, move(self->fd, id, 60));
	EXPECT_EQ(1ULL, stats(self->fd).backlog);
	for (__u64 i = 1; i <= ENTRIES; i++)
		TAKE(i);
	EXPECT_EQ(1, flush(self->fd));
	ASSERT_TRUE(ring_take(&self->q, &rec));
	EXPECT_EQ(60ULL, rec.deadline);
	EXPECT_EQ(id, rec.id);
}

/* --- many consumers ---------------------------------------------------------------- */

/* Counts in memory that processes share; taken[i] is how often record i was taken. */
struct tally {
	atomic_uint total;
	atomic_uint bad;
	atomic_uchar taken[4096];
};

static struct tally *tally_new(void)
{
	struct tally *t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return t == MAP_FAILED ? NULL : t;
}

static void tally_add(struct tally *t, const struct twheel_record *rec, __u32 n)
{
	if (rec->user_data >= n || !rec->id)
		atomic_fetch_add(&t->bad, 1);
	else
		atomic_fetch_add(&t->taken[rec->user_data], 1);
	atomic_fetch_add(&t->total, 1);
}

/* Take records from the mapping until all consumers together have n. */
static void consume(struct queue *q, struct tally *t, __u32 n)
{
	__u64 give_up = mono() + GIVE_UP_MS * MSEC;
	struct twheel_record rec;

	while (atomic_load(&t->total) < n && mono() < give_up) {
		if (ring_take(q, &rec))
			tally_add(t, &rec, n);
		else if (ring_backlog(q))
			flush(q->fd);
		else
			poll(&(struct pollfd){ .fd = q->fd, .events = POLLIN }, 1, 1);
	}
}

static void check_tally(struct __test_metadata *_metadata, struct tally *t, __u32 n)
{
	EXPECT_EQ(n, atomic_load(&t->total));
	EXPECT_EQ(0U, atomic_load(&t->bad));
	for (__u32 i = 0; i < n; i++) {
		ASSERT_EQ(1, atomic_load(&t->taken[i])) {
			TH_LOG("record %u", i);
		}
	}
}

struct consumer {
	struct queue *q;
	struct tally *t;
	__u32 n;
};

static void *consumer_thread(void *data)
{
	struct consumer *c = data;

	consume(c->q, c->t, c->n);
	return NULL;
}

TEST_F(ring, consumer_threads_take_each_record_once)
{
	const __u32 n = 1000;
	struct consumer c = { &self->q, tally_new(), n };
	pthread_t threads[3];

	NEEDS_THREADS();
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, consumer_thread, &c));
	}
	FIRE(0, n);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	check_tally(_metadata, c.t, n);
}

/* The child has the descriptor but not the mapping (VM_DONTCOPY): it maps again. */
TEST_F(ring, consumer_processes_take_each_record_once)
{
	const __u32 n = 600;
	struct tally *t = tally_new();
	int status;

	for (int i = 0; i < 2; i++) {
		if (fork())
			continue;
		if (queue_map(&self->q))
			_exit(1);
		consume(&self->q, t, n);
		_exit(0);
	}
	FIRE(0, n);
	consume(&self->q, t, n);
	while (wait(&status) > 0) {
		EXPECT_EQ(0, status);
	}
	check_tally(_metadata, t, n);
}

TEST_F(ring, consumer_that_was_sent_the_descriptor_shares_it)
{
	const __u32 n = 300;
	struct tally *t = tally_new();
	int pair[2], status = -1;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	if (!fork()) {
		struct queue q = { .setup = self->q.setup };

		close(self->fd);
		q.fd = receive_fd(pair[1]);
		if (queue_map(&q))
			_exit(1);
		consume(&q, t, n);
		_exit(0);
	}
	ASSERT_EQ(1, send_fd(pair[0], self->fd, 0));
	FIRE(0, n);
	consume(&self->q, t, n);
	wait(&status);
	EXPECT_EQ(0, status);
	check_tally(_metadata, t, n);
}

/* --- a consumer that lies ------------------------------------------------------ */

FIXTURE(nonsense) {
	struct queue q;
	int fd;
};

FIXTURE_VARIANT(nonsense) {
	__s64 from_tail;	/* head = tail + this, or head = this when absolute */
	bool absolute;
};

FIXTURE_VARIANT_ADD(nonsense, one_ahead) { .from_tail = 1 };
FIXTURE_VARIANT_ADD(nonsense, size_ahead) { .from_tail = ENTRIES };
FIXTURE_VARIANT_ADD(nonsense, size_and_one_ahead) { .from_tail = ENTRIES + 1 };
FIXTURE_VARIANT_ADD(nonsense, far_ahead) { .from_tail = 0x3000 };
FIXTURE_VARIANT_ADD(nonsense, one_too_far_behind) { .from_tail = -ENTRIES - 1 };
FIXTURE_VARIANT_ADD(nonsense, half_way_round) { .from_tail = 1LL << 31 };
FIXTURE_VARIANT_ADD(nonsense, zero) { .from_tail = 0, .absolute = true };
FIXTURE_VARIANT_ADD(nonsense, all_ones) { .from_tail = -1, .absolute = true };

/* The ring is full, so the kernel must look at head before it writes anything. */
FIXTURE_SETUP(nonsense)
{
	struct twheel_record rec;

	ASSERT_EQ(0, queue_open(&self->q, CLOCK_MONOTONIC, ENTRIES));
	ASSERT_EQ(0, queue_map(&self->q));
	self->fd = self->q.fd;
	for (int i = 0; i < 20; i++) {
		FIRE(1, 1);
		ASSERT_TRUE(ring_take(&self->q, &rec));
	}
	FIRE(100, ENTRIES);
}

FIXTURE_TEARDOWN(nonsense)
{
	queue_close(&self->q);
}

static __u32 lie(struct queue *q, __s64 from_tail, bool absolute)
{
	__u32 truth = q->ctl->head;

	q->ctl->head = (absolute ? 0 : q->ring->tail) + from_tail;
	return truth;
}

/* B70 */
TEST_F(nonsense, head_is_a_full_ring_until_it_is_put_right)
{
	struct twheel_record rec[ENTRIES + 5];
	__u32 tail = self->q.ring->tail, truth;

	truth = lie(&self->q, variant->from_tail, variant->absolute);
	FIRE(100 + ENTRIES, 5);
	EXPECT_EQ(tail, self->q.ring->tail);
	EXPECT_EQ(5ULL, stats(self->fd).backlog);
	EXPECT_EQ(0, flush(self->fd));
	EXPECT_EQ(-EPROTO, read_records(self->fd, rec, 1));
	self->q.ctl->head = truth;
	ASSERT_EQ(ENTRIES + 5U, collect(self->fd, rec, ENTRIES + 5));
	for (int i = 0; i < ENTRIES + 5; i++) {
		EXPECT_EQ(100ULL + i, rec[i].user_data);
	}
	EXPECT_EQ(0ULL, stats(self->fd).allocated);
}

/* B70 */
TEST_F(nonsense, head_does_not_stop_cancel_and_close)
{
	__u64 id;

	lie(&self->q, variant->from_tail, variant->absolute);
	id = arm(self->fd, 1, 1);
	EXPECT_EQ(TWHEEL_BACKLOG, state(self->fd, id));
	EXPECT_EQ(0, cancel(self->fd, id));
	EXPECT_EQ(0ULL, stats(self->fd).allocated);
	poll(&(struct pollfd){ .fd = self->fd, .events = POLLIN }, 1, 0);
	ASSERT_NE(0ULL, arm(self->fd, 1, 1));
}

/* Another thread scribbles over the whole ctl area while timers expire. */
struct scribbler {
	struct queue *q;
	atomic_bool stop;
};

static void *scribble(void *data)
{
	struct scribbler *s = data;
	__u64 seed = 99;

	while (!atomic_load(&s->stop)) {
		__u32 *words = (__u32 *)s->q->ctl;
		size_t n = s->q->setup.ctl_size / sizeof(*words);

		words[random_below(&seed, n)] = random_next(&seed);
		words[0] = random_next(&seed);
		words[1] = random_next(&seed);
	}
	return NULL;
}

/* B70 */
TEST_F(ring, scribbled_ctl_harms_nobody_else)
{
	struct scribbler s = { .q = &self->q };
	struct twheel_record rec[64];
	pthread_t thread;
	struct queue other;

	NEEDS_THREADS();
	ASSERT_EQ(0, queue_open(&other, CLOCK_MONOTONIC, 64));
	ASSERT_EQ(0, pthread_create(&thread, NULL, scribble, &s));
	for (unsigned int i = 0; i < rounds(30); i++) {
		FIRE(1, 20);
		fire(_metadata, &other, 1, 20);
		flush(self->fd);
		readable(self->fd, 0);
		result_of(read(self->fd, rec, 8 * 32));
		ASSERT_EQ(20, read_records(other.fd, rec, 64));
		for (int r = 0; r < 20; r++) {
			ASSERT_EQ(r + 1ULL, rec[r].user_data);
		}
	}
	atomic_store(&s.stop, true);
	pthread_join(thread, NULL);
	EXPECT_EQ(0ULL, stats(other.fd).allocated);
	/* Forget what may be in the ring: then the queue works as ever. */
	self->q.ctl->head = self->q.ring->tail;
	while (stats(self->fd).backlog) {
		ASSERT_LT(0, flush(self->fd));
		self->q.ctl->head = self->q.ring->tail;
	}
	FIRE(7, 1);
	TAKE(7ULL);
	queue_close(&other);
}

TEST_F(ring, rest_of_the_ctl_area_means_nothing)
{
	memset((char *)self->q.ctl + 8, 0xff, self->q.setup.ctl_size - 8);
	FIRE(1, 20);
	for (__u64 i = 1; i <= 20; i++) {
		TAKE(i);
		flush(self->fd);
	}
	for (size_t i = 8; i < self->q.setup.ctl_size; i++) {
		ASSERT_EQ(0xff, ((unsigned char *)self->q.ctl)[i]);
	}
}

/* Records that are given back unread: the program may move head back again. */
TEST_F(ring, head_put_back_shows_the_old_records_again)
{
	FIRE(1, 4);
	TAKE(1ULL);
	TAKE(2ULL);
	self->q.ctl->head -= 2;
	EXPECT_EQ(4ULL, stats(self->fd).unread);
	for (__u64 i = 1; i <= 4; i++)
		TAKE(i);
}

TEST_HARNESS_MAIN
