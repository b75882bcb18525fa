/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_LIMITS_H
#define TWHEEL_LIMITS_H

#include <linux/types.h>

#define TW_MAX_BATCH		4096U		/* ops in one SUBMIT */
#define TW_MAX_ENTRIES		1048576U	/* records in a ring */

u32 tw_max_timers(void);
u64 tw_min_period(void);

#endif /* TWHEEL_LIMITS_H */
