// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * twheel_consume() on a ring in ordinary memory, where a thread plays the kernel.
 *
 * The kernel thread writes numbered records, never more than the ring can hold;
 * the consumers take them at different speeds.  Every number has to arrive once,
 * whole, and at each consumer in rising order.  head and tail begin shortly before
 * 2^32, so they wrap.  The rest is what a broken head does.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <twheel.h>

#define ENTRIES		64
#define RECORDS		400000
#define CONSUMERS	4
#define CENTURY		(100 * 31556952LL * 1000000000)
#define START		(0U - 1000)

static struct twheel_ring ring;
static struct twheel_record records[ENTRIES] __attribute__((aligned(8)));
static struct twheel_ctl ctl;
static struct twheel tw = {
	.ring = &ring, .records = records, .ctl = &ctl, .mask = ENTRIES - 1,
};

static unsigned char seen[RECORDS];
static unsigned int total;

#define CHECK(condition)						\
	do {								\
		if (!(condition)) {					\
			printf("ring_test: line %d: %s\n", __LINE__, #condition); \
			exit(1);					\
		}							\
	} while (0)

static void reset(__u32 position)
{
	memset(&ring, 0, sizeof(ring));
	memset(&ctl, 0, sizeof(ctl));
	ring.tail = position;
	ctl.head = position;
}

static void store(__u64 *to, __u64 value)
{
	twheel_aligned_u64 *aligned = to;

	__atomic_store_n(aligned, value, __ATOMIC_RELAXED);
}

/* The kernel's side: A is the release of tail, and head is read with acquire. */
static void produce(__u32 number)
{
	__u32 tail = ring.tail;
	struct twheel_record *r = &records[tail & tw.mask];

	while (tail - twheel_load_acquire(&ctl.head) == ENTRIES)
		sched_yield();
	store(&r->user_data, number);
	store(&r->id, ~(__u64)number);
	store(&r->deadline, number * 3ULL);
	__atomic_store_n(&r->lateness, number ^ 0x5555, __ATOMIC_RELAXED);
	__atomic_store_n(&r->missed, number + 7, __ATOMIC_RELAXED);
	__atomic_store_n(&ring.tail, tail + 1, __ATOMIC_RELEASE);	/* A */
}

static void *kernel_thread(void *unused)
{
	for (__u32 i = 0; i < RECORDS; i++)
		produce(i);
	return unused;
}

static void check_record(const struct twheel_record *r)
{
	__u32 number = (__u32)r->user_data;

	CHECK(r->user_data < RECORDS);
	CHECK(r->id == ~(__u64)number);
	CHECK(r->deadline == number * 3ULL);
	CHECK(r->lateness == (number ^ 0x5555));
	CHECK(r->missed == number + 7);
	CHECK(__atomic_fetch_add(&seen[number], 1, __ATOMIC_RELAXED) == 0);
}

static void *consumer_thread(void *argument)
{
	unsigned int most = *(unsigned int *)argument;
	struct twheel_record got[ENTRIES];
	__s64 last = -1;

	while (__atomic_load_n(&total, __ATOMIC_RELAXED) < RECORDS) {
		int count = twheel_consume(&tw, got, most);

		CHECK(count >= 0 && (unsigned int)count <= most);
		for (int i = 0; i < count; i++) {
			check_record(&got[i]);
			CHECK((__s64)got[i].user_data > last);
			last = (__s64)got[i].user_data;
		}
		__atomic_fetch_add(&total, (unsigned int)count, __ATOMIC_RELAXED);
		if (!count)
			sched_yield();
	}
	return NULL;
}

static void test_consumers(void)
{
	static unsigned int most[CONSUMERS] = { 1, 3, 16, ENTRIES };
	pthread_t kernel, consumers[CONSUMERS];

	reset(START);
	CHECK(!pthread_create(&kernel, NULL, kernel_thread, NULL));
	for (int i = 0; i < CONSUMERS; i++)
		CHECK(!pthread_create(&consumers[i], NULL, consumer_thread, &most[i]));
	for (int i = 0; i < CONSUMERS; i++)
		pthread_join(consumers[i], NULL);
	pthread_join(kernel, NULL);
	CHECK(total == RECORDS);
	CHECK(ctl.head == START + RECORDS);
	CHECK(twheel_available(&tw) == 0);
}

static void test_empty_and_full(void)
{
	struct twheel_record got[ENTRIES + 1];

	reset(START);
	CHECK(twheel_consume(&tw, got, 1) == 0);
	for (__u32 i = 0; i < ENTRIES; i++)
		produce(i);
	CHECK(twheel_available(&tw) == ENTRIES);
	CHECK(twheel_consume(&tw, got, 0) == 0);
	CHECK(twheel_consume(&tw, got, 5) == 5 && got[4].user_data == 4);
	CHECK(twheel_consume(&tw, got, ENTRIES + 1) == ENTRIES - 5);
	CHECK(got[0].user_data == 5);
	CHECK(twheel_consume(&tw, got, 1) == 0);
}

/* A head that makes no sense is an error, and is left as it is. */
static void test_broken_head(void)
{
	struct twheel_record got[1];

	reset(1000);
	ctl.head = 1001;
	CHECK(twheel_consume(&tw, got, 1) == -EPROTO && ctl.head == 1001);
	CHECK(twheel_available(&tw) <= ENTRIES);
	ctl.head = 1000 - ENTRIES - 1;
	CHECK(twheel_consume(&tw, got, 1) == -EPROTO);
	ctl.head = 1000 - ENTRIES;
	CHECK(twheel_consume(&tw, got, 1) == 1);
}

/* prepare_wait asks for signals again, whether there is a record or not. */
static void test_no_signal(void)
{
	reset(0);
	twheel_no_signal(&tw);
	CHECK(ctl.flags == TWHEEL_CTL_NO_SIGNAL);
	CHECK(twheel_prepare_wait(&tw) == 0 && ctl.flags == 0);
	twheel_no_signal(&tw);
	produce(0);
	CHECK(twheel_prepare_wait(&tw) == 1 && ctl.flags == 0);
	CHECK(twheel_wait(&tw, -1) == 1);
}

static void wake_up(int unused)
{
	(void)unused;
}

/* A wait of a century lasts, also where time_t has 32 bits. */
static void test_long_wait(void)
{
	const struct itimerval soon = { .it_value.tv_usec = 20000 };

	reset(0);
	tw.fd = -1;
	signal(SIGALRM, wake_up);
	CHECK(!setitimer(ITIMER_REAL, &soon, NULL));
	CHECK(twheel_wait(&tw, CENTURY) == -EINTR);
}

/* Errors are returned; errno and the outputs stay as they are. */
static void test_errors(void)
{
	struct twheel_config config = { .size = 2 };
	unsigned char big[sizeof(config) + 8] = { sizeof(big) };
	struct twheel none = { .fd = -1, .setup.max_batch = 1 };
	struct twheel_stats stats = { .now = 42 };
	struct twheel_op op = { 0 };
	int err = ioctl(-1, TWHEEL_IOC_FLUSH, 0) ? -errno : 0;	/* an emulator's may differ */

	errno = 1234;
	CHECK(twheel_open(&none, &config) == -EINVAL);
	big[sizeof(big) - 1] = 1;
	CHECK(twheel_open(&none, (void *)big) == -E2BIG);
	CHECK(err && twheel_submit(&none, &op, 1) == err);
	CHECK(twheel_stats(&none, &stats) == err && stats.now == 42);
	CHECK(twheel_consume(&none, NULL, 0) == 0);
	CHECK(errno == 1234);
	twheel_close(&none);
	twheel_close(&none);
}

int main(void)
{
	test_empty_and_full();
	test_broken_head();
	test_no_signal();
	test_long_wait();
	test_errors();
	test_consumers();
	printf("ring_test: %d records, %d consumers, each record once\n", RECORDS, CONSUMERS);
	return 0;
}
