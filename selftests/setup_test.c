// SPDX-License-Identifier: GPL-2.0-only
/*
 * SETUP: what it accepts, what it answers, and that it succeeds once for each open,
 * whatever was called before and however often.
 */
#include "common.h"

#include <linux/userfaultfd.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

FIXTURE(setup) {
	struct twheel_setup arg;
	int fd;
};

FIXTURE_SETUP(setup)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	self->arg = setup_of(CLOCK_MONOTONIC, 8);
}

FIXTURE_TEARDOWN(setup)
{
	close(self->fd);
}

/* A SETUP that failed has set up nothing. */
static void not_set_up(struct __test_metadata *_metadata, int fd)
{
	struct twheel_stats s = { .size = sizeof(s) };

	EXPECT_EQ(-ENXIO, tw_ioctl(fd, TWHEEL_IOC_STATS, &s));
}

#define SETUP() tw_ioctl(self->fd, TWHEEL_IOC_SETUP, &self->arg)

/* B154 */
TEST_F(setup, twice_is_ebusy)
{
	struct twheel_setup other = setup_of(CLOCK_REALTIME, 64);

	ASSERT_EQ(0, SETUP());
	EXPECT_EQ(-EBUSY, tw_ioctl(self->fd, TWHEEL_IOC_SETUP, &other));
	EXPECT_EQ(64U, other.ring_entries);
	EXPECT_EQ(0ULL, other.ring_size);
	EXPECT_EQ(0ULL, stats(self->fd).pending);
}

/* B154 */
TEST_F(setup, works_after_a_failed_one)
{
	self->arg.clockid = 99;
	EXPECT_EQ(-EINVAL, SETUP());
	self->arg = setup_of(CLOCK_MONOTONIC, 8);
	EXPECT_EQ(0, SETUP());
	EXPECT_NE(0ULL, arm(self->fd, TIME_MAX, 1));
}

static void *setup_thread(void *data)
{
	struct twheel_setup arg = setup_of(CLOCK_MONOTONIC, 8);

	return (void *)tw_ioctl(*(int *)data, TWHEEL_IOC_SETUP, &arg);
}

/* B154: many at once, one wins. */
TEST_F(setup, from_several_threads_succeeds_once)
{
	pthread_t threads[4];
	int won = 0;
	void *ret;

	NEEDS_THREADS();
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, setup_thread, &self->fd));
	}
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		pthread_join(threads[i], &ret);
		won += !ret;
		EXPECT_TRUE(!ret || (long)ret == -EBUSY);
	}
	EXPECT_EQ(1, won);
}

static long map_ring(int fd)
{
	char *ring = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_SHARED, fd, 0);

	return ring == MAP_FAILED ? -errno : munmap(ring, PAGE_SIZE);
}

/* One of the calls that make a queue ready. */
static long call(int fd, char which)
{
	struct twheel_setup setup = setup_of(CLOCK_MONOTONIC, which == 'b' ? 0 : 8);
	long ret;
	int efd;

	switch (which) {
	case 'b':
	case 's':
		return tw_ioctl(fd, TWHEEL_IOC_SETUP, &setup);
	case 'e':
		efd = eventfd(0, EFD_CLOEXEC);
		ret = set_eventfd(fd, efd);
		close(efd);
		return ret;
	default:
		return map_ring(fd);
	}
}

/* Each of the calls twice: how many do not end as they must, set up or not. */
static int wrong_calls(int fd, const char *calls, bool set_up)
{
	int wrong = 0;

	for (int i = 0; calls[i / 2]; i++) {
		char which = calls[i / 2];
		long right = set_up ? 0 : -ENXIO;

		if (which == 'b')
			right = -EINVAL;
		else if (which == 's')
			right = set_up ? -EBUSY : 0;
		wrong += call(fd, which) != right;
		set_up |= which == 's';
	}
	return wrong + !arm(fd, 1, 1);
}

/* B154: bad SETUP, SETUP, EVENTFD, mmap in every order; then again in a child. */
TEST_F(setup, calls_may_come_in_any_order_and_twice)
{
	static const char * const orders[] = {
		"bsem", "bsme", "besm", "bems", "bmse", "bmes", "sbem", "sbme",
		"sebm", "semb", "smbe", "smeb", "ebsm", "ebms", "esbm", "esmb",
		"embs", "emsb", "mbse", "mbes", "msbe", "mseb", "mebs", "mesb",
	};
	int status = -1;

	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		int fd = device_open();

		ASSERT_LE(0, fd);
		EXPECT_EQ(0, wrong_calls(fd, orders[i], false))
			TH_LOG("order %s", orders[i]);
		close(fd);
	}
	EXPECT_EQ(0, wrong_calls(self->fd, "bsem", false));
	if (!fork())
		_exit(wrong_calls(self->fd, "smeb", true));
	wait(&status);
	EXPECT_EQ(0, status);
}

/* B148 */
TEST_F(setup, four_clocks_and_no_other)
{
	for (int clock = -1; clock <= 16; clock++) {
		bool known = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC ||
			     clock == CLOCK_BOOTTIME || clock == CLOCK_TAI;
		int fd = device_open();

		self->arg = setup_of(clock, 8);
		EXPECT_EQ(known ? 0 : -EINVAL,
			  tw_ioctl(fd, TWHEEL_IOC_SETUP, &self->arg))
			TH_LOG("clock %d", clock);
		close(fd);
	}
}

/* B77 */
TEST_F(setup, ring_of_no_or_too_many_entries_is_einval)
{
	const __u32 entries[] = { 0, (1U << 20) + 1, 1U << 21, 1U << 31, ~0U };

	for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
		self->arg = setup_of(CLOCK_MONOTONIC, entries[i]);
		EXPECT_EQ(-EINVAL, SETUP())
			TH_LOG("%u entries", entries[i]);
	}
	not_set_up(_metadata, self->fd);
}

/* B77 */
TEST_F(setup, ring_entries_are_rounded_up)
{
	const struct { __u32 asked, given; } rows[] = {
		{ 1, 1 }, { 2, 2 }, { 3, 4 }, { 5, 8 }, { 127, 128 }, { 128, 128 }, { 129, 256 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct queue q;

		ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, rows[i].asked));
		EXPECT_EQ(rows[i].given, q.setup.ring_entries);
		EXPECT_LE(q.setup.records_offset + rows[i].given * 32ULL, q.setup.ring_size);
		ASSERT_EQ(0, queue_map(&q));
		EXPECT_EQ(rows[i].given, q.ring->entries);
		queue_close(&q);
	}
}

TEST_F(setup, largest_ring_works)
{
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 1U << 20));
	EXPECT_EQ(1U << 20, q.setup.ring_entries);
	ASSERT_EQ(0, queue_map(&q));
	EXPECT_EQ(0ULL, q.records[(1U << 20) - 1].id);
	queue_close(&q);
}

TEST_F(setup, max_timers_0_is_the_limit)
{
	ASSERT_EQ(0, SETUP());
	EXPECT_EQ(parameter("max_timers_per_queue"), self->arg.max_timers);
}

TEST_F(setup, max_timers_within_the_limit_is_kept)
{
	self->arg.max_timers = 17;
	ASSERT_EQ(0, SETUP());
	EXPECT_EQ(17U, self->arg.max_timers);
}

TEST_F(setup, max_timers_beyond_the_limit_does_not_pass_it)
{
	long ret;

	self->arg.max_timers = ~0U;
	ret = SETUP();
	EXPECT_TRUE(ret == 0 || ret == -EINVAL);
	if (!ret) {
		EXPECT_GE(parameter("max_timers_per_queue"), self->arg.max_timers);
	} else
		not_set_up(_metadata, self->fd);
}

TEST_F(setup, any_slack_is_accepted)
{
	const __u64 slacks[] = { 0, 1, 3, MSEC, 1ULL << 62, TIME_MAX, 1ULL << 63, ~0ULL };

	for (size_t i = 0; i < ARRAY_SIZE(slacks); i++) {
		struct queue q;
		__u64 deadline = mono() + HOUR;
		struct twheel_op op;

		q.setup = setup_of(CLOCK_MONOTONIC, 8);
		q.setup.slack = slacks[i];
		ASSERT_EQ(0, queue_open_with(&q))
			TH_LOG("slack %llx", slacks[i]);
		op = op_query(arm(q.fd, deadline, 1));
		EXPECT_EQ(TWHEEL_PENDING, run_op(q.fd, &op));
		EXPECT_EQ(deadline, op.deadline);
		EXPECT_LE(deadline, stats(q.fd).next);
		queue_close(&q);
	}
}

TEST_F(setup, areas_do_not_overlap)
{
	const struct twheel_setup *s = &self->arg;

	self->arg.ring_entries = 1U << 16;
	ASSERT_EQ(0, SETUP());
	EXPECT_EQ(0ULL, s->ring_offset % PAGE_SIZE);
	EXPECT_EQ(0ULL, s->ctl_offset % PAGE_SIZE);
	EXPECT_EQ(0ULL, s->words_size);
	EXPECT_TRUE(s->ring_offset + s->ring_size <= s->ctl_offset ||
		    s->ctl_offset + s->ctl_size <= s->ring_offset);
}

/* --- while the queue is in use ---------------------------------------------------- */

/* A thread that does one thing again and again; @allowed are errors that may come. */
struct worker {
	pthread_t thread;
	struct queue *q;
	atomic_bool *stop;
	long (*act)(const struct queue *q);
	long allowed;
	unsigned int acts, strange;
};

static void *work(void *data)
{
	struct worker *w = data;

	while (!atomic_load(w->stop)) {
		long ret = w->act(w->q);

		w->acts++;
		w->strange += ret < 0 && ret != w->allowed;
	}
	return NULL;
}

static long set_up_again(const struct queue *q)
{
	return call(q->fd, 's');
}

static long set_and_clear_eventfd(const struct queue *q)
{
	return call(q->fd, 'e') ?: set_eventfd(q->fd, -1);
}

static long map_and_unmap(const struct queue *q)
{
	struct queue again = *q;
	long ret = queue_map(&again);

	if (!ret)
		queue_unmap(&again);
	return ret;
}

static long arm_some(const struct queue *q)
{
	struct twheel_op ops[4];
	long ran;

	for (int i = 0; i < 4; i++)
		ops[i] = op_arm_rel(i * 30 * USEC, i);
	ran = submit(q->fd, ops, 4);
	return ran < 0 ? ran : ran == 4 && !ops[3].result ? 0 : -EIO;
}

static long read_some(const struct queue *q)
{
	struct twheel_record rec[7];

	return read_records(q->fd, rec, 7);
}

static long look(const struct queue *q)
{
	struct twheel_info infos[8];
	__u64 cursor = 0;

	return list(q->fd, &cursor, infos, 8) < 0 ? -EIO : flush(q->fd);
}

/* B65: every call at once on one descriptor, for a while; at the end nothing is lost. */
TEST(calls_of_six_threads_do_not_disturb_each_other)
{
	struct queue q = { .setup = setup_of(CLOCK_MONOTONIC, 64) };
	atomic_bool stop = false;
	struct worker workers[] = {
		{ .act = set_up_again, .allowed = -EBUSY },
		{ .act = set_and_clear_eventfd },
		{ .act = map_and_unmap },
		{ .act = arm_some },
		{ .act = read_some, .allowed = -EAGAIN },
		{ .act = look },
	};
	struct twheel_record rec;
	struct twheel_stats s;
	long users = module_users();

	NEEDS_THREADS();
	ASSERT_EQ(0, queue_open_with(&q));
	ASSERT_EQ(0, fcntl(q.fd, F_SETFL, O_NONBLOCK));
	for (size_t i = 0; i < ARRAY_SIZE(workers); i++) {
		workers[i].q = &q;
		workers[i].stop = &stop;
		ASSERT_EQ(0, pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	}
	sleep_ns(rounds(1000) * MSEC);
	atomic_store(&stop, true);
	for (size_t i = 0; i < ARRAY_SIZE(workers); i++) {
		pthread_join(workers[i].thread, NULL);
		EXPECT_LT(0U, workers[i].acts);
		EXPECT_EQ(0U, workers[i].strange)
			TH_LOG("worker %zu", i);
	}
	while (stats(q.fd).allocated || readable(q.fd, 0)) {
		ASSERT_EQ(1, next_record(q.fd, &rec));
	}
	s = stats(q.fd);
	EXPECT_EQ(4ULL * workers[3].acts, s.armed);
	EXPECT_EQ(s.armed, s.expired);
	queue_close(&q);
	EXPECT_EQ(users, module_users());
}

/* --- memory that makes the kernel wait ------------------------------------------ */

/* Who writes to the page waits until the descriptor is closed; -1: not on this kernel. */
static int hold_writes(void *page)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP };
	struct uffdio_register reg = {
		.range = { addr(page), PAGE_SIZE }, .mode = UFFDIO_REGISTER_MODE_WP,
	};
	struct uffdio_writeprotect wp = {
		.range = reg.range, .mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &reg) &&
	    !ioctl(fd, UFFDIO_WRITEPROTECT, &wp))
		return fd;
	close(fd);
	return -1;
}

struct slow_setup {
	struct twheel_setup *arg;
	int fd;
	long ret;
};

static void *set_up_slowly(void *data)
{
	struct slow_setup *s = data;

	s->ret = tw_ioctl(s->fd, TWHEEL_IOC_SETUP, s->arg);
	return NULL;
}

/* Kill it; whether it dies soon. */
static bool dies(pid_t pid)
{
	__u64 give_up = mono() + 5 * SEC;
	pid_t ret = 0;

	kill(pid, SIGKILL);
	while (!ret && mono() < give_up) {
		sleep_ns(MSEC);
		ret = waitpid(pid, NULL, WNOHANG);
	}
	return ret == pid;
}

TEST_F(setup, one_that_waits_for_another_can_be_killed)
{
	struct slow_setup slow = { .arg = (void *)guarded_page(), .fd = self->fd };
	pthread_t thread;
	int uffd;
	pid_t pid;

	NEEDS_THREADS();
	*slow.arg = self->arg;
	uffd = hold_writes(slow.arg);
	if (uffd < 0)
		SKIP(return, "no userfaultfd for writes");
	ASSERT_EQ(0, pthread_create(&thread, NULL, set_up_slowly, &slow));
	ASSERT_TRUE(readable(uffd, GIVE_UP_MS));	/* its answer cannot be written */
	pid = fork();
	if (!pid)
		_exit(SETUP() != -EBUSY);
	sleep_ns(100 * MSEC);
	EXPECT_TRUE(dies(pid));
	close(uffd);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, slow.ret);
	munmap(slow.arg, 2 * PAGE_SIZE);
}

TEST_HARNESS_MAIN
