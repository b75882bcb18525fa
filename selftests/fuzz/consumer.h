/* SPDX-License-Identifier: GPL-2.0-only */
/* Consumers: who takes the records of an honest queue. */
#ifndef TWHEEL_FUZZ_CONSUMER_H
#define TWHEEL_FUZZ_CONSUMER_H

#include "arena.h"

/* Until the round is over. */
void consumer_work(struct consumer *c);

#endif /* TWHEEL_FUZZ_CONSUMER_H */
