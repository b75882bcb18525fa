// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits per user: the number of queues, and of timers in all of them, whatever the
 * user does to look like somebody else.  Limits of a cgroup are in memory_test.c.
 * Needs root.
 */
#include "common.h"

#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

/*
 * Run fn as user 1000 with a module parameter set. That user opens the device, so
 * its mode allows this meanwhile. The exit status is fn's.
 */
static int as_user(const char *name, __u64 value, int (*fn)(__u64))
{
	__u64 before = parameter(name);
	int status = -1;

	if (parameter_set(name, value))
		return -1;
	chmod(DEVICE, 0666);
	if (!fork()) {
		if (setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000))
			_exit(200);
		_exit(fn(value));
	}
	wait(&status);
	chmod(DEVICE, 0600);
	parameter_set(name, before);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 201;
}

#define AS_USER(name, value, fn) do {					\
	int ret_ = as_user(name, value, fn);				\
									\
	if (ret_ < 0)							\
		SKIP(return, "the parameter %s cannot be set", name);	\
	EXPECT_EQ(0, ret_);						\
} while (0)

static int queues_until_edquot(__u64 limit)
{
	struct queue q[16];

	for (__u64 i = 0; i < limit; i++) {
		if (queue_open(&q[i], CLOCK_MONOTONIC, 8))
			return 1;
	}
	if (queue_open(&q[limit], CLOCK_MONOTONIC, 8) != -EDQUOT)
		return 2;
	if (!arm(q[0].fd, TIME_MAX, 1))
		return 3;
	queue_close(&q[0]);
	sleep_ns(20 * MSEC);
	if (queue_open(&q[0], CLOCK_MONOTONIC, 8))
		return 4;
	if (queue_open(&q[limit], CLOCK_MONOTONIC, 8) != -EDQUOT)
		return 5;
	return 0;
}

/* B114 */
TEST(max_queues_per_user_is_edquot_until_one_is_closed)
{
	AS_USER("max_queues_per_user", 5, queues_until_edquot);
}

static int timers_until_edquot(__u64 limit)
{
	struct queue a, b;
	long first, second;

	if (queue_open(&a, CLOCK_MONOTONIC, 8) || queue_open(&b, CLOCK_MONOTONIC, 8))
		return 1;
	first = arm_until_refused(&a, limit * 3 / 4, -EDQUOT);
	second = arm_until_refused(&b, limit, -EDQUOT);
	if (first != (long)limit * 3 / 4)
		return 2;
	if (second < 0 || first + second > (long)limit)
		return 3;
	if ((long)stats(b.fd).pending != second)
		return 4;
	queue_close(&a);
	sleep_ns(50 * MSEC);
	if (arm_until_refused(&b, limit / 2, -EDQUOT) <= 0)
		return 5;
	queue_close(&b);
	return 0;
}

/* B114 */
TEST(max_timers_per_user_is_edquot_over_all_his_queues)
{
	AS_USER("max_timers_per_user", 8192, timers_until_edquot);
}

static int queue_limit(__u64 limit)
{
	struct queue q;

	if (queue_open(&q, CLOCK_MONOTONIC, 8))
		return 1;
	return q.setup.max_timers == limit ? 0 : 2;
}

TEST(max_timers_per_queue_is_what_setup_tells)
{
	AS_USER("max_timers_per_queue", 4096, queue_limit);
}

/* B114: one user at the limit does not stop another. */
static int other_user_is_free(__u64 limit)
{
	struct queue q[8];

	for (__u64 i = 0; i < limit; i++) {
		if (queue_open(&q[i], CLOCK_MONOTONIC, 8))
			return 1;
	}
	return queue_open(&q[limit], CLOCK_MONOTONIC, 8) == -EDQUOT ? 0 : 2;
}

TEST(limit_of_one_user_is_not_that_of_another)
{
	struct queue q[3];

	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, queue_open(&q[i], CLOCK_MONOTONIC, 8));
	}
	AS_USER("max_queues_per_user", 3, other_user_is_free);
	for (int i = 0; i < 3; i++)
		queue_close(&q[i]);
}

/* --- users of a user namespace ---------------------------------------------- */

#define LIMIT		2
#define STRANGE		77	/* exit status: there are no user namespaces */

/* In a namespace with users 0 and 1, who outside are 1000 and 100000. */
static int be_subuid(const int *fds, int ready, int go)
{
	struct twheel_setup setup = setup_of(CLOCK_MONOTONIC, 8);
	char byte = 0;

	if (setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000))
		return 1;
	for (int i = 0; i < LIMIT; i++)
		if (tw_ioctl(fds[i], TWHEEL_IOC_SETUP, &setup))
			return 2;
	if (unshare(CLONE_NEWUSER))
		return STRANGE;
	if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 1)
		return 3;
	if (setresuid(1, 1, 1))
		return 4;
	setup = setup_of(CLOCK_MONOTONIC, 8);
	return tw_ioctl(fds[LIMIT], TWHEEL_IOC_SETUP, &setup) == -EDQUOT ? 0 : 5;
}

/* /etc/subuid may give a user 65536 uids, but no more queues. */
TEST(subuids_of_a_user_share_his_limit)
{
	__u64 before = parameter("max_queues_per_user");
	int fds[LIMIT + 1], ready[2], go[2], status = -1;
	char path[64], byte = 0;
	pid_t pid;

	for (int i = 0; i <= LIMIT; i++)
		fds[i] = device_open();
	ASSERT_LE(0, fds[LIMIT]);
	ASSERT_EQ(0, pipe(ready) | pipe(go));
	ASSERT_EQ(0, parameter_set("max_queues_per_user", LIMIT));
	pid = fork();
	if (!pid)
		_exit(be_subuid(fds, ready[1], go[0]));
	close(ready[1]);
	if (read(ready[0], &byte, 1) == 1) {
		snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
		EXPECT_EQ(0, file_put(path, "0 1000 1\n1 100000 1\n"));
		EXPECT_EQ(1, write(go[1], &byte, 1));
	}
	waitpid(pid, &status, 0);
	parameter_set("max_queues_per_user", before);
	for (int i = 0; i <= LIMIT; i++)
		close(fds[i]);
	if (WEXITSTATUS(status) == STRANGE)
		SKIP(return, "no user namespaces");
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
