/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_DURATION_H
#define TWHEEL_DURATION_H

#include <linux/types.h>

/**
 * duration_parse - read a duration such as 1800s, 1.5h or 250ms
 * @text: digits, perhaps a fraction, and a unit: ns, us, ms, s, m, h, d; without
 *	a unit seconds
 * @ret_ns: written only on success
 *
 * Return:
 * * 0		- done, to the nanosecond
 * * -EINVAL	- not a duration, or not a whole number of nanoseconds
 * * -ERANGE	- more than 2^63 - 1 ns
 */
int duration_parse(const char *text, __u64 *ret_ns);

/* What one of these errors means, as a part of a sentence. */
const char *duration_error(int error);

#endif /* TWHEEL_DURATION_H */
