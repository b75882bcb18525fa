// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which descriptors EVENTFD accepts, and what may wait on the eventfd: epolls in
 * epolls, an io_uring that signals the very eventfd it polls.  When a record is
 * there, the last in such a chain is woken, and nothing in between warns or loops.
 */
#include "common.h"

#include <limits.h>
#include <linux/io_uring.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

#define ENTRIES		1024
#include "common/eventfd_fixture.h"

#define DEPTH	5	/* epolls in a row, which is all that the kernel allows */

/* --- what is taken ------------------------------------------------------- */

/* @bad is refused, and the eventfd from before still gets its signal. */
static void refused(struct __test_metadata *_metadata, struct queue *q, int efd, int bad,
		    long error, const char *what)
{
	struct twheel_record rec;

	ASSERT_EQ(0ULL, signals(efd));
	EXPECT_EQ(error, set_eventfd(q->fd, bad))
		TH_LOG("%s", what);
	ASSERT_NE(0ULL, arm_rel(q->fd, 100 * USEC, 1));
	EXPECT_TRUE(readable(efd, GIVE_UP_MS))
		TH_LOG("%s", what);
	EXPECT_EQ(1ULL, signals(efd));
	EXPECT_TRUE(ring_take(q, &rec));
}

#define REFUSED(bad, error, what) \
	refused(_metadata, &self->q, self->efd, bad, error, what)

/* B147 */
TEST_F(eventfd, what_is_not_open_is_ebadf)
{
	int closed = dup(self->efd);

	close(closed);
	REFUSED(closed, -EBADF, "closed");
	REFUSED(9999, -EBADF, "9999");
	REFUSED(-2, -EBADF, "-2");
	REFUSED(INT_MIN, -EBADF, "INT_MIN");
	REFUSED(INT_MAX, -EBADF, "INT_MAX");
	REFUSED(open(DEVICE, O_PATH | O_CLOEXEC), -EBADF, "O_PATH");
}

/* B147 */
TEST_F(eventfd, what_is_no_eventfd_is_einval)
{
	const struct {
		const char *what;
		int fd;
	} rows[] = {
		{ "tty", open("/dev/ptmx", O_RDWR | O_NOCTTY) },
		{ "regular file", open("/tmp", O_TMPFILE | O_RDWR, 0600) },
		{ "null device", open("/dev/null", O_RDWR) },
		{ "timerfd", timerfd_create(CLOCK_MONOTONIC, 0) },
		{ "epoll", epoll_create1(0) },
		{ "socket", socket(AF_UNIX, SOCK_DGRAM, 0) },
		{ "queue that is not set up", device_open() },
		{ "the queue itself", dup(self->fd) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		ASSERT_LE(0, rows[i].fd)
			TH_LOG("%s", rows[i].what);
		REFUSED(rows[i].fd, -EINVAL, rows[i].what);
		close(rows[i].fd);
	}
}

/* B147: -1 is a wish, too: no eventfd. */
TEST_F(eventfd, minus_one_is_none)
{
	ASSERT_EQ(0, set_eventfd(self->fd, -1));
	ASSERT_NE(0ULL, arm(self->fd, 1, 1));
	EXPECT_EQ(1U, self->q.ring->tail);
	EXPECT_EQ(0ULL, signals(self->efd));
}

/* A child that waits for its own eventfd, which the parent gives to the queue. */
static int wait_for_signal(int out)
{
	int efd = eventfd(0, EFD_NONBLOCK);

	if (write(out, &efd, sizeof(efd)) != sizeof(efd))
		return 1;
	return readable(efd, GIVE_UP_MS) && signals(efd) == 1 ? 0 : 2;
}

/* B147 */
TEST_F(eventfd, that_of_another_process_works)
{
	int ends[2], theirs, ours, status = -1;
	pid_t child;
	int pidfd;

	ASSERT_EQ(0, pipe(ends));
	child = fork();
	if (!child)
		_exit(wait_for_signal(ends[1]));
	ASSERT_EQ((ssize_t)sizeof(theirs), read(ends[0], &theirs, sizeof(theirs)));
	pidfd = syscall(SYS_pidfd_open, child, 0);
	ours = syscall(SYS_pidfd_getfd, pidfd, theirs, 0);
	ASSERT_LE(0, ours);
	ASSERT_EQ(0, set_eventfd(self->fd, ours));
	close(ours);
	ASSERT_NE(0ULL, arm_rel(self->fd, MSEC, 1));
	waitpid(child, &status, 0);
	EXPECT_EQ(0, status);
	EXPECT_EQ(0ULL, signals(self->efd));
	close(pidfd);
}

/* --- what hangs on it ------------------------------------------------------ */

static int epoll_add(int epoll, int fd, __u32 events)
{
	struct epoll_event event = { .events = events, .data.fd = fd };

	return result_of(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
}

/* epolls[0] watches @fd, each other one the one before it. */
static void epolls_on(struct __test_metadata *_metadata, int fd, int *epolls)
{
	struct epoll_event event = { .events = EPOLLIN };
	int more = epoll_create1(EPOLL_CLOEXEC);

	for (int i = 0; i < DEPTH; i++) {
		epolls[i] = epoll_create1(EPOLL_CLOEXEC);
		ASSERT_EQ(0, epoll_add(epolls[i], i ? epolls[i - 1] : fd,
				       EPOLLIN | (i % 2 ? EPOLLET : 0)));
	}
	EXPECT_EQ(-ELOOP, epoll_add(more, epolls[DEPTH - 1], EPOLLIN));
	close(more);
	EXPECT_EQ(0, epoll_wait(epolls[DEPTH - 1], &event, 1, 0));
}

static void epolls_close(const int *epolls)
{
	for (int i = 0; i < DEPTH; i++)
		close(epolls[i]);
}

static bool epoll_tells(int epoll, int timeout_ms)
{
	struct epoll_event event;

	return epoll_wait(epoll, &event, 1, timeout_ms) == 1;
}

/* B146: as deep as it goes on the eventfd and on the queue, and the queue beside it. */
TEST_F(eventfd, nested_epolls_are_woken)
{
	int on_eventfd[DEPTH], on_queue[DEPTH], both = epoll_create1(EPOLL_CLOEXEC);
	unsigned int n = rounds(1000);
	struct twheel_record rec;

	epolls_on(_metadata, self->efd, on_eventfd);
	epolls_on(_metadata, self->fd, on_queue);
	ASSERT_EQ(0, epoll_add(both, self->fd, EPOLLIN));
	ASSERT_EQ(0, epoll_add(both, self->efd, EPOLLIN));
	for (unsigned int i = 0; i < n; i++) {
		ASSERT_NE(0ULL, arm_rel(self->fd, 50 * USEC, i));
		ASSERT_TRUE(epoll_tells(on_eventfd[DEPTH - 1], GIVE_UP_MS));
		ASSERT_TRUE(epoll_tells(on_queue[DEPTH - 1], GIVE_UP_MS));
		ASSERT_TRUE(epoll_tells(both, 0));
		ASSERT_TRUE(ring_take(&self->q, &rec));
		ASSERT_EQ(i, rec.user_data);
		ASSERT_EQ(1ULL, signals(self->efd));
		while (epoll_tells(on_eventfd[0], 0) || epoll_tells(on_queue[0], 0))
			;
	}
	EXPECT_EQ(n, self->q.ring->tail);
	epolls_close(on_eventfd);
	epolls_close(on_queue);
	close(both);
}

/* An io_uring, as much of it as polls one descriptor. */
struct uring {
	int fd;
	struct io_uring_params params;
	char *ring;
	struct io_uring_sqe *sqes;
};

static __u32 *uring_word(struct uring *u, __u32 offset)
{
	return (__u32 *)(u->ring + offset);
}

/* 0, or a negative errno. */
static long uring_open(struct uring *u, int efd)
{
	size_t size;

	memset(u, 0, sizeof(*u));
	u->fd = syscall(SYS_io_uring_setup, 8, &u->params);
	if (u->fd < 0)
		return -errno;
	size = u->params.cq_off.cqes + u->params.cq_entries * sizeof(struct io_uring_cqe);
	u->ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, IORING_OFF_SQ_RING);
	u->sqes = mmap(NULL, u->params.sq_entries * sizeof(*u->sqes), PROT_READ | PROT_WRITE,
		       MAP_SHARED, u->fd, IORING_OFF_SQES);
	if (u->ring == MAP_FAILED || u->sqes == MAP_FAILED)
		return -errno;
	return result_of(syscall(SYS_io_uring_register, u->fd, IORING_REGISTER_EVENTFD, &efd, 1));
}

static long uring_poll_multishot(struct uring *u, int fd)
{
	__u32 *tail = uring_word(u, u->params.sq_off.tail);
	__u32 index = *tail & *uring_word(u, u->params.sq_off.ring_mask);

	u->sqes[index] = (struct io_uring_sqe){
		.opcode = IORING_OP_POLL_ADD, .fd = fd,
		.poll32_events = POLLIN, .len = IORING_POLL_ADD_MULTI,
	};
	uring_word(u, u->params.sq_off.array)[index] = index;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	return result_of(syscall(SYS_io_uring_enter, u->fd, 1, 0, 0, NULL, 0));
}

/* Take all completions; whether the poll goes on.  @bad counts those that failed. */
static bool uring_drain(struct uring *u, unsigned int *bad)
{
	struct io_uring_cqe *cqes = (void *)(u->ring + u->params.cq_off.cqes);
	__u32 *head = uring_word(u, u->params.cq_off.head);
	__u32 mask = *uring_word(u, u->params.cq_off.ring_mask);
	bool goes_on = true;

	while (*head != __atomic_load_n(uring_word(u, u->params.cq_off.tail), __ATOMIC_ACQUIRE)) {
		struct io_uring_cqe *cqe = &cqes[*head & mask];

		*bad += cqe->res < 0;
		goes_on &= !!(cqe->flags & IORING_CQE_F_MORE);
		__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	}
	return goes_on;
}

/*
 * B146: each completion of the poll signals the eventfd that is polled.  Whatever
 * that does to the eventfd, after each expiry there is a completion.
 */
TEST_F(eventfd, uring_that_polls_and_signals_it_is_woken)
{
	unsigned int n = rounds(1000), bad = 0;
	struct twheel_record rec;
	struct uring u;
	long ret = uring_open(&u, self->efd);

	if (ret == -ENOSYS || ret == -EPERM)
		SKIP(return, "no io_uring");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(1, uring_poll_multishot(&u, self->efd));
	for (unsigned int i = 0; i < n; i++) {
		ASSERT_NE(0ULL, arm_rel(self->fd, 50 * USEC, i));
		do {
			ASSERT_TRUE(readable(u.fd, GIVE_UP_MS)) {
				TH_LOG("not woken by expiry %u", i);
			}
			signals(self->efd);
			if (!uring_drain(&u, &bad)) {
				ASSERT_EQ(1, uring_poll_multishot(&u, self->efd));
			}
		} while (!ring_take(&self->q, &rec));
		ASSERT_EQ(i, rec.user_data);
	}
	EXPECT_EQ(n, self->q.ring->tail);
	EXPECT_EQ(0U, bad);
	close(u.fd);
}

TEST_HARNESS_MAIN
