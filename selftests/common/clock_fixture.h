/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fixture of tests that set the clock of the machine. It puts the clock back as
 * far as it can. Also: steps, and telling records of timers from records of steps.
 */
#ifndef TWHEEL_SELFTESTS_CLOCK_FIXTURE_H
#define TWHEEL_SELFTESTS_CLOCK_FIXTURE_H

#include "kselftest_harness.h"

#include "records.h"

static inline __s64 real_minus_boot(void)
{
	return now(CLOCK_REALTIME) - now(CLOCK_BOOTTIME);
}

static inline long set_realtime(__u64 ns)
{
	struct timespec ts = { .tv_sec = ns / SEC, .tv_nsec = ns % SEC };

	return result_of(clock_settime(CLOCK_REALTIME, &ts));
}

/* Move the wall clock by that many ns. */
static inline long step(__s64 by)
{
	return set_realtime(now(CLOCK_REALTIME) + by);
}

/* A clock that shows 1970 cannot be stepped back far. */
static inline long make_settable(void)
{
	if (now(CLOCK_REALTIME) < 3 * 365 * 24 * HOUR)
		return set_realtime(1700000000 * SEC);
	return step(0);
}

/* Put the clock back as well as possible: @difference is from real_minus_boot(). */
static inline void put_back(__s64 difference)
{
	set_realtime(now(CLOCK_BOOTTIME) + difference);
}

FIXTURE(clock) {
	__s64 real_minus_boot;
};

FIXTURE_SETUP(clock)
{
	/* No clock is touched on a machine that cannot run the tests anyway. */
	ASSERT_EQ(0, access(DEVICE, R_OK | W_OK));
	self->real_minus_boot = real_minus_boot();
	if (make_settable())
		SKIP(return, "the clock cannot be set: %s", strerror(errno));
}

FIXTURE_TEARDOWN(clock)
{
	put_back(self->real_minus_boot);
}

/* The next record that does not report a step of the clock. */
static inline long next_timer(int fd, struct twheel_record *rec)
{
	long ret;

	do {
		ret = next_record(fd, rec);
	} while (ret == 1 && !rec->id);
	return ret;
}

/* No record of a timer for that many ms; steps of the clock may be reported. */
static inline bool silent(int fd, int ms)
{
	__u64 end = mono() + ms * MSEC;
	struct twheel_record rec;

	while (mono() < end) {
		if (readable(fd, 1) && read_records(fd, &rec, 1) == 1 && rec.id)
			return false;
	}
	return true;
}

#endif /* TWHEEL_SELFTESTS_CLOCK_FIXTURE_H */
