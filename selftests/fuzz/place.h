/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places for the mappings of queues.
 *
 * All threads share one process.  So that the hostile ones harm nobody else in it, the
 * mappings of each queue are in a place of its own, which is reserved at the start, and
 * all that is mapped there is mapped by MAP_FIXED: what is unmapped there under
 * somebody's hands is never anything else's.
 */
#ifndef TWHEEL_FUZZ_PLACE_H
#define TWHEEL_FUZZ_PLACE_H

#include "../common.h"

#define PLACE_BYTES	(1UL << 20)
#define PLACE_CTL	(512UL << 10)
#define PLACE_WORDS	(576UL << 10)
#define PLACE_SPARE	(768UL << 10)	/* up to the end */
#define WORDS_BYTES	(64UL << 10)	/* as much of the words as is mapped */

/* Address space that nothing else is ever mapped to. */
char *place_reserve(void);

#endif /* TWHEEL_FUZZ_PLACE_H */
