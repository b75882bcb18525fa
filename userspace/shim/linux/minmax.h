/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef SHIM_LINUX_MINMAX_H
#define SHIM_LINUX_MINMAX_H

/* Like the kernel's: both of one type, each looked at once. */
#define min(x, y) ({				\
	__typeof__(x) min_x = (x);		\
	__typeof__(y) min_y = (y);		\
	(void)(&min_x == &min_y);		\
	min_x < min_y ? min_x : min_y; })

#define max(x, y) ({				\
	__typeof__(x) max_x = (x);		\
	__typeof__(y) max_y = (y);		\
	(void)(&max_x == &max_y);		\
	max_x > max_y ? max_x : max_y; })

#define min_t(type, x, y)	min((type)(x), (type)(y))
#define max_t(type, x, y)	max((type)(x), (type)(y))

#endif /* SHIM_LINUX_MINMAX_H */
