/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wishes: what is drawn for an op, before it is known what the kernel has answered to
 * others.  So the same seed is the same row of wishes.
 */
#ifndef TWHEEL_FUZZ_WISH_H
#define TWHEEL_FUZZ_WISH_H

#include "actor.h"

/* What is drawn for one op, whatever becomes of it. */
struct wish {
	unsigned int slot, kind, way;
	__u64 delay, period, slack;
	bool relative, keep;
};

void wish_draw(struct actor *a, struct wish *wish);
/* How far ahead a deadline is to be. */
__u64 wish_delay(struct actor *a);
/* An op with one thing wrong; returns what it must be refused with. */
int wish_broken(struct twheel_op *op, const struct wish *wish);

#endif /* TWHEEL_FUZZ_WISH_H */
