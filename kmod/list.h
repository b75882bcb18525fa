/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_LIST_H
#define TWHEEL_LIST_H

struct tw_queue;
struct tw_timer;
struct twheel_info;
struct twheel_list;

int tw_queue_list(struct tw_queue *q, struct twheel_list *list);
void tw_queue_inspect(struct tw_queue *q, struct tw_timer *t, struct twheel_info *info);

#endif /* TWHEEL_LIST_H */
