/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef SHIM_LINUX_LIMITS_H
#define SHIM_LINUX_LIMITS_H

/* The C library wants the header of user space, of the same name. */
#include_next <linux/limits.h>
#include <linux/types.h>

#define U32_MAX	((u32)~0U)
#define S64_MAX	((s64)(~0ULL >> 1))
#define U64_MAX	((u64)~0ULL)

#endif /* SHIM_LINUX_LIMITS_H */
