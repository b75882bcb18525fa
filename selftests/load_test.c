// SPDX-License-Identifier: GPL-2.0-only
/*
 * Very many timers, and threads that never rest: does the rest of the machine get
 * its turn, and does the use of memory stay the same?
 *
 * How late others were is printed but not judged, since the machine may be an
 * emulated one. The tests judge only whether others had their turns at all.
 */
#include "common.h"
#include "common/fixtures.h"

#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

#define BATCH		4096U

static void bind_to_cpu_0(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Arm n timers at a deadline, which may have passed; false if one was refused. */
static bool arm_many(const struct queue *q, __u64 deadline, unsigned int n)
{
	static struct twheel_op ops[BATCH];

	for (unsigned int done = 0; done < n; done += BATCH) {
		unsigned int count = n - done < BATCH ? n - done : BATCH;

		for (unsigned int i = 0; i < count; i++)
			ops[i] = op_arm(deadline, done + i);
		if (submit_all(q, ops, count) != count)
			return false;
		for (unsigned int i = 0; i < count; i++) {
			if (ops[i].result)
				return false;
		}
	}
	return true;
}

/* --- bounded steps ----------------------------------------------------------------- */

/* A thread on the same CPU that wants to run each ms. */
struct neighbour {
	pthread_t thread;
	atomic_bool stop;
	atomic_uint turns;
	__u64 gap;		/* the longest time between two turns */
};

static void *neighbour_run(void *data)
{
	struct neighbour *n = data;
	__u64 last = mono();

	bind_to_cpu_0();
	while (!atomic_load(&n->stop)) {
		__u64 t;

		sleep_ns(MSEC);
		t = mono();
		n->gap = n->gap > t - last ? n->gap : t - last;
		last = t;
		atomic_fetch_add(&n->turns, 1);
	}
	return NULL;
}

FIXTURE(many) {
	struct queue q;
	struct neighbour neighbour;
	unsigned int n;
};

FIXTURE_SETUP(many)
{
	ASSERT_EQ(0, queue_open(&self->q, CLOCK_MONOTONIC, 1 << 20));
	ASSERT_EQ(0, fcntl(self->q.fd, F_SETFL, O_NONBLOCK));
	self->n = rounds(200000);
	bind_to_cpu_0();
}

FIXTURE_TEARDOWN(many)
{
	queue_close(&self->q);
}

static void neighbour_begin(struct neighbour *n)
{
	atomic_store(&n->stop, false);
	atomic_store(&n->turns, 0);
	n->gap = 0;
	pthread_create(&n->thread, NULL, neighbour_run, n);
	while (!atomic_load(&n->turns))
		sched_yield();
}

/* It had a turn for each 100 ms at least, or it was over too soon to tell. */
static void neighbour_end(struct __test_metadata *_metadata, struct neighbour *n,
			  const char *what, __u64 start)
{
	unsigned int turns = atomic_load(&n->turns);
	__u64 took = mono() - start;

	atomic_store(&n->stop, true);
	pthread_join(n->thread, NULL);
	TH_LOG("%s: %llu ms, the neighbour had %u turns, waited %llu ms at most", what,
	       took / MSEC, turns, n->gap / MSEC);
	EXPECT_LE(took / (100 * MSEC), turns);
}

/* B108: the last close has to take them all out of the wheel. */
TEST_F(many, close_with_very_many_pending_lets_others_run)
{
	__u64 start;

	ASSERT_TRUE(arm_many(&self->q, TIME_MAX, self->n));
	neighbour_begin(&self->neighbour);
	start = mono();
	queue_close(&self->q);
	neighbour_end(_metadata, &self->neighbour, "close", start);
}

/* B108: a ring of one entry, so that all but one are backlog. */
TEST_F(many, draining_very_much_backlog_lets_others_run)
{
	static struct twheel_record rec[BATCH];
	unsigned int taken = 0;
	struct queue q;
	__u64 start;

	ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, BATCH));
	ASSERT_TRUE(arm_many(&q, 1, self->n));
	neighbour_begin(&self->neighbour);
	start = mono();
	while (taken < self->n) {
		long got = read_records(q.fd, rec, BATCH);

		ASSERT_LT(0, got);
		for (long i = 0; i < got; i++) {
			ASSERT_EQ(taken + i, rec[i].user_data);
		}
		taken += got;
	}
	neighbour_end(_metadata, &self->neighbour, "draining", start);
	EXPECT_FALSE(readable(q.fd, 0));
	EXPECT_EQ(0ULL, stats(q.fd).allocated);
	queue_close(&q);
}

/* B108: all of them due at once, in batches of the largest size, with a full ring. */
TEST_F(many, largest_batches_let_others_run)
{
	__u64 start;

	neighbour_begin(&self->neighbour);
	start = mono();
	ASSERT_TRUE(arm_many(&self->q, 1, self->n));
	neighbour_end(_metadata, &self->neighbour, "batches", start);
	EXPECT_EQ(self->n, stats(self->q.fd).expired + stats(self->q.fd).backlog);
}

/* B108: it arms, drains and closes without end, and is killed somewhere in it. */
TEST_F(many, kill_works_whatever_it_is_doing)
{
	static struct twheel_record rec[BATCH];
	__u64 seed = random_seed();

	for (int i = 0; i < 4; i++) {
		pid_t child = fork();
		__u64 start;
		int status;

		if (!child) {
			for (;;) {
				struct queue q;

				queue_open(&q, CLOCK_MONOTONIC, BATCH);
				arm_many(&q, i % 2 ? 1 : TIME_MAX, self->n / 4);
				while (readable(q.fd, 0) && read_records(q.fd, rec, BATCH) > 0)
					;
				queue_close(&q);
			}
		}
		sleep_ns(random_below(&seed, 100 * MSEC));
		start = mono();
		kill(child, SIGKILL);
		EXPECT_EQ(child, waitpid(child, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
		EXPECT_GT(GIVE_UP_MS * MSEC, mono() - start);
	}
}

/* --- each ends as it must ---------------------------------------------------------- */

#define SPREAD	(3 * SEC)	/* from the first deadline to the last one */
#define BUDGET	(10 * SEC)	/* for arming; fewer timers where it is not enough */

/* What is known of one timer of a lot. */
struct one {
	__u64 id, deadline;
	bool cancelled;
	unsigned char records;
};

struct lot {
	struct queue *q;
	struct one *ones;
	unsigned int n;
	__u64 seed;
	bool in_time;		/* all were armed before the first one was due */
	__u64 last;		/* deadline */
	unsigned int taken, wrong, disorder;
};

static struct twheel_op arm_one(struct lot *l, struct one *o)
{
	return op_arm(o->deadline, o - l->ones);
}

static struct twheel_op cancel_one(struct lot *l, struct one *o)
{
	(void)l;
	return op_cancel(o->id);
}

static struct twheel_op move_one(struct lot *l, struct one *o)
{
	return op_move(o->id, o->deadline + random_below(&l->seed, SPREAD / 2), 0);
}

/* On a slow machine it may have fired already: then its record has to come. */
static bool learn(struct one *o, const struct twheel_op *op)
{
	if (op->result)
		return op->opcode != TWHEEL_OP_ARM && op->result == -ENOENT;
	if (op->opcode == TWHEEL_OP_ARM)
		o->id = op->id;
	else if (op->opcode == TWHEEL_OP_MOVE)
		o->deadline = op->deadline;
	else
		o->cancelled = true;
	return true;
}

/* An op for every @stride-th timer from @first on; how many had a wrong result. */
static unsigned int run_each(struct lot *l, unsigned int first, unsigned int stride,
			     struct twheel_op (*make)(struct lot *l, struct one *o))
{
	static struct twheel_op ops[BATCH];
	unsigned int have = 0, wrong = 0;

	for (unsigned int i = first; i < l->n; i += stride) {
		ops[have++] = make(l, &l->ones[i]);
		if (have < BATCH && i + stride < l->n)
			continue;
		wrong += submit_all(l->q, ops, have) != have;
		for (unsigned int k = 0; k < have; k++)
			wrong += !learn(&l->ones[i - (have - 1 - k) * stride], &ops[k]);
		have = 0;
	}
	return wrong;
}

/* What BATCH timers take to be armed and cancelled on this machine, at the first time. */
static __u64 pace(struct lot *l)
{
	struct lot sample = { .q = l->q, .ones = l->ones, .n = BATCH };
	__u64 start = mono();

	for (unsigned int i = 0; i < BATCH; i++)
		l->ones[i].deadline = TIME_MAX;
	if (run_each(&sample, 0, 1, arm_one) || run_each(&sample, 0, 1, cancel_one))
		abort();
	return mono() - start;
}

/* Random deadlines, the first of them when all ought to be armed: that time. */
static __u64 choose_deadlines(struct lot *l)
{
	__u64 each = pace(l), base;

	if (l->n / BATCH > BUDGET / each)
		l->n = (1 + BUDGET / each) * BATCH;
	base = mono() + SEC + (1 + l->n / BATCH) * each;
	for (unsigned int i = 0; i < l->n; i++)
		l->ones[i] = (struct one){ .deadline = base + random_below(&l->seed, SPREAD) };
	return base;
}

static void take_record(struct lot *l, const struct twheel_record *rec)
{
	struct one *o = &l->ones[rec->user_data < l->n ? rec->user_data : 0];

	l->wrong += rec->user_data >= l->n || rec->id != o->id || rec->deadline != o->deadline ||
		    o->cancelled || o->records++ || mono() < rec->deadline;
	l->disorder += l->in_time && rec->deadline < l->last;
	l->last = rec->deadline;
	l->taken++;
}

/* How many were to be taken. */
static unsigned int take_records(struct lot *l)
{
	unsigned int left = 0;
	struct twheel_record rec;

	for (unsigned int i = 0; i < l->n; i++)
		left += !l->ones[i].cancelled;
	while (l->taken < left && readable(l->q->fd, GIVE_UP_MS))
		while (ring_take(l->q, &rec))
			take_record(l, &rec);
	return left;
}

/* A half is cancelled, a quarter put off: the others come, each once, none early, in order. */
TEST_F_TIMEOUT(many, each_of_a_million_timers_ends_as_it_must, 60)
{
	struct lot l = { .q = &self->q, .n = rounds(1000000), .seed = random_seed() };
	struct twheel_stats s;
	__u64 base;

	l.ones = calloc(l.n + BATCH, sizeof(*l.ones));
	ASSERT_NE(NULL, l.ones);
	ASSERT_EQ(0, queue_map(&self->q));
	base = choose_deadlines(&l);
	ASSERT_EQ(0U, run_each(&l, 0, 1, arm_one));
	l.in_time = mono() < base;
	ASSERT_EQ(0U, run_each(&l, 1, 2, cancel_one));
	ASSERT_EQ(0U, run_each(&l, 2, 4, move_one));
	if (mono() < base)
		sleep_ns(base - mono());
	EXPECT_EQ(take_records(&l), l.taken);
	EXPECT_EQ(0U, l.wrong);
	EXPECT_EQ(0U, l.disorder);
	s = stats(self->q.fd);
	EXPECT_EQ(0ULL, s.pending + s.backlog + s.unread + s.allocated);
	TH_LOG("%u timers, %u records%s", l.n, l.taken, l.in_time ? "" : ", armed too late");
	free(l.ones);
}

/* --- memory and time per op ----------------------------------------------------------- */

QUEUE_FIXTURE(load, 64)

/* B116: a day ahead, and cancelled, again and again. */
TEST_F(load, cancelled_timers_take_no_memory)
{
	static struct twheel_op ops[BATCH];
	__u64 memory = 0;

	for (unsigned int round = 0; round < rounds(50); round++) {
		for (unsigned int i = 0; i < BATCH; i++)
			ops[i] = op_arm_rel(24 * HOUR + i, i);
		ASSERT_EQ(BATCH, submit(self->fd, ops, BATCH));
		for (unsigned int i = 0; i < BATCH; i++)
			ops[i] = op_cancel(ops[i].id);
		ASSERT_EQ(BATCH, submit(self->fd, ops, BATCH));
		for (unsigned int i = 0; i < BATCH; i++) {
			ASSERT_EQ(0, ops[i].result);
		}
		ASSERT_EQ(0ULL, stats(self->fd).allocated);
		memory = memory ? memory : stats(self->fd).memory;
		ASSERT_EQ(memory, stats(self->fd).memory);
	}
	EXPECT_EQ(~0ULL, stats(self->fd).next);
}

#define FULL		65536U		/* timers of a full table */

struct allocator {
	pthread_t thread;
	int fd;
	shared_u64 *owners;	/* by index: the id that has it */
	unsigned int armed, doubles;
	__u64 refused;		/* other than for lack of room */
};

static void *allocate(void *data)
{
	struct allocator *a = data;
	struct twheel_op ops[64];

	do {
		for (int i = 0; i < 64; i++)
			ops[i] = op_arm(TIME_MAX, i);
		if (submit(a->fd, ops, 64) != 64)
			break;
		for (int i = 0; i < 64; i++) {
			a->refused += ops[i].result && ops[i].result != -ENOSPC;
			if (ops[i].result)
				continue;
			a->armed++;
			a->doubles += __atomic_exchange_n(&a->owners[(__u32)ops[i].id],
							  ops[i].id, __ATOMIC_RELAXED) != 0;
		}
	} while (!ops[63].result);
	return NULL;
}

/* B117: full, every second one is freed, and eight threads take what is free. */
TEST_F(load, ids_of_a_nearly_full_table_are_found_at_once)
{
	unsigned int n = rounds(FULL) & ~1U, armed = 0;
	static struct twheel_op ops[FULL];
	static shared_u64 owners[FULL];
	struct allocator a[8];
	struct queue q;
	__u64 fill, refill;

	q.setup = setup_of(CLOCK_MONOTONIC, 8);
	q.setup.max_timers = n;
	ASSERT_EQ(0, queue_open_with(&q));
	for (unsigned int i = 0; i < n; i++)
		ops[i] = op_arm(TIME_MAX, i);
	fill = mono();
	ASSERT_EQ(n, submit_all(&q, ops, n));
	fill = mono() - fill;
	for (unsigned int i = 0; i < n; i++) {
		ASSERT_EQ(0, ops[i].result);
		ASSERT_GT(n, (__u32)ops[i].id);
		owners[(__u32)ops[i].id] = i % 2 ? ops[i].id : 0;
		if (i % 2 == 0) {
			ASSERT_EQ(0, cancel(q.fd, ops[i].id));
		}
	}
	refill = mono();
	for (int i = 0; i < 8; i++) {
		a[i] = (struct allocator){ .fd = q.fd, .owners = owners };
		pthread_create(&a[i].thread, NULL, allocate, &a[i]);
	}
	for (int i = 0; i < 8; i++) {
		pthread_join(a[i].thread, NULL);
		EXPECT_EQ(0ULL, a[i].refused);
		EXPECT_EQ(0U, a[i].doubles);
		armed += a[i].armed;
	}
	refill = mono() - refill;
	EXPECT_EQ(n / 2, armed);
	EXPECT_EQ(n, stats(q.fd).allocated);
	TH_LOG("%u from an empty table %llu ns each, %u from a nearly full one %llu ns each",
	       n, fill / n, armed, refill / armed);
	/* A search would look at tens of thousands for each. */
	EXPECT_GT(100 * fill / n + 20 * USEC, refill / armed);
	queue_close(&q);
}

/* --- users at their limits --------------------------------------------------------------- */

#define USERS		16
#define LIMIT		1024U

/* As one of the users: take all that the limit allows, and a bit more. Reports how many. */
static void take_all(uid_t uid, int tell, int until)
{
	struct twheel_op ops[64];
	unsigned int armed = 0;
	struct queue q;
	char byte;

	if (setresgid(uid, uid, uid) || setresuid(uid, uid, uid) ||
	    queue_open(&q, CLOCK_MONOTONIC, 8))
		_exit(1);
	for (unsigned int done = 0; done < 2 * LIMIT; done += 64) {
		for (int i = 0; i < 64; i++)
			ops[i] = op_arm(TIME_MAX, i);
		if (submit(q.fd, ops, 64) != 64)
			_exit(2);
		for (int i = 0; i < 64; i++) {
			if (ops[i].result && ops[i].result != -EDQUOT)
				_exit(3);
			armed += !ops[i].result;
		}
	}
	if (write(tell, &armed, sizeof(armed)) != sizeof(armed) || read(until, &byte, 1))
		_exit(4);
	_exit(0);
}

/* B114: sixteen users take all they can at the same time; root is not concerned. */
TEST_F(load, users_at_their_limits_leave_room_for_others)
{
	__u64 before = parameter("max_timers_per_user");
	int tell[2], until[2], status;
	unsigned int armed;

	if (parameter_set("max_timers_per_user", LIMIT))
		SKIP(return, "the parameter cannot be set");
	ASSERT_EQ(0, pipe(tell));
	ASSERT_EQ(0, pipe(until));
	chmod(DEVICE, 0666);
	for (int i = 0; i < USERS; i++) {
		if (!fork()) {
			close(until[1]);
			take_all(2000 + i, tell[1], until[0]);
		}
	}
	close(tell[1]);
	for (int i = 0; i < USERS; i++) {
		EXPECT_EQ(sizeof(armed), read(tell[0], &armed, sizeof(armed)));
		EXPECT_EQ(LIMIT, armed);
	}
	EXPECT_NE(0ULL, arm(self->fd, TIME_MAX, 1));
	close(until[1]);
	for (int i = 0; i < USERS; i++) {
		wait(&status);
		EXPECT_EQ(0, status);
	}
	chmod(DEVICE, 0600);
	parameter_set("max_timers_per_user", before);
	close(tell[0]);
	close(until[0]);
}

/* --- neighbours that never rest ----------------------------------------------------------- */

/* What a queue with periodic timers sees while others are busy with theirs. */
static void watch_periods(struct __test_metadata *_metadata, unsigned int timers, __u64 period,
			  __u64 during, const char *what)
{
	__u64 t = mono() + 10 * MSEC, end = t + during, next[128], late = 0, missed = 0;
	struct sched_param first = { .sched_priority = 1 }, normal = { 0 };
	struct twheel_record rec[128];
	unsigned int records = 0;
	struct queue q;

	/* It is not the scheduler's fairness that is looked at. */
	sched_setscheduler(0, SCHED_FIFO, &first);
	ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 128));
	for (unsigned int i = 0; i < timers; i++) {
		next[i] = t + i * 10 * USEC;
		ASSERT_NE(0ULL, arm_periodic(q.fd, next[i], period, i));
	}
	while (mono() < end) {
		long got = readable(q.fd, GIVE_UP_MS) ? read_records(q.fd, rec, 128) : -1;

		ASSERT_LT(0, got);
		for (long i = 0; i < got; i++, records++) {
			ASSERT_EQ(next[rec[i].user_data] + rec[i].missed * period, rec[i].deadline);
			next[rec[i].user_data] = rec[i].deadline + period;
			late = late > rec[i].lateness ? late : rec[i].lateness;
			missed += rec[i].missed;
		}
	}
	sched_setscheduler(0, SCHED_OTHER, &normal);
	TH_LOG("%s: %u records, %llu periods without one, %llu us late at most", what, records,
	       missed, late / USEC);
	for (unsigned int i = 0; i < timers; i++) {
		EXPECT_LT(t + i * 10 * USEC, next[i]);
	}
	queue_close(&q);
}

struct busy {
	pthread_t thread;
	int fd;
	unsigned int batch;
	__u64 id;
	atomic_bool stop;
	__u64 errors;
};

static void *move_without_end(void *data)
{
	struct busy *b = data;
	struct twheel_op *ops = calloc(b->batch, sizeof(*ops));

	while (!atomic_load(&b->stop)) {
		for (unsigned int i = 0; i < b->batch; i++)
			ops[i] = op_move(b->id, TIME_MAX - i, 0);
		b->errors += submit(b->fd, ops, b->batch) != b->batch;
	}
	free(ops);
	return NULL;
}

/* B111: eight threads move timers of one queue, by one and by thousands. */
TEST_F(load, moves_at_full_speed_leave_other_queues_their_periods)
{
	struct busy b[8];

	for (int i = 0; i < 8; i++) {
		b[i] = (struct busy){ .fd = self->fd, .batch = i % 2 ? 1 : BATCH,
				      .id = arm(self->fd, TIME_MAX, i) };
		ASSERT_NE(0ULL, b[i].id);
		ASSERT_EQ(0, pthread_create(&b[i].thread, NULL, move_without_end, &b[i]));
	}
	watch_periods(_metadata, 100, 5 * MSEC, 300 * MSEC, "eight threads that move");
	for (int i = 0; i < 8; i++) {
		atomic_store(&b[i].stop, true);
		pthread_join(b[i].thread, NULL);
		EXPECT_EQ(0ULL, b[i].errors);
	}
	EXPECT_EQ(8ULL, stats(self->fd).pending);
}

static void *answer_without_delay(void *data)
{
	struct busy *b = data;
	struct twheel_record rec[64];

	while (!atomic_load(&b->stop)) {
		long got = read_records(b->fd, rec, 64);

		for (long i = 0; i < got; i++)
			b->errors += !arm_rel(b->fd, 0, i);
	}
	return NULL;
}

/* B110: each record is answered by a timer with delay 0. */
TEST_F(load, timers_without_delay_leave_other_queues_their_periods)
{
	struct busy b = { .fd = self->fd };

	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	for (int i = 0; i < 64; i++) {
		ASSERT_NE(0ULL, arm_rel(self->fd, 0, i));
	}
	ASSERT_EQ(0, pthread_create(&b.thread, NULL, answer_without_delay, &b));
	watch_periods(_metadata, 1, 10 * MSEC, 300 * MSEC, "timers without delay");
	atomic_store(&b.stop, true);
	pthread_join(b.thread, NULL);
	EXPECT_EQ(0ULL, b.errors);
	EXPECT_LT(64ULL, stats(self->fd).expired);
}

TEST_HARNESS_MAIN
