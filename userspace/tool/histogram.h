/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_HISTOGRAM_H
#define TWHEEL_HISTOGRAM_H

#include <linux/twheel.h>

/* Print how late records were, from the counters of the queue, on stdout. */
void histogram_print(const __u64 lateness[TWHEEL_LATENESS_BUCKETS]);

#endif /* TWHEEL_HISTOGRAM_H */
