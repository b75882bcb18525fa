// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that lies: it writes where it must not, and changes memory while the
 * kernel reads it.  The kernel copies everything once and decides from the copy, so
 * the damage stays within the program's own queue.
 *
 * False values of head are in ring_test.c, false words in words_test.c, an op that
 * changes while it is read in submit_test.c.
 */
#include "common.h"
#include "common/fixtures.h"

#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

#define ENTRIES	8

MAPPED_FIXTURE(hostile, ENTRIES)

/* --- what must not be written ------------------------------------------------- */

/* Each way to write to a page that is mapped for reading, and what it returns. */
static long write_by_proc_mem(void *at, __u32 value)
{
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	long ret = mem < 0 ? -errno : result_of(pwrite(mem, &value, sizeof(value), addr(at)));

	close(mem);
	return ret;
}

static long write_by_vm_writev(void *at, __u32 value)
{
	struct iovec from = { &value, sizeof(value) }, to = { at, sizeof(value) };

	return result_of(process_vm_writev(getpid(), &from, 1, &to, 1, 0));
}

static long write_by_read(void *at, __u32 value)
{
	int ends[2];
	long ret;

	if (pipe(ends) || write(ends[1], &value, sizeof(value)) != sizeof(value))
		abort();
	ret = result_of(read(ends[0], at, sizeof(value)));
	close(ends[0]);
	close(ends[1]);
	return ret;
}

/* n records through a ring of ENTRIES: each in its place, read from there. */
static void records_land_in_their_places(struct __test_metadata *_metadata, struct queue *q,
					 unsigned int n)
{
	struct twheel_op ops[ENTRIES];

	for (unsigned int first = 0; first < n; first += ENTRIES) {
		__u32 tail = q->ring->tail;

		for (unsigned int i = 0; i < ENTRIES; i++)
			ops[i] = op_arm(1 + first + i, first + i);
		ASSERT_EQ(ENTRIES, submit(q->fd, ops, ENTRIES));
		ASSERT_EQ(tail + ENTRIES, q->ring->tail);
		for (unsigned int i = 0; i < ENTRIES; i++) {
			ASSERT_EQ(first + i, q->records[(tail + i) % ENTRIES].user_data);
		}
		q->ctl->head = q->ring->tail;
	}
}

/*
 * B73: the size that the kernel shows cannot be changed, in no way, and nothing that
 * the program can write looks like one to the kernel.
 */
TEST_F(hostile, size_of_the_ring_is_the_kernels_own)
{
	const __u32 values[] = { ~0U, 0 };
	void *entries = (void *)&self->q.ring->entries;

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		EXPECT_GT(0, write_by_proc_mem(entries, values[i]));
		EXPECT_EQ(-EFAULT, write_by_vm_writev(entries, values[i]));
		EXPECT_EQ(-EFAULT, write_by_read(entries, values[i]));
		memset(self->q.ctl->resv, values[i],
		       self->q.setup.ctl_size - offsetof(struct twheel_ctl, resv));
		records_land_in_their_places(_metadata, &self->q, rounds(10000));
		EXPECT_EQ(ENTRIES, self->q.ring->entries);
	}
}

/* A child that maps the ring where its parent has it, and is traced by the parent. */
static void be_traced(const struct queue *q)
{
	if (mmap((void *)q->ring, q->setup.ring_size, PROT_READ, MAP_SHARED | MAP_FIXED,
		 q->fd, q->setup.ring_offset) != q->ring)
		_exit(1);
	if (ptrace(PTRACE_TRACEME, 0, 0, 0))
		_exit(2);
	raise(SIGSTOP);
	_exit(q->ring->entries == ENTRIES && q->ring->tail == 0 ? 0 : 3);
}

/* B71: a debugger has no other rights. */
TEST_F(hostile, debugger_cannot_write_into_the_ring)
{
	pid_t child = fork();
	int status;

	if (!child)
		be_traced(&self->q);
	ASSERT_EQ(child, waitpid(child, &status, WUNTRACED));
	ASSERT_TRUE(WIFSTOPPED(status));
	errno = 0;
	EXPECT_EQ(ENTRIES, (__u32)ptrace(PTRACE_PEEKDATA, child, &self->q.ring->entries, 0));
	EXPECT_EQ(0, errno);
	EXPECT_EQ(-EIO, result_of(ptrace(PTRACE_POKEDATA, child, &self->q.ring->entries, -1L)));
	EXPECT_EQ(-EIO, result_of(ptrace(PTRACE_POKEDATA, child, &self->q.ring->tail, -1L)));
	ptrace(PTRACE_CONT, child, 0, 0);
	waitpid(child, &status, 0);
	EXPECT_EQ(0, status);
	EXPECT_EQ(ENTRIES, self->q.ring->entries);
}

/* B70: a head that skips unread records is believed; what is lost is the program's own. */
TEST_F(hostile, head_that_skips_records_loses_these_only)
{
	struct twheel_record rec;
	struct queue other;

	ASSERT_EQ(0, queue_open(&other, CLOCK_MONOTONIC, ENTRIES));
	for (int i = 0; i < ENTRIES; i++) {
		ASSERT_NE(0ULL, arm(self->fd, 1 + i, i));
		ASSERT_NE(0ULL, arm(other.fd, 1 + i, i));
	}
	self->q.ctl->head = self->q.ring->tail - 1;
	EXPECT_EQ(1ULL, stats(self->fd).unread);
	ASSERT_EQ(1, read_records(self->fd, &rec, 1));
	EXPECT_EQ(ENTRIES - 1ULL, rec.user_data);
	for (int i = 0; i < ENTRIES; i++) {
		ASSERT_EQ(1, read_records(other.fd, &rec, 1));
		EXPECT_EQ((__u64)i, rec.user_data);
	}
	queue_close(&other);
}

/* --- what changes while it is read ---------------------------------------------------- */

enum { MEANT = 3, ROOM = 8 };

/* The argument of SUBMIT, and two arrays that it may point to. */
struct shifty {
	struct twheel_submit arg;
	struct twheel_op ops[2][ROOM];
	atomic_bool stop;
};

static void *shift_submit(void *data)
{
	struct shifty *s = data;
	volatile struct twheel_submit *arg = &s->arg;

	while (!atomic_load(&s->stop)) {
		arg->count = ~0U;
		arg->ops = addr(s->ops[1]);
		arg->flags = 1;
		s->ops[0][1].deadline = ~0ULL;
		arg->count = MEANT;
		arg->flags = 0;
		arg->size = 8;
		s->ops[0][1].deadline = TIME_MAX;
		arg->ops = 8;
		arg->size = sizeof(*arg);
		arg->ops = addr(s->ops[0]);
	}
	return NULL;
}

/* How many ops of an array have run; only the first ones may, and not one too many. */
static unsigned int ran_in(struct __test_metadata *_metadata, const struct twheel_op *ops)
{
	unsigned int n = 0;

	while (n < ROOM && ops[n].result != POISON32)
		n++;
	for (unsigned int i = n; i < ROOM; i++) {
		ASSERT_EQ(POISON32, ops[i].result);
	}
	ASSERT_GE(MEANT, n);
	return n;
}

/* B76: either the call is refused, or all of it is from one reading. */
TEST_F(hostile, submit_that_changes_meanwhile_is_read_once)
{
	static struct shifty s;
	unsigned int n = rounds(3000), accepted = 0, armed = 0;
	pthread_t thread;

	NEEDS_THREADS();
	s.arg = (struct twheel_submit){
		.size = sizeof(s.arg), .ops = addr(s.ops[0]), .count = MEANT,
	};
	ASSERT_EQ(0, pthread_create(&thread, NULL, shift_submit, &s));
	for (unsigned int i = 0; i < n; i++) {
		unsigned int ran[2];
		long ret;

		for (int k = 0; k < 2 * ROOM; k++)
			s.ops[k / ROOM][k % ROOM] = op_arm(TIME_MAX, k);
		ret = tw_ioctl(self->fd, TWHEEL_IOC_SUBMIT, &s.arg);
		ASSERT_TRUE(ret == MEANT || ret == -EINVAL || ret == -EFAULT) {
			TH_LOG("SUBMIT gave %ld", ret);
		}
		for (int k = 0; k < 2; k++)
			ran[k] = ran_in(_metadata, s.ops[k]);
		ASSERT_EQ(ret == MEANT ? MEANT : 0U, ran[0] + ran[1]);
		ASSERT_TRUE(!ran[0] || !ran[1]);
		accepted += ret == MEANT;
		for (int k = 0; k < 2 * ROOM; k++)
			armed += !s.ops[k / ROOM][k % ROOM].result;
	}
	atomic_store(&s.stop, true);
	pthread_join(thread, NULL);
	TH_LOG("%u of %u accepted", accepted, n);
	EXPECT_EQ(armed, stats(self->fd).pending);
}

/*
 * Between two sizes and two clocks that are right, and some that are not.  They
 * differ in one byte, because a copy may be made byte by byte.
 */
struct shifty_setup {
	struct twheel_setup arg;
	atomic_bool stop;
};

static void *shift_setup(void *data)
{
	struct shifty_setup *s = data;
	volatile struct twheel_setup *arg = &s->arg;

	while (!atomic_load(&s->stop)) {
		arg->ring_entries = 0;
		arg->clockid = 99;
		arg->ring_entries = 64;
		arg->clockid = CLOCK_REALTIME;
		arg->flags = 1U << 31;
		arg->ring_entries = 1;
		arg->clockid = CLOCK_MONOTONIC;
		arg->flags = 0;
	}
	return NULL;
}

/* The ring's size is the one that is mapped, its clock one of the two. */
static bool is_whole(struct __test_metadata *_metadata, int fd)
{
	struct twheel_ring *ring = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	__u64 since = now(CLOCK_REALTIME) - HOUR, time = stats(fd).now, later = mono(), id;
	__u32 entries = 0;

	if (ring != MAP_FAILED) {
		entries = ring->entries;
		munmap(ring, PAGE_SIZE);
	}
	id = arm(fd, 1, 1);
	if ((entries == 1 || entries == 64) && (time > since || time <= later) && id)
		return true;
	TH_LOG("%u entries, at %llu, id %#llx", entries, time, id);
	return false;
}

/* B76 */
TEST_F(hostile, setup_that_changes_meanwhile_is_read_once)
{
	struct shifty_setup s = { 0 };
	unsigned int n = rounds(500), accepted = 0;
	pthread_t thread;

	NEEDS_THREADS();
	ASSERT_EQ(0, pthread_create(&thread, NULL, shift_setup, &s));
	for (unsigned int i = 0; i < n; i++) {
		int fd = device_open();
		long ret;

		ASSERT_LE(0, fd);
		s.arg = setup_of(CLOCK_MONOTONIC, 1);
		ret = tw_ioctl(fd, TWHEEL_IOC_SETUP, &s.arg);
		ASSERT_TRUE(!ret || ret == -EINVAL) {
			TH_LOG("SETUP gave %ld", ret);
		}
		ASSERT_TRUE(ret || is_whole(_metadata, fd));
		accepted += !ret;
		close(fd);
	}
	atomic_store(&s.stop, true);
	pthread_join(thread, NULL);
	TH_LOG("%u of %u accepted", accepted, n);
}

TEST_HARNESS_MAIN
