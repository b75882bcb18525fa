// SPDX-License-Identifier: GPL-2.0-only
/*
 * The areas of a queue: what can be mapped, with which rights, and what becomes
 * of a mapping that is changed, split, moved, inherited, or outlives the queue.
 */
#include "common.h"

#include <signal.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

#define ENTRIES 1024	/* so that the ring area has many pages */

FIXTURE(area) {
	struct queue q;
	int fd;
};

FIXTURE_SETUP(area)
{
	ASSERT_EQ(0, queue_open(&self->q, CLOCK_MONOTONIC, ENTRIES));
	self->fd = self->q.fd;
	ASSERT_TRUE(self->q.setup.features & TWHEEL_FEAT_MMAP);
	ASSERT_EQ(0, queue_map(&self->q));
}

FIXTURE_TEARDOWN(area)
{
	queue_close(&self->q);
}

/* The address, or a negative errno. */
static long map(int fd, __u64 offset, size_t size, int prot, int flags)
{
	void *p = mmap(NULL, size, prot, flags, fd, offset);

	return p == MAP_FAILED ? -errno : (long)p;
}

/* A mapping that must be refused. */
#define REFUSED(error, offset, size, prot, flags) \
	EXPECT_EQ(error, map(self->fd, offset, size, prot, flags))

static bool still_works(struct queue *q)
{
	struct twheel_record rec;

	return arm(q->fd, 1, 77) && read_records(q->fd, &rec, 1) == 1 && rec.user_data == 77;
}

static bool accessible(const volatile void *p, bool write)
{
	int status;

	fflush(stdout);
	if (!fork()) {
		volatile char *c = (volatile char *)p;
		char value;

		signal(SIGSEGV, SIG_DFL);
		value = *c;
		if (write)
			*c = value;
		_exit(0);
	}
	wait(&status);
	return WIFEXITED(status);
}

/* --- lengths and offsets (B75) ------------------------------------------------ */

TEST_F(area, whole_areas_can_be_touched)
{
	const volatile char *ring = (const char *)self->q.ring;
	volatile char *ctl = (char *)self->q.ctl;

	for (__u64 i = 0; i < self->q.setup.ring_size; i += 64)
		(void)ring[i];
	for (__u64 i = 8; i < self->q.setup.ctl_size; i++)
		ctl[i] = 1;
	EXPECT_TRUE(still_works(&self->q));
}

TEST_F(area, prefix_of_the_ring_can_be_mapped)
{
	const struct twheel_ring *ring;
	long p = map(self->fd, self->q.setup.ring_offset, PAGE_SIZE, PROT_READ, MAP_SHARED);

	ASSERT_TRUE(p > 0 || p < -4095);
	ring = (void *)p;
	ASSERT_NE(0ULL, arm(self->fd, 1, 1));
	EXPECT_EQ(1U, ring->tail);
}

TEST_F(area, same_area_can_be_mapped_many_times)
{
	struct queue again = self->q;

	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(0, queue_map(&again));
		ASSERT_NE(0ULL, arm(self->fd, 1, i));
		EXPECT_EQ(self->q.ring->tail, again.ring->tail);
		again.ctl->head = again.ring->tail;
		EXPECT_EQ(self->q.ctl->head, again.ctl->head);
		queue_unmap(&again);
	}
}

TEST_F(area, more_than_the_ring_is_einval)
{
	const struct twheel_setup *s = &self->q.setup;
	__u64 size = (s->ring_size + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1ULL);

	REFUSED(-EINVAL, s->ring_offset, size + 1, PROT_READ, MAP_SHARED);
	REFUSED(-EINVAL, s->ring_offset, size + PAGE_SIZE, PROT_READ, MAP_SHARED);
	REFUSED(-EINVAL, s->ring_offset, 2 * size, PROT_READ, MAP_SHARED);
	EXPECT_TRUE(still_works(&self->q));
}

TEST_F(area, more_than_ctl_is_einval)
{
	const struct twheel_setup *s = &self->q.setup;

	REFUSED(-EINVAL, s->ctl_offset, s->ctl_size + 1, PROT_READ, MAP_SHARED);
	REFUSED(-EINVAL, s->ctl_offset, s->ctl_size + PAGE_SIZE, PROT_READ | PROT_WRITE,
		MAP_SHARED);
}

TEST_F(area, offset_within_an_area_is_einval)
{
	const struct twheel_setup *s = &self->q.setup;

	REFUSED(-EINVAL, s->ring_offset + PAGE_SIZE, PAGE_SIZE, PROT_READ, MAP_SHARED);
	REFUSED(-EINVAL, s->ring_offset + s->ring_size - PAGE_SIZE, PAGE_SIZE, PROT_READ,
		MAP_SHARED);
	REFUSED(-EINVAL, s->ctl_offset + PAGE_SIZE, PAGE_SIZE, PROT_READ, MAP_SHARED);
	REFUSED(-EINVAL, s->ring_offset + 1, PAGE_SIZE, PROT_READ, MAP_SHARED);
}

TEST_F(area, offset_outside_of_all_areas_is_einval)
{
	const struct twheel_setup *s = &self->q.setup;
	__u64 end = s->ring_offset + s->ring_size;

	if (end != s->ctl_offset) {
		REFUSED(-EINVAL, end, PAGE_SIZE, PROT_READ, MAP_SHARED);
	}
	REFUSED(-EINVAL, s->ctl_offset + s->ctl_size, PAGE_SIZE, PROT_READ, MAP_SHARED);
	REFUSED(-EINVAL, 1ULL << 40, PAGE_SIZE, PROT_READ, MAP_SHARED);
}

TEST_F(area, offsets_that_wrap_are_refused)
{
	const __u64 offsets[] = { 0x7ffffffffffff000ULL, 0xfffffffffffff000ULL,
				  0x8000000000000000ULL };

	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		long ret = map(self->fd, offsets[i], 2 * PAGE_SIZE, PROT_READ, MAP_SHARED);

		EXPECT_TRUE(ret == -EINVAL || ret == -EOVERFLOW) {
			TH_LOG("offset %llx gave %ld", offsets[i], ret);
		}
	}
}

TEST_F(area, lengths_of_nothing_and_of_everything_are_refused)
{
	const struct twheel_setup *s = &self->q.setup;
	long ret;

	REFUSED(-EINVAL, s->ring_offset, 0, PROT_READ, MAP_SHARED);
	ret = map(self->fd, s->ring_offset, 1ULL << 40, PROT_READ, MAP_SHARED);
	EXPECT_TRUE(ret == -EINVAL || ret == -ENOMEM || ret == -EOVERFLOW);
	ret = map(self->fd, s->ring_offset, 1ULL << 47, PROT_READ, MAP_SHARED);
	EXPECT_TRUE(ret == -EINVAL || ret == -ENOMEM || ret == -EOVERFLOW);
}

TEST_F(area, words_of_a_queue_without_words_are_einval)
{
	EXPECT_EQ(0ULL, self->q.setup.words_size);
	REFUSED(-EINVAL, self->q.setup.words_offset ? self->q.setup.words_offset : 1ULL << 36,
		PAGE_SIZE, PROT_READ, MAP_SHARED);
}

TEST_F(area, before_setup_is_enxio)
{
	int fd = device_open();

	ASSERT_LE(0, fd);
	EXPECT_EQ(-ENXIO, map(fd, self->q.setup.ring_offset, PAGE_SIZE, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-ENXIO, map(fd, self->q.setup.ctl_offset, PAGE_SIZE, PROT_READ, MAP_SHARED));
	close(fd);
}

/* --- rights (B71, B74) ----------------------------------------------------------- */

TEST_F(area, ring_for_writing_is_eacces)
{
	const struct twheel_setup *s = &self->q.setup;

	REFUSED(-EACCES, s->ring_offset, s->ring_size, PROT_READ | PROT_WRITE, MAP_SHARED);
	REFUSED(-EACCES, s->ring_offset, s->ring_size, PROT_WRITE, MAP_SHARED);
	EXPECT_TRUE(still_works(&self->q));
}

TEST_F(area, nothing_can_be_mapped_for_execution)
{
	const struct twheel_setup *s = &self->q.setup;

	REFUSED(-EACCES, s->ring_offset, PAGE_SIZE, PROT_READ | PROT_EXEC, MAP_SHARED);
	REFUSED(-EACCES, s->ctl_offset, PAGE_SIZE, PROT_READ | PROT_EXEC, MAP_SHARED);
	REFUSED(-EACCES, s->ctl_offset, PAGE_SIZE, PROT_EXEC, MAP_SHARED);
}

TEST_F(area, private_mapping_is_einval)
{
	const struct twheel_setup *s = &self->q.setup;

	REFUSED(-EINVAL, s->ring_offset, PAGE_SIZE, PROT_READ, MAP_PRIVATE);
	REFUSED(-EINVAL, s->ctl_offset, PAGE_SIZE, PROT_READ, MAP_PRIVATE);
	REFUSED(-EINVAL, s->ctl_offset, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE);
}

TEST_F(area, ring_cannot_be_made_writable_later)
{
	EXPECT_EQ(-EACCES, result_of(mprotect((void *)self->q.ring, PAGE_SIZE,
					      PROT_READ | PROT_WRITE)));
	EXPECT_EQ(-EACCES, result_of(mprotect((void *)self->q.ring, PAGE_SIZE,
					      PROT_READ | PROT_EXEC)));
	EXPECT_EQ(-EACCES, result_of(mprotect(self->q.ctl, PAGE_SIZE,
					      PROT_READ | PROT_WRITE | PROT_EXEC)));
	EXPECT_TRUE(still_works(&self->q));
}

TEST_F(area, rights_can_be_given_up_and_taken_again)
{
	ASSERT_EQ(0, mprotect(self->q.ctl, PAGE_SIZE, PROT_READ));
	ASSERT_EQ(0, mprotect(self->q.ctl, PAGE_SIZE, PROT_READ | PROT_WRITE));
	self->q.ctl->flags = 0;
	ASSERT_EQ(0, mprotect((void *)self->q.ring, PAGE_SIZE, PROT_NONE));
	ASSERT_EQ(0, mprotect((void *)self->q.ring, PAGE_SIZE, PROT_READ));
	EXPECT_EQ(ENTRIES, self->q.ring->entries);
}

TEST_F(area, proc_mem_cannot_write_into_the_ring)
{
	__u32 value = 0xffffffff;
	int mem = open("/proc/self/mem", O_RDWR);
	long ret;

	if (mem < 0)
		SKIP(return, "no /proc/self/mem: %s", strerror(errno));
	ret = pwrite(mem, &value, sizeof(value), addr(&self->q.ring->entries));
	EXPECT_GT(0, ret);
	EXPECT_EQ(ENTRIES, self->q.ring->entries);
	EXPECT_TRUE(still_works(&self->q));
	close(mem);
}

/* --- mappings that change (B66) ------------------------------------------------- */

TEST_F(area, mapping_cannot_grow)
{
	size_t size = self->q.setup.ring_size;

	EXPECT_EQ(MAP_FAILED, mremap((void *)self->q.ring, size, size + PAGE_SIZE, 0));
	EXPECT_EQ(MAP_FAILED, mremap((void *)self->q.ring, size, 2 * size, MREMAP_MAYMOVE));
	EXPECT_EQ(MAP_FAILED, mremap(self->q.ctl, PAGE_SIZE, 2 * PAGE_SIZE, MREMAP_MAYMOVE));
	EXPECT_EQ(ENTRIES, self->q.ring->entries);
	EXPECT_TRUE(still_works(&self->q));
}

TEST_F(area, mapping_can_move_or_stay)
{
	size_t size = self->q.setup.ring_size;
	void *goal = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *moved = mremap((void *)self->q.ring, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, goal);

	if (moved != MAP_FAILED)
		self->q.ring = moved;
	EXPECT_EQ(ENTRIES, self->q.ring->entries);
	EXPECT_TRUE(still_works(&self->q));
	EXPECT_EQ(1U, self->q.ring->tail);
}

TEST_F(area, mapping_cannot_be_doubled_by_mremap)
{
	size_t size = self->q.setup.ring_size;

	EXPECT_EQ(MAP_FAILED, mremap((void *)self->q.ring, 0, size, MREMAP_MAYMOVE));
#ifdef MREMAP_DONTUNMAP
	EXPECT_EQ(MAP_FAILED, mremap((void *)self->q.ring, size, size,
				     MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL));
#endif
	EXPECT_EQ(ENTRIES, self->q.ring->entries);
}

TEST_F(area, parts_can_be_unmapped)
{
	char *ring = (char *)self->q.ring;
	size_t size = self->q.setup.ring_size;

	ASSERT_LT(4 * PAGE_SIZE, size);
	ASSERT_EQ(0, munmap(ring + 2 * PAGE_SIZE, PAGE_SIZE));
	EXPECT_TRUE(still_works(&self->q));
	EXPECT_EQ(1U, self->q.ring->tail);
	ASSERT_EQ(0, munmap(ring, PAGE_SIZE));
	EXPECT_TRUE(still_works(&self->q));
	EXPECT_EQ(0, ring[size - 1]);
	ASSERT_EQ(0, munmap(ring, size));
	self->q.ring = NULL;
	EXPECT_TRUE(still_works(&self->q));
}

/* B79: the producer does not depend on any mapping. */
static void *map_and_unmap(void *data)
{
	struct queue again = *(struct queue *)data;

	for (unsigned int i = 0; i < rounds(300); i++) {
		if (queue_map(&again))
			return (void *)1;
		queue_unmap(&again);
	}
	return NULL;
}

TEST_F(area, mapping_comes_and_goes_while_timers_expire)
{
	struct twheel_record rec[64];
	pthread_t thread;
	void *failed;

	ASSERT_EQ(0, pthread_create(&thread, NULL, map_and_unmap, &self->q));
	for (unsigned int i = 0; i < rounds(200); i++) {
		for (int t = 0; t < 4; t++) {
			ASSERT_NE(0ULL, arm_rel(self->fd, 20 * USEC, t));
		}
		ASSERT_EQ(4U, collect(self->fd, rec, 4));
	}
	pthread_join(thread, &failed);
	EXPECT_EQ(NULL, failed);
}

/* B58 */
TEST_F(area, mapping_outlives_the_descriptor)
{
	char *noise;

	ASSERT_NE(0ULL, arm(self->fd, 1, 1234));
	close(self->fd);
	self->q.fd = -1;
	noise = mmap(NULL, 64 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	ASSERT_NE(MAP_FAILED, noise);
	memset(noise, 0xee, 64 * PAGE_SIZE);
	EXPECT_EQ(1U, self->q.ring->tail);
	EXPECT_EQ(ENTRIES, self->q.ring->entries);
	EXPECT_EQ(1234ULL, self->q.records[0].user_data);
	self->q.ctl->head = 1;
	EXPECT_EQ(1U, self->q.ctl->head);
}

/* The mapping is a reference to the queue: timers go on, and are seen. */
TEST_F(area, timers_expire_into_a_mapping_without_descriptor)
{
	__u64 give_up = mono() + GIVE_UP_MS * MSEC;
	struct twheel_record rec;

	ASSERT_NE(0ULL, arm_rel(self->fd, 10 * MSEC, 9));
	close(self->fd);
	self->q.fd = -1;
	while (!ring_take(&self->q, &rec)) {
		ASSERT_GE(give_up, mono());
		sleep_ns(MSEC);
	}
	EXPECT_EQ(9ULL, rec.user_data);
}

TEST_F(area, mapping_is_not_inherited)
{
	EXPECT_FALSE(accessible(self->q.ring, false));
	EXPECT_FALSE(accessible(self->q.ctl, true));
	EXPECT_EQ(ENTRIES, self->q.ring->entries);
	EXPECT_TRUE(still_works(&self->q));
}

/* Whoever gives pages of a mapping away may lose them, but nothing else. */
TEST_F(area, madvise_does_the_queue_no_harm)
{
	madvise((void *)self->q.ring, self->q.setup.ring_size, MADV_DOFORK);
	madvise(self->q.ctl, self->q.setup.ctl_size, MADV_DOFORK);
	accessible(self->q.ctl, true);
	madvise((void *)self->q.ring, self->q.setup.ring_size, MADV_DONTNEED);
	madvise(self->q.ctl, self->q.setup.ctl_size, MADV_DONTNEED);
	queue_unmap(&self->q);
	ASSERT_EQ(0, queue_map(&self->q));
	EXPECT_EQ(ENTRIES, self->q.ring->entries);
	EXPECT_TRUE(still_works(&self->q));
}

/* The kernel writes through its own mapping into the same page: a buffer in ctl. */
TEST_F(area, ctl_may_be_the_buffer_of_a_call)
{
	struct twheel_op *op = (void *)((char *)self->q.ctl + 1024);

	*op = op_arm(TIME_MAX, 1);
	EXPECT_EQ(0, run_op(self->fd, op));
	EXPECT_EQ(TWHEEL_PENDING, state(self->fd, op->id));
}

TEST_F(area, ring_as_result_buffer_is_efault)
{
	struct twheel_op *op = (void *)((char *)self->q.ring + PAGE_SIZE);

	ASSERT_NE(0ULL, arm(self->fd, 1, 5));
	EXPECT_EQ(-EFAULT, submit(self->fd, op, 1));
	EXPECT_EQ(-EFAULT, result_of(read(self->fd, op, sizeof(struct twheel_record))));
	EXPECT_EQ(1ULL, stats(self->fd).armed);
	EXPECT_EQ(1ULL, stats(self->fd).unread);
}

TEST_HARNESS_MAIN
