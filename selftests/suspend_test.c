// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a suspend does to timers: CLOCK_MONOTONIC stands still meanwhile, the other
 * clocks go on, and timers that came due are delivered at the resume, once. Needs
 * root; suspends the machine.
 *
 * Nothing wakes a guest in QEMU from suspend to idle: its clock's alarm is no wake
 * event there. So the tests use the kernel's own test of suspend (/sys/power/pm_test),
 * which does everything as for a real suspend, up to a certain step, and undoes it
 * after a while. For the deep suspend that is all of it, including other CPUs and
 * time-keeping ("core"); for suspend to idle, tasks and devices ("platform").
 */
#include "common.h"

#include "kselftest_harness.h"

#define POWER	"/sys/power/"
#define DELAY	"/sys/module/suspend/parameters/pm_test_delay"

static __u64 suspended(void)
{
	return now(CLOCK_BOOTTIME) - mono();
}

static bool offers(const char *path, const char *word)
{
	char text[128];

	return file_get(path, text, sizeof(text)) > 0 && strstr(text, word);
}

/* Whether the machine has this kind of suspend, and can test it for some seconds. */
static bool prepare(const char *state, const char *test, const char *seconds)
{
	return offers(POWER "state", state) && !file_put(POWER "pm_test", test) &&
	       !file_put(DELAY, seconds);
}

FIXTURE(suspend) {
	struct queue mono, boot, real;
};

FIXTURE_SETUP(suspend)
{
	ASSERT_EQ(0, queue_open(&self->mono, CLOCK_MONOTONIC, 64));
	ASSERT_EQ(0, queue_open(&self->boot, CLOCK_BOOTTIME, 64));
	ASSERT_EQ(0, queue_open(&self->real, CLOCK_REALTIME, 64));
}

FIXTURE_TEARDOWN(suspend)
{
	file_put(POWER "pm_test", "none");
	queue_close(&self->mono);
	queue_close(&self->boot);
	queue_close(&self->real);
}

/* The next record of a timer; a suspend shows as a step of CLOCK_REALTIME. */
static long next_timer(int fd, struct twheel_record *rec)
{
	long ret;

	do {
		ret = next_record(fd, rec);
	} while (ret == 1 && !rec->id);
	return ret;
}

static void fires_once(struct __test_metadata *_metadata, struct queue *q, clockid_t clock,
		       __u64 deadline)
{
	struct twheel_record rec;

	ASSERT_EQ(1, next_timer(q->fd, &rec));
	EXPECT_EQ(7ULL, rec.user_data);
	EXPECT_EQ(deadline, rec.deadline);
	EXPECT_LE(deadline, now(clock));
	EXPECT_EQ(0ULL, stats(q->fd).allocated);
}

/* B28: 1 s is over at the resume, except on the clock that stood still. */
TEST_F(suspend, clocks_that_go_on_fire_at_the_resume)
{
	__u64 m, b, r, slept;

	if (file_put(POWER "mem_sleep", "deep") || !prepare("mem", "core", "2"))
		SKIP(return, "no deep suspend");
	slept = suspended();
	m = mono() + SEC;
	b = now(CLOCK_BOOTTIME) + SEC;
	r = now(CLOCK_REALTIME) + SEC;
	ASSERT_NE(0ULL, arm(self->mono.fd, m, 7));
	ASSERT_NE(0ULL, arm(self->boot.fd, b, 7));
	ASSERT_NE(0ULL, arm(self->real.fd, r, 7));
	ASSERT_EQ(0, file_put(POWER "state", "mem"));
	slept = suspended() - slept;
	TH_LOG("CLOCK_MONOTONIC stood still for %llu ms", slept / MSEC);
	ASSERT_LT(0ULL, slept);		/* the clock of this machine has whole seconds */
	fires_once(_metadata, &self->boot, CLOCK_BOOTTIME, b);
	fires_once(_metadata, &self->real, CLOCK_REALTIME, r);
	fires_once(_metadata, &self->mono, CLOCK_MONOTONIC, m);
	EXPECT_EQ(0ULL, stats(self->mono.fd).steps);
	EXPECT_EQ(0ULL, stats(self->boot.fd).steps);
	EXPECT_LE(1ULL, stats(self->real.fd).steps);
}

static void fire_in_order(struct __test_metadata *_metadata, struct queue *q, clockid_t clock)
{
	struct twheel_record rec;

	for (unsigned int i = 0; i < 32; i++) {
		ASSERT_EQ(1, next_timer(q->fd, &rec));
		EXPECT_EQ(i, rec.user_data);
		EXPECT_LE(rec.deadline, now(clock));
	}
	EXPECT_EQ(0ULL, stats(q->fd).allocated);
}

/* Timers before, during and after it: none is lost, none early, none twice. */
TEST_F(suspend, timers_survive_suspend_to_idle)
{
	__u64 m = mono(), b = now(CLOCK_BOOTTIME), r = now(CLOCK_REALTIME);

	if (!prepare("freeze", "platform", "1"))
		SKIP(return, "no suspend to idle");
	for (int i = 0; i < 32; i++) {
		ASSERT_NE(0ULL, arm(self->mono.fd, m + i * 64 * MSEC, i));
		ASSERT_NE(0ULL, arm(self->boot.fd, b + i * 64 * MSEC, i));
		ASSERT_NE(0ULL, arm(self->real.fd, r + i * 64 * MSEC, i));
	}
	ASSERT_EQ(0, file_put(POWER "state", "freeze"));
	fire_in_order(_metadata, &self->mono, CLOCK_MONOTONIC);
	fire_in_order(_metadata, &self->boot, CLOCK_BOOTTIME);
	fire_in_order(_metadata, &self->real, CLOCK_REALTIME);
}

TEST_HARNESS_MAIN
