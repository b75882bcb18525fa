/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_GROW_H
#define TWHEEL_GROW_H

#include <linux/types.h>

struct tw_queue;

int tw_queue_grow(struct tw_queue *q);
void tw_queue_free_timers(struct tw_queue *q);
u64 tw_queue_memory(const struct tw_queue *q);

#endif /* TWHEEL_GROW_H */
