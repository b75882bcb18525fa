/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef TWHEEL_VIEW_H
#define TWHEEL_VIEW_H

#include <linux/types.h>

struct tw_core;
struct tw_timer;
struct twheel_info;
struct twheel_stats;

void tw_view_timer(const struct tw_core *c, const struct tw_timer *t, struct twheel_info *info);
unsigned int tw_view_list(const struct tw_core *c, u64 *cursor, struct twheel_info *infos,
			  unsigned int max);
void tw_view_stats(const struct tw_core *c, struct twheel_stats *stats);

#endif /* TWHEEL_VIEW_H */
