// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads and their random numbers.  The same seed is the same sequence for each
 * thread, as long as the threads are started in the same order.
 */
#include "actor.h"

#include <stdarg.h>

__u64 base_seed;
atomic_ullong operations;

static struct actor *actors[MAX_ACTORS];
static unsigned int actor_count;

/* The random numbers of each thread follow from the seed and its number. */
void actor_start(struct actor *a, const char *role, unsigned int number, void *(*run)(void *),
		 void *data)
{
	a->role = role;
	a->number = number;
	a->random = base_seed ^ (0x9e3779b97f4a7c15ULL * (actor_count + 1));
	for (int i = 0; i < 4; i++)
		random_next(&a->random);
	if (actor_count == MAX_ACTORS)
		abort();
	actors[actor_count++] = a;
	if (pthread_create(&a->thread, NULL, run, data))
		abort();
}

void step(struct actor *a, const char *format, ...)
{
	unsigned long long n = atomic_fetch_add(&a->step, 1);
	va_list args;

	va_start(args, format);
	vsnprintf(a->last[n % REMEMBERED], sizeof(a->last[0]), format, args);
	va_end(args);
	atomic_fetch_add(&operations, 1);
}

struct actor *actor_at(unsigned int index)
{
	return index < actor_count ? actors[index] : NULL;
}

void actor_show(const struct actor *a)
{
	unsigned long long n = a->step;

	printf("#   seed %llu, %s %u, step %llu; its last steps:\n",
	       (unsigned long long)base_seed, a->role, a->number, n);
	for (unsigned long long i = n > REMEMBERED ? n - REMEMBERED : 0; i < n; i++)
		if (a->last[i % REMEMBERED][0])
			printf("#     %s\n", a->last[i % REMEMBERED]);
}
