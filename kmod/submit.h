/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_SUBMIT_H
#define TWHEEL_SUBMIT_H

struct tw_queue;
struct twheel_submit;

int tw_queue_submit(struct tw_queue *q, const struct twheel_submit *arg);

#endif /* TWHEEL_SUBMIT_H */
