// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * What the library does with each of its engines.  The kernel's is tested where there is
 * a device, the process's everywhere; but no clock is set on a machine that has no
 * device, since such a machine is no guest:
 *
 *	scripts/vm --add build/userspace/tests/engines_test -- engines_test
 */
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <twheel.h>
#include <unistd.h>

#define MSEC		1000000ULL
#define SECOND		(1000 * MSEC)
#define MANY		1000

static const char *engine, *test;

#define CHECK(condition)						\
	do {								\
		if (!(condition)) {					\
			printf("engines_test: %s: %s: line %d: %s\n", engine, test, __LINE__, \
			       #condition);				\
			exit(1);					\
		}							\
	} while (0)

static void open_queue(struct twheel *tw, __u32 ring_entries, __u32 flags)
{
	struct twheel_config config = {
		.size = sizeof(config),
		.flags = flags,
		.clockid = CLOCK_MONOTONIC,
		.ring_entries = ring_entries,
	};

	CHECK(twheel_open(tw, &config) == 0);
}

static __u64 arm(struct twheel *tw, __u64 deadline, __u64 user_data, __u16 flags)
{
	struct twheel_op op;

	twheel_prep_arm(&op, deadline, 0, user_data, flags);
	CHECK(twheel_submit(tw, &op, 1) == 1 && op.result == 0 && op.id);
	return op.id;
}

static int run(struct twheel *tw, struct twheel_op *op)
{
	CHECK(twheel_submit(tw, op, 1) == 1);
	return op->result;
}

/* One record within a second, not early. */
static struct twheel_record take(struct twheel *tw)
{
	struct twheel_record record;

	CHECK(twheel_wait(tw, SECOND) >= 1);
	CHECK(twheel_consume(tw, &record, 1) == 1);
	CHECK(twheel_now(tw) >= record.deadline);
	return record;
}

static void test_config(void)
{
	struct twheel_config config = { .size = sizeof(config), .clockid = CLOCK_MONOTONIC };
	struct twheel tw, poison;

	memset(&tw, 0x5a, sizeof(tw));
	poison = tw;
	errno = 1234;
	config.clockid = CLOCK_PROCESS_CPUTIME_ID;
	CHECK(twheel_open(&tw, &config) == -EINVAL);
	config.clockid = CLOCK_MONOTONIC;
	config.flags = 1U << 30;
	CHECK(twheel_open(&tw, &config) == -EINVAL);
	config.flags = 0;
	config.engine = 3;
	CHECK(twheel_open(&tw, &config) == -EINVAL);
	CHECK(!memcmp(&tw, &poison, sizeof(tw)) && errno == 1234);
	CHECK(twheel_open(&tw, NULL) == 0 && tw.mask == 4095 && twheel_fd(&tw) > 2);
	twheel_close(&tw);
}

/* More ops than one SUBMIT takes, more records than the ring holds. */
static void test_backlog(void)
{
	static struct twheel_op ops[MANY];
	static unsigned char seen[MANY];
	struct twheel_record records[3];
	struct twheel tw;
	int count, total = 0;

	memset(seen, 0, sizeof(seen));
	open_queue(&tw, 4, 0);
	for (int i = 0; i < MANY; i++)
		twheel_prep_arm(&ops[i], MSEC, 0, i, TWHEEL_OP_REL);
	CHECK(twheel_submit(&tw, ops, MANY) == MANY);
	while (twheel_wait(&tw, total < MANY ? (__s64)SECOND : 0) > 0) {
		count = twheel_consume(&tw, records, 3);
		CHECK(count > 0);
		for (int i = 0; i < count; i++)
			CHECK(seen[records[i].user_data]++ == 0);
		total += count;
	}
	CHECK(total == MANY);
	twheel_close(&tw);
}

/*
 * B82: with the library alone, and a consumer that sleeps while far more expires than
 * the ring holds, nothing is lost.
 */
static void test_sleeping_consumer(void)
{
	static struct twheel_op ops[MANY];
	static unsigned char seen[MANY];
	struct twheel_record records[64];
	struct twheel tw;
	int count, total = 0;
	__u64 deadline;

	memset(seen, 0, sizeof(seen));
	open_queue(&tw, 128, 0);
	deadline = twheel_now(&tw) + 50 * MSEC;
	for (int i = 0; i < MANY; i++)
		twheel_prep_arm(&ops[i], deadline, 0, i, 0);
	CHECK(twheel_submit(&tw, ops, MANY) == MANY);
	usleep(300000);
	while (total < MANY) {
		CHECK(twheel_wait(&tw, SECOND) > 0);
		while ((count = twheel_consume(&tw, records, 64)) > 0) {
			for (int i = 0; i < count; i++)
				CHECK(seen[records[i].user_data]++ == 0);
			total += count;
		}
	}
	CHECK(total == MANY && twheel_wait(&tw, 0) == 0);
	twheel_close(&tw);
}

static void test_wait(void)
{
	struct twheel_record record;
	struct twheel tw;
	__u64 start;

	open_queue(&tw, 4, 0);
	start = twheel_now(&tw);
	CHECK(twheel_wait(&tw, 0) == 0);
	CHECK(twheel_wait(&tw, 20 * MSEC) == 0);
	CHECK(twheel_now(&tw) - start >= 20 * MSEC);
	arm(&tw, 10 * MSEC, 7, TWHEEL_OP_REL);
	CHECK(twheel_wait(&tw, -1) == 1);
	CHECK(twheel_wait(&tw, -1) == 1);	/* it is still there */
	CHECK(twheel_consume(&tw, &record, 1) == 1 && record.user_data == 7);
	CHECK(twheel_consume(&tw, &record, 1) == 0);
	twheel_close(&tw);
}

/* Where the ring cannot be mapped, the same functions read. */
static void test_read(void)
{
	struct twheel_record records[4];
	struct twheel tw, unmapped;

	open_queue(&tw, 8, 0);
	unmapped = tw;
	unmapped.ring = NULL;
	unmapped.ctl = NULL;
	CHECK(twheel_consume(&unmapped, records, 4) == 0);
	CHECK(twheel_wait(&unmapped, MSEC) == 0);
	for (int i = 0; i < 3; i++)
		arm(&unmapped, 1 + i, i, 0);
	CHECK(twheel_wait(&unmapped, SECOND) == 1);
	CHECK(twheel_consume(&unmapped, records, 2) == 2 && records[1].user_data == 1);
	CHECK(twheel_consume(&unmapped, records, 4) == 1 && records[0].user_data == 2);
	twheel_close(&tw);
}

static int readable(int fd, int timeout)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, timeout);
}

static void test_eventfd(void)
{
	int efd = eventfd(0, EFD_NONBLOCK);
	struct twheel tw;

	open_queue(&tw, 4, 0);
	CHECK(twheel_eventfd(&tw, 12345) == -EBADF);
	CHECK(twheel_eventfd(&tw, 0) == -EINVAL);
	CHECK(twheel_eventfd(&tw, efd) == 0);
	arm(&tw, 1, 1, 0);
	CHECK(readable(efd, 1000) == 1);
	eventfd_read(efd, &(eventfd_t) { 0 });
	take(&tw);

	twheel_no_signal(&tw);
	arm(&tw, 1, 2, 0);
	CHECK(readable(efd, 20) == 0);
	CHECK(twheel_prepare_wait(&tw) == 1);
	take(&tw);
	CHECK(twheel_prepare_wait(&tw) == 0);
	arm(&tw, 1, 3, 0);
	CHECK(readable(efd, 1000) == 1);
	CHECK(twheel_eventfd(&tw, -1) == 0);
	twheel_close(&tw);
	close(efd);
}

static void test_ops(void)
{
	struct twheel_op op;
	struct twheel tw;
	__u64 id, deadline;

	open_queue(&tw, 4, 0);
	deadline = twheel_now(&tw) + 3600 * SECOND;
	id = arm(&tw, deadline, 9, TWHEEL_OP_KEEP);
	twheel_prep_query(&op, id);
	CHECK(run(&tw, &op) == TWHEEL_PENDING && op.user_data == 9);
	CHECK(op.deadline >= deadline && op.deadline < deadline + 4);
	twheel_prep_move(&op, id, 0, 0, TWHEEL_OP_REL);
	CHECK(run(&tw, &op) == 0);
	CHECK(take(&tw).id == id);
	twheel_prep_cancel(&op, id);
	CHECK(run(&tw, &op) == -ENOENT);
	twheel_prep_move(&op, id, deadline, 0, 0);
	CHECK(run(&tw, &op) == 1);
	twheel_prep_free(&op, id);
	CHECK(run(&tw, &op) == 1);
	twheel_prep_free(&op, id);
	CHECK(run(&tw, &op) == -ENOENT);
	CHECK(twheel_submit(&tw, NULL, 0) == 0);
	if (twheel_engine(&tw) == TWHEEL_ENGINE_KERNEL)
		CHECK(twheel_submit(&tw, NULL, 1) == -EFAULT);
	twheel_close(&tw);
}

static void test_list_and_stats(void)
{
	struct twheel_info infos[7];
	struct twheel_stats stats;
	struct twheel tw;
	__u64 cursor = 0, sum = 0;
	int count;

	open_queue(&tw, 4, 0);
	for (int i = 1; i <= 20; i++)
		arm(&tw, 3600 * SECOND, i, TWHEEL_OP_REL);
	while (cursor != TWHEEL_LIST_END) {
		count = twheel_list(&tw, &cursor, infos, 7);
		CHECK(count >= 0 && count <= 7);
		for (int i = 0; i < count; i++)
			sum += infos[i].user_data;
	}
	CHECK(sum == 210);
	CHECK(twheel_stats(&tw, &stats) == 0 && stats.pending == 20 && stats.armed == 20);
	twheel_close(&tw);
}

/* Parent arms, child attaches and takes; both see one queue. */
static void test_attach(void)
{
	struct twheel_record record;
	struct twheel tw, child;
	int status;
	pid_t pid;

	open_queue(&tw, 4, 0);
	arm(&tw, 20 * MSEC, 5, TWHEEL_OP_REL);
	pid = fork();
	if (!pid) {
		CHECK(twheel_attach(&child, twheel_fd(&tw), &tw.setup) == 0);
		CHECK(take(&child).user_data == 5);
		twheel_close(&child);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK(twheel_consume(&tw, &record, 1) == 0);
	twheel_close(&tw);
}

static void test_words(void)
{
	struct twheel_record record;
	struct twheel_op op;
	struct twheel tw;
	__u64 id, deadline;

	open_queue(&tw, 4, TWHEEL_SETUP_WORDS);
	CHECK(tw.words);
	deadline = twheel_now(&tw) + 30 * MSEC;
	id = arm(&tw, deadline, 1, TWHEEL_OP_KEEP);
	CHECK(twheel_word_state(&tw, id) == TWHEEL_WORD_ARMED);
	CHECK(twheel_word_push(&tw, id, deadline - MSEC) == TWHEEL_USE_MOVE);
	CHECK(twheel_word_push(&tw, id, deadline + 50 * MSEC) == TWHEEL_DONE);
	CHECK(take(&tw).deadline >= deadline + 50 * MSEC);
	CHECK(twheel_word_state(&tw, id) == TWHEEL_WORD_FIRED);
	CHECK(twheel_word_push(&tw, id, deadline + SECOND) == TWHEEL_TOO_LATE);

	twheel_prep_move(&op, id, 20 * MSEC, 0, TWHEEL_OP_REL);
	CHECK(run(&tw, &op) == 1);
	CHECK(twheel_word_cancel(&tw, id) == TWHEEL_DONE);
	CHECK(twheel_word_cancel(&tw, id) == TWHEEL_TOO_LATE);
	CHECK(twheel_wait(&tw, 60 * MSEC) == 0);
	CHECK(twheel_word_state(&tw, id) == TWHEEL_WORD_IDLE);
	CHECK(twheel_word_push(&tw, id, deadline + SECOND) == TWHEEL_USE_MOVE);
	CHECK(twheel_consume(&tw, &record, 1) == 0);

	/* Cancelled, not reaped yet, armed anew. */
	twheel_prep_move(&op, id, SECOND, 0, TWHEEL_OP_REL);
	CHECK(run(&tw, &op) == 1);
	CHECK(twheel_word_cancel(&tw, id) == TWHEEL_DONE);
	twheel_prep_move(&op, id, MSEC, 0, TWHEEL_OP_REL);
	CHECK(run(&tw, &op) == 1);
	CHECK(take(&tw).id == id);
	CHECK(twheel_wait(&tw, 5 * MSEC) == 0);
	twheel_close(&tw);
}

/* Cancelled and armed again without the kernel, until it has let go of the timer. */
static void test_word_arm(void)
{
	struct twheel_stats stats;
	struct twheel tw;
	__u64 id, deadline;

	open_queue(&tw, 4, TWHEEL_SETUP_WORDS);
	CHECK(tw.setup.features & TWHEEL_FEAT_WORDS_ARM);
	deadline = twheel_now(&tw) + 30 * MSEC;
	id = arm(&tw, deadline, 1, TWHEEL_OP_KEEP);
	CHECK(twheel_word_arm(&tw, id, deadline + SECOND) == TWHEEL_USE_MOVE);
	for (unsigned int i = 1; i <= 1000; i++) {
		CHECK(twheel_word_cancel(&tw, id) == TWHEEL_DONE);
		CHECK(twheel_word_arm(&tw, id, deadline - MSEC) == TWHEEL_USE_MOVE);
		CHECK(twheel_word_arm(&tw, id, deadline + i * 40000) == TWHEEL_DONE);
	}
	CHECK(take(&tw).deadline >= deadline + 40 * MSEC);
	CHECK(twheel_wait(&tw, 5 * MSEC) == 0);
	CHECK(twheel_word_arm(&tw, id, deadline + SECOND) == TWHEEL_USE_MOVE);
	CHECK(twheel_stats(&tw, &stats) == 0);
	CHECK(stats.expired == 1 && stats.reaped == 0 && stats.pending == 0);

	id = arm(&tw, twheel_now(&tw) + 5 * MSEC, 2, TWHEEL_OP_KEEP);
	CHECK(twheel_word_cancel(&tw, id) == TWHEEL_DONE);
	CHECK(twheel_wait(&tw, 30 * MSEC) == 0);
	CHECK(twheel_word_arm(&tw, id, twheel_now(&tw) + SECOND) == TWHEEL_USE_MOVE);
	CHECK(twheel_stats(&tw, &stats) == 0 && stats.reaped == 1);
	twheel_close(&tw);
}

/* A touch moves the next expiry; the others follow from it. */
static void test_periodic_word(void)
{
	struct twheel_record first, second;
	struct twheel_op op;
	struct twheel tw;
	__u64 deadline;

	open_queue(&tw, 16, TWHEEL_SETUP_WORDS);
	deadline = (twheel_now(&tw) + 200 * MSEC) & ~3ULL;
	twheel_prep_arm(&op, deadline, 40 * MSEC, 1, TWHEEL_OP_KEEP);
	CHECK(run(&tw, &op) == 0);
	CHECK(twheel_word_push(&tw, op.id, deadline + 30 * MSEC) == TWHEEL_DONE);
	first = take(&tw);
	second = take(&tw);
	CHECK(first.deadline == deadline + 30 * MSEC + first.missed * 40 * MSEC);
	CHECK(second.deadline == first.deadline + (second.missed + 1) * 40 * MSEC);
	CHECK(twheel_word_cancel(&tw, op.id) == TWHEEL_DONE);
	while (twheel_consume(&tw, &first, 1) == 1)
		;
	CHECK(twheel_wait(&tw, 100 * MSEC) == 0);
	twheel_close(&tw);
}

/* B02: 10^10 ms do not fit into 32 bits. */
static void test_long_delay(void)
{
	const __u64 delay = 10000000000ULL * MSEC;
	struct twheel_op op;
	struct twheel tw;
	__u64 before;

	open_queue(&tw, 4, 0);
	before = twheel_now(&tw);
	twheel_prep_query(&op, arm(&tw, delay, 1, TWHEEL_OP_REL));
	CHECK(run(&tw, &op) == TWHEEL_PENDING);
	CHECK(op.deadline >= before + delay && op.deadline <= twheel_now(&tw) + delay);
	CHECK(twheel_wait(&tw, 10 * MSEC) == 0);
	twheel_prep_cancel(&op, op.id);			/* B54 */
	CHECK(run(&tw, &op) == 0);
	twheel_close(&tw);
}

static void set_clock(__s64 by)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += by;
	CHECK(clock_settime(CLOCK_REALTIME, &ts) == 0);
}

static void *set_clock_soon(void *by)
{
	const struct timespec ts = { .tv_nsec = 20 * MSEC };

	nanosleep(&ts, NULL);
	set_clock(*(__s64 *)by);
	return NULL;
}

/* Set the clock while the library waits with this timeout: what it returns. */
static int wait_over_step(struct twheel *tw, __s64 by, __s64 timeout)
{
	pthread_t thread;
	int ret;

	CHECK(pthread_create(&thread, NULL, set_clock_soon, &by) == 0);
	ret = twheel_wait(tw, timeout);
	pthread_join(thread, NULL);
	return ret;
}

/*
 * B31: a step that makes a timer due ends the wait, its record has id 0; one that does
 * not leaves the wait as it is.  Timers stay armed, and the next wait works.
 */
static void test_clock_step(void)
{
	struct twheel_config config = { .size = sizeof(config), .clockid = CLOCK_REALTIME };
	struct twheel_record record;
	unsigned int steps = 0;
	struct twheel_op query;
	struct twheel tw;
	__u64 near, far;

	CHECK(twheel_open(&tw, &config) == 0);
	near = arm(&tw, 1800 * SECOND, 1, TWHEEL_OP_REL);
	far = arm(&tw, 7200 * SECOND, 2, TWHEEL_OP_REL);
	CHECK(wait_over_step(&tw, 3600, -1) >= 1);
	do {
		CHECK(twheel_wait(&tw, SECOND) >= 1);
		CHECK(twheel_consume(&tw, &record, 1) == 1);
		steps += !record.id;
	} while (record.id != near);
	while (twheel_wait(&tw, 10 * MSEC) > 0)
		steps += twheel_consume(&tw, &record, 1) == 1 && !record.id;
	CHECK(steps == 1);
	CHECK(wait_over_step(&tw, -3600, 100 * MSEC) >= 0);
	while (twheel_consume(&tw, &record, 1) == 1)
		CHECK(!record.id);
	twheel_prep_query(&query, far);
	CHECK(run(&tw, &query) == TWHEEL_PENDING);
	arm(&tw, MSEC, 3, TWHEEL_OP_REL);
	do {
		CHECK(twheel_wait(&tw, SECOND) >= 1);
		CHECK(twheel_consume(&tw, &record, 1) == 1);
	} while (!record.id);
	CHECK(record.user_data == 3);
	twheel_close(&tw);
}

enum { KERNEL = 1, PROCESS = 2, BOTH = 3, SETS_CLOCK = 4 };

static const struct {
	const char *name;
	void (*run)(void);
	int where;
} tests[] = {
	{ "config", test_config, BOTH },
	{ "backlog", test_backlog, BOTH },
	{ "sleeping_consumer", test_sleeping_consumer, BOTH },
	{ "wait", test_wait, BOTH },
	{ "read", test_read, KERNEL },
	{ "eventfd", test_eventfd, KERNEL },
	{ "ops", test_ops, BOTH },
	{ "list_and_stats", test_list_and_stats, BOTH },
	{ "attach", test_attach, KERNEL },
	{ "words", test_words, BOTH },
	{ "word_arm", test_word_arm, BOTH },
	{ "periodic_word", test_periodic_word, BOTH },
	{ "long_delay", test_long_delay, BOTH },
	{ "clock_step", test_clock_step, BOTH | SETS_CLOCK },
};

/* Run what can be tested there: how many tests. */
static int run_tests(const char *name, int where, bool may_set_clock)
{
	int count = 0;

	engine = name;
	setenv("TWHEEL_ENGINE", name, 1);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		if (!(tests[i].where & where) ||
		    (tests[i].where & SETS_CLOCK && !may_set_clock))
			continue;
		test = tests[i].name;
		tests[i].run();
		count++;
	}
	return count;
}

int main(void)
{
	bool device = access("/dev/twheel", R_OK | W_OK) == 0;
	int count = run_tests("process", PROCESS, device);

	if (device)
		count += run_tests("kernel", KERNEL, true);
	printf("engines_test: %d tests, 0 failed\n", count);
	return 0;
}
