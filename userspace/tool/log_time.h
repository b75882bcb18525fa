/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_LOG_TIME_H
#define TWHEEL_LOG_TIME_H

#include <linux/types.h>
#include <stdbool.h>

/* Does @text begin like @pattern, where 0 is any digit and a any letter? */
bool looks_like(const char *text, const char *pattern);

/* Both are given a whole word, and write @ns, which is since 1970, only on success. */

/* Seconds: 1.5 */
bool time_of_number(const char *text, __u64 *ns);

/* 10/Oct/2000:13:55:36 -0700 or 2000-10-10T13:55:36.5-07:00 */
bool time_of_stamp(const char *text, __u64 *ns);

#endif /* TWHEEL_LOG_TIME_H */
