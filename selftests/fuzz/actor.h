/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads of the fuzzer, whose random numbers follow from the seed, and their last
 * steps, for those who read of a finding.
 */
#ifndef TWHEEL_FUZZ_ACTOR_H
#define TWHEEL_FUZZ_ACTOR_H

#include "../common.h"

#define MAX_ACTORS	64
#define REMEMBERED	12	/* last steps of a thread, shown with a finding */

/* A thread of the fuzzer. */
struct actor {
	const char *role;
	unsigned int number;
	__u64 random;			/* state of its random numbers */
	atomic_ullong step;
	char last[REMEMBERED][100];
	pthread_t thread;
};

extern __u64 base_seed;
extern atomic_ullong operations;	/* ioctls, ops, system calls: of all actors */

/* The first one to be started is number 0, and so on; the seed has to be there. */
void actor_start(struct actor *a, const char *role, unsigned int number, void *(*run)(void *),
		 void *data);
/* NULL when so many have not been started. */
struct actor *actor_at(unsigned int index);
void actor_show(const struct actor *a);

/* A number below @bound. */
static inline __u64 draw(struct actor *a, __u64 bound)
{
	return random_below(&a->random, bound);
}

/* True in one of @n cases. */
static inline bool one_in(struct actor *a, unsigned int n)
{
	return !draw(a, n);
}

/* The next step of a thread, for those who read of a finding. */
void step(struct actor *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif /* TWHEEL_FUZZ_ACTOR_H */
