/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_LIST_H
#define TWHEEL_LIST_H

struct tw_queue;
struct twheel_list;

int tw_queue_list(struct tw_queue *q, struct twheel_list *list);

#endif /* TWHEEL_LIST_H */
