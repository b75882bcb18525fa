/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_STATS_H
#define TWHEEL_STATS_H

struct seq_file;
struct tw_queue;
struct twheel_stats;

void tw_queue_stats(struct tw_queue *q, struct twheel_stats *stats);
void tw_stats_show(struct seq_file *m, struct tw_queue *q);

#endif /* TWHEEL_STATS_H */
