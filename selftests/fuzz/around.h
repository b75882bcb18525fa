/* SPDX-License-Identifier: GPL-2.0-only */
/* mmap, mprotect, fork, dup, close ... of hostile queues. */
#ifndef TWHEEL_FUZZ_AROUND_H
#define TWHEEL_FUZZ_AROUND_H

#include "actor.h"

void around_step(struct actor *a);

#endif /* TWHEEL_FUZZ_AROUND_H */
