// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which ioctls the module refuses, and with which errno.
 *
 * Each test breaks one thing of a call that works, and afterwards asks the queue
 * whether anything changed. The first part runs for every ioctl that takes a
 * struct; then come the commands themselves. More about single ioctls is elsewhere:
 * SETUP in setup_test.c, SUBMIT in submit_test.c, EVENTFD in eventfd_test.c. The other
 * system calls on the descriptor are in file_test.c.
 */
#include "common.h"

#include "kselftest_harness.h"

#define ENTRIES		8
#include "common/queue_fixture.h"

#define ZEROES		(1U << 20)

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

/* B152 */
TEST_F(command, struct_at_an_odd_address_works)
{
	char *arg = self->page + PAGE_SIZE - variant->size - 1;

	memcpy(arg, &self->arg, variant->size);
	EXPECT_LE(0, tw_ioctl(self->q.fd, variant->cmd, arg));
}

/* B148 */
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

/* B148 */
TEST_F(command, larger_size_with_zero_tail_works)
{
	self->arg.size = variant->size + 8;
	EXPECT_LE(0, tw_ioctl(self->q.fd, variant->cmd, &self->arg));
}

/* B148 */
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

/* All of it is there, and 0: the kernel would have to look at it all. */
TEST_F(command, absurd_size_is_e2big)
{
	const __u32 sizes[] = { PAGE_SIZE + 8, ZEROES, 1U << 31, ~0U };
	char *zeroes = mmap(NULL, ZEROES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, zeroes);
	memcpy(zeroes, &self->arg, variant->size);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		*(__u32 *)zeroes = sizes[i];
		EXPECT_EQ(-E2BIG, tw_ioctl(self->q.fd, variant->cmd, zeroes))
			TH_LOG("size %u", sizes[i]);
	}
	munmap(zeroes, ZEROES);
	UNTOUCHED();
}

/* B148 */
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

/* B148 */
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

/* B148 */
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

/* B153 */
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

TEST_HARNESS_MAIN
