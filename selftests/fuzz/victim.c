// SPDX-License-Identifier: GPL-2.0-only
/* The hostile queues: their places and their descriptors. */
#include "victim.h"

struct victim victims[VICTIMS];

void victims_reserve(void)
{
	for (int i = 0; i < VICTIMS; i++) {
		victims[i].ring = place_reserve();
		victims[i].ctl = victims[i].ring + PLACE_CTL;
		victims[i].words = victims[i].ring + PLACE_WORDS;
		victims[i].setup = setup_of(CLOCK_MONOTONIC, 8);
	}
}

int victim_fd(int victim)
{
	return HOSTILE_FD + victim;
}
