// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long a queue lives: as long as something holds its file, be it a dup, a
 * child, a message in flight or a mapping. And what remains afterwards: nothing.
 * Needs root.
 */
#include "common.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

FIXTURE(life) {
	struct queue q;
	int fd;
	long users;		/* of the module, without this queue */
};

FIXTURE_SETUP(life)
{
	self->users = module_users();
	ASSERT_EQ(0, queue_open(&self->q, CLOCK_MONOTONIC, 64));
	self->fd = self->q.fd;
}

FIXTURE_TEARDOWN(life)
{
	queue_close(&self->q);
}

static long remove_module(void)
{
	return result_of(syscall(SYS_delete_module, "twheel", O_NONBLOCK));
}

/* --- dup and fork --------------------------------------------------------- */

TEST_F(life, duplicate_keeps_it_alive)
{
	struct twheel_record rec;
	int other = dup(self->fd);
	__u64 id = arm_rel(self->fd, 20 * MSEC, 7);

	close(self->fd);
	self->q.fd = other;
	ASSERT_EQ(1, next_record(other, &rec));
	EXPECT_EQ(id, rec.id);
	EXPECT_EQ(7ULL, rec.user_data);
}

/*
 * A child that ends in some way. No timer may go with it: neither one that is far,
 * nor one that expires while it ends, nor one that is armed afterwards.
 */
static void child_that(struct __test_metadata *_metadata, int fd, void (*ends)(int))
{
	struct twheel_record rec[2];
	__u64 far = arm(fd, mono() + HOUR, 1);
	int status = -1;

	ASSERT_NE(0ULL, arm_rel(fd, 2 * MSEC, 6));
	if (!fork())
		ends(fd);
	wait(&status);
	ASSERT_EQ(0, status);
	EXPECT_EQ(TWHEEL_PENDING, state(fd, far));
	ASSERT_NE(0ULL, arm_rel(fd, 2 * MSEC, 7));
	ASSERT_EQ(2U, collect(fd, rec, 2));
	EXPECT_EQ(6ULL, rec[0].user_data);
	EXPECT_EQ(7ULL, rec[1].user_data);
	EXPECT_EQ(0ULL, stats(fd).cancelled);
	EXPECT_EQ(2ULL, stats(fd).expired);
	EXPECT_EQ(1ULL, stats(fd).allocated);
}

static void exits(int fd)
{
	(void)fd;
	_exit(0);
}

static void closes(int fd)
{
	_exit(close(fd));
}

/* The program that follows does not have the descriptor. */
static void executes(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	execl("/bin/sh", "sh", "-c", "[ ! -e $0 ]", path, NULL);
	_exit(99);
}

/* B64 */
TEST_F(life, exit_of_a_child_cancels_nothing)
{
	child_that(_metadata, self->fd, exits);
}

/* B64 */
TEST_F(life, close_in_a_child_cancels_nothing)
{
	child_that(_metadata, self->fd, closes);
}

/* B64 */
TEST_F(life, exec_in_a_child_cancels_nothing)
{
	child_that(_metadata, self->fd, executes);
}

TEST_F(life, child_sees_and_cancels_what_the_parent_armed)
{
	__u64 id = arm_rel(self->fd, HOUR, 7);
	int status = -1;

	if (!fork())
		_exit(cancel(self->fd, id) ? 1 : 0);
	wait(&status);
	EXPECT_EQ(0, status);
	EXPECT_EQ(-ENOENT, cancel(self->fd, id));
	EXPECT_EQ(0ULL, stats(self->fd).pending);
}

/* Promise 12: timers and unread records outlive the process that made them. */
TEST(queue_outlives_the_process_that_made_it)
{
	struct twheel_record rec[2];
	int pair[2], fd = -1;
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	if (!fork()) {
		struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
		struct queue q;

		if (queue_open(&q, CLOCK_MONOTONIC, 8) || !arm(q.fd, 1, 1) ||
		    !arm_rel(q.fd, 100 * MSEC, 2))
			_exit(1);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &q.fd, sizeof(q.fd));
		_exit(sendmsg(pair[1], &msg, 0) != 1);
	}
	wait(NULL);
	ASSERT_EQ(1, recvmsg(pair[0], &msg, MSG_DONTWAIT));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	ASSERT_EQ(2U, collect(fd, rec, 2));
	EXPECT_EQ(1ULL, rec[0].user_data);
	EXPECT_EQ(2ULL, rec[1].user_data);
	close(fd);
}

/*
 * B63: sent and never received; timers are pending when the last socket goes.  What
 * holds the queue then is a message in pair[1]'s queue, and it depends on the round
 * who holds pair[1]: nobody; a message in its own queue; one in that of pair[0],
 * which a message in pair[1]'s own holds.  The kernel must find such rings.
 */
TEST_F(life, queue_in_flight_goes_with_the_socket)
{
	struct twheel_op ops[100];

	for (unsigned int i = 0; i < rounds(300); i++) {
		struct queue q;
		int pair[2];

		ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 8));
		ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
		for (int t = 0; t < 100; t++)
			ops[t] = op_arm_rel(t * 20 * USEC, t);
		ASSERT_EQ(100, submit(q.fd, ops, 100));
		ASSERT_EQ(1, send_fd(pair[0], q.fd, MSG_DONTWAIT));
		close(q.fd);
		if (i % 3 == 1)
			ASSERT_EQ(1, send_fd(pair[0], pair[1], MSG_DONTWAIT));
		if (i % 3 == 2) {
			ASSERT_EQ(1, send_fd(pair[0], pair[0], MSG_DONTWAIT));
			ASSERT_EQ(1, send_fd(pair[1], pair[1], MSG_DONTWAIT));
		}
		close(pair[i / 3 % 2]);
		close(pair[1 - i / 3 % 2]);
	}
	EXPECT_TRUE(users_become(self->users + 1));
}

/* --- close and exit -------------------------------------------------------------------- */

/* Queues that are closed while their timers expire, one after the other. */
struct closer {
	pthread_t thread;
	__u64 seed;
	bool failed;
};

static void *open_arm_close(void *data)
{
	struct closer *c = data;

	for (unsigned int i = 0; i < rounds(200); i++) {
		struct twheel_op ops[64];
		struct queue q;

		if (queue_open(&q, CLOCK_MONOTONIC, 8)) {
			c->failed = true;
			break;
		}
		for (int t = 0; t < 64; t++)
			ops[t] = op_arm_rel(random_below(&c->seed, 100 * USEC), t);
		c->failed |= submit(q.fd, ops, 64) != 64;
		spin_ns(random_below(&c->seed, 150 * USEC));
		queue_close(&q);
	}
	return NULL;
}

/* B55: at any phase, on several CPUs. */
TEST_F(life, close_at_any_phase_leaves_nothing)
{
	struct closer closers[4];
	__u64 seed = random_seed();

	for (int i = 0; i < 4; i++) {
		closers[i] = (struct closer){ .seed = seed + i };
		ASSERT_EQ(0, pthread_create(&closers[i].thread, NULL, open_arm_close,
					    &closers[i]));
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(closers[i].thread, NULL);
		EXPECT_FALSE(closers[i].failed);
	}
	EXPECT_TRUE(users_become(self->users + 1));
}

/* B56: periodic timers at the shortest period, more than a pass gets done. */
TEST_F(life, close_while_periodic_timers_run_leaves_nothing)
{
	static struct twheel_op ops[1000];
	__u64 seed = random_seed();

	for (unsigned int i = 0; i < rounds(100); i++) {
		struct queue q;

		ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 8));
		for (int t = 0; t < 1000; t++) {
			ops[t] = op_arm(mono(), t);
			ops[t].period = q.setup.min_period;
		}
		ASSERT_EQ(1000, submit_all(&q, ops, 1000));
		spin_ns(random_below(&seed, 300 * USEC));
		queue_close(&q);
	}
	EXPECT_TRUE(users_become(self->users + 1));
}

TEST_F(life, close_with_backlog_and_eventless_reader_leaves_nothing)
{
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 1));
	for (int t = 0; t < 500; t++) {
		ASSERT_NE(0ULL, arm(q.fd, t, t));
	}
	EXPECT_EQ(499ULL, stats(q.fd).backlog);
	queue_close(&q);
	EXPECT_TRUE(users_become(self->users + 1));
}

/* B51: a child with many due timers exits while the parent cancels them. */
TEST_F(life, exit_of_the_child_while_the_parent_cancels)
{
	enum { N = 1000 };
	static struct twheel_op ops[N];
	static struct twheel_record rec[N];
	unsigned int cancelled = 0, records = 0;
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 1024));
	for (int i = 0; i < N; i++)
		ops[i] = op_arm_rel(i * 4 * USEC, i);
	ASSERT_EQ(N, submit_all(&q, ops, N));
	if (!fork())
		_exit(0);
	for (int i = 0; i < N; i++)
		ops[i] = op_cancel(ops[i].id);
	ASSERT_EQ(N, submit_all(&q, ops, N));
	wait(NULL);
	for (int i = 0; i < N; i++)
		cancelled += !ops[i].result;
	while (records < N && readable(q.fd, 10))
		records += read_records(q.fd, rec + records, N - records);
	EXPECT_EQ(N, cancelled + records);
	queue_close(&q);
}

TEST_F(life, exit_while_mapped_and_armed_leaves_nothing)
{
	for (int i = 0; i < 8; i++) {
		int status = -1;

		if (!fork()) {
			struct queue q;

			if (queue_open(&q, CLOCK_MONOTONIC, 8) || queue_map(&q))
				_exit(1);
			for (int t = 0; t < 50; t++)
				arm_rel(q.fd, t * 20 * USEC, t);
			_exit(0);
		}
		wait(&status);
		ASSERT_EQ(0, status);
	}
	EXPECT_TRUE(users_become(self->users + 1));
}

/* --- the module --------------------------------------------------------------------------- */

TEST_F(life, module_cannot_go_while_a_queue_is_open)
{
	long ret = remove_module();

	EXPECT_TRUE(ret == -EWOULDBLOCK || ret == -EBUSY) {
		TH_LOG("delete_module gave %ld", ret);
	}
	EXPECT_NE(0ULL, arm(self->fd, TIME_MAX, 1));
}

TEST_F(life, module_cannot_go_while_an_area_is_mapped)
{
	long ret;

	ASSERT_EQ(0, queue_map(&self->q));
	close(self->fd);
	self->q.fd = -1;
	ret = remove_module();
	EXPECT_TRUE(ret == -EWOULDBLOCK || ret == -EBUSY) {
		TH_LOG("delete_module gave %ld", ret);
	}
	EXPECT_EQ(0U, self->q.ring->tail);
	queue_unmap(&self->q);
	EXPECT_TRUE(users_become(self->users));
}

TEST(device_is_for_root_only)
{
	struct stat st;

	ASSERT_EQ(0, stat(DEVICE, &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	EXPECT_EQ(0600U, st.st_mode & 07777);
}

/* --- another user -------------------------------------------------------------------- */

/* A descriptor may be handed to a user who may not open the device. */
static int use_inherited(int fd)
{
	struct twheel_record rec;

	if (setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000))
		return 1;
	if (open(DEVICE, O_RDWR) >= 0 || errno != EACCES)
		return 2;
	if (!arm_rel(fd, MSEC, 5) || next_record(fd, &rec) != 1 || rec.user_data != 5)
		return 3;
	return 0;
}

TEST_F(life, inherited_descriptor_works_for_another_user)
{
	int status = -1;

	if (!fork())
		_exit(use_inherited(self->fd));
	wait(&status);
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
