// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notification: eventfd, poll, epoll, blocking read, and the flag that says "do
 * not signal me". There may be one wake-up too many, never one too few.
 */
#include "common.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "kselftest_harness.h"

#define ENTRIES		64
#include "common/eventfd_fixture.h"

static int epoll_of(int fd, __u32 events)
{
	struct epoll_event event = { .events = events, .data.fd = fd };
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) ? -1 : epoll;
}

static int epoll_events(int epoll, int timeout_ms)
{
	struct epoll_event events[8];

	return epoll_wait(epoll, events, 8, timeout_ms);
}

/* --- eventfd ------------------------------------------------------------------- */

TEST_F(eventfd, eventfd_is_signalled_for_an_expiry)
{
	struct twheel_record rec;

	ASSERT_NE(0ULL, arm_rel(self->fd, 5 * MSEC, 1));
	ASSERT_TRUE(readable(self->efd, GIVE_UP_MS));
	EXPECT_TRUE(ring_take(&self->q, &rec));
	EXPECT_EQ(1ULL, signals(self->efd));
	EXPECT_FALSE(readable(self->efd, 10));
}

TEST_F(eventfd, eventfd_is_signalled_for_what_is_delivered_in_place)
{
	ASSERT_NE(0ULL, arm(self->fd, 1, 1));
	ASSERT_TRUE(readable(self->efd, GIVE_UP_MS));
	EXPECT_EQ(1ULL, signals(self->efd));
}

TEST_F(eventfd, eventfd_is_signalled_once_per_pass)
{
	__u64 deadline = mono() + 50 * MSEC;
	struct twheel_op ops[50];
	struct twheel_record rec;

	for (int i = 0; i < 50; i++)
		ops[i] = op_arm(deadline, i);
	ASSERT_EQ(50, submit(self->fd, ops, 50));
	if (mono() >= deadline)
		SKIP(return, "this machine is too slow today");
	ASSERT_TRUE(readable(self->efd, GIVE_UP_MS));
	for (int i = 0; i < 50; i++) {
		ASSERT_TRUE(ring_take(&self->q, &rec));
	}
	EXPECT_EQ(1ULL, signals(self->efd));
	EXPECT_EQ(1ULL, stats(self->fd).signals);
}

TEST_F(eventfd, cancelled_timer_does_not_signal)
{
	__u64 deadline = arm_and_end(self->fd, TWHEEL_OP_CANCEL, 0);

	ASSERT_NE(0ULL, deadline);
	signals(self->efd);
	EXPECT_TRUE(silent_until(self->efd, deadline));
}

/* B96: an edge for each, also when the counter is never read. */
TEST_F(eventfd, each_pass_is_an_edge_of_the_eventfd)
{
	int epoll = epoll_of(self->efd, EPOLLIN | EPOLLET);
	struct twheel_record rec;

	for (int i = 0; i < 100; i++) {
		ASSERT_NE(0ULL, arm_rel(self->fd, 100 * USEC, i));
		ASSERT_EQ(1, epoll_events(epoll, GIVE_UP_MS));
		ASSERT_TRUE(ring_take(&self->q, &rec));
	}
	EXPECT_EQ(0, epoll_events(epoll, 5));
	EXPECT_EQ(100ULL, signals(self->efd));
	close(epoll);
}

TEST_F(eventfd, replaced_eventfd_is_silent)
{
	int other = eventfd(0, EFD_NONBLOCK);

	ASSERT_EQ(0, set_eventfd(self->fd, other));
	ASSERT_NE(0ULL, arm(self->fd, 1, 1));
	EXPECT_TRUE(readable(other, GIVE_UP_MS));
	EXPECT_FALSE(readable(self->efd, 0));
	close(other);
}

TEST_F(eventfd, removed_eventfd_is_silent)
{
	ASSERT_EQ(0, set_eventfd(self->fd, -1));
	ASSERT_NE(0ULL, arm_rel(self->fd, MSEC, 1));
	EXPECT_TRUE(readable(self->fd, GIVE_UP_MS));
	EXPECT_FALSE(readable(self->efd, 10));
	EXPECT_EQ(0, set_eventfd(self->fd, -1));
}

TEST_F(eventfd, same_eventfd_can_be_given_again)
{
	ASSERT_EQ(0, set_eventfd(self->fd, self->efd));
	ASSERT_NE(0ULL, arm(self->fd, 1, 1));
	EXPECT_TRUE(readable(self->efd, GIVE_UP_MS));
	EXPECT_EQ(1ULL, signals(self->efd));
}

TEST_F(eventfd, one_eventfd_serves_many_queues)
{
	struct queue other;

	ASSERT_EQ(0, queue_open(&other, CLOCK_MONOTONIC, 8));
	ASSERT_EQ(0, set_eventfd(other.fd, self->efd));
	ASSERT_NE(0ULL, arm(self->fd, 1, 1));
	ASSERT_NE(0ULL, arm(other.fd, 1, 1));
	EXPECT_TRUE(readable(self->efd, GIVE_UP_MS));
	EXPECT_EQ(2ULL, signals(self->efd));
	queue_close(&other);
}

/* B62: the module holds the eventfd, not its number. */
TEST_F(eventfd, eventfd_closed_by_its_owner_is_still_held)
{
	struct twheel_record rec;

	for (int i = 0; i < 5; i++) {
		ASSERT_NE(0ULL, arm_rel(self->fd, MSEC * (1 + i), i));
	}
	close(self->efd);
	self->efd = eventfd(0, EFD_NONBLOCK);
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(1, next_record(self->fd, &rec));
	}
	EXPECT_EQ(0ULL, signals(self->efd));
}

struct replacer {
	int fd;
	atomic_bool stop;
};

static void *replace(void *data)
{
	struct replacer *r = data;

	while (!atomic_load(&r->stop)) {
		int efd = eventfd(0, EFD_NONBLOCK);

		set_eventfd(r->fd, efd);
		close(efd);
		set_eventfd(r->fd, -1);
	}
	return NULL;
}

/* B62: set and removed in parallel with expiries. */
TEST_F(eventfd, eventfd_is_replaced_while_timers_expire)
{
	struct replacer r = { .fd = self->fd };
	struct twheel_record rec[4];
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, replace, &r));
	for (unsigned int i = 0; i < rounds(300); i++) {
		for (int t = 0; t < 4; t++) {
			ASSERT_NE(0ULL, arm_rel(self->fd, 20 * USEC * t, t));
		}
		ASSERT_EQ(4U, collect(self->fd, rec, 4));
	}
	atomic_store(&r.stop, true);
	pthread_join(thread, NULL);
}

TEST_F(eventfd, full_eventfd_loses_no_record)
{
	__u64 most = ~0ULL - 1;
	struct twheel_record rec;

	ASSERT_EQ(8, write(self->efd, &most, sizeof(most)));
	for (int i = 0; i < 3; i++) {
		ASSERT_NE(0ULL, arm_rel(self->fd, MSEC, i));
		ASSERT_EQ(1, next_record(self->fd, &rec));
	}
	EXPECT_NE(0ULL, signals(self->efd));
}

/* --- "do not signal me" ----------------------------------------------------------- */

TEST_F(eventfd, no_signal_silences_the_eventfd_only)
{
	struct twheel_record rec;

	__atomic_store_n(&self->q.ctl->flags, TWHEEL_CTL_NO_SIGNAL, __ATOMIC_SEQ_CST);
	ASSERT_NE(0ULL, arm_rel(self->fd, MSEC, 1));
	ASSERT_NE(0ULL, arm(self->fd, 1, 2));
	ASSERT_TRUE(readable(self->fd, GIVE_UP_MS));
	sleep_ns(10 * MSEC);
	EXPECT_FALSE(readable(self->efd, 0));
	EXPECT_TRUE(ring_take(&self->q, &rec));
	EXPECT_TRUE(ring_take(&self->q, &rec));
}

TEST_F(eventfd, no_signal_does_not_silence_a_blocked_read)
{
	struct twheel_record rec;

	__atomic_store_n(&self->q.ctl->flags, TWHEEL_CTL_NO_SIGNAL, __ATOMIC_SEQ_CST);
	ASSERT_NE(0ULL, arm_rel(self->fd, 20 * MSEC, 1));
	EXPECT_EQ(1, read_records(self->fd, &rec, 1));
}

TEST_F(eventfd, signals_come_again_when_the_flag_is_gone)
{
	__atomic_store_n(&self->q.ctl->flags, TWHEEL_CTL_NO_SIGNAL, __ATOMIC_SEQ_CST);
	ASSERT_NE(0ULL, arm(self->fd, 1, 1));
	__atomic_store_n(&self->q.ctl->flags, 0, __ATOMIC_SEQ_CST);
	EXPECT_FALSE(readable(self->efd, 0));
	ASSERT_NE(0ULL, arm(self->fd, 1, 2));
	EXPECT_TRUE(readable(self->efd, GIVE_UP_MS));
}

TEST_F(eventfd, unknown_ctl_flags_mean_nothing)
{
	__atomic_store_n(&self->q.ctl->flags, ~TWHEEL_CTL_NO_SIGNAL, __ATOMIC_SEQ_CST);
	ASSERT_NE(0ULL, arm(self->fd, 1, 1));
	EXPECT_TRUE(readable(self->efd, GIVE_UP_MS));
}

/*
 * The consumer of the head comment: drain; say "signal me"; look once more;
 * sleep without a timeout. It must never sleep while a record is there.
 */
static bool drain(struct queue *q, unsigned int *seen)
{
	struct twheel_record rec;
	bool any = false;

	while (ring_take(q, &rec)) {
		(*seen)++;
		any = true;
	}
	return any;
}

static bool wait_with_flag(struct queue *q, int epoll, unsigned int *seen)
{
	__atomic_store_n(&q->ctl->flags, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!drain(q, seen) && epoll_events(epoll, GIVE_UP_MS) != 1)
		return false;
	__atomic_store_n(&q->ctl->flags, TWHEEL_CTL_NO_SIGNAL, __ATOMIC_RELAXED);
	return true;
}

/* B94 */
TEST_F(eventfd, consumer_that_polls_before_it_sleeps_never_hangs)
{
	unsigned int n = rounds(3000), seen = 0;
	int epoll = epoll_of(self->efd, EPOLLIN | EPOLLET);
	__u64 seed = random_seed();

	for (unsigned int i = 0; i < n; i++) {
		ASSERT_NE(0ULL, arm_rel(self->fd, random_below(&seed, 100 * USEC), i));
		while (seen <= i) {
			if (i % 4 == 0)
				spin_ns(random_below(&seed, 100 * USEC));
			if (drain(&self->q, &seen))
				continue;
			ASSERT_TRUE(wait_with_flag(&self->q, epoll, &seen)) {
				TH_LOG("hangs in cycle %u", i);
			}
		}
	}
	EXPECT_EQ(n, seen);
	close(epoll);
}

/* B94: the same on the device, edge-triggered, without flag and eventfd. */
TEST_F(eventfd, edge_triggered_consumer_of_the_device_never_hangs)
{
	unsigned int n = rounds(2500), seen = 0;
	int epoll = epoll_of(self->fd, EPOLLIN | EPOLLET);
	__u64 seed = random_seed();

	ASSERT_EQ(0, set_eventfd(self->fd, -1));
	for (unsigned int i = 0; i < n; i++) {
		ASSERT_NE(0ULL, arm_rel(self->fd, random_below(&seed, 60 * USEC), i));
		while (!drain(&self->q, &seen)) {
			ASSERT_EQ(1, epoll_events(epoll, GIVE_UP_MS)) {
				TH_LOG("hangs in cycle %u", i);
			}
		}
	}
	EXPECT_EQ(n, seen);
	close(epoll);
}

/* --- poll and epoll on the device ---------------------------------------------------- */

/* B155 */
TEST(poll_before_setup_is_pollerr)
{
	int fd = device_open();
	struct pollfd p = { .fd = fd, .events = POLLIN };

	ASSERT_LE(0, fd);
	EXPECT_EQ(1, poll(&p, 1, 0));
	EXPECT_TRUE(p.revents & POLLERR);
	EXPECT_FALSE(p.revents & POLLIN);
	close(fd);
}

/* Who is in epoll before SETUP is woken by the queue that SETUP makes. */
TEST(epoll_before_setup_is_woken_afterwards)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	struct twheel_setup setup = setup_of(CLOCK_MONOTONIC, 8);
	int fd = device_open(), epoll = epoll_create1(EPOLL_CLOEXEC);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
	EXPECT_EQ(1, epoll_wait(epoll, &event, 1, 0));
	ASSERT_EQ(0, tw_ioctl(fd, TWHEEL_IOC_SETUP, &setup));
	ASSERT_NE(0ULL, arm_rel(fd, 20 * MSEC, 1));
	EXPECT_EQ(1, epoll_wait(epoll, &event, 1, GIVE_UP_MS));
	EXPECT_TRUE(event.events & EPOLLIN);
	close(epoll);
	close(fd);
}

TEST_F(eventfd, empty_queue_is_not_readable)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN | POLLOUT | POLLPRI };

	ASSERT_NE(0ULL, arm(self->fd, TIME_MAX, 1));
	EXPECT_EQ(0, poll(&p, 1, 0));
	EXPECT_EQ(0, p.revents);
}

static bool shows_a_record(const struct queue *q)
{
	return __atomic_load_n(&q->ring->tail, __ATOMIC_ACQUIRE) != q->ctl->head;
}

/* B86: POLLIN means that the ring shows a record, and the other way round. */
TEST_F(eventfd, readable_is_what_the_ring_shows)
{
	struct twheel_record rec;

	for (unsigned int i = 0; i < rounds(1000); i++) {
		bool told = i % 2;	/* or seen: the ring is looked at first */

		ASSERT_NE(0ULL, arm_rel(self->fd, 50 * USEC, i));
		while (!(told ? readable(self->fd, 0) : shows_a_record(&self->q)))
			;
		ASSERT_TRUE(readable(self->fd, 0));
		ASSERT_TRUE(ring_take(&self->q, &rec));
		ASSERT_FALSE(readable(self->fd, 0));
	}
}

TEST_F(eventfd, backlog_is_readable)
{
	struct twheel_record rec[64];

	for (int i = 0; i < 65; i++) {
		ASSERT_NE(0ULL, arm(self->fd, 1, i));
	}
	ASSERT_EQ(1ULL, stats(self->fd).backlog);
	for (int i = 0; i < 64; i++) {
		ASSERT_TRUE(ring_take(&self->q, &rec[0]));
	}
	EXPECT_TRUE(readable(self->fd, 0));
	EXPECT_EQ(1, read_records(self->fd, rec, 64));
	EXPECT_FALSE(readable(self->fd, 0));
}

TEST_F(eventfd, level_triggered_epoll_reports_until_it_is_read)
{
	int epoll = epoll_of(self->fd, EPOLLIN);
	struct twheel_record rec;

	EXPECT_EQ(0, epoll_events(epoll, 0));
	ASSERT_NE(0ULL, arm(self->fd, 1, 1));
	EXPECT_EQ(1, epoll_events(epoll, GIVE_UP_MS));
	EXPECT_EQ(1, epoll_events(epoll, 0));
	ASSERT_EQ(1, read_records(self->fd, &rec, 1));
	EXPECT_EQ(0, epoll_events(epoll, 0));
	close(epoll);
}

TEST_F(eventfd, edge_triggered_epoll_reports_each_pass_once)
{
	int epoll = epoll_of(self->fd, EPOLLIN | EPOLLET);

	for (int i = 0; i < 20; i++) {
		ASSERT_NE(0ULL, arm_rel(self->fd, MSEC, i));
		ASSERT_EQ(1, epoll_events(epoll, GIVE_UP_MS));
		ASSERT_EQ(0, epoll_events(epoll, 0));
	}
	close(epoll);
}

static void *blocking_reader(void *data)
{
	struct twheel_record rec;

	return (void *)(uintptr_t)(read_records(*(int *)data, &rec, 1) == 1 ?
				   rec.user_data : 0);
}

/* B61: other opens of the device come and go while a reader sleeps. */
TEST_F(eventfd, opening_another_queue_disturbs_no_waiter)
{
	pthread_t thread;
	void *got;

	ASSERT_EQ(0, pthread_create(&thread, NULL, blocking_reader, &self->fd));
	sleep_ns(5 * MSEC);
	for (unsigned int i = 0; i < rounds(1000); i++) {
		struct queue other;

		ASSERT_EQ(0, queue_open(&other, CLOCK_MONOTONIC, 1));
		ASSERT_NE(0ULL, arm(other.fd, 1, 1));
		queue_close(&other);
	}
	EXPECT_EQ(0ULL, stats(self->fd).signals);
	EXPECT_EQ(0U, self->q.ctl->head + self->q.ring->tail);
	ASSERT_NE(0ULL, arm_rel(self->fd, MSEC, 5));
	pthread_join(thread, &got);
	EXPECT_EQ(5UL, (uintptr_t)got);
	EXPECT_EQ(1ULL, stats(self->fd).signals);
	EXPECT_EQ(1U, self->q.ring->tail);
	EXPECT_EQ(1U, self->q.ctl->head);
}

/* --- read ------------------------------------------------------------------------------ */

TEST_F(eventfd, blocking_read_waits_for_a_record)
{
	__u64 deadline = mono() + 30 * MSEC;
	struct twheel_record rec;

	ASSERT_NE(0ULL, arm(self->fd, deadline, 3));
	ASSERT_EQ(1, read_records(self->fd, &rec, 1));
	EXPECT_LE(deadline, mono());
	EXPECT_EQ(3ULL, rec.user_data);
}

TEST_F(eventfd, read_without_a_record_is_eagain_when_not_blocking)
{
	struct twheel_record rec;

	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	ASSERT_NE(0ULL, arm(self->fd, TIME_MAX, 1));
	EXPECT_EQ(-EAGAIN, read_records(self->fd, &rec, 1));
	ASSERT_NE(0ULL, arm(self->fd, 1, 2));
	EXPECT_EQ(1, read_records(self->fd, &rec, 1));
	EXPECT_EQ(-EAGAIN, read_records(self->fd, &rec, 1));
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void alarm_after(int ms, int flags)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = flags };
	struct itimerval once = { .it_value = { 0, ms * 1000 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &once, NULL);
}

TEST_F(eventfd, signal_ends_a_blocking_read)
{
	struct twheel_record rec;
	__u64 id = arm(self->fd, TIME_MAX, 1);

	alarm_after(30, 0);
	EXPECT_EQ(-EINTR, read_records(self->fd, &rec, 1));
	EXPECT_EQ(TWHEEL_PENDING, state(self->fd, id));
}

/* A reader and what it got; user_data of timers are numbers below n. */
struct reader {
	pthread_t thread;
	int fd;
	unsigned int size;	/* records in its buffer */
	unsigned int n;
	atomic_uint *total;
	atomic_uchar *taken;
	atomic_int bad;
};

static void *reader_run(void *data)
{
	struct twheel_record rec[8];
	struct reader *r = data;

	while (atomic_load(r->total) < r->n) {
		long got = read_records(r->fd, rec, r->size);

		if (got == -EAGAIN) {
			poll(&(struct pollfd){ .fd = r->fd, .events = POLLIN }, 1, 1);
			continue;
		}
		if (got <= 0 || got > r->size)
			atomic_fetch_add(&r->bad, 1);
		for (long i = 0; i < got; i++) {
			if (!rec[i].id || rec[i].user_data >= r->n)
				atomic_fetch_add(&r->bad, 1);
			else
				atomic_fetch_add(&r->taken[rec[i].user_data], 1);
		}
		if (got > 0)
			atomic_fetch_add(r->total, got);
	}
	return NULL;
}

/* B85 */
TEST_F(eventfd, many_readers_get_each_record_once)
{
	enum { N = 3200, READERS = 16 };
	static const unsigned int sizes[] = { 1, 2, 7 };
	static atomic_uchar taken[N];
	static struct reader readers[READERS];
	struct twheel_op ops[16];
	atomic_uint total = 0;

	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	for (int i = 0; i < READERS; i++) {
		readers[i] = (struct reader){
			.fd = self->fd, .size = sizes[i % 3], .n = N,
			.total = &total, .taken = taken,
		};
		ASSERT_EQ(0, pthread_create(&readers[i].thread, NULL, reader_run, &readers[i]));
	}
	for (int i = 0; i < N; i += 16) {
		for (int k = 0; k < 16; k++)
			ops[k] = op_arm(i % 32 ? 1 : mono() + k * 1000, i + k);
		ASSERT_EQ(16, submit(self->fd, ops, 16));
	}
	for (int i = 0; i < READERS; i++) {
		pthread_join(readers[i].thread, NULL);
		EXPECT_EQ(0, atomic_load(&readers[i].bad));
	}
	EXPECT_EQ(N, atomic_load(&total));
	for (int i = 0; i < N; i++) {
		ASSERT_EQ(1, atomic_load(&taken[i]));
	}
	EXPECT_EQ(0ULL, stats(self->fd).unread);
	EXPECT_EQ(0ULL, stats(self->fd).allocated);
}

/* B97: several wait, one record comes: one gets it, the others go on waiting. */
TEST_F(eventfd, blocked_readers_get_one_record_each)
{
	pthread_t threads[4];
	__u64 sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, blocking_reader, &self->fd));
	}
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		sleep_ns(5 * MSEC);
		ASSERT_NE(0ULL, arm_rel(self->fd, MSEC, 1ULL << i));
	}
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		void *got;

		pthread_join(threads[i], &got);
		sum += (uintptr_t)got;
	}
	EXPECT_EQ(15ULL, sum);
	EXPECT_EQ(0ULL, stats(self->fd).unread);
}

/* Two readers sleep, then two records come in one pass: both must wake up. */
TEST_F(eventfd, records_of_one_pass_wake_as_many_readers)
{
	pthread_t threads[3];
	struct twheel_op ops[3];

	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, blocking_reader, &self->fd));
		ops[i] = op_arm_rel(50 * MSEC, 1 + i);
	}
	ASSERT_EQ(3, submit(self->fd, ops, 3));
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(0ULL, stats(self->fd).unread);
}

TEST_HARNESS_MAIN
