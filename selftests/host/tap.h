/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef HOST_TAP_H
#define HOST_TAP_H

#include <linux/types.h>

/*
 * Results in TAP, one line per test:
 *
 *	ok 1 name
 *	not ok 2 name
 *
 * A failed tap_expect() says where on stderr and lets the test go on.
 */
void tap_begin(const char *name);
void tap_end(void);
int tap_exit(void);

void tap_fail(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Seed of a random test: from the command line, else from SEED, else @seed. */
u64 tap_seed(int argc, char **argv, u64 seed);

/**
 * struct tap_test - a test that takes a seed
 * @name: of its result
 * @run: the test
 */
struct tap_test {
	const char *name;
	void (*run)(u64 seed);
};

/* Run @count tests, each with the seed of the command line; for main() to return. */
int tap_main(int argc, char **argv, const struct tap_test *tests, unsigned int count);

#define tap_expect(cond)						\
	do {								\
		if (!(cond))						\
			tap_fail(__FILE__, __LINE__, "%s", #cond);	\
	} while (0)

#define tap_expect_eq(a, b)						\
	do {								\
		u64 tap_a = (a), tap_b = (b);				\
									\
		if (tap_a != tap_b)					\
			tap_fail(__FILE__, __LINE__, "%s = %llu, %s = %llu", \
				 #a, tap_a, #b, tap_b);			\
	} while (0)

#define tap_expect_le(a, b)						\
	do {								\
		u64 tap_a = (a), tap_b = (b);				\
									\
		if (tap_a > tap_b)					\
			tap_fail(__FILE__, __LINE__, "%s = %llu > %s = %llu", \
				 #a, tap_a, #b, tap_b);			\
	} while (0)

#endif /* HOST_TAP_H */
