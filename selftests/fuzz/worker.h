/* SPDX-License-Identifier: GPL-2.0-only */
/* Workers: who arms, moves, cancels and touches timers of an honest queue. */
#ifndef TWHEEL_FUZZ_WORKER_H
#define TWHEEL_FUZZ_WORKER_H

#include "arena.h"

/* The parts of a round, one after the other. */
void worker_begin(struct worker *w);
void worker_work(struct worker *w);
void worker_settle(struct worker *w);
void worker_rest(struct worker *w);

#endif /* TWHEEL_FUZZ_WORKER_H */
