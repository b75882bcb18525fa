/* SPDX-License-Identifier: GPL-2.0-only */
/* A batch that fails half way. */
#ifndef TWHEEL_FUZZ_HALFWAY_H
#define TWHEEL_FUZZ_HALFWAY_H

#include "arena.h"

void halfway_batch(struct worker *w);

#endif /* TWHEEL_FUZZ_HALFWAY_H */
