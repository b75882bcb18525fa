/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_EXPIRE_H
#define TWHEEL_EXPIRE_H

#include <linux/types.h>

struct tw_queue;

void tw_queue_init_expiry(struct tw_queue *q);
void tw_queue_stop_expiry(struct tw_queue *q);
void tw_run_due_and_program(struct tw_queue *q, u64 now);
int tw_queue_flush(struct tw_queue *q);

#endif /* TWHEEL_EXPIRE_H */
