// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that are interrupted: by signals, by being stopped, by a debugger.
 * A wait goes on or ends with EINTR; it never ends early, and takes no record with
 * it.  A batch that was interrupted does not run twice.
 */
#include "common.h"
#include "common/fixtures.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

#define WAIT	(200 * MSEC)

QUEUE_FIXTURE(interrupt, 8)

static atomic_uint alarms;

static void on_alarm(int sig)
{
	(void)sig;
	atomic_fetch_add(&alarms, 1);
}

/* From now on a signal every so often; 0: no more. */
static void alarm_every(__u64 ns, int flags)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = flags };
	struct timeval every = { 0, ns / USEC };
	struct itimerval timer = { every, every };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* The record of @deadline, read in spite of signals: how often that was EINTR, or -1. */
static int read_through(int fd, __u64 deadline)
{
	struct twheel_record rec;
	int interrupted = 0;
	long ret;

	while ((ret = read_records(fd, &rec, 1)) == -EINTR)
		interrupted++;
	return ret == 1 && rec.deadline == deadline && mono() >= deadline ? interrupted : -1;
}

/* B150 */
TEST_F(interrupt, read_goes_on_after_a_signal_with_restart)
{
	__u64 deadline = mono() + WAIT;

	ASSERT_NE(0ULL, arm(self->fd, deadline, 1));
	alarm_every(10 * MSEC, SA_RESTART);
	EXPECT_EQ(0, read_through(self->fd, deadline));
	alarm_every(0, 0);
	EXPECT_LT(1U, atomic_load(&alarms));
	EXPECT_EQ(1ULL, stats(self->fd).expired);
	EXPECT_EQ(0ULL, stats(self->fd).unread);
}

/* B150 */
TEST_F(interrupt, read_ends_with_a_signal_without_restart)
{
	__u64 deadline = mono() + WAIT;

	ASSERT_NE(0ULL, arm(self->fd, deadline, 1));
	alarm_every(10 * MSEC, 0);
	EXPECT_LT(1, read_through(self->fd, deadline));
	alarm_every(0, 0);
	EXPECT_EQ(1ULL, stats(self->fd).expired);
	EXPECT_EQ(0ULL, stats(self->fd).unread);
}

/* B150: poll() never goes on by itself; and there is nothing that a program could. */
TEST_F(interrupt, poll_waits_no_shorter_for_all_signals)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	__u64 end = mono() + WAIT, time;
	int ret, interrupted = 0;

	ASSERT_NE(0ULL, arm(self->fd, end + HOUR, 1));
	alarm_every(10 * MSEC, SA_RESTART);
	do {
		time = mono();
		ret = poll(&p, 1, time < end ? (end - time + MSEC - 1) / MSEC : 0);
		if (ret < 0) {
			ASSERT_EQ(EINTR, errno);
			interrupted++;
			ASSERT_EQ(-EINTR, result_of(syscall(SYS_restart_syscall)));
		}
	} while (ret < 0);
	alarm_every(0, 0);
	EXPECT_EQ(0, ret);
	EXPECT_LE(end, mono());
	EXPECT_LT(1, interrupted);
	EXPECT_EQ(1ULL, stats(self->fd).pending);
}

/* A child that waits in poll(), which times out, and then in read(). */
static int wait_undisturbed(int fd, __u64 deadline)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	__u64 start = mono();

	if (poll(&p, 1, WAIT / 2 / MSEC) || mono() - start < WAIT / 2)
		return 1;
	return read_through(fd, deadline) ? 2 : 0;
}

static void stop_and_continue(pid_t child)
{
	int status;

	kill(child, SIGSTOP);
	waitpid(child, &status, WUNTRACED);
	sleep_ns(10 * MSEC);
	kill(child, SIGCONT);
}

static bool attach_and_detach(pid_t child)
{
	int status;

	if (ptrace(PTRACE_SEIZE, child, 0, 0) || ptrace(PTRACE_INTERRUPT, child, 0, 0))
		return false;
	return waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
	       !ptrace(PTRACE_DETACH, child, 0, 0);
}

/* B150: in poll() and in read(), and at last stopped while the timer expires. */
TEST_F(interrupt, waits_go_on_after_stop_and_debugger)
{
	__u64 deadline = mono() + 2 * WAIT;
	int status = -1;
	pid_t child;

	ASSERT_NE(0ULL, arm(self->fd, deadline, 1));
	child = fork();
	if (!child)
		_exit(wait_undisturbed(self->fd, deadline));
	while (mono() < deadline - 50 * MSEC) {
		sleep_ns(10 * MSEC);
		stop_and_continue(child);
		ASSERT_TRUE(attach_and_detach(child));
	}
	kill(child, SIGSTOP);
	while (mono() < deadline + 10 * MSEC)
		sleep_ns(5 * MSEC);
	kill(child, SIGCONT);
	while (waitpid(child, &status, 0) == child && !WIFEXITED(status))
		;
	EXPECT_EQ(0, WEXITSTATUS(status));
	EXPECT_EQ(1ULL, stats(self->fd).expired);
	EXPECT_EQ(0ULL, stats(self->fd).unread);
}

/* B150 */
TEST_F(interrupt, batch_is_not_run_again)
{
	__u32 n = self->q.setup.max_batch;
	struct twheel_op *ops = calloc(n, sizeof(*ops));
	unsigned int cut = 0;
	__u64 armed = 0;

	for (unsigned int round = 0; round < rounds(30); round++) {
		long ret;

		for (__u32 i = 0; i < n; i++)
			ops[i] = op_arm(TIME_MAX, i);
		alarm_every(300 * USEC, SA_RESTART);
		ret = submit(self->fd, ops, n);
		alarm_every(0, 0);
		ASSERT_LT(0, ret);
		cut += ret < n;
		armed += ret;
		ASSERT_EQ(armed, stats(self->fd).armed);
	}
	EXPECT_LT(0U, cut);
	free(ops);
}

TEST_HARNESS_MAIN
