/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef SHIM_LINUX_BUILD_BUG_H
#define SHIM_LINUX_BUILD_BUG_H

#include <assert.h>
#undef static_assert

/* Unlike C11's, the kernel's may be used without a message. */
#define SHIM_ASSERT(expr, msg, ...) _Static_assert(expr, msg)
#define static_assert(expr, ...) SHIM_ASSERT(expr, ##__VA_ARGS__, #expr)

#endif /* SHIM_LINUX_BUILD_BUG_H */
