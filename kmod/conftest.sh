#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# conftest.sh TREE: print -DTW_HAVE_* for what the kernel headers in TREE have.
# compat.h is the only file that uses these.
include=$1/include

has() {
	grep -qsE "$2" "$include/$1" && printf ' -DTW_HAVE_%s' "$3"
}

has linux/hrtimer.h '[^_]hrtimer_setup\(' HRTIMER_SETUP
has linux/eventfd.h 'eventfd_signal\(struct eventfd_ctx \*ctx\)$' EVENTFD_SIGNAL_1ARG
has linux/mm.h 'vm_flags_set\(' VM_FLAGS_SET
has linux/cacheinfo.h 'cpu_dcache_is_aliasing' CPU_DCACHE_IS_ALIASING
exit 0
