/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef SHIM_LINUX_ATOMIC_H
#define SHIM_LINUX_ATOMIC_H

#include <linux/types.h>

/*
 * By the compiler's built-ins; value-returning ones are fully ordered, as in the kernel.
 * On i386 the type of 64 bits is aligned to 4, but what is read here is not.
 */
#define READ_ONCE(x) ({								\
	typedef __typeof__(x) once_t __attribute__((__aligned__(sizeof(x))));	\
	__atomic_load_n((const once_t *)&(x), __ATOMIC_RELAXED); })
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELAXED)
#define data_race(expr)		({ expr; })

#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)

#define cmpxchg(p, old, new) ({						\
	__typeof__(*(p)) cmpxchg_old = (old);				\
	__atomic_compare_exchange_n(p, &cmpxchg_old, new, 0,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
	cmpxchg_old; })

/* twheel looks at plain 64-bit cells as such. */
typedef struct {
	s64 counter __attribute__((__aligned__(8)));
} __attribute__((may_alias)) atomic64_t;

static inline s64 atomic64_xchg(atomic64_t *v, s64 value)
{
	return __atomic_exchange_n(&v->counter, value, __ATOMIC_SEQ_CST);
}

static inline s64 atomic64_cmpxchg(atomic64_t *v, s64 old, s64 value)
{
	return cmpxchg(&v->counter, old, value);
}

#endif /* SHIM_LINUX_ATOMIC_H */
