// SPDX-License-Identifier: GPL-2.0-only
/*
 * The descriptor as a file: open, read, write, seek, splice. Uses that make no sense
 * are refused, and take no record away.
 */
#include "common.h"

#include <sys/sendfile.h>
#include <sys/uio.h>

#include "kselftest_harness.h"

#define ENTRIES		8
#include "common/queue_fixture.h"

/* B155 */
TEST(open_without_both_rights_is_eacces)
{
	EXPECT_EQ(-EACCES, result_of(open(DEVICE, O_RDONLY)));
	EXPECT_EQ(-EACCES, result_of(open(DEVICE, O_WRONLY)));
}

/* B155 */
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

/* B155: the rest of the buffer stays as it was, the rest of the records too. */
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

/* B155 */
TEST_F(queue, write_and_seek_do_not_exist)
{
	struct twheel_record rec = { 0 };

	EXPECT_EQ(-EINVAL, result_of(write(self->fd, &rec, sizeof(rec))));
	EXPECT_EQ(-ESPIPE, result_of(lseek(self->fd, 0, SEEK_SET)));
	EXPECT_EQ(-ESPIPE, result_of(pread(self->fd, &rec, sizeof(rec), 0)));
	EXPECT_EQ(-ESPIPE, result_of(pwrite(self->fd, &rec, sizeof(rec), 0)));
}

/* B155: these would take records without a look at what a record is. */
TEST_F(queue, records_cannot_be_spliced)
{
	struct twheel_record rec;
	struct iovec halves[2] = {
		{ &rec, sizeof(rec) / 2 }, { (char *)&rec + sizeof(rec) / 2, sizeof(rec) / 2 },
	};
	int ends[2];

	ASSERT_EQ(0, pipe(ends));
	ASSERT_NE(0ULL, arm(self->fd, 1, 5));
	EXPECT_EQ(-EINVAL, result_of(splice(self->fd, NULL, ends[1], NULL, 64, 0)));
	EXPECT_GT(0, result_of(sendfile(ends[1], self->fd, NULL, 64)));
	ASSERT_EQ(8, write(ends[1], "8 bytes", 8));
	EXPECT_EQ(-EINVAL, result_of(splice(ends[0], NULL, self->fd, NULL, 8, 0)));
	EXPECT_EQ(-EINVAL, result_of(readv(self->fd, halves, 2)));
	EXPECT_EQ(1ULL, stats(self->fd).unread);
	ASSERT_EQ(1, read_records(self->fd, &rec, 1));
	EXPECT_EQ(5ULL, rec.user_data);
	close(ends[0]);
	close(ends[1]);
}

TEST_HARNESS_MAIN
