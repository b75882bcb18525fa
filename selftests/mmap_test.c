// SPDX-License-Identifier: GPL-2.0-only
/*
 * The areas of a queue: which can be mapped, with which rights, and what becomes
 * of a mapping that is changed, split, moved, inherited, or outlives the descriptor.
 */
#include "common.h"
#include "common/fixtures.h"

#include <signal.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

#define ENTRIES 1024	/* so that the ring area has many pages */

MAPPED_FIXTURE(area, ENTRIES)

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

/* --- lengths and offsets ------------------------------------------------ */

/* B75 */
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

/* Whether offset and length name an area, or the beginning of one. */
static bool is_area(const struct twheel_setup *s, __u64 offset, __u64 length)
{
	__u64 size = 0;

	if (offset == s->ring_offset)
		size = s->ring_size;
	else if (offset == s->ctl_offset)
		size = s->ctl_size;
	return length && length <= ((size + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1ULL));
}

/* Map, read all of it, and unmap. */
static long map_and_read(int fd, __u64 offset, __u64 length)
{
	long p = map(fd, offset, length, PROT_READ, MAP_SHARED);

	if (p < 0 && p >= -4095)
		return p;
	for (__u64 i = 0; i < length; i++)
		(void)((volatile char *)p)[i];
	return munmap((void *)p, length);
}

/* B75: no other pair of offset and length can be mapped, all of what can is there. */
TEST_F(area, only_areas_and_their_beginnings_can_be_mapped)
{
	const struct twheel_setup *s = &self->q.setup;
	const __u64 lengths[] = {
		0, 1, PAGE_SIZE - 1, PAGE_SIZE, PAGE_SIZE + 1, s->ring_size - 1, s->ring_size,
		s->ring_size + 1, s->ring_size + PAGE_SIZE, 2 * s->ring_size, 1ULL << 30,
		1ULL << 40, 1ULL << 47,
	};
	const __u64 offsets[] = {
		s->ring_offset, s->ring_offset + PAGE_SIZE,
		s->ring_offset + s->ring_size - PAGE_SIZE, s->ring_offset + s->ring_size,
		s->ctl_offset - PAGE_SIZE, s->ctl_offset, s->ctl_offset + PAGE_SIZE,
		s->words_offset, 1ULL << 40, 0x7ffffffffffff000ULL, -(__u64)s->ring_size,
		-(__u64)PAGE_SIZE,
	};

	for (size_t i = 0; i < ARRAY_SIZE(offsets) * ARRAY_SIZE(lengths); i++) {
		__u64 offset = offsets[i / ARRAY_SIZE(lengths)];
		__u64 length = lengths[i % ARRAY_SIZE(lengths)];
		long ret = map_and_read(self->fd, offset, length);

		/* Lengths and sums that no file can have the kernel refuses itself. */
		if (is_area(s, offset, length) || length <= 1ULL << 30) {
			EXPECT_TRUE(ret == (is_area(s, offset, length) ? 0 : -EINVAL) ||
				    (ret == -EOVERFLOW && offset > 1ULL << 62))
				TH_LOG("%llu bytes at %llx: %ld", length, offset, ret);
		} else {
			EXPECT_TRUE(ret == -EINVAL || ret == -ENOMEM || ret == -EOVERFLOW)
				TH_LOG("%llu bytes at %llx: %ld", length, offset, ret);
		}
	}
	EXPECT_TRUE(still_works(&self->q));
}

TEST_F(area, offset_that_is_no_page_is_einval)
{
	REFUSED(-EINVAL, self->q.setup.ring_offset + 1, PAGE_SIZE, PROT_READ, MAP_SHARED);
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

/* --- rights ----------------------------------------------------------- */

/* B71 */
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

/* B74 */
TEST_F(area, private_mapping_is_einval)
{
	const struct twheel_setup *s = &self->q.setup;

	REFUSED(-EINVAL, s->ring_offset, PAGE_SIZE, PROT_READ, MAP_PRIVATE);
	REFUSED(-EINVAL, s->ctl_offset, PAGE_SIZE, PROT_READ, MAP_PRIVATE);
	REFUSED(-EINVAL, s->ctl_offset, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE);
}

/* B71 */
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

/* B71 */
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

/* --- mappings that change ------------------------------------------------- */

/* What mremap() does to a mapping: moved, or refused and the mapping as it was. */
static int remap_all_ways(char **at, size_t size)
{
	char *goal = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *moved = mremap(*at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, goal);
	int wrong = 0;

	if (moved != MAP_FAILED)
		*at = moved;
	wrong += mremap(*at, size, size, 0) != *at;
	wrong += mremap(*at, size, size + PAGE_SIZE, 0) != MAP_FAILED;
	wrong += mremap(*at, size, 2 * size, MREMAP_MAYMOVE) != MAP_FAILED;
	wrong += mremap(*at, 0, size, MREMAP_MAYMOVE) != MAP_FAILED;
#ifdef MREMAP_DONTUNMAP
	wrong += mremap(*at, size, size, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL) != MAP_FAILED;
#endif
	return wrong;
}

/* Shrink a mapping, make a hole in it, and unmap the two parts in this order or that. */
static int take_apart(char *at, size_t size, bool last_first)
{
	char *end = mremap(at, size, size - PAGE_SIZE, 0) == at ? at + size - PAGE_SIZE : NULL;
	int wrong = !end;

	wrong += !!munmap(at + PAGE_SIZE, PAGE_SIZE);
	wrong += mremap(at, PAGE_SIZE, 2 * PAGE_SIZE, 0) != MAP_FAILED;
	if (last_first)
		wrong += !!munmap(at + 2 * PAGE_SIZE, end - at - 2 * PAGE_SIZE);
	wrong += !!munmap(at, PAGE_SIZE);
	if (!last_first)
		wrong += !!munmap(at + 2 * PAGE_SIZE, end - at - 2 * PAGE_SIZE);
	return wrong;
}

/* All that, with each area; records go on in between.  How much went wrong. */
static int change_all_mappings(struct queue *q, bool last_first)
{
	const struct twheel_setup *s = &q->setup;
	char *words;
	int wrong = 0;

	if (queue_map(q))
		return 1;
	wrong += remap_all_ways((char **)&q->ring, s->ring_size);
	wrong += remap_all_ways((char **)&q->ctl, s->ctl_size);
	wrong += !still_works(q) + (q->ring->entries != ENTRIES) + (q->ctl->head != q->ring->tail);
	words = (char *)words_map(q);
	wrong += remap_all_ways(&words, s->words_size);
	wrong += !((__u64 *)words)[(__u32)arm_keep(q->fd, TIME_MAX, 1)];
	wrong += take_apart(words, s->words_size, last_first);
	wrong += take_apart((char *)q->ring, s->ring_size, last_first);
	wrong += !still_works(q);
	wrong += munmap(q->ctl, s->ctl_size) + !still_works(q);
	q->ring = NULL;
	q->ctl = NULL;
	return wrong;
}

/* B66: here and in a child; what the child does not inherit it cannot change. */
TEST(mappings_are_changed_in_all_ways)
{
	struct queue q = { .setup = setup_of(CLOCK_MONOTONIC, ENTRIES) };
	long users = module_users();
	int status = -1;

	q.setup.flags = TWHEEL_SETUP_WORDS;
	q.setup.max_timers = 4096;
	ASSERT_EQ(0, queue_open_with(&q));
	EXPECT_EQ(0, change_all_mappings(&q, false));
	EXPECT_EQ(0, change_all_mappings(&q, true));
	ASSERT_EQ(0, queue_map(&q));
	if (!fork()) {
		if (mremap((void *)q.ring, PAGE_SIZE, PAGE_SIZE, MREMAP_MAYMOVE) != MAP_FAILED)
			_exit(99);
		_exit(change_all_mappings(&q, false) + change_all_mappings(&q, true));
	}
	wait(&status);
	EXPECT_EQ(0, status);
	EXPECT_EQ(ENTRIES, q.ring->entries);
	EXPECT_TRUE(still_works(&q));
	queue_close(&q);
	EXPECT_EQ(users, module_users());
}

/* A thread that maps and unmaps at full speed. */
struct mapper {
	pthread_t thread;
	struct queue q;
	atomic_bool stop;
	unsigned int times, failed;
};

static void *map_and_unmap(void *data)
{
	struct mapper *m = data;

	for (; !atomic_load(&m->stop); m->times++) {
		if (queue_map(&m->q)) {
			m->failed++;
			break;
		}
		queue_unmap(&m->q);
	}
	return NULL;
}

/*
 * B79: the producer does not depend on any mapping.  The consumer has none most of
 * the time; in each new mapping the records go on where they ended in the last.
 */
TEST_F(area, mapping_comes_and_goes_while_timers_expire)
{
	__u64 give_up = mono() + GIVE_UP_MS * MSEC, next = 0;
	struct mapper m = { .q = self->q };
	struct twheel_op ops[100];

	queue_unmap(&self->q);
	ASSERT_EQ(0, pthread_create(&m.thread, NULL, map_and_unmap, &m));
	for (unsigned int i = 0; i < rounds(30); i++) {
		for (int t = 0; t < 100; t++)
			ops[t] = op_arm_rel(1 + t * 20 * USEC, i * 100 + t);
		ASSERT_EQ(100, submit(self->fd, ops, 100));
		while (next < (i + 1) * 100) {
			struct twheel_record rec;

			ASSERT_GE(give_up, mono());
			ASSERT_EQ(0, queue_map(&self->q));
			while (ring_take(&self->q, &rec)) {
				ASSERT_EQ(next, rec.user_data);
				next++;
			}
			queue_unmap(&self->q);
		}
	}
	atomic_store(&m.stop, true);
	pthread_join(m.thread, NULL);
	EXPECT_EQ(0U, m.failed);
	TH_LOG("mapped %u times", m.times);
}

/* Take what memory is free for a moment, and leave a pattern in it. */
static void fill_memory(size_t size)
{
	char *noise = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (noise == MAP_FAILED)
		_exit(1);
	memset(noise, 0xee, size);
	_exit(0);
}

/* Areas that the module has mapped for itself. */
static int areas_of_the_module(void)
{
	static char text[1 << 18];
	int fd = open("/proc/vmallocinfo", O_RDONLY), n = 0;
	size_t size = 0;
	ssize_t got;

	while ((got = read(fd, text + size, sizeof(text) - 1 - size)) > 0)
		size += got;
	close(fd);
	text[size] = '\0';
	for (char *p = text; (p = strstr(p, "tw_area_init")); p++)
		n++;
	return n;
}

/* B58: all of it shows what it showed, whoever takes memory; then it is given back. */
TEST_F(area, mapping_outlives_the_descriptor)
{
	size_t size = self->q.setup.ring_size;
	int areas = areas_of_the_module(), status = -1;
	char *before = malloc(size);

	ASSERT_LE(2, areas);
	for (int i = 0; i < ENTRIES; i++) {
		ASSERT_NE(0ULL, arm(self->fd, 1, 0x1234567800000000ULL + i));
	}
	memcpy(before, self->q.ring, size);
	close(self->fd);
	self->q.fd = -1;
	if (!fork())
		fill_memory(64 << 20);
	wait(&status);
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, memcmp(before, self->q.ring, size));
	self->q.ctl->head = 7;
	EXPECT_EQ(7U, self->q.ctl->head);
	EXPECT_EQ(areas, areas_of_the_module());
	queue_unmap(&self->q);
	EXPECT_EQ(areas - 2, areas_of_the_module());
	free(before);
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
