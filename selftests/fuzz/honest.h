/* SPDX-License-Identifier: GPL-2.0-only */
/* Honest queues, whose every promise is checked. */
#ifndef TWHEEL_FUZZ_HONEST_H
#define TWHEEL_FUZZ_HONEST_H

#include "arena.h"

/* The threads of an arena. */
void honest_start(struct arena *a, unsigned int number);
void honest_join(struct arena *a);

#endif /* TWHEEL_FUZZ_HONEST_H */
