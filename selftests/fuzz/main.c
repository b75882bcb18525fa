// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz SECONDS [SEED]: a stateful fuzzer for the ioctls and the shared memory.
 *
 * Honest threads use queues as they should and check every promise against a model.
 * Beside them hostile threads do all they can think of to queues of their own; the
 * honest ones must not notice, and the kernel must not warn.
 *
 * The output is TAP: one result per promise, with the number of looks at it; a
 * promise that was never looked at has failed.  The seed comes first, so that it
 * is known whatever happens.  A finding ends the run.  Exit status 0 or 1.
 *
 * Each thread draws all it does from random numbers of its own, which follow from
 * the seed: the same seed is the same sequence for each thread, only the kernel's
 * interleaving differs.
 *
 * The files, each of which needs only those above it:
 *
 *	place, actor	address space for mappings; threads and random numbers
 *	promise		what is looked at, and what was found
 *	arena.h		the data of an honest queue
 *	model		what the results of the ops say of its timers
 *	judge		what must have been delivered, compared with what was
 *	consumer	who takes the records
 *	wish		what a worker draws for its next op
 *	listing, halfway, harmless
 *			LIST; batches that fail; system calls around the ioctls
 *	worker		who arms, moves, cancels, touches the timers
 *	honest		rounds of an honest queue
 *	victim		the hostile queues
 *	ioctls		ioctls that are valid, nearly valid, and not at all
 *	around		mmap, mprotect, fork, dup, close ... in between
 *	scribbler	who writes to all shared pages
 *	hostile		the threads that do so
 *	main		seed, time, the sum of what was found
 */
#include "honest.h"
#include "hostile.h"
#include "promise.h"

#include "../common/fault.h"

#include <signal.h>

#define ARENAS		2
#define STUCK_SECONDS	120

static struct arena arenas[ARENAS];
static __u64 began;

/* --- the watch ------------------------------------------------------------------ */

static __u64 tainted(void)
{
	char text[32];

	return file_get("/proc/sys/kernel/tainted", text, sizeof(text)) > 0 ?
		strtoull(text, NULL, 0) : 0;
}

/* Who has not made a step for so long? */
static void watch_actors(unsigned long long *steps, __u64 *since)
{
	struct actor *a;

	for (unsigned int i = 0; (a = actor_at(i)); i++) {
		unsigned long long n = a->step;

		if (n != steps[i])
			since[i] = mono();
		steps[i] = n;
		holds(MOVES_ON, a, mono() - since[i] < STUCK_SECONDS * SEC, "%s %u is stuck",
		      a->role, a->number);
	}
}

static void watch(unsigned int seconds)
{
	static unsigned long long steps[MAX_ACTORS];
	static __u64 since[MAX_ACTORS];
	__u64 end = mono() + seconds * SEC, taint = tainted();

	for (unsigned int i = 0; i < MAX_ACTORS; i++)
		since[i] = mono();
	while (!over && mono() < end) {
		sleep_ns(SEC / 10);
		hostile_nudge();
		watch_actors(steps, since);
		holds(MOVES_ON, actor_at(0), tainted() == taint, "the kernel has warned");
	}
	atomic_store(&over, true);
}

/* Only ends the sleep of the thread that gets it. */
static void on_signal(int sig)
{
	(void)sig;
}

/* Ends the program if the threads do not. */
static void on_alarm(int sig)
{
	static const char text[] = "\n# FINDING: not so: all threads end\nnot ok 10 - the end\n";

	(void)sig;
	if (write(1, text, sizeof(text) - 1))
		_exit(1);
}

static int summary(void)
{
	int failed = promise_summary();
	const struct actor *a;

	for (unsigned int i = 0; (a = actor_at(i)); i++)
		printf("# %s %u: %llu steps\n", a->role, a->number, a->step);
	printf("# fuzz: %llu operations in %llu s, seed %llu, %s\n", operations,
	       (unsigned long long)(mono() - began) / SEC, (unsigned long long)base_seed,
	       failed ? "FINDINGS" : "no finding");
	return failed;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	unsigned int seconds = argc > 1 ? atoi(argv[1]) : 0;

	if (!seconds) {
		fprintf(stderr, "usage: fuzz SECONDS [SEED]\n");
		return 2;
	}
	base_seed = argc > 2 && *argv[2] ? strtoull(argv[2], NULL, 0) : now(CLOCK_REALTIME);
	printf("# fuzz: %u seconds, seed %llu%s\n", seconds, (unsigned long long)base_seed,
	       fault_possible() ? "" : ", without faults");
	fflush(stdout);
	began = mono();
	signal(SIGALRM, on_alarm);
	sigaction(SIGUSR1, &action, NULL);
	for (unsigned int i = 0; i < ARENAS; i++)
		honest_start(&arenas[i], i);
	hostile_start();
	watch(seconds);
	alarm(STUCK_SECONDS);
	for (unsigned int i = 0; i < ARENAS; i++)
		honest_join(&arenas[i]);
	hostile_join();
	return summary() ? 1 : 0;
}
