/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_LIFETIME_H
#define TWHEEL_LIFETIME_H

#include <linux/wait.h>

struct tw_queue;
struct twheel_setup;

struct tw_queue *tw_queue_create(const struct twheel_setup *setup, wait_queue_head_t *wait);
void tw_queue_destroy(struct tw_queue *q);

#endif /* TWHEEL_LIFETIME_H */
