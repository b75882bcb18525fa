/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef SHIM_LINUX_NOSPEC_H
#define SHIM_LINUX_NOSPEC_H

/* Nothing to guard here; a wrong use would show as index 0. */
#define array_index_nospec(index, size) ((index) < (size) ? (index) : 0)

#endif /* SHIM_LINUX_NOSPEC_H */
