// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory is charged to the cgroup of the task that makes the kernel allocate it. At
 * the limit of the cgroup it is refused and nobody is killed. It is given back,
 * whoever maps and unmaps it.
 */
#include "common.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

#define CGROUP "/sys/fs/cgroup/twheel_test"

static long cgroup_memory(void)
{
	char text[32];

	return file_get(CGROUP "/memory.current", text, sizeof(text)) > 0 ? atol(text) : -1;
}

/* In a cgroup of our own; its memory must not be smaller than the queue's. */
static int charged_for_timers(void)
{
	const unsigned int n = 50000;
	long before, with, after;
	struct queue q;
	__u64 told;

	before = cgroup_memory();
	if (queue_open(&q, CLOCK_MONOTONIC, 1 << 15) || arm_until_refused(&q, n, -ENOMEM) != n)
		return 1;
	with = cgroup_memory();
	told = stats(q.fd).memory;
	queue_close(&q);
	for (int i = 0; i < 40; i++) {
		sleep_ns(50 * MSEC);
		after = cgroup_memory();
		if (after - before < (long)told / 4)
			break;
	}
	fprintf(stderr, "# memory.current %ld, with %u timers %ld, then %ld; told %llu\n",
		before, n, with, after, (unsigned long long)told);
	if (told < n * 40 + (32 << 15))
		return 2;
	if (with - before < (long)told * 3 / 4)
		return 3;
	if (after - before >= (long)told / 4)
		return 4;
	return 0;
}

static int in_cgroup(const char *max, int (*fn)(void))
{
	int status = -1;

	if (mkdir(CGROUP, 0755) && errno != EEXIST)
		return -1;
	if (cgroup_memory() < 0) {
		rmdir(CGROUP);
		return -1;
	}
	file_put(CGROUP "/memory.max", max);
	if (!fork()) {
		if (file_put(CGROUP "/cgroup.procs", "0"))
			_exit(200);
		_exit(fn());
	}
	wait(&status);
	for (int i = 0; i < 20 && rmdir(CGROUP); i++)
		sleep_ns(20 * MSEC);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 201;
}

/* B118 */
TEST(memory_is_charged_to_the_cgroup_and_given_back)
{
	int ret = in_cgroup("max", charged_for_timers);

	if (ret < 0)
		SKIP(return, "no memory controller");
	EXPECT_EQ(0, ret);
}

/* At the limit of the cgroup an op is refused; nobody is killed. */
static int refused_for_timers(void)
{
	enum { N = 64 };
	struct twheel_op ops[N];
	struct queue q;

	if (queue_open(&q, CLOCK_MONOTONIC, 8))
		return 1;
	for (int round = 0; round < 1000000 / N; round++) {
		__u64 before = stats(q.fd).pending;
		unsigned int armed = 0;

		for (int i = 0; i < N; i++)
			ops[i] = op_arm(TIME_MAX, i);
		if (submit(q.fd, ops, N) != N)
			return 2;
		for (int i = 0; i < N; i++) {
			if (ops[i].result && ops[i].result != -ENOMEM)
				return 3;
			armed += !ops[i].result;
		}
		if (stats(q.fd).pending != before + armed)
			return 4;
		if (armed < N)
			return 0;
	}
	return 5;
}

/* B118 */
TEST(memory_limit_of_the_cgroup_is_enomem)
{
	int ret = in_cgroup("4194304", refused_for_timers);

	if (ret < 0)
		SKIP(return, "no memory controller");
	EXPECT_EQ(0, ret);
}

static int refused_for_ring(void)
{
	struct queue q;

	return queue_open(&q, CLOCK_MONOTONIC, 1 << 20) == -ENOMEM ? 0 : 1;
}

/* B118 */
TEST(ring_beyond_the_limit_of_the_cgroup_is_enomem)
{
	int ret = in_cgroup("8388608", refused_for_ring);

	if (ret < 0)
		SKIP(return, "no memory controller");
	EXPECT_EQ(0, ret);
}

static long oom_kills(void)
{
	char text[512], *line;

	if (file_get(CGROUP "/memory.events", text, sizeof(text)) <= 0)
		return -1;
	line = strstr(text, "oom_kill ");
	return line ? atol(line + strlen("oom_kill ")) : -1;
}

/* Whether no more is charged than there was, but for what CPUs keep for later. */
static bool memory_returns_to(long before)
{
	for (int i = 0; i < 100 && cgroup_memory() > before + (2 << 20); i++)
		sleep_ns(50 * MSEC);
	return cgroup_memory() <= before + (2 << 20);
}

/* Queues with rings and timers until one is refused; then all are closed. */
static int fill_up(void)
{
	enum { QUEUES = 64 };
	static struct queue q[QUEUES];
	long ret = 0, before = cgroup_memory();
	int n = 0;

	while (n < QUEUES && !ret) {
		ret = queue_open(&q[n], CLOCK_MONOTONIC, 1 << 14);
		if (!ret)
			ret = queue_map(&q[n++]);
		for (int t = 0; t < 100 && !ret; t++)
			ret = arm(q[n - 1].fd, TIME_MAX, t) ? 0 : -ENOMEM;
	}
	if (cgroup_memory() < before + n * (32 << 14) / 2)
		return 1;
	while (n)
		queue_close(&q[--n]);
	return ret == -ENOMEM ? 0 : 2;
}

/* What the parent has mapped the child maps for itself, and unmaps. */
static int map_here_and_unmap_there(void)
{
	int status = -1;
	struct queue q;

	if (queue_open(&q, CLOCK_MONOTONIC, 1 << 12) || queue_map(&q) || !arm(q.fd, TIME_MAX, 1))
		return 1;
	if (!fork()) {
		if (queue_map(&q))
			_exit(1);
		queue_close(&q);
		_exit(0);
	}
	wait(&status);
	queue_close(&q);
	return status;
}

/* Rings do not count as locked memory: RLIMIT_MEMLOCK is less than they take. */
static int filled_and_emptied(void)
{
	struct rlimit locked = { 1 << 20, 1 << 20 };
	long before = cgroup_memory();

	setrlimit(RLIMIT_MEMLOCK, &locked);
	for (int i = 0; i < 2; i++) {
		int ret = fill_up();

		if (ret)
			return ret;
	}
	if (!memory_returns_to(before))
		return 3;
	for (unsigned int i = 0; i < rounds(100); i++) {
		if (map_here_and_unmap_there())
			return 4;
	}
	if (!memory_returns_to(before))
		return 5;
	return oom_kills() ? 6 : 0;
}

FIXTURE(limit) {
};

FIXTURE_SETUP(limit)
{
}

FIXTURE_TEARDOWN(limit)
{
}

/* B118. On a busy machine it was seen to take 16 s. */
TEST_F_TIMEOUT(limit, memory_is_refused_and_returned_again_and_again, 100)
{
	int ret = in_cgroup("16777216", filled_and_emptied);

	if (ret < 0)
		SKIP(return, "no memory controller");
	EXPECT_EQ(0, ret);
}

TEST_HARNESS_MAIN
