// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load and unload: while others open the device, right after timers have run, and
 * with an init that fails.  After an unload nothing of the module is left in /dev,
 * /sys and /proc.  After each failure the module can be loaded.
 *
 * Needs root, and the module's file where scripts/vm puts it.  At the end of each
 * test the module is loaded, as it was before, with default parameters.
 */
#include "common.h"
#include "common/fault.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include "kselftest_harness.h"

#define MODULE		"/lib/twheel/twheel.ko"
#define OPENERS		4
#define PERIODIC	1000
#define WATCHERS	100

static long load(const char *parameters)
{
	int fd = open(MODULE, O_RDONLY | O_CLOEXEC);
	long ret;

	if (fd < 0)
		return -errno;
	ret = result_of(syscall(SYS_finit_module, fd, parameters, 0));
	close(fd);
	return ret;
}

/* Somebody may have the device open right now: try for a while. */
static long unload(void)
{
	__u64 give_up = mono() + GIVE_UP_MS * MSEC;
	long ret;

	do {
		ret = result_of(syscall(SYS_delete_module, "twheel", O_NONBLOCK));
	} while ((ret == -EWOULDBLOCK || ret == -EBUSY) && mono() < give_up);
	return ret;
}

static bool file_has(const char *path, const char *word)
{
	static char text[1 << 16];

	return file_get(path, text, sizeof(text)) > 0 && strstr(text, word);
}

/* How many of the places where the module shows are there. */
static int traces_of_it(int *all)
{
	static const char * const paths[] = {
		DEVICE, "/sys/module/twheel", "/sys/class/misc/twheel",
		"/sys/devices/virtual/misc/twheel", "/sys/kernel/tracing/events/twheel",
	};
	int found = file_has("/proc/misc", "twheel") + file_has("/proc/modules", "twheel");

	*all = 2 + ARRAY_SIZE(paths);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		found += !access(paths[i], F_OK);
	return found;
}

static bool nothing_is_left(void)
{
	int all;

	return traces_of_it(&all) == 0;
}

static bool works(void)
{
	struct twheel_record rec;
	struct queue q;
	bool good;
	int all;

	if (traces_of_it(&all) != all || queue_open(&q, CLOCK_MONOTONIC, 8))
		return false;
	good = arm(q.fd, 1, 7) && read_records(q.fd, &rec, 1) == 1 && rec.user_data == 7;
	queue_close(&q);
	return good;
}

FIXTURE(module) {
	bool there;
};

/* Most of a load is waiting for other CPUs; "expedited" they answer at once. */
FIXTURE_SETUP(module)
{
	if (access(MODULE, R_OK))
		SKIP(return, "no " MODULE);
	file_put("/sys/kernel/rcu_expedited", "1");
	load("");
	self->there = works();
	ASSERT_TRUE(self->there);
}

FIXTURE_TEARDOWN(module)
{
	if (!self->there)
		return;
	load("");
	EXPECT_TRUE(works());
	file_put("/sys/kernel/rcu_expedited", "0");
}

/* B60 */
TEST_F(module, comes_and_goes)
{
	for (unsigned int i = 0; i < rounds(30); i++) {
		ASSERT_EQ(0, unload());
		ASSERT_TRUE(nothing_is_left());
		ASSERT_EQ(0, load(""));
		ASSERT_TRUE(works());
	}
	EXPECT_EQ(-EEXIST, load(""));
	EXPECT_TRUE(works());
}

/* B60 */
TEST_F(module, bad_parameter_leaves_nothing)
{
	ASSERT_EQ(0, unload());
	EXPECT_EQ(-EINVAL, load("min_period_ns=soon"));
	EXPECT_TRUE(nothing_is_left());
	ASSERT_EQ(0, load("min_period_ns=200000"));
	EXPECT_EQ(200000ULL, parameter("min_period_ns"));
	EXPECT_TRUE(works());
	ASSERT_EQ(0, unload());
}

#define TRACING		"/sys/kernel/tracing/"
#define INITCALL	TRACING "events/initcall/initcall_start/enable"
#define MANY_POINTS	1000000U
#define STRIDE		10

/* Load while the nth allocation fails.  Returns how many allocations are left of n. */
static unsigned int load_with_fault(int fd, unsigned int nth, long *ret)
{
	long left;

	fault_at(fd, nth);
	*ret = load("");
	left = fault_left(fd);
	fault_at(fd, 0);
	return left < 0 ? 0 : left;
}

/* Whether the module's init has been called; asked again, since this question. */
static bool init_had_begun(void)
{
	bool begun = file_has(TRACING "trace", "initcall_start");

	close(open(TRACING "trace", O_WRONLY | O_TRUNC | O_CLOEXEC));
	return begun;
}

/*
 * B60: allocations of the module's init fail, one at a time.  They are the last ones
 * of a load, so the test goes from the end back to where init had not begun: what
 * fails before that is the kernel's own loader, which warns.  A load takes long, so
 * each run tries some: from a random one on, every STRIDE-th.
 */
TEST_F(module, failures_of_init_leave_nothing)
{
	int fd = fault_open();
	unsigned int nth, refused = 0, points = 0;
	__u64 seed = random_seed();
	long ret;

	if (!fault_possible() || file_put(INITCALL, "1"))
		SKIP(return, "this kernel has no fault injection");
	ASSERT_EQ(0, unload());
	nth = MANY_POINTS - load_with_fault(fd, MANY_POINTS, &ret);
	ASSERT_EQ(0, ret);
	nth -= random_below(&seed, STRIDE);
	for (;; nth -= STRIDE) {
		if (!ret) {
			ASSERT_EQ(0, unload());
		}
		ASSERT_TRUE(nothing_is_left());
		init_had_begun();
		load_with_fault(fd, nth, &ret);
		if (!init_had_begun())
			break;
		refused += !!ret;
		points++;
	}
	TH_LOG("%u allocations failed, %u times the load did", points, refused);
	EXPECT_LT(0U, refused);
	file_put(INITCALL, "0");
	close(fd);
}

struct opener {
	pthread_t thread;
	atomic_bool *stop;
	__u64 seed;
	unsigned int opened, gone, strange;
};

/* A device that cannot be opened is not there; one that can be opened works. */
static void *open_and_close(void *data)
{
	struct opener *o = data;

	while (!atomic_load(o->stop)) {
		struct queue q;
		long ret = queue_open(&q, CLOCK_MONOTONIC, 8);

		if (!ret) {
			o->opened++;
			o->strange += !arm_rel(q.fd, random_below(&o->seed, 100 * USEC), 1);
			queue_close(&q);
		} else if (ret == -ENOENT || ret == -ENXIO || ret == -ENODEV) {
			o->gone++;
		} else {
			o->strange++;
		}
		sleep_ns(random_below(&o->seed, 20 * MSEC));
	}
	return NULL;
}

/* B59 */
TEST_F(module, open_races_with_load_and_unload)
{
	unsigned int opened = 0, gone = 0, n = rounds(60);
	struct opener openers[OPENERS];
	__u64 seed = random_seed();
	atomic_bool stop = false;

	for (int i = 0; i < OPENERS; i++) {
		openers[i] = (struct opener){ .stop = &stop, .seed = seed + i };
		ASSERT_EQ(0, pthread_create(&openers[i].thread, NULL, open_and_close,
					    &openers[i]));
	}
	for (unsigned int i = 0; i < n; i++) {
		ASSERT_EQ(0, unload());
		ASSERT_EQ(0, load(""));
	}
	atomic_store(&stop, true);
	for (int i = 0; i < OPENERS; i++) {
		pthread_join(openers[i].thread, NULL);
		EXPECT_EQ(0U, openers[i].strange);
		opened += openers[i].opened;
		gone += openers[i].gone;
	}
	TH_LOG("%u times opened, %u times not there", opened, gone);
	EXPECT_LT(0U, opened);
	EXPECT_LT(0U, gone);
}

/* An eventfd that many wait for: whoever signals it is busy for a while. */
static int slow_eventfd(int *epolls)
{
	struct epoll_event event = { .events = EPOLLIN };
	int efd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	for (int i = 0; i < WATCHERS; i++) {
		epolls[i] = epoll_create1(EPOLL_CLOEXEC);
		epoll_ctl(epolls[i], EPOLL_CTL_ADD, efd, &event);
	}
	return efd;
}

static bool arm_periodics(const struct queue *q)
{
	static struct twheel_op ops[PERIODIC];

	for (int i = 0; i < PERIODIC; i++) {
		ops[i] = op_arm(mono(), i);
		ops[i].period = q->setup.min_period;
	}
	return submit_all(q, ops, PERIODIC) == PERIODIC;
}

/* B56: each pass is stretched by what hangs on the eventfd. */
TEST_F(module, goes_at_once_after_periodic_timers)
{
	__u64 seed = random_seed();
	int epolls[WATCHERS], efd = slow_eventfd(epolls);

	for (unsigned int i = 0; i < rounds(30); i++) {
		struct queue q;

		ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 8));
		ASSERT_EQ(0, set_eventfd(q.fd, efd));
		ASSERT_TRUE(arm_periodics(&q));
		sleep_ns(random_below(&seed, 2 * MSEC));
		queue_close(&q);
		ASSERT_EQ(0, unload());
		ASSERT_EQ(0, load(""));
	}
	EXPECT_TRUE(readable(efd, 0));
	for (int i = 0; i < WATCHERS; i++)
		close(epolls[i]);
	close(efd);
}

TEST_HARNESS_MAIN
