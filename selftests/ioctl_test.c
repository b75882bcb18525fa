// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the module refuses, and with which errno.
 *
 * Each test breaks one thing of a call that works, and afterwards asks the queue
 * whether anything changed. The first part runs for every ioctl that takes a
 * struct; then come the commands themselves, SETUP, EVENTFD, and the other system
 * calls on the descriptor. What is in the ops of SUBMIT has its own submit_test.c.
 */
#include "common.h"

#include <limits.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include "kselftest_harness.h"

/* --- every ioctl that takes a struct ---------------------------------------- */

union argument {
	__u32 size;
	struct twheel_setup setup;
	struct twheel_submit submit;
	struct twheel_eventfd eventfd;
	struct twheel_stats stats;
	struct twheel_list list;
	unsigned char bytes[1024];
};

FIXTURE(command) {
	struct queue q;
	union argument arg;
	struct twheel_op op;
	struct twheel_info info;
	char *page;		/* what follows it cannot be touched */
};

FIXTURE_VARIANT(command) {
	unsigned long cmd;
	__u32 size;
	__u32 resv;		/* offset of the reserved member, 0: there is none */
	__u32 known_flags;
	bool answers;		/* writes into its struct */
};

FIXTURE_VARIANT_ADD(command, setup) {
	.cmd = TWHEEL_IOC_SETUP,
	.size = sizeof(struct twheel_setup),
	.resv = offsetof(struct twheel_setup, resv),
	.known_flags = TWHEEL_SETUP_WORDS,
	.answers = true,
};

FIXTURE_VARIANT_ADD(command, submit) {
	.cmd = TWHEEL_IOC_SUBMIT,
	.size = sizeof(struct twheel_submit),
	.resv = offsetof(struct twheel_submit, resv),
};

FIXTURE_VARIANT_ADD(command, eventfd) {
	.cmd = TWHEEL_IOC_EVENTFD,
	.size = sizeof(struct twheel_eventfd),
	.resv = offsetof(struct twheel_eventfd, resv),
};

FIXTURE_VARIANT_ADD(command, stats) {
	.cmd = TWHEEL_IOC_STATS,
	.size = sizeof(struct twheel_stats),
	.answers = true,
};

FIXTURE_VARIANT_ADD(command, list) {
	.cmd = TWHEEL_IOC_LIST,
	.size = sizeof(struct twheel_list),
	.resv = offsetof(struct twheel_list, resv),
	.answers = true,
};

FIXTURE_SETUP(command)
{
	self->q.fd = device_open();
	ASSERT_LE(0, self->q.fd)
		TH_LOG("%s: %s", DEVICE, strerror(-self->q.fd));
	if (variant->cmd != TWHEEL_IOC_SETUP) {
		self->q.setup = setup_of(CLOCK_MONOTONIC, 8);
		ASSERT_EQ(0, tw_ioctl(self->q.fd, TWHEEL_IOC_SETUP, &self->q.setup));
	}
	self->page = guarded_page();
	self->op = op_arm(TIME_MAX, 1);
	switch (variant->cmd) {
	case TWHEEL_IOC_SETUP:
		self->arg.setup = setup_of(CLOCK_MONOTONIC, 8);
		break;
	case TWHEEL_IOC_SUBMIT:
		self->arg.submit.ops = addr(&self->op);
		self->arg.submit.count = 1;
		break;
	case TWHEEL_IOC_EVENTFD:
		self->arg.eventfd.fd = -1;
		break;
	case TWHEEL_IOC_LIST:
		self->arg.list.infos = addr(&self->info);
		self->arg.list.count = 1;
		break;
	}
	self->arg.size = variant->size;
}

FIXTURE_TEARDOWN(command)
{
	munmap(self->page, 2 * PAGE_SIZE);
	close(self->q.fd);
}

/* Nothing was set up by a SETUP that failed, nothing armed by another call. */
static void untouched(struct __test_metadata *_metadata, int fd, unsigned long cmd)
{
	struct twheel_stats s = { .size = sizeof(s) };
	long ret = tw_ioctl(fd, TWHEEL_IOC_STATS, &s);

	if (cmd == TWHEEL_IOC_SETUP) {
		EXPECT_EQ(-ENXIO, ret);
		return;
	}
	EXPECT_EQ(0, ret);
	EXPECT_EQ(0ULL, s.armed);
	EXPECT_EQ(0ULL, s.pending);
	EXPECT_EQ(0ULL, s.allocated);
}

#define UNTOUCHED() untouched(_metadata, self->q.fd, variant->cmd)

TEST_F(command, works)
{
	EXPECT_LE(0, tw_ioctl(self->q.fd, variant->cmd, &self->arg));
	if (variant->cmd == TWHEEL_IOC_SUBMIT) {
		EXPECT_EQ(0, self->op.result);
	}
}

TEST_F(command, null_pointer_is_efault)
{
	EXPECT_EQ(-EFAULT, tw_ioctl(self->q.fd, variant->cmd, NULL));
	UNTOUCHED();
}

TEST_F(command, memory_without_rights_is_efault)
{
	EXPECT_EQ(-EFAULT, tw_ioctl(self->q.fd, variant->cmd, self->page + PAGE_SIZE));
	UNTOUCHED();
}

TEST_F(command, unmapped_memory_is_efault)
{
	char *gone = guarded_page();

	munmap(gone, 2 * PAGE_SIZE);
	EXPECT_EQ(-EFAULT, tw_ioctl(self->q.fd, variant->cmd, gone));
	UNTOUCHED();
}

TEST_F(command, struct_that_ends_in_unmapped_memory_is_efault)
{
	char *arg = self->page + PAGE_SIZE - variant->size + 4;

	memcpy(arg, &self->arg, variant->size - 4);
	EXPECT_EQ(-EFAULT, tw_ioctl(self->q.fd, variant->cmd, arg));
	UNTOUCHED();
}

TEST_F(command, read_only_struct_is_efault_where_it_is_written)
{
	long ret;

	memcpy(self->page, &self->arg, variant->size);
	ASSERT_EQ(0, mprotect(self->page, PAGE_SIZE, PROT_READ));
	ret = tw_ioctl(self->q.fd, variant->cmd, self->page);
	if (variant->answers) {
		EXPECT_EQ(-EFAULT, ret);
		UNTOUCHED();
	} else {
		EXPECT_LE(0, ret);
	}
}

TEST_F(command, struct_at_an_odd_address_works)
{
	char *arg = self->page + PAGE_SIZE - variant->size - 1;

	memcpy(arg, &self->arg, variant->size);
	EXPECT_LE(0, tw_ioctl(self->q.fd, variant->cmd, arg));
}

TEST_F(command, small_sizes_are_einval)
{
	const __u32 sizes[] = { 0, 1, 4, 8, variant->size - 8, variant->size - 1 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		self->arg.size = sizes[i];
		EXPECT_EQ(-EINVAL, tw_ioctl(self->q.fd, variant->cmd, &self->arg))
			TH_LOG("size %u", sizes[i]);
	}
	UNTOUCHED();
}

TEST_F(command, larger_size_with_zero_tail_works)
{
	self->arg.size = variant->size + 8;
	EXPECT_LE(0, tw_ioctl(self->q.fd, variant->cmd, &self->arg));
}

TEST_F(command, larger_size_with_other_tail_is_e2big)
{
	self->arg.size = variant->size + 8;
	for (__u32 i = variant->size; i < variant->size + 8; i++) {
		self->arg.bytes[i] = 1;
		EXPECT_EQ(-E2BIG, tw_ioctl(self->q.fd, variant->cmd, &self->arg))
			TH_LOG("byte %u", i);
		self->arg.bytes[i] = 0;
	}
	UNTOUCHED();
}

TEST_F(command, absurd_size_is_refused)
{
	const __u32 sizes[] = { PAGE_SIZE + 8, 1U << 31, ~0U };

	memcpy(self->page, &self->arg, variant->size);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		long ret;

		*(__u32 *)self->page = sizes[i];
		ret = tw_ioctl(self->q.fd, variant->cmd, self->page);
		EXPECT_TRUE(ret == -E2BIG || ret == -EFAULT)
			TH_LOG("size %u gave %ld", sizes[i], ret);
	}
	UNTOUCHED();
}

TEST_F(command, each_unknown_flag_is_einval)
{
	for (int bit = 0; bit < 32; bit++) {
		if (variant->known_flags & (1U << bit))
			continue;
		self->arg.setup.flags = 1U << bit;
		EXPECT_EQ(-EINVAL, tw_ioctl(self->q.fd, variant->cmd, &self->arg))
			TH_LOG("bit %d", bit);
	}
	UNTOUCHED();
}

TEST_F(command, each_reserved_byte_is_einval)
{
	if (!variant->resv)
		SKIP(return, "the struct has no reserved member");
	for (__u32 i = variant->resv; i < variant->resv + 4; i++) {
		self->arg.bytes[i] = 1;
		EXPECT_EQ(-EINVAL, tw_ioctl(self->q.fd, variant->cmd, &self->arg))
			TH_LOG("byte %u", i);
		self->arg.bytes[i] = 0;
	}
	UNTOUCHED();
}

TEST_F(command, before_setup_is_enxio)
{
	int fd = device_open();

	ASSERT_LE(0, fd);
	if (variant->cmd != TWHEEL_IOC_SETUP) {
		EXPECT_EQ(-ENXIO, tw_ioctl(fd, variant->cmd, &self->arg));
	}
	EXPECT_EQ(-ENXIO, flush(fd));
	close(fd);
}

/* --- commands --------------------------------------------------------------- */

FIXTURE(queue) {
	struct queue q;
	int fd;
};

FIXTURE_SETUP(queue)
{
	ASSERT_EQ(0, queue_open(&self->q, CLOCK_MONOTONIC, 8));
	self->fd = self->q.fd;
}

FIXTURE_TEARDOWN(queue)
{
	queue_close(&self->q);
}

TEST_F(queue, unknown_numbers_are_enotty)
{
	union argument arg = { .size = sizeof(struct twheel_setup) };

	for (unsigned int nr = 6; nr < 256; nr++) {
		EXPECT_EQ(-ENOTTY, tw_ioctl(self->fd, _IO(TWHEEL_IOC_MAGIC, nr), &arg));
	}
}

TEST_F(queue, wrong_type_is_enotty)
{
	union argument arg = { .size = sizeof(struct twheel_stats) };

	for (unsigned int nr = 0; nr < 6; nr++) {
		EXPECT_EQ(-ENOTTY, tw_ioctl(self->fd, _IO(0xd2, nr), &arg));
		EXPECT_EQ(-ENOTTY, tw_ioctl(self->fd, _IO(0xd4, nr), &arg));
	}
}

TEST_F(queue, wrong_direction_or_size_is_enotty)
{
	union argument arg = { .size = sizeof(struct twheel_stats) };

	for (unsigned int nr = 0; nr < 6; nr++) {
		EXPECT_EQ(-ENOTTY, tw_ioctl(self->fd, _IOR(TWHEEL_IOC_MAGIC, nr, int), &arg));
		EXPECT_EQ(-ENOTTY, tw_ioctl(self->fd, _IOW(TWHEEL_IOC_MAGIC, nr, int), &arg));
		EXPECT_EQ(-ENOTTY, tw_ioctl(self->fd, _IOWR(TWHEEL_IOC_MAGIC, nr, arg), &arg));
		EXPECT_EQ(-ENOTTY, tw_ioctl(self->fd,
					    _IOC(0, TWHEEL_IOC_MAGIC, nr, 8), &arg));
	}
}

/* 1 is FIBMAP and 2 is FIGETBSZ, which the VFS answers for any file. */
TEST_F(queue, raw_numbers_are_not_ours)
{
	struct twheel_op op = op_arm(TIME_MAX, 1);
	struct twheel_submit arg = { .size = sizeof(arg), .ops = addr(&op), .count = 1 };

	EXPECT_EQ(-ENOTTY, tw_ioctl(self->fd, 0, &arg));
	tw_ioctl(self->fd, 1, &arg);
	tw_ioctl(self->fd, 2, &arg);
	EXPECT_EQ(-ENOTTY, tw_ioctl(self->fd, 3, &arg));
	EXPECT_EQ(-ENOTTY, tw_ioctl(self->fd, 4, &arg));
	EXPECT_EQ(POISON32, op.result);
	EXPECT_EQ(0ULL, stats(self->fd).armed);
}

TEST_F(queue, flush_of_nothing_is_0)
{
	EXPECT_EQ(0, flush(self->fd));
}

/* It takes none, so any other value is kept for later. */
TEST_F(queue, flush_with_an_argument_is_einval)
{
	EXPECT_EQ(-EINVAL, tw_ioctl(self->fd, TWHEEL_IOC_FLUSH, (void *)8));
	EXPECT_EQ(-EINVAL, tw_ioctl(self->fd, TWHEEL_IOC_FLUSH, (void *)-1));
}

/* B78: what a reply does not use is 0, whatever was there before. */
TEST_F(queue, replies_leak_nothing)
{
	struct twheel_stats s = stats(self->fd);
	struct twheel_info info;
	__u64 cursor = 0;

	EXPECT_EQ(0ULL, s.armed + s.moved + s.cancelled + s.expired + s.missed + s.pushed +
			s.reaped + s.refiled + s.steps + s.backlog + s.unread);
	EXPECT_EQ(~0ULL, s.next);
	ASSERT_NE(0ULL, arm_keep(self->fd, TIME_MAX, 7));
	memset(&info, POISON_BYTE, sizeof(info));
	ASSERT_EQ(1, list(self->fd, &cursor, &info, 1));
	EXPECT_EQ((__u32)TWHEEL_PENDING, info.state);
	EXPECT_EQ(TWHEEL_INFO_KEEP, info.flags);
	EXPECT_EQ(0ULL, info.period);
	EXPECT_EQ(7ULL, info.user_data);
}

TEST_F(queue, list_count_beyond_max_batch_is_einval)
{
	struct twheel_info info;
	__u64 cursor = 0;

	EXPECT_EQ(-EINVAL, list(self->fd, &cursor, &info, self->q.setup.max_batch + 1));
	EXPECT_EQ(-EINVAL, list(self->fd, &cursor, &info, ~0U));
	EXPECT_EQ(0ULL, cursor);
}

TEST_F(queue, list_into_bad_memory_is_efault)
{
	char *page = guarded_page();
	__u64 cursor = 0;

	ASSERT_NE(0ULL, arm(self->fd, TIME_MAX, 1));
	EXPECT_EQ(-EFAULT, list(self->fd, &cursor, (void *)(page + PAGE_SIZE), 1));
	EXPECT_EQ(1ULL, stats(self->fd).pending);
}

/* Any cursor is accepted or refused, but none makes the kernel look elsewhere. */
TEST_F(queue, list_with_nonsense_cursor_is_harmless)
{
	const __u64 cursors[] = { 1, 1ULL << 31, 1ULL << 32, ~0ULL >> 1, ~0ULL - 1, ~0ULL };
	struct twheel_info info;

	ASSERT_NE(0ULL, arm(self->fd, TIME_MAX, 1));
	for (size_t i = 0; i < ARRAY_SIZE(cursors); i++) {
		__u64 cursor = cursors[i];
		long ret = list(self->fd, &cursor, &info, 1);

		EXPECT_TRUE(ret == 0 || ret == 1 || ret == -EINVAL)
			TH_LOG("cursor %llx gave %ld", cursors[i], ret);
	}
}

/* --- SETUP ------------------------------------------------------------------ */

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

TEST_F(setup, works_after_a_failed_one)
{
	self->arg.clockid = 99;
	EXPECT_EQ(-EINVAL, SETUP());
	self->arg = setup_of(CLOCK_MONOTONIC, 8);
	EXPECT_EQ(0, SETUP());
	EXPECT_NE(0ULL, arm(self->fd, TIME_MAX, 1));
}

/* B154: many at once, one wins. */
static void *setup_thread(void *data)
{
	struct twheel_setup arg = setup_of(CLOCK_MONOTONIC, 8);

	return (void *)tw_ioctl(*(int *)data, TWHEEL_IOC_SETUP, &arg);
}

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
	untouched(_metadata, self->fd, TWHEEL_IOC_SETUP);
}

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
		untouched(_metadata, self->fd, TWHEEL_IOC_SETUP);
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

/* --- EVENTFD ---------------------------------------------------------------- */

/* B147: each is refused, and the eventfd from before still gets its signal. */
static void eventfd_refused(struct __test_metadata *_metadata, int fd, int bad, long error)
{
	int efd = eventfd(0, EFD_NONBLOCK);

	ASSERT_EQ(0, set_eventfd(fd, efd));
	EXPECT_EQ(error, set_eventfd(fd, bad))
		TH_LOG("descriptor %d", bad);
	ASSERT_NE(0ULL, arm_rel(fd, MSEC, 1));
	EXPECT_TRUE(readable(efd, GIVE_UP_MS));
	close(efd);
}

TEST_F(queue, eventfd_that_is_not_open_is_ebadf)
{
	int closed = eventfd(0, 0);

	close(closed);
	eventfd_refused(_metadata, self->fd, 9999, -EBADF);
	eventfd_refused(_metadata, self->fd, -2, -EBADF);
	eventfd_refused(_metadata, self->fd, INT_MIN, -EBADF);
	eventfd_refused(_metadata, self->fd, INT_MAX, -EBADF);
}

TEST_F(queue, regular_file_is_no_eventfd)
{
	int file = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	if (file < 0)
		SKIP(return, "no file in /tmp: %s", strerror(errno));
	eventfd_refused(_metadata, self->fd, file, -EINVAL);
	close(file);
}

TEST_F(queue, timerfd_is_no_eventfd)
{
	int file = timerfd_create(CLOCK_MONOTONIC, 0);

	eventfd_refused(_metadata, self->fd, file, -EINVAL);
	close(file);
}

TEST_F(queue, epoll_is_no_eventfd)
{
	int file = epoll_create1(0);

	eventfd_refused(_metadata, self->fd, file, -EINVAL);
	close(file);
}

TEST_F(queue, queue_is_no_eventfd)
{
	struct queue other;

	ASSERT_EQ(0, queue_open(&other, CLOCK_MONOTONIC, 8));
	eventfd_refused(_metadata, self->fd, other.fd, -EINVAL);
	eventfd_refused(_metadata, self->fd, self->fd, -EINVAL);
	queue_close(&other);
}

/* --- other system calls ------------------------------------------------------ */

TEST(open_without_both_rights_is_eacces)
{
	EXPECT_EQ(-EACCES, result_of(open(DEVICE, O_RDONLY)));
	EXPECT_EQ(-EACCES, result_of(open(DEVICE, O_WRONLY)));
}

TEST_F(queue, path_descriptor_has_no_ioctl)
{
	struct twheel_stats s = { .size = sizeof(s) };
	int fd = open(DEVICE, O_PATH);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EBADF, tw_ioctl(fd, TWHEEL_IOC_STATS, &s));
	close(fd);
}

/* B155: and the record is still there. */
TEST_F(queue, read_with_short_buffer_is_einval)
{
	struct twheel_record rec;
	char buffer[64];

	ASSERT_NE(0ULL, arm(self->fd, 1, 5));
	for (size_t size = 0; size < sizeof(rec); size++) {
		EXPECT_EQ(-EINVAL, result_of(read(self->fd, buffer, size)))
			TH_LOG("%zu bytes", size);
	}
	EXPECT_EQ(1ULL, stats(self->fd).unread);
	ASSERT_EQ(1, read_records(self->fd, &rec, 1));
	EXPECT_EQ(5ULL, rec.user_data);
}

TEST_F(queue, read_gives_whole_records)
{
	unsigned char buffer[4 * 32];

	memset(buffer, POISON_BYTE, sizeof(buffer));
	for (int i = 0; i < 3; i++) {
		ASSERT_NE(0ULL, arm(self->fd, 1, i));
	}
	EXPECT_EQ(32, result_of(read(self->fd, buffer, 63)));
	for (int i = 32; i < 64; i++) {
		ASSERT_EQ(POISON_BYTE, buffer[i]);
	}
	EXPECT_EQ(64, result_of(read(self->fd, buffer, 127)));
	EXPECT_EQ(0ULL, stats(self->fd).unread);
}

TEST_F(queue, read_into_bad_memory_is_efault_and_loses_nothing)
{
	char *page = guarded_page();
	struct twheel_record rec;

	ASSERT_NE(0ULL, arm(self->fd, 1, 5));
	EXPECT_EQ(-EFAULT, result_of(read(self->fd, page + PAGE_SIZE, 32)));
	EXPECT_EQ(-EFAULT, result_of(read(self->fd, page + PAGE_SIZE - 8, 32)));
	EXPECT_EQ(1ULL, stats(self->fd).unread);
	ASSERT_EQ(1, read_records(self->fd, &rec, 1));
	EXPECT_EQ(5ULL, rec.user_data);
}

TEST_F(queue, read_that_reaches_bad_memory_keeps_the_rest)
{
	struct twheel_record *rec = (void *)(guarded_page() + PAGE_SIZE - 2 * 32);
	struct twheel_record rest[4];
	long ret;

	for (int i = 0; i < 4; i++) {
		ASSERT_NE(0ULL, arm(self->fd, 1, i));
	}
	ret = result_of(read(self->fd, rec, 4 * 32));
	ASSERT_TRUE(ret == 2 * 32 || ret == -EFAULT);
	ASSERT_EQ(ret > 0 ? 2ULL : 4ULL, stats(self->fd).unread);
	EXPECT_EQ(ret > 0 ? 2 : 4, read_records(self->fd, rest, 4));
	EXPECT_EQ(ret > 0 ? 2ULL : 0ULL, rest[0].user_data);
}

TEST(read_before_setup_is_enxio)
{
	struct twheel_record rec;
	int fd = device_open();

	ASSERT_LE(0, fd);
	EXPECT_EQ(-ENXIO, read_records(fd, &rec, 1));
	EXPECT_EQ(-ENXIO, result_of((long)mmap(NULL, PAGE_SIZE, PROT_READ, MAP_SHARED, fd, 0)));
	close(fd);
}

TEST_F(queue, write_and_seek_do_not_exist)
{
	struct twheel_record rec = { 0 };

	EXPECT_EQ(-EINVAL, result_of(write(self->fd, &rec, sizeof(rec))));
	EXPECT_EQ(-ESPIPE, result_of(lseek(self->fd, 0, SEEK_SET)));
	EXPECT_EQ(-ESPIPE, result_of(pread(self->fd, &rec, sizeof(rec), 0)));
	EXPECT_EQ(-ESPIPE, result_of(pwrite(self->fd, &rec, sizeof(rec), 0)));
}

TEST_HARNESS_MAIN
