// SPDX-License-Identifier: GPL-2.0-only
/*
 * A service is killed and started again while the module stays loaded. Either its
 * queue went with it, or somebody kept the descriptor; then all its timers are
 * still there.
 */
#include "common.h"

#include <signal.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

#define ROWS	100	/* what the service has to do, by number */

FIXTURE(handover) {
	long users;
	int pair[2];
	pid_t service;
};

FIXTURE_SETUP(handover)
{
	self->users = module_users();
	self->service = 0;
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, self->pair));
}

FIXTURE_TEARDOWN(handover)
{
	close(self->pair[0]);
	close(self->pair[1]);
}

static long arm_rows(int fd, __u64 deadline)
{
	struct twheel_op ops[ROWS];

	for (int i = 0; i < ROWS; i++)
		ops[i] = op_arm(deadline, i);
	return submit(fd, ops, ROWS);
}

/* The first life of the service: all rows are armed, the descriptor is sent away. */
static void first_life(int sock)
{
	struct queue q;

	if (queue_open(&q, CLOCK_MONOTONIC, 2 * ROWS))
		_exit(1);
	if (arm_rows(q.fd, mono() + HOUR) != ROWS)
		_exit(2);
	send_fd(sock, q.fd, 0);
	for (;;)
		pause();
}

static int start_and_kill(int pair[2])
{
	pid_t service = fork();
	int fd;

	if (!service)
		first_life(pair[1]);
	fd = receive_fd(pair[0]);
	kill(service, SIGKILL);
	waitpid(service, NULL, 0);
	return fd;
}

/* How often each row has a timer; returns the number of timers. */
static int count_rows(int fd, unsigned int *rows)
{
	struct twheel_info infos[32];
	__u64 cursor = 0;
	int n = 0;

	while (cursor != TWHEEL_LIST_END) {
		long got = list(fd, &cursor, infos, 32);

		for (long i = 0; i < got; i++, n++)
			rows[infos[i].user_data % ROWS]++;
		if (got < 0)
			return got;
	}
	return n;
}

/* B137: nobody kept the descriptor. The old timers are gone, the new ones are there once. */
TEST_F(handover, service_that_starts_anew_arms_its_rows_once)
{
	unsigned int rows[ROWS] = { 0 };
	int old = start_and_kill(self->pair);
	struct queue q;

	ASSERT_LE(0, old);
	EXPECT_EQ(self->users + 1, module_users());
	close(old);
	EXPECT_TRUE(users_become(self->users));
	ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 2 * ROWS));
	ASSERT_EQ(ROWS, arm_rows(q.fd, mono() + HOUR));
	EXPECT_EQ(ROWS, count_rows(q.fd, rows));
	for (int i = 0; i < ROWS; i++) {
		EXPECT_EQ(1U, rows[i]);
	}
	queue_close(&q);
	EXPECT_TRUE(users_become(self->users));
}

/* B137: the descriptor was kept. All rows have their timers, and none is armed again. */
TEST_F(handover, service_that_gets_its_queue_back_has_nothing_to_arm)
{
	unsigned int rows[ROWS] = { 0 }, fired[ROWS] = { 0 };
	int fd = start_and_kill(self->pair);
	struct twheel_record rec[ROWS];
	struct twheel_info infos[ROWS];
	__u64 cursor = 0;

	ASSERT_LE(0, fd);
	EXPECT_EQ(ROWS, count_rows(fd, rows));
	for (int i = 0; i < ROWS; i++) {
		EXPECT_EQ(1U, rows[i]);
	}
	EXPECT_EQ((__u64)ROWS, stats(fd).pending);
	EXPECT_EQ((__u64)ROWS, stats(fd).armed);
	while (cursor != TWHEEL_LIST_END) {
		long got = list(fd, &cursor, infos, ROWS);

		ASSERT_LE(0, got);
		for (long i = 0; i < got; i++) {
			ASSERT_EQ(0, move(fd, infos[i].id, mono()));
		}
	}
	ASSERT_EQ(ROWS, collect(fd, rec, ROWS));
	for (int i = 0; i < ROWS; i++)
		fired[rec[i].user_data]++;
	for (int i = 0; i < ROWS; i++) {
		EXPECT_EQ(1U, fired[i]);
	}
	EXPECT_EQ(0ULL, stats(fd).allocated);
	close(fd);
	EXPECT_TRUE(users_become(self->users));
}

TEST_HARNESS_MAIN
