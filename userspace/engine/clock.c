// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Clocks of the engine in the process.
 *
 * CLOCK_REALTIME and CLOCK_TAI can be set.  As in the module, a step is noticed by the
 * clock's distance from CLOCK_MONOTONIC, its *base*, which slewing does not change.
 * Here the two clocks cannot be read at the same instant.  So the clock is read
 * between two readings of the other, and its base is only known to lie in an
 * interval as long as the time between these.  A base outside of that interval is a
 * step.  A step shorter than the interval, some 100 ns, does not show.  It is not
 * lost: the old base stays, and shorter steps add up until they show.
 *
 * A *manual* clock stands still until the program advances it, for tests.
 */
#include <linux/errno.h>
#include <twheel.h>

#include "clock.h"

#define SECOND	1000000000LL
#define TRIES	3	/* readings of a base, of which the shortest counts */

static s64 read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

static bool can_be_set(const struct engine_clock *c)
{
	return c->id == CLOCK_REALTIME || c->id == CLOCK_TAI;
}

/* The base, known up to @error ns in both directions. */
static s64 read_base(clockid_t id, s64 *error)
{
	s64 before = read_clock(CLOCK_MONOTONIC);
	s64 time = read_clock(id);
	s64 after = read_clock(CLOCK_MONOTONIC);

	*error = (after - before + 1) / 2;
	return time - before - *error;
}

/* The same, from the shortest of some readings. */
static s64 read_base_well(clockid_t id, s64 *error)
{
	s64 best = read_base(id, error);

	for (int i = 1; i < TRIES; i++) {
		s64 other, base = read_base(id, &other);

		if (other < *error) {
			*error = other;
			best = base;
		}
	}
	return best;
}

static bool outside(s64 base, s64 old, s64 error)
{
	return base - old > error || old - base > error;
}

/**
 * engine_clock_init() - choose a clock
 * @c: the clock
 * @id: a clockid, or TWHEEL_CLOCK_MANUAL
 *
 * Return: 0, or -EINVAL for a clock that queues do not support.
 */
int engine_clock_init(struct engine_clock *c, clockid_t id)
{
	s64 error;

	*c = (struct engine_clock){ .id = id };
	switch (id) {
	case TWHEEL_CLOCK_MANUAL:
		c->manual = true;
		return 0;
	case CLOCK_MONOTONIC:
	case CLOCK_BOOTTIME:
		return 0;
	case CLOCK_REALTIME:
	case CLOCK_TAI:
		c->base = read_base_well(id, &error);
		return 0;
	default:
		return -EINVAL;
	}
}

/**
 * engine_clock_now() - read the clock
 * @c: the clock
 *
 * Return: ns.
 */
u64 engine_clock_now(const struct engine_clock *c)
{
	return c->manual ? c->time : (u64)read_clock(c->id);
}

/**
 * engine_clock_step() - how far the clock was set since the last call
 * @c: the clock
 *
 * Return: ns, positive for forward; 0 when it was not set.
 */
s64 engine_clock_step(struct engine_clock *c)
{
	s64 error, base, step;

	if (!can_be_set(c))
		return 0;
	base = read_base(c->id, &error);
	if (!outside(base, c->base, error))
		return 0;
	base = read_base_well(c->id, &error);
	if (!outside(base, c->base, error))
		return 0;
	step = base - c->base;
	c->base = base;
	return step;
}

/**
 * engine_clock_timer_id() - the clock of the timerfd
 * @c: the clock
 *
 * There are no timerfds on CLOCK_TAI.
 */
clockid_t engine_clock_timer_id(const struct engine_clock *c)
{
	if (c->manual)
		return CLOCK_MONOTONIC;
	return c->id == CLOCK_TAI ? CLOCK_REALTIME : c->id;
}

/**
 * engine_clock_to_timer() - convert a time for the timerfd
 * @c: the clock
 * @ns: time on @c
 *
 * Return: ns on the timerfd's clock, at least 1.  CLOCK_TAI is ahead of
 * CLOCK_REALTIME by whole seconds.
 */
u64 engine_clock_to_timer(const struct engine_clock *c, u64 ns)
{
	if (c->id == CLOCK_TAI) {
		s64 ahead = read_clock(CLOCK_TAI) - read_clock(CLOCK_REALTIME);
		u64 offset = (u64)((ahead + SECOND / 2) / SECOND * SECOND);

		ns = ns > offset ? ns - offset : 0;
	}
	return ns ? ns : 1;
}
