// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that go offline and come back while timers are pending on them, and CPUs
 * that a real-time task keeps for itself. Needs root, and two CPUs or more.
 *
 * A queue's hrtimer waits on the CPU that programmed it last. So the tests pin
 * the arming task to a CPU, and use many queues to have many hrtimers there.
 */
#include "common.h"

#include <dirent.h>
#include <sched.h>
#include <sys/utsname.h>

#include "kselftest_harness.h"

#define VICTIM		1	/* the CPU that goes, or is taken */
#define QUEUES		25
#define PER_QUEUE	40	/* timers of one round */

static long pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return result_of(sched_setaffinity(0, sizeof(set), &set));
}

static long online(int cpu, bool on)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return file_put(path, on ? "1" : "0");
}

static bool has_cpu(int cpu)
{
	cpu_set_t set;

	return !sched_getaffinity(0, sizeof(set), &set) && CPU_ISSET(cpu, &set);
}

/* --- hotplug ------------------------------------------------------------------ */

FIXTURE(hotplug) {
	struct queue queues[QUEUES];
	__u64 seed;
};

FIXTURE_SETUP(hotplug)
{
	self->seed = random_seed();
	for (int i = 0; i < QUEUES; i++) {
		ASSERT_EQ(0, queue_open(&self->queues[i], CLOCK_MONOTONIC, 4096));
		ASSERT_EQ(0, queue_map(&self->queues[i]));
	}
	if (!has_cpu(VICTIM) || online(VICTIM, true))
		SKIP(return, "CPU %d cannot be switched off", VICTIM);
}

FIXTURE_TEARDOWN(hotplug)
{
	online(VICTIM, true);
	for (int i = 0; i < QUEUES; i++)
		queue_close(&self->queues[i]);
}

/* What a consumer has seen of timers that are numbered from 0. */
struct tally {
	struct queue *queues;
	unsigned int n;		/* timers there will be */
	unsigned char *seen;
	unsigned int total, early, twice;
	__u64 latest;		/* ns, most lateness */
	atomic_bool stop;
};

static void tally_record(struct tally *t, const struct twheel_record *rec)
{
	t->total++;
	t->early += mono() < rec->deadline;
	if (rec->user_data >= t->n || t->seen[rec->user_data]++)
		t->twice++;
	if (rec->lateness > t->latest)
		t->latest = rec->lateness;
}

/* Empties the rings all the time, so that a record that is early is seen early. */
static void *consume(void *data)
{
	struct tally *t = data;
	struct twheel_record rec;

	while (!atomic_load(&t->stop)) {
		for (int i = 0; i < QUEUES; i++) {
			while (ring_take(&t->queues[i], &rec))
				tally_record(t, &rec);
		}
		sched_yield();
	}
	return NULL;
}

/* One round's timers, from 1 ms on; they are numbered from first on. */
static bool arm_round(struct queue *queues, unsigned int first, __u64 *seed, __u64 longest)
{
	for (int i = 0; i < QUEUES; i++) {
		struct twheel_op ops[PER_QUEUE];

		for (int k = 0; k < PER_QUEUE; k++)
			ops[k] = op_arm_rel(MSEC + random_below(seed, longest - MSEC),
					    first + i * PER_QUEUE + k);
		if (submit_all(&queues[i], ops, PER_QUEUE) != PER_QUEUE)
			return false;
	}
	return true;
}

/* Somebody on another CPU, whose timers must not care. */
struct neighbour {
	pthread_t thread;
	int cpu;
	unsigned int fired, early;
	bool failed;
	atomic_bool stop;
};

static void *neighbour_run(void *data)
{
	struct neighbour *n = data;
	struct twheel_record rec;
	struct queue q = { .fd = -1 };

	n->failed = (has_cpu(n->cpu) && pin(n->cpu)) || queue_open(&q, CLOCK_MONOTONIC, 8);
	while (!n->failed && !atomic_load(&n->stop)) {
		if (!arm_rel(q.fd, 2 * MSEC, n->fired) || next_record(q.fd, &rec) != 1) {
			n->failed = true;
			break;
		}
		n->early += mono() < rec.deadline;
		n->failed |= rec.user_data != n->fired;
		n->fired++;
	}
	queue_close(&q);
	return NULL;
}

static bool wait_for(struct tally *t, unsigned int n, __u64 longest)
{
	__u64 end = mono() + longest + GIVE_UP_MS * MSEC;

	while (__atomic_load_n(&t->total, __ATOMIC_RELAXED) < n && mono() < end)
		sleep_ns(5 * MSEC);
	return __atomic_load_n(&t->total, __ATOMIC_RELAXED) == n;
}

/* B88: what is pending on a CPU that goes is not lost; one that is back counts right. */
TEST_F_TIMEOUT(hotplug, timers_of_a_cpu_that_goes_fire, 110)
{
	unsigned int cycles = rounds(12), per_round = QUEUES * PER_QUEUE;
	struct tally t = { .queues = self->queues, .n = (2 * cycles + 1) * per_round };
	struct neighbour neighbours[2] = { { .cpu = 2 }, { .cpu = 3 } };
	unsigned int armed = 0;
	pthread_t consumer;

	t.seen = calloc(t.n, 1);
	ASSERT_NE(NULL, t.seen);
	ASSERT_EQ(0, pin(0));
	pthread_create(&consumer, NULL, consume, &t);
	for (int i = 0; i < 2; i++)
		pthread_create(&neighbours[i].thread, NULL, neighbour_run, &neighbours[i]);

	ASSERT_EQ(0, pin(VICTIM));
	ASSERT_TRUE(arm_round(self->queues, 0, &self->seed, 5 * SEC));
	armed += per_round;
	for (unsigned int i = 0; i < cycles; i++) {
		ASSERT_EQ(0, pin(VICTIM));
		ASSERT_TRUE(arm_round(self->queues, armed, &self->seed, SEC));
		armed += per_round;
		sleep_ns(random_below(&self->seed, 30 * MSEC));
		ASSERT_EQ(0, online(VICTIM, false));
		sleep_ns(random_below(&self->seed, 30 * MSEC));
		ASSERT_EQ(0, online(VICTIM, true));
		ASSERT_EQ(0, pin(VICTIM));
		ASSERT_TRUE(arm_round(self->queues, armed, &self->seed, 100 * MSEC));
		armed += per_round;
	}
	EXPECT_TRUE(wait_for(&t, armed, 5 * SEC));
	atomic_store(&t.stop, true);
	pthread_join(consumer, NULL);
	for (int i = 0; i < 2; i++) {
		atomic_store(&neighbours[i].stop, true);
		pthread_join(neighbours[i].thread, NULL);
		EXPECT_FALSE(neighbours[i].failed);
		EXPECT_EQ(0U, neighbours[i].early);
		EXPECT_LT(0U, neighbours[i].fired);
	}
	TH_LOG("%u timers, CPU %d off and on %u times, at most %llu us late", t.total, VICTIM,
	       cycles, t.latest / USEC);
	EXPECT_EQ(armed, t.total);
	EXPECT_EQ(0U, t.early);
	EXPECT_EQ(0U, t.twice);
	for (int i = 0; i < QUEUES; i++) {
		EXPECT_EQ(0ULL, stats(self->queues[i].fd).allocated);
	}
	free(t.seen);
}

/* --- real-time tasks ------------------------------------------------------------- */

FIXTURE(fifo) {
	struct queue q;
};

/*
 * With PREEMPT_RT the queues' hrtimers run in a thread of the CPU, of the lowest
 * real-time priority. Who spins above it there shuts timers out, so it has to be
 * raised first, as anybody does who has real-time tasks.
 */
static void raise_timer_threads(void)
{
	struct sched_param param = { .sched_priority = 95 };
	struct utsname kernel;
	struct dirent *d;
	DIR *proc;

	if (uname(&kernel) || !strstr(kernel.version, "PREEMPT_RT"))
		return;
	proc = opendir("/proc");
	while (proc && (d = readdir(proc))) {
		char path[300], name[32];

		snprintf(path, sizeof(path), "/proc/%s/comm", d->d_name);
		if (atoi(d->d_name) && file_get(path, name, sizeof(name)) > 0 &&
		    (!strncmp(name, "ktimers/", 8) || !strncmp(name, "ksoftirqd/", 10)))
			sched_setscheduler(atoi(d->d_name), SCHED_FIFO, &param);
	}
	if (proc)
		closedir(proc);
}

FIXTURE_SETUP(fifo)
{
	ASSERT_EQ(0, queue_open(&self->q, CLOCK_MONOTONIC, 1024));
	if (!has_cpu(VICTIM))
		SKIP(return, "one CPU only: nobody could watch");
	raise_timer_threads();
}

FIXTURE_TEARDOWN(fifo)
{
	queue_close(&self->q);
}

/* A task that keeps the CPU for itself. */
struct spinner {
	pthread_t thread;
	int priority, fd;	/* of a queue; -1: it only spins */
	__u64 until;
	unsigned int armed, cancelled, failed;
	atomic_bool running, stop;
};

static bool become_fifo(int priority)
{
	struct sched_param param = { .sched_priority = priority };

	return !pin(VICTIM) && !sched_setscheduler(0, SCHED_FIFO, &param);
}

/* Arm a timer that is due at once, in a moment or never, and cancel most. */
static void spin_once(struct spinner *s, unsigned int i)
{
	static const __u64 delays[] = { 0, 20 * USEC, 100 * USEC, HOUR };
	__u64 id = arm_rel(s->fd, delays[i % 4], i);
	long ret = i % 8 ? cancel(s->fd, id) : -ENOENT;

	s->armed += !!id;
	s->cancelled += !ret;
	s->failed += !id || (ret && ret != -ENOENT);
}

static void *spinner_run(void *data)
{
	struct spinner *s = data;
	unsigned int i = 0;

	s->failed = !become_fifo(s->priority);
	atomic_store(&s->running, true);
	while (!s->failed && !atomic_load(&s->stop) && mono() < s->until) {
		if (s->fd >= 0 && i < 900)
			spin_once(s, i++);
	}
	return NULL;
}

static void spinner_start(struct spinner *s, int priority, int fd, __u64 ns)
{
	*s = (struct spinner){ .priority = priority, .fd = fd, .until = mono() + ns };
	pthread_create(&s->thread, NULL, spinner_run, s);
	while (!atomic_load(&s->running))
		sched_yield();
}

static void spinner_end(struct spinner *s)
{
	atomic_store(&s->stop, true);
	pthread_join(s->thread, NULL);
}

/*
 * B109: a real-time task arms and cancels what is due now, on the CPU where the
 * expiry would have to run. No op waits for an expiry, so the task gets through;
 * when it lets go everything has come to its one end.
 */
TEST_F(fifo, spinning_in_submit_ends_and_loses_nothing)
{
	struct twheel_record rec[1024];
	struct spinner s;
	__u64 start = mono();

	ASSERT_EQ(0, pin(0));
	spinner_start(&s, 99, self->q.fd, 300 * MSEC);
	pthread_join(s.thread, NULL);
	EXPECT_GT(start + 10 * SEC, mono());
	EXPECT_EQ(0U, s.failed);
	EXPECT_LT(0U, s.armed);
	EXPECT_LT(0U, s.cancelled);
	EXPECT_EQ(s.armed - s.cancelled,
		  collect(self->q.fd, rec, s.armed - s.cancelled));
	EXPECT_FALSE(readable(self->q.fd, 20));
	EXPECT_EQ(0ULL, stats(self->q.fd).allocated);
}

/* Somebody else's timers, which wait on the CPU that the task has taken. */
TEST_F(fifo, timers_beside_a_spinner_fire)
{
	struct twheel_record rec[64];
	struct queue other;
	struct spinner s;
	__u64 latest = 0;

	ASSERT_EQ(0, queue_open(&other, CLOCK_MONOTONIC, 64));
	ASSERT_EQ(0, pin(VICTIM));
	for (int i = 0; i < 64; i++) {
		ASSERT_NE(0ULL, arm_rel(other.fd, 20 * MSEC + i * 4 * MSEC, i));
	}
	ASSERT_EQ(0, pin(0));
	spinner_start(&s, 50, self->q.fd, 400 * MSEC);
	ASSERT_EQ(64U, collect(other.fd, rec, 64));
	spinner_end(&s);
	for (int i = 0; i < 64; i++) {
		EXPECT_EQ((unsigned int)i, rec[i].user_data);
		if (rec[i].lateness > latest)
			latest = rec[i].lateness;
	}
	TH_LOG("at most %llu us late beside a spinner", latest / USEC);
	EXPECT_EQ(0U, s.failed);
	queue_close(&other);
}

/* A consumer that is more important than the spinner does not wait for its end. */
struct consumer {
	pthread_t thread;
	int fd;
	unsigned int got;
	__u64 latest;
	bool failed;
};

static void *consumer_run(void *data)
{
	struct consumer *c = data;
	struct twheel_record rec;

	c->failed = !become_fifo(80);
	while (!c->failed && c->got < 50 && next_record(c->fd, &rec) == 1) {
		c->failed = mono() < rec.deadline || rec.user_data != c->got;
		if (rec.lateness > c->latest)
			c->latest = rec.lateness;
		c->got++;
	}
	return NULL;
}

TEST_F(fifo, consumer_above_a_spinner_gets_its_timers)
{
	struct consumer c = { .fd = self->q.fd };
	struct spinner s;
	bool spinning;

	ASSERT_EQ(0, pin(VICTIM));
	for (int i = 0; i < 50; i++) {
		ASSERT_NE(0ULL, arm_rel(c.fd, 50 * MSEC + i * 2 * MSEC, i));
	}
	ASSERT_EQ(0, pin(0));
	spinner_start(&s, 10, -1, 30 * SEC);
	pthread_create(&c.thread, NULL, consumer_run, &c);
	pthread_join(c.thread, NULL);
	spinning = mono() < s.until;
	spinner_end(&s);
	EXPECT_FALSE(c.failed);
	EXPECT_EQ(50U, c.got);
	EXPECT_TRUE(spinning);
	TH_LOG("at most %llu us late above a spinner", c.latest / USEC);
}

TEST_HARNESS_MAIN
