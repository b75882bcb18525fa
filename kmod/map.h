/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_MAP_H
#define TWHEEL_MAP_H

#include <linux/types.h>

struct tw_queue;
struct twheel_setup;
struct vm_area_struct;

bool tw_words_possible(void);
u64 tw_map_features(void);
void tw_map_layout(struct twheel_setup *setup);
int tw_map(struct tw_queue *q, struct vm_area_struct *vma);

#endif /* TWHEEL_MAP_H */
