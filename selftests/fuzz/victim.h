/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hostile queues.  Their descriptors have numbers from HOSTILE_FD on, so that who
 * closes and replaces them closes nobody else's.
 */
#ifndef TWHEEL_FUZZ_VICTIM_H
#define TWHEEL_FUZZ_VICTIM_H

#include "place.h"

#define HOSTILE_FD	100
#define HOSTILE_EFD	150
#define VICTIMS		6
#define RECENT		64

/* One of them; everybody reads and writes all of it, without a lock. */
struct victim {
	struct twheel_setup setup;
	__u64 recent[RECENT];	/* ids that were valid once */
	char *ring, *ctl, *words;	/* places: what is mapped there may change */
};

extern struct victim victims[VICTIMS];

void victims_reserve(void);
int victim_fd(int victim);

#endif /* TWHEEL_FUZZ_VICTIM_H */
