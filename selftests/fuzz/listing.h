/* SPDX-License-Identifier: GPL-2.0-only */
/* LIST, compared with the model. */
#ifndef TWHEEL_FUZZ_LISTING_H
#define TWHEEL_FUZZ_LISTING_H

#include "arena.h"

/* All timers of the queue, in pages of a random size. */
void listing_check(struct worker *w);

#endif /* TWHEEL_FUZZ_LISTING_H */
