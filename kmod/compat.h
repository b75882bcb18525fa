/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_COMPAT_H
#define TWHEEL_COMPAT_H

/*
 * All differences between kernels 6.1 to 7.3.  TW_HAVE_* come from conftest.sh,
 * which looks into the headers that are really used, so that backports of
 * distributions are found too.  Names begin with tw_, so that they never collide
 * with a backport of the kernel's own name.
 */
#include <linux/eventfd.h>
#include <linux/gfp.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/nsproxy.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/time_namespace.h>
#ifdef TW_HAVE_CPU_DCACHE_IS_ALIASING
#include <linux/cacheinfo.h>
#endif

/*
 * For memory that a program makes the kernel allocate.  It is charged to the
 * program's cgroup.  The allocation fails rather than invoke the OOM killer.
 */
#define TW_GFP_USER	(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

/* A kernel that zeroes all variables on the stack leaves this one alone. */
#if __has_attribute(__uninitialized__)
#define TW_UNINITIALIZED	__attribute__((__uninitialized__))
#else
#define TW_UNINITIALIZED
#endif

/* hrtimer_init() and ->function became hrtimer_setup(). */
static inline void tw_hrtimer_setup(struct hrtimer *timer,
				    enum hrtimer_restart (*fn)(struct hrtimer *),
				    clockid_t clock, enum hrtimer_mode mode)
{
#ifdef TW_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, fn, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
#endif
}

/* eventfd_signal() lost its second argument. */
static inline void tw_eventfd_signal(struct eventfd_ctx *ctx)
{
#ifdef TW_HAVE_EVENTFD_SIGNAL_1ARG
	eventfd_signal(ctx);
#else
	eventfd_signal(ctx, 1);
#endif
}

/* vma->vm_flags may no longer be written. */
static inline void tw_vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				   unsigned long clear)
{
#ifdef TW_HAVE_VM_FLAGS_SET
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

/* timens_ktime_to_host() needs a symbol that 6.1 does not export; read the offsets. */
static inline s64 tw_timens_offset(clockid_t clock)
{
#ifdef CONFIG_TIME_NS
	const struct timens_offsets *offsets = &current->nsproxy->time_ns->offsets;

	if (clock == CLOCK_MONOTONIC)
		return timespec64_to_ns(&offsets->monotonic);
	if (clock == CLOCK_BOOTTIME)
		return timespec64_to_ns(&offsets->boottime);
#endif
	return 0;
}

/* Whether the kernel and a program may see different contents of a shared page. */
static inline bool tw_dcache_aliases(void)
{
#ifdef TW_HAVE_CPU_DCACHE_IS_ALIASING
	return cpu_dcache_is_aliasing();
#else
	return !(IS_ENABLED(CONFIG_X86) || IS_ENABLED(CONFIG_ARM64) ||
		 IS_ENABLED(CONFIG_RISCV) || IS_ENABLED(CONFIG_S390) ||
		 IS_ENABLED(CONFIG_PPC) || IS_ENABLED(CONFIG_UML));
#endif
}

#endif /* TWHEEL_COMPAT_H */
