/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Loads and stores of memory that is shared with the kernel.
 *
 * They are those of the C11 memory model, written with the compiler's builtins,
 * because these work on plain integers, in C and in C++ alike.
 *
 *	acquire	(load)	nothing that comes after it is done before it
 *	release	(store)	nothing that comes before it is done after it
 *	fence		nothing crosses it in either direction: the only one that
 *			orders a load behind an earlier store
 *
 * Which barrier of a consumer pairs with which one of the kernel is described in
 * <linux/twheel.h>, under "Barriers".  The code here carries the letters that are
 * used there.
 */
#ifndef TWHEEL_BARRIER_H
#define TWHEEL_BARRIER_H

#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What 64-bit atomics work on.  Words have this alignment; the type tells the
 * compiler so, since on i386 a __u64 is aligned to 4, and clang would then call
 * libatomic, which programs had to be linked with.  An access that crosses a cache
 * line is slow as well.
 */
typedef __u64 twheel_aligned_u64 __attribute__((aligned(8)));

#define twheel_load_relaxed(p)	__atomic_load_n(p, __ATOMIC_RELAXED)
#define twheel_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)

static inline __u64 twheel_load_relaxed_64(const __u64 *p)
{
	const twheel_aligned_u64 *aligned = p;

	return __atomic_load_n(aligned, __ATOMIC_RELAXED);
}

static inline __u64 twheel_load_acquire_64(const __u64 *p)
{
	const twheel_aligned_u64 *aligned = p;

	return __atomic_load_n(aligned, __ATOMIC_ACQUIRE);
}

/*
 * A load that another store may tear: of a record, which is thrown away if the
 * kernel wrote over it meanwhile.  A 32-bit machine need not load it in one piece.
 */
static inline __u64 twheel_load_torn_64(const __u64 *p)
{
#if __SIZEOF_POINTER__ < 8
	const volatile __u64 *now = p;

	return *now;
#else
	return __atomic_load_n(p, __ATOMIC_RELAXED);
#endif
}

/* gcc's thread sanitizer warns that it does not understand fences. */
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif

static inline void twheel_fence(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/* Both return whether *p was *old and now is desired; if not, *old is what *p is. */

static inline int twheel_cas_32(__u32 *p, __u32 *old, __u32 desired)
{
	return __atomic_compare_exchange_n(p, old, desired, 0, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

static inline int twheel_cas_64(__u64 *p, __u64 *old, __u64 desired)
{
	twheel_aligned_u64 *aligned = p;

	return __atomic_compare_exchange_n(aligned, old, desired, 0, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

#ifdef __cplusplus
}
#endif

#endif /* TWHEEL_BARRIER_H */
