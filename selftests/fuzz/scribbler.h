/* SPDX-License-Identifier: GPL-2.0-only */
/* The scribbler: who writes to all shared pages of the hostile queues. */
#ifndef TWHEEL_FUZZ_SCRIBBLER_H
#define TWHEEL_FUZZ_SCRIBBLER_H

#include "actor.h"

/* Before the first step: what becomes of writes to what is not mapped. */
void scribbler_prepare(void);
void scribbler_step(struct actor *a);

#endif /* TWHEEL_FUZZ_SCRIBBLER_H */
