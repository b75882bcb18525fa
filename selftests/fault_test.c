// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults: each allocation and each copy of user memory that a queue's life needs
 * fails once, in turn.  After each failure exactly those timers are armed that the
 * kernel reported as armed, and when the queue is closed nothing is left.  Memory
 * leaks are found by kmemleak, when the guest has ended.
 */
#include "common.h"
#include "common/fault.h"

#include <sys/eventfd.h>

#include "kselftest_harness.h"

#define TIMERS		300
#define MAX_FAULTS	1000

/* What became of one life of a queue. */
struct life {
	struct queue q;
	void *words;
	int efd;
	unsigned int armed;	/* as the results of the ops say */
	__u64 pending;		/* as STATS says */
};

static void arm_some(struct life *life)
{
	struct twheel_op ops[TIMERS];
	long ran;

	for (int i = 0; i < TIMERS; i++) {
		ops[i] = op_arm(mono() + HOUR + i, i);
		ops[i].flags = TWHEEL_OP_KEEP;
	}
	ran = submit(life->q.fd, ops, TIMERS);
	for (int i = 0; i < (ran < 0 ? TIMERS : ran); i++)
		life->armed += !ops[i].result;
}

/* All that needs memory: setup, eventfd, mappings, timers and words. */
static void live(struct life *life)
{
	life->q.setup = setup_of(CLOCK_MONOTONIC, 1024);
	life->q.setup.flags = TWHEEL_SETUP_WORDS;
	if (queue_open_with(&life->q))
		return;
	set_eventfd(life->q.fd, life->efd);
	queue_map(&life->q);
	life->words = words_map(&life->q);
	arm_some(life);
}

static void end(struct life *life)
{
	if (life->q.fd >= 0)
		life->pending = stats(life->q.fd).pending;
	if (life->words)
		munmap(life->words, life->q.setup.words_size);
	queue_close(&life->q);
	close(life->efd);
}

/* One life in which the @nth point fails; false when there is no such point. */
static bool live_with_fault(int fd, unsigned int nth, struct life *life)
{
	bool failed;

	*life = (struct life){ .efd = eventfd(0, EFD_CLOEXEC) };
	fault_at(fd, nth);
	live(life);
	failed = !fault_left(fd);
	fault_at(fd, 0);
	end(life);
	return failed;
}

/* B69 */
TEST(each_point_fails_once_and_leaves_nothing)
{
	long users = module_users();
	unsigned int nth = 0;
	struct life life;
	bool failed;
	int fd;

	if (!fault_possible())
		SKIP(return, "this kernel has no fault injection");
	fd = fault_open();
	ASSERT_LE(0, fd);
	do {
		failed = live_with_fault(fd, ++nth, &life);
		EXPECT_EQ(life.armed, life.pending);
		EXPECT_EQ(users, module_users());
	} while (failed && nth < MAX_FAULTS);
	TH_LOG("%u points failed, one at a time", nth - 1);
	EXPECT_LT(20, nth);
	EXPECT_FALSE(failed);
	EXPECT_EQ(TIMERS, life.armed);
	close(fd);
}

#define BATCH	1000
#define QUOTA	1024	/* timers of this user: one batch, rounded up to what is counted */

/* One batch of which the @nth point fails; @armed: which ops are said to be armed. */
static long batch_with_fault(int fd, unsigned int nth, struct queue *q, bool *armed, bool *failed)
{
	static struct twheel_op ops[BATCH];
	__u64 deadline = mono() + 5 * MSEC;
	long ran;

	for (int i = 0; i < BATCH; i++) {
		ops[i] = op_arm(deadline + i, i);
		ops[i].flags = TWHEEL_OP_KEEP;
	}
	fault_at(fd, nth);
	ran = submit(q->fd, ops, BATCH);
	*failed = !fault_left(fd);
	fault_at(fd, 0);
	for (int i = 0; i < BATCH; i++)
		armed[i] = !ops[i].result;
	return ran;
}

/*
 * What was armed fires, the rest does not.  Where results could not be written
 * (@ran is EFAULT), some that look armed have been released.
 */
static void armed_ones_fire(struct __test_metadata *_metadata, struct queue *q, bool *armed,
			    long ran)
{
	static struct twheel_record rec[BATCH];
	struct twheel_stats s = stats(q->fd);
	unsigned int n = s.pending + s.unread, said = 0;

	for (int i = 0; i < BATCH; i++)
		said += armed[i];
	EXPECT_EQ(n, s.allocated);
	if (ran >= 0) {
		EXPECT_EQ(said, n);
	}
	ASSERT_EQ(n, collect(q->fd, rec, n));
	for (unsigned int i = 0; i < n; i++) {
		ASSERT_TRUE(armed[rec[i].user_data]);
		armed[rec[i].user_data] = false;
	}
	EXPECT_EQ(n, stats(q->fd).expired);
	EXPECT_EQ(0ULL, stats(q->fd).pending + stats(q->fd).backlog);
}

static void open_for_batch(struct __test_metadata *_metadata, struct queue *q)
{
	q->setup = setup_of(CLOCK_MONOTONIC, BATCH);
	q->setup.flags = TWHEEL_SETUP_WORDS;
	ASSERT_EQ(0, queue_open_with(q));
}

/* The user's quota is free again: QUOTA timers are allowed, and not one more. */
static void quota_is_whole(struct __test_metadata *_metadata)
{
	struct queue q;

	open_for_batch(_metadata, &q);
	for (int i = 0; i < QUOTA; i++) {
		ASSERT_NE(0ULL, arm(q.fd, TIME_MAX, i));
	}
	EXPECT_EQ(0ULL, arm(q.fd, TIME_MAX, QUOTA));
	queue_close(&q);
}

/* B119 */
TEST(batch_says_which_of_its_timers_are_armed)
{
	__u64 quota = parameter("max_timers_per_user");
	unsigned int nth = 0;
	bool armed[BATCH], failed;
	struct queue q, keeper;
	int fd;

	if (!fault_possible())
		SKIP(return, "this kernel has no fault injection");
	fd = fault_open();
	ASSERT_EQ(0, parameter_set("max_timers_per_user", QUOTA));
	open_for_batch(_metadata, &keeper);	/* a user without queues is forgotten */
	do {
		long ran;

		open_for_batch(_metadata, &q);
		ran = batch_with_fault(fd, ++nth, &q, armed, &failed);
		armed_ones_fire(_metadata, &q, armed, ran);
		queue_close(&q);
	} while (failed && nth < MAX_FAULTS);
	quota_is_whole(_metadata);
	queue_close(&keeper);
	TH_LOG("%u points failed, one at a time", nth - 1);
	EXPECT_LT(BATCH / 64U, nth);
	EXPECT_FALSE(failed);
	parameter_set("max_timers_per_user", quota);
	close(fd);
}

/* Sets the wall clock, again and again. */
static void *step_clock(void *data)
{
	atomic_bool *stop = data;

	while (!atomic_load(stop)) {
		__u64 then = now(CLOCK_REALTIME) + MSEC;
		struct timespec ts = { .tv_sec = then / SEC, .tv_nsec = then % SEC };

		clock_settime(CLOCK_REALTIME, &ts);
		sleep_ns(50 * USEC);
	}
	return NULL;
}

/* The clock is set while a ring is made that cannot be completed: nobody is told. */
TEST(clock_is_set_while_setup_fails)
{
	long users = module_users();
	atomic_bool stop = false;
	pthread_t thread;
	struct queue q;
	int fd;

	if (!fault_possible())
		SKIP(return, "this kernel has no fault injection");
	fd = fault_open();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pthread_create(&thread, NULL, step_clock, &stop));
	for (unsigned int nth = 300; nth < 320; nth++) {
		fault_at(fd, nth);
		EXPECT_EQ(-ENOMEM, queue_open(&q, CLOCK_REALTIME, 65536));
		fault_at(fd, 0);
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	EXPECT_EQ(users, module_users());
	close(fd);
}

TEST_HARNESS_MAIN
