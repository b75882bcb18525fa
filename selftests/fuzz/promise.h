/* SPDX-License-Identifier: GPL-2.0-only */
/* The promises that are looked at, and who finds them broken. */
#ifndef TWHEEL_FUZZ_PROMISE_H
#define TWHEEL_FUZZ_PROMISE_H

#include "actor.h"

enum promise {
	NEVER_EARLY, ONE_END, ORDER, PERIODS, RESULTS, VIEWS, FAULTS, ERRNOS, MOVES_ON, PROMISES
};

extern atomic_bool over;	/* the time is up, or something was found */
extern atomic_bool found;

/* One look at a promise: if it does not hold, say so and end the run. */
bool holds(enum promise p, struct actor *a, bool good, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Print a result for each promise; how many were broken, or never looked at. */
int promise_summary(void);

#endif /* TWHEEL_FUZZ_PROMISE_H */
