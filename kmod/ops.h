/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef TWHEEL_OPS_H
#define TWHEEL_OPS_H

#include <linux/types.h>

struct tw_core;
struct twheel_op;

unsigned int tw_ops_run(struct tw_core *c, struct twheel_op *ops, unsigned int count, u64 start);
void tw_ops_undo(struct tw_core *c, struct twheel_op *ops, unsigned int count);

#endif /* TWHEEL_OPS_H */
