// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory cgroups at their limit: a program that fills one gets an error, is not
 * killed, gives all memory back with the close, and is noticed by nobody else. Needs
 * root and cgroup 2.
 */
#include "common.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

#define ROOT	"/sys/fs/cgroup/"
#define MIB	(1L << 20)
#define SLOP	(2 * MIB)	/* the counter is kept in per-CPU batches */

static long cgroup_get(const char *group, const char *file, const char *key)
{
	char path[128], text[1024], *at;

	snprintf(path, sizeof(path), ROOT "%s/%s", group, file);
	if (file_get(path, text, sizeof(text)) <= 0)
		return -1;
	at = key ? strstr(text, key) : text;
	return at ? atol(at + (key ? strlen(key) : 0)) : -1;
}

static long cgroup_put(const char *group, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), ROOT "%s/%s", group, file);
	return file_put(path, text);
}

static long memory(const char *group)
{
	return cgroup_get(group, "memory.current", NULL);
}

/* Wait until the cgroup holds no more than so much. */
static long memory_sinks_to(const char *group, long bytes)
{
	for (int i = 0; i < 100 && memory(group) > bytes; i++)
		sleep_ns(50 * MSEC);
	return memory(group);
}

FIXTURE(cgroup) {
	int unused;
};

FIXTURE_SETUP(cgroup)
{
	mkdir(ROOT "twheel_full", 0755);
	mkdir(ROOT "twheel_other", 0755);
	if (memory("twheel_full") < 0 || memory("twheel_other") < 0)
		SKIP(return, "no memory controller");
	ASSERT_EQ(0, cgroup_put("twheel_full", "memory.max", "16777216"));
}

FIXTURE_TEARDOWN(cgroup)
{
	for (int i = 0; i < 50 && rmdir(ROOT "twheel_full"); i++)
		sleep_ns(20 * MSEC);
	for (int i = 0; i < 50 && rmdir(ROOT "twheel_other"); i++)
		sleep_ns(20 * MSEC);
}

/* Arm until it is refused. Returns how many, or a negative errno. */
static long fill(const struct queue *q)
{
	enum { N = 256 };
	struct twheel_op ops[N];
	long armed = 0;

	for (int round = 0; round < 4000; round++) {
		for (int i = 0; i < N; i++)
			ops[i] = op_arm(TIME_MAX, i);
		if (submit(q->fd, ops, N) != N)
			return -EIO;
		for (int i = 0; i < N; i++) {
			if (ops[i].result)
				return ops[i].result == -ENOMEM ? armed : ops[i].result;
			armed++;
		}
	}
	return -E2BIG;
}

/* The statuses of a child that fills its cgroup, and of one in another. */
enum { GOOD, NO_CGROUP, NO_QUEUE, NOT_REFUSED, NOT_CHARGED, NOT_GIVEN_BACK, NO_TIMER, TOO_SOON };

static int fill_and_close(int full, int go_on)
{
	long before, with;
	struct queue q;
	char byte = 0, *reserve;

	before = memory("twheel_full");
	/* To be given back: a full cgroup has no memory for other system calls either. */
	reserve = mmap(NULL, MIB, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (reserve == MAP_FAILED || queue_open(&q, CLOCK_MONOTONIC, 1 << 12))
		return NO_QUEUE;
	if (fill(&q) < 1000)
		return NOT_REFUSED;
	munmap(reserve, MIB);
	with = memory("twheel_full");
	if (with - before < (long)stats(q.fd).memory * 3 / 4)
		return NOT_CHARGED;
	/* Full; the other has its turn, and then this one goes. */
	if (write(full, &byte, 1) != 1 || read(go_on, &byte, 1) != 1)
		return NO_TIMER;
	queue_close(&q);
	return memory_sinks_to("twheel_full", before + SLOP) > before + SLOP ?
		NOT_GIVEN_BACK : GOOD;
}

/* A thousand timers, as if nothing were the matter. */
static int be_unharmed(void)
{
	struct twheel_record rec;
	struct queue q;

	if (queue_open(&q, CLOCK_MONOTONIC, 2048))
		return NO_QUEUE;
	for (int i = 0; i < 1000; i++) {
		if (!arm_rel(q.fd, i * 50 * USEC, i))
			return NO_TIMER;
	}
	for (int i = 0; i < 1000; i++) {
		if (next_record(q.fd, &rec) != 1)
			return NO_TIMER;
		if (mono() < rec.deadline)
			return TOO_SOON;
	}
	queue_close(&q);
	return GOOD;
}

static int status_of(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

/* B118: 16 MiB are full of timers; refused, not killed; the neighbour arms and fires. */
TEST_F_TIMEOUT(cgroup, full_one_is_refused_and_others_are_unharmed, 100)
{
	int full[2], go_on[2];
	char byte = 0;
	pid_t filler, other;

	ASSERT_EQ(0, pipe(full));
	ASSERT_EQ(0, pipe(go_on));
	filler = fork();
	if (!filler)
		_exit(cgroup_put("twheel_full", "cgroup.procs", "0") ? NO_CGROUP :
		      fill_and_close(full[1], go_on[0]));
	close(full[1]);
	EXPECT_EQ(1, read(full[0], &byte, 1));
	other = fork();
	if (!other)
		_exit(cgroup_put("twheel_other", "cgroup.procs", "0") ? NO_CGROUP :
		      be_unharmed());
	EXPECT_EQ(GOOD, status_of(other));
	EXPECT_EQ(1, write(go_on[1], &byte, 1));
	EXPECT_EQ(GOOD, status_of(filler));
	EXPECT_EQ(0, cgroup_get("twheel_full", "memory.events", "oom_kill "));
	EXPECT_EQ(0, cgroup_get("twheel_other", "memory.events", "oom_kill "));
}

/* Whoever maps and unmaps: what the queue was charged for goes with the queue. */
static int map_elsewhere(void)
{
	long before = memory("twheel_full");

	for (unsigned int i = 0; i < rounds(300); i++) {
		struct queue q;
		pid_t child;

		if (queue_open(&q, CLOCK_MONOTONIC, 1 << 12) || queue_map(&q) ||
		    !arm_rel(q.fd, HOUR, 1))
			return NO_QUEUE;
		child = fork();
		if (!child) {
			struct queue copy = { .fd = q.fd, .setup = q.setup };

			_exit(queue_map(&copy) ? NO_QUEUE : GOOD);
		}
		if (i % 2)
			queue_close(&q);
		if (status_of(child))
			return NO_QUEUE;
		queue_close(&q);
	}
	return memory_sinks_to("twheel_full", before + SLOP) > before + SLOP ?
		NOT_GIVEN_BACK : GOOD;
}

/* B118 */
TEST_F_TIMEOUT(cgroup, charges_do_not_add_up, 100)
{
	pid_t child = fork();

	if (!child)
		_exit(cgroup_put("twheel_full", "cgroup.procs", "0") ? NO_CGROUP :
		      map_elsewhere());
	EXPECT_EQ(GOOD, status_of(child));
	EXPECT_EQ(0, cgroup_get("twheel_full", "memory.events", "oom_kill "));
}

TEST_HARNESS_MAIN
