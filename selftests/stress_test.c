// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several threads run all ops at random on timers of two queues with small rings,
 * while consumers take the records. At the end the sums must come out: each arming
 * has one end, and no record came early.
 *
 * TWHEEL_SEED=N repeats a sequence (not its timing); TWHEEL_SCALE=PERCENT makes
 * it longer or shorter.
 */
#include "common.h"

#include <sys/wait.h>

#include "kselftest_harness.h"

#define ARMERS		3
#define CONSUMERS	2
#define SLOTS		64	/* timers that one thread has in mind */
#define BATCH		16

struct slot {
	__u64 id;		/* 0: empty */
	bool keep;
};

/* One thread that arms, moves, cancels and frees timers of its own. */
struct armer {
	pthread_t thread;
	struct queue *q;
	__u64 seed;
	unsigned int batches;
	struct slot slots[SLOTS];
	__u64 armed, cancelled, errors;
};

struct consumer {
	pthread_t thread;
	struct queue *q;
	bool mapped;
	atomic_bool *stop;
	__u64 records, early, strange;
};

/* An op on a slot of the thread; NULL in *slot where no slot is concerned. */
static struct twheel_op random_op(struct armer *a, struct slot *s)
{
	__u64 delay = random_below(&a->seed, 3 * MSEC);
	struct twheel_op op;

	if (!s->id) {
		op = op_arm_rel(delay, (uintptr_t)a);
		s->keep = random_below(&a->seed, 4) == 0;
		if (s->keep)
			op.flags |= TWHEEL_OP_KEEP;
		if (random_below(&a->seed, 3) == 0)
			op.slack = random_below(&a->seed, MSEC);
		return op;
	}
	switch (random_below(&a->seed, 6)) {
	case 0:
	case 1:
		return op_cancel(s->id);
	case 2:
		return op_free(s->id);
	case 3:
		return op_query(s->id);
	default:
		op = op_move(s->id, delay, 0);
		op.flags = TWHEEL_OP_REL;
		return op;
	}
}

/* What the result of an op means for the sums. */
static void account(struct armer *a, struct slot *s, const struct twheel_op *op)
{
	if (op->result == -ENOENT) {
		/* A kept timer is only gone after FREE; that it cannot be cancelled is fine. */
		if (s->keep && op->opcode != TWHEEL_OP_CANCEL)
			a->errors++;
		if (!s->keep)
			s->id = 0;
		return;
	}
	if (op->result < 0) {
		a->errors++;
		return;
	}
	switch (op->opcode) {
	case TWHEEL_OP_ARM:
		a->armed++;
		s->id = op->id;
		break;
	case TWHEEL_OP_CANCEL:
		a->cancelled++;
		if (!s->keep)
			s->id = 0;
		break;
	case TWHEEL_OP_MOVE:
		a->armed += op->result == 1;
		break;
	case TWHEEL_OP_FREE:
		a->cancelled += op->result == 1;
		s->id = 0;
		break;
	}
}

static void *armer_run(void *data)
{
	struct armer *a = data;

	for (unsigned int b = 0; b < a->batches; b++) {
		unsigned int first = random_below(&a->seed, SLOTS - BATCH + 1);
		struct twheel_op ops[BATCH];

		for (int i = 0; i < BATCH; i++)
			ops[i] = random_op(a, &a->slots[first + i]);
		if (submit(a->q->fd, ops, BATCH) != BATCH)
			a->errors++;
		for (int i = 0; i < BATCH; i++)
			account(a, &a->slots[first + i], &ops[i]);
	}
	return NULL;
}

static void check_record(struct consumer *c, const struct twheel_record *rec)
{
	c->records++;
	c->early += mono() < rec->deadline;
	c->strange += !rec->id || !rec->user_data || rec->missed;
}

static void *consumer_run(void *data)
{
	struct consumer *c = data;
	struct twheel_record rec[7];

	while (!atomic_load(c->stop)) {
		long got = 0;

		if (c->mapped) {
			while (got < 7 && ring_take(c->q, &rec[got]))
				got++;
			if (!got && ring_backlog(c->q))
				flush(c->q->fd);
		} else if (readable(c->q->fd, 1)) {
			got = read_records(c->q->fd, rec, 7);
		}
		for (long i = 0; i < got; i++)
			check_record(c, &rec[i]);
		if (!got)
			poll(&(struct pollfd){ .fd = c->q->fd, .events = POLLIN }, 1, 1);
	}
	return NULL;
}

struct arena {
	struct queue q;
	struct armer armers[ARMERS];
	struct consumer consumers[CONSUMERS];
	atomic_bool stop;
};

static void arena_start(struct __test_metadata *_metadata, struct arena *w, __u64 seed,
			unsigned int batches)
{
	ASSERT_EQ(0, queue_open(&w->q, CLOCK_MONOTONIC, 8));
	ASSERT_EQ(0, queue_map(&w->q));
	ASSERT_EQ(0, fcntl(w->q.fd, F_SETFL, O_NONBLOCK));
	for (int i = 0; i < CONSUMERS; i++) {
		struct consumer *c = &w->consumers[i];

		*c = (struct consumer){ .q = &w->q, .stop = &w->stop, .mapped = i % 2 };
		ASSERT_EQ(0, pthread_create(&c->thread, NULL, consumer_run, c));
	}
	for (int i = 0; i < ARMERS; i++) {
		struct armer *a = &w->armers[i];

		*a = (struct armer){ .q = &w->q, .batches = batches,
				     .seed = seed * 31 + i + 1 };
		ASSERT_EQ(0, pthread_create(&a->thread, NULL, armer_run, a));
	}
}

/* Wait for the armers, then for what they left pending, then for the consumers. */
static void arena_join(struct arena *w)
{
	__u64 give_up;

	for (int i = 0; i < ARMERS; i++)
		pthread_join(w->armers[i].thread, NULL);
	give_up = mono() + GIVE_UP_MS * MSEC;
	while (mono() < give_up) {
		struct twheel_stats s = stats(w->q.fd);

		if (!s.pending && !s.backlog && !s.unread)
			break;
		sleep_ns(5 * MSEC);
	}
	sleep_ns(5 * MSEC);
	atomic_store(&w->stop, true);
	for (int i = 0; i < CONSUMERS; i++)
		pthread_join(w->consumers[i].thread, NULL);
}

static void arena_check(struct __test_metadata *_metadata, struct arena *w)
{
	__u64 armed = 0, cancelled = 0, records = 0, idle = 0;
	struct twheel_stats s = stats(w->q.fd);

	for (int i = 0; i < ARMERS; i++) {
		armed += w->armers[i].armed;
		cancelled += w->armers[i].cancelled;
		EXPECT_EQ(0ULL, w->armers[i].errors);
		for (int k = 0; k < SLOTS; k++)
			idle += w->armers[i].slots[k].id && w->armers[i].slots[k].keep;
	}
	for (int i = 0; i < CONSUMERS; i++) {
		records += w->consumers[i].records;
		EXPECT_EQ(0ULL, w->consumers[i].early);
		EXPECT_EQ(0ULL, w->consumers[i].strange);
	}
	EXPECT_EQ(0ULL, s.pending + s.backlog + s.unread);
	EXPECT_EQ(armed, cancelled + records);
	EXPECT_EQ(armed, s.armed);
	EXPECT_EQ(cancelled, s.cancelled);
	EXPECT_EQ(records, s.expired);
	EXPECT_EQ(idle, s.allocated);
	TH_LOG("%llu armed, %llu cancelled, %llu records", armed, cancelled, records);
}

TEST(random_ops_on_two_queues_add_up)
{
	static struct arena arenas[2];
	__u64 seed = random_seed();
	unsigned int batches = rounds(1200);

	for (int i = 0; i < 2; i++)
		arena_start(_metadata, &arenas[i], seed + i, batches);
	for (int i = 0; i < 2; i++)
		arena_join(&arenas[i]);
	for (int i = 0; i < 2; i++) {
		arena_check(_metadata, &arenas[i]);
		queue_close(&arenas[i].q);
	}
}

/* Ids: of every arming by a fresh timer the record or the cancel, exactly once. */
TEST(each_id_ends_once)
{
	enum { N = 4000 };
	static unsigned char ends[N];
	static struct twheel_op ops[BATCH];
	static __u64 ids[N];
	__u64 seed = random_seed();
	struct twheel_record rec[16];
	unsigned int done = 0;
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 8));
	ASSERT_EQ(0, fcntl(q.fd, F_SETFL, O_NONBLOCK));
	for (int first = 0; first < N; first += BATCH) {
		long got;

		for (int i = 0; i < BATCH; i++)
			ops[i] = op_arm_rel(random_below(&seed, 2 * MSEC), first + i);
		ASSERT_EQ(BATCH, submit(q.fd, ops, BATCH));
		for (int i = 0; i < BATCH; i++)
			ids[first + i] = ops[i].id;
		for (int i = 0; i < 3; i++) {
			__u64 victim = random_below(&seed, first + BATCH);

			if (!cancel(q.fd, ids[victim])) {
				ends[victim]++;
				done++;
			}
		}
		got = read_records(q.fd, rec, 16);
		for (long i = 0; i < got; i++) {
			ASSERT_EQ(ids[rec[i].user_data], rec[i].id);
			ends[rec[i].user_data]++;
			done++;
		}
	}
	while (done < N && readable(q.fd, GIVE_UP_MS)) {
		long got = read_records(q.fd, rec, 16);

		for (long i = 0; i < got; i++) {
			ASSERT_EQ(ids[rec[i].user_data], rec[i].id);
			ends[rec[i].user_data]++;
			done++;
		}
	}
	for (int i = 0; i < N; i++) {
		ASSERT_EQ(1, ends[i]);
	}
	EXPECT_EQ(0ULL, stats(q.fd).allocated);
	queue_close(&q);
}

/* Whoever looks meanwhile sees lines that are well formed. */
struct watcher {
	int fd;
	atomic_bool stop;
	atomic_uint bad, looks;
};

static void *watch(void *data)
{
	struct watcher *w = data;
	struct twheel_info infos[16];
	char path[64], text[8192];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", w->fd);
	while (!atomic_load(&w->stop)) {
		__u64 cursor = 0;
		long got;

		do {
			got = list(w->fd, &cursor, infos, 16);
			for (long i = 0; i < got; i++)
				w->bad += !infos[i].id || infos[i].state > TWHEEL_IDLE;
		} while (got >= 0 && cursor != TWHEEL_LIST_END && !atomic_load(&w->stop));
		got = file_get(path, text, sizeof(text));
		w->bad += got <= 0 || text[got - 1] != '\n';
		w->looks++;
	}
	return NULL;
}

TEST(watching_a_busy_queue_is_safe)
{
	struct watcher w = { 0 };
	struct armer a = { .batches = rounds(600), .seed = 4711 };
	struct twheel_record rec[64];
	pthread_t thread;
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 64));
	w.fd = q.fd;
	a.q = &q;
	ASSERT_EQ(0, pthread_create(&thread, NULL, watch, &w));
	ASSERT_EQ(0, pthread_create(&a.thread, NULL, armer_run, &a));
	for (int i = 0; i < 50; i++) {
		sleep_ns(4 * MSEC);
		if (readable(q.fd, 0)) {
			ASSERT_LT(0, read_records(q.fd, rec, 64));
		}
	}
	pthread_join(a.thread, NULL);
	atomic_store(&w.stop, true);
	pthread_join(thread, NULL);
	EXPECT_EQ(0U, atomic_load(&w.bad));
	EXPECT_LT(0U, atomic_load(&w.looks));
	EXPECT_EQ(0ULL, a.errors);
	queue_close(&q);
}

#define OWNED		1000	/* timers of an owner */

/* A process that makes a queue, tells its descriptor, and exits soon. */
static void own(int out, __u64 seed)
{
	static struct twheel_op ops[OWNED];
	struct queue q;

	for (int i = 0; i < OWNED; i++)
		ops[i] = op_arm_rel(random_below(&seed, 20 * MSEC), i);
	if (queue_open(&q, CLOCK_MONOTONIC, 64) || submit_all(&q, ops, OWNED) != OWNED ||
	    write(out, &q.fd, sizeof(q.fd)) != sizeof(q.fd))
		_exit(1);
	sleep_ns(random_below(&seed, 3 * MSEC));
	_exit(0);
}

/* Lines "name:<tab>value", of which the last one is whole. */
static bool well_formed(const char *text)
{
	while (*text) {
		const char *end = strchr(text, '\n'), *colon = strstr(text, ":\t");

		if (!end || !colon || colon > end)
			return false;
		text = end + 1;
	}
	return true;
}

/* Read a process's fdinfo until it is gone; how often it was there, or -1. */
static int watch_owner(pid_t owner, int fd)
{
	char path[64], text[8192];
	int looks = 0;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", owner, fd);
	while (file_get(path, text, sizeof(text)) > 0) {
		if (!well_formed(text))
			return -1;
		looks++;
	}
	return looks;
}

/* List the timers through a descriptor of one's own; how many, or -1. */
static long list_owner(pid_t owner, int fd)
{
	int pidfd = syscall(SYS_pidfd_open, owner, 0);
	int queue = syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	struct twheel_info infos[256];
	long got = 0, listed = 0;
	__u64 cursor = 0;

	while (queue >= 0 && cursor != TWHEEL_LIST_END && got >= 0) {
		got = list(queue, &cursor, infos, 256);
		for (long i = 0; i < got; i++) {
			if (!infos[i].id || infos[i].user_data >= OWNED)
				return -1;
		}
		listed += got;
	}
	close(queue);
	close(pidfd);
	return got < 0 ? -1 : listed;
}

/* B67: owners exit, one after the other, while somebody reads about their timers. */
TEST(watching_queues_whose_owners_exit_is_safe)
{
	long users = module_users(), listed = 0, looks = 0;
	__u64 seed = random_seed();
	int ends[2];

	ASSERT_EQ(0, pipe(ends));
	for (unsigned int i = 0; i < rounds(100); i++) {
		pid_t owner = fork();
		int fd, status;

		if (!owner)
			own(ends[1], seed + i);
		ASSERT_EQ((ssize_t)sizeof(fd), read(ends[0], &fd, sizeof(fd)));
		if (i % 2) {
			long n = list_owner(owner, fd);

			ASSERT_LE(0, n);
			listed += n;
		}
		ASSERT_LE(0, status = watch_owner(owner, fd));
		looks += status;
		waitpid(owner, &status, 0);
		ASSERT_EQ(0, status);
	}
	TH_LOG("looked %ld times, %ld timers listed", looks, listed);
	EXPECT_LT(0, looks);
	EXPECT_LT(0, listed);
	EXPECT_EQ(users, module_users());
}

TEST_HARNESS_MAIN
