/* SPDX-License-Identifier: GPL-2.0-only */
/* The judge: what must have been delivered, compared with what was. */
#ifndef TWHEEL_FUZZ_JUDGE_H
#define TWHEEL_FUZZ_JUDGE_H

#include "arena.h"

/* After a round, when nothing moves any more. */
void judge_round(struct arena *a);

#endif /* TWHEEL_FUZZ_JUDGE_H */
