// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue, four CPUs: threads that are bound to one CPU each arm, move, cancel
 * and close at the same time, on timers that are due or about to be.
 *
 * race_test looks at two threads that meet in one moment. Here many do, and the
 * sums have to come out. Lockdep watches on the debug kernel.
 */
#include "common.h"

#include <sched.h>

#include "kselftest_harness.h"

#define CROWD		4

FIXTURE(crowd) {
	struct queue q;
	int fd;
	__u64 seed;
};

FIXTURE_SETUP(crowd)
{
	ASSERT_EQ(0, queue_open(&self->q, CLOCK_MONOTONIC, 1024));
	self->fd = self->q.fd;
	self->seed = random_seed();
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
}

FIXTURE_TEARDOWN(crowd)
{
	queue_close(&self->q);
}

/* One of the crowd, and what it has achieved. */
struct member {
	pthread_t thread;
	int cpu, fd;
	__u64 seed, id;
	unsigned int rounds;
	atomic_bool stop;
	__u64 armed, cancelled, errors;
};

/* A machine with fewer CPUs makes them share. */
static void bind_to_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu % sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void crowd_start(struct member *m, unsigned int n, struct member model,
			void *(*run)(void *))
{
	for (unsigned int i = 0; i < n; i++) {
		m[i] = model;
		m[i].cpu = i;
		m[i].seed = model.seed * 31 + i + 1;
		pthread_create(&m[i].thread, NULL, run, &m[i]);
	}
}

/* Waits for all of them; the sums are in the first one. */
static void crowd_join(struct member *m, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		atomic_store(&m[i].stop, true);
		pthread_join(m[i].thread, NULL);
		if (!i)
			continue;
		m->armed += m[i].armed;
		m->cancelled += m[i].cancelled;
		m->errors += m[i].errors;
	}
}

/* All records that come within 20 ms. */
static __u64 drain(int fd)
{
	struct twheel_record rec[64];
	__u64 n = 0;

	while (readable(fd, 20)) {
		long got = read_records(fd, rec, 64);

		n += got > 0 ? got : 0;
	}
	return n;
}

/* --- one timer ------------------------------------------------------------------ */

static void *move_and_cancel(void *data)
{
	struct member *m = data;

	bind_to_cpu(m->cpu);
	for (unsigned int i = 0; i < m->rounds; i++) {
		long ret = move(m->fd, m->id, mono() + random_below(&m->seed, 200 * USEC));

		m->armed += ret == 1;
		m->errors += ret < 0;
		if (random_below(&m->seed, 2))
			continue;
		ret = cancel(m->fd, m->id);
		m->cancelled += !ret;
		m->errors += ret && ret != -ENOENT;
	}
	return NULL;
}

/* B52: four CPUs move and cancel one timer; at the end it fires once. */
TEST_F(crowd, timer_of_four_cpus_is_in_one_place)
{
	__u64 id = arm_keep(self->fd, TIME_MAX, 1), deadline, records;
	struct member m[CROWD], model = {
		.fd = self->fd, .seed = self->seed, .id = id, .rounds = rounds(1500),
	};
	struct twheel_record rec;

	crowd_start(m, CROWD, model, move_and_cancel);
	crowd_join(m, CROWD);
	EXPECT_EQ(0ULL, m->errors);
	records = drain(self->fd);
	EXPECT_EQ(TWHEEL_IDLE, state(self->fd, id));
	EXPECT_EQ(1 + m->armed, m->cancelled + records);
	deadline = mono() + MSEC;
	ASSERT_EQ(1, move(self->fd, id, deadline));
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_EQ(deadline, rec.deadline);
	EXPECT_EQ(0ULL, drain(self->fd));
	EXPECT_EQ(0ULL, stats(self->fd).pending);
}

/* --- timers that are due ------------------------------------------------------------ */

/* Whoever submits has the next wake-up set: not while one is waited for. */
static atomic_bool awaited;

/* Far away, so that no expiry of theirs hides a wake-up that was not set. */
static void *churn(void *data)
{
	struct member *m = data;
	__u64 id;

	bind_to_cpu(m->cpu);
	while (!atomic_load(&m->stop)) {
		if (atomic_load(&awaited)) {
			sleep_ns(50 * USEC);
			continue;
		}
		id = arm_rel(m->fd, 60 * SEC + random_below(&m->seed, HOUR), 2);

		sleep_ns(random_below(&m->seed, 100 * USEC));
		m->errors += cancel(m->fd, id) != 0;
	}
	return NULL;
}

/* B39: moved from far away to close by, while others come and go until then. */
TEST_F(crowd, timer_moved_earlier_does_not_keep_its_old_wake_up)
{
	__u64 id = arm_keep(self->fd, mono() + HOUR, 1), late = 0;
	struct member m[3], model = { .fd = self->fd, .seed = self->seed };
	struct twheel_record rec;

	crowd_start(m, 3, model, churn);
	for (unsigned int i = 0; i < rounds(80); i++) {
		__u64 sooner = mono() + MSEC;

		atomic_store(&awaited, true);
		ASSERT_LE(0, move(self->fd, id, sooner));
		ASSERT_EQ(1, next_record(self->fd, &rec));
		atomic_store(&awaited, false);
		ASSERT_EQ(sooner, rec.deadline);
		ASSERT_LE(sooner, mono());
		late = late > rec.lateness ? late : rec.lateness;
		ASSERT_EQ(1, move(self->fd, id, mono() + HOUR));
	}
	crowd_join(m, 3);
	EXPECT_EQ(0ULL, m->errors);
	TH_LOG("%llu us late at most", late / USEC);
}

/* Ops on due timers of the common queue, and a queue of its own now and then. */
static void *work_on_due_timers(void *data)
{
	struct member *m = data;

	bind_to_cpu(m->cpu);
	for (unsigned int i = 0; i < m->rounds; i++) {
		struct twheel_op ops[3] = {
			op_arm_rel(50 * USEC, 1), op_arm_rel(0, 1), op_arm_rel(20 * USEC, 1),
		};
		struct queue own;

		m->errors += submit(m->fd, ops, 3) != 3;
		m->armed += 3;
		ops[0] = op_cancel(ops[0].id);
		ops[1] = op_move(ops[2].id, mono() + 50 * USEC, 0);
		ops[2] = op_cancel(ops[2].id);
		m->errors += submit(m->fd, ops, 3) != 3;
		m->cancelled += !ops[0].result + !ops[2].result;
		if (i % 16)
			continue;
		m->errors += queue_open(&own, CLOCK_MONOTONIC, 1) != 0;
		for (int k = 0; k < 8; k++)
			arm_rel(own.fd, 10 * USEC * k, k);
		queue_close(&own);
	}
	return NULL;
}

/* B53: cancel, move and close on four CPUs, of timers that are due all the time. */
TEST_F(crowd, ops_and_closes_on_due_timers_never_hang)
{
	struct member m[CROWD], model = {
		.fd = self->fd, .seed = self->seed, .rounds = rounds(500),
	};
	__u64 records = 0;

	crowd_start(m, CROWD, model, work_on_due_timers);
	while (stats(self->fd).armed < 3ULL * CROWD * model.rounds)
		records += drain(self->fd);
	crowd_join(m, CROWD);
	EXPECT_EQ(0ULL, m->errors);
	records += drain(self->fd);
	EXPECT_EQ(m->armed, m->cancelled + records);
	EXPECT_EQ(0ULL, stats(self->fd).allocated);
}

/* B109: a task of the highest priority does not wait for the expiry it prevents. */
TEST_F(crowd, real_time_task_gets_through_with_due_timers)
{
	struct sched_param first = { .sched_priority = 99 }, normal = { 0 };
	__u64 id = arm_keep(self->fd, TIME_MAX, 1), start, took;
	unsigned int n = rounds(1500);

	bind_to_cpu(0);
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		SKIP(return, "no SCHED_FIFO: %s", strerror(errno));
	start = mono();
	for (unsigned int i = 0; i < n; i++) {
		move(self->fd, id, mono() + random_below(&self->seed, 30 * USEC));
		move(self->fd, id, mono());
		cancel(self->fd, id);
	}
	took = mono() - start;
	sched_setscheduler(0, SCHED_OTHER, &normal);
	EXPECT_GT(5 * SEC, took);
	ASSERT_LE(0, move(self->fd, id, TIME_MAX));
	drain(self->fd);
	EXPECT_EQ(stats(self->fd).armed - 1, stats(self->fd).cancelled + stats(self->fd).expired);
}

TEST_HARNESS_MAIN
