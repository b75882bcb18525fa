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
 */
#include "fuzz.h"

#include <signal.h>
#include <stdarg.h>

#define ARENAS		2
#define STUCK_SECONDS	120
#define MAX_FINDINGS	8

atomic_bool over, found;
__u64 base_seed;

static struct arena arenas[ARENAS];
static atomic_ullong looks[PROMISES], broken[PROMISES], operations;
static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;
static const char * const texts[PROMISES] = {
	[NEVER_EARLY]	= "no record before its deadline",
	[ONE_END]	= "each arming ends in one record or one cancel",
	[ORDER]		= "records come in the order of expiry",
	[PERIODS]	= "periodic deadlines are first + k * period, and all are counted",
	[RESULTS]	= "results of ops are what the model says",
	[VIEWS]		= "QUERY, LIST, STATS and words agree with the model",
	[FAULTS]	= "what fails half way leaves nothing behind",
	[ERRNOS]	= "hostile calls get documented errors only",
	[MOVES_ON]	= "everybody moves on, and the kernel does not warn",
};

static struct actor *actors[64];
static unsigned int actor_count;
static __u64 began;

/* The random numbers of each thread follow from the seed and its number. */
void actor_start(struct actor *a, const char *role, unsigned int number, void *(*run)(void *),
		 void *data)
{
	a->role = role;
	a->number = number;
	a->operations = &operations;
	a->random = base_seed ^ (0x9e3779b97f4a7c15ULL * (actor_count + 1));
	for (int i = 0; i < 4; i++)
		random_next(&a->random);
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
	atomic_fetch_add(a->operations, 1);
}

static void show_actor(const struct actor *a)
{
	unsigned long long n = a->step;

	printf("#   seed %llu, %s %u, step %llu; its last steps:\n",
	       (unsigned long long)base_seed, a->role, a->number, n);
	for (unsigned long long i = n > REMEMBERED ? n - REMEMBERED : 0; i < n; i++)
		if (a->last[i % REMEMBERED][0])
			printf("#     %s\n", a->last[i % REMEMBERED]);
}

bool holds(enum promise p, struct actor *a, bool good, const char *format, ...)
{
	va_list args;

	atomic_fetch_add(&looks[p], 1);
	if (good)
		return true;
	pthread_mutex_lock(&printing);
	if (atomic_fetch_add(&broken[p], 1) < MAX_FINDINGS) {
		printf("# FINDING: not so: %s\n#   ", texts[p]);
		va_start(args, format);
		vprintf(format, args);
		va_end(args);
		printf("\n");
		show_actor(a);
		fflush(stdout);
	}
	pthread_mutex_unlock(&printing);
	atomic_store(&found, true);
	atomic_store(&over, true);
	return false;
}

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
	for (unsigned int i = 0; i < actor_count; i++) {
		unsigned long long n = actors[i]->step;

		if (n != steps[i])
			since[i] = mono();
		steps[i] = n;
		holds(MOVES_ON, actors[i], mono() - since[i] < STUCK_SECONDS * SEC,
		      "%s %u is stuck", actors[i]->role, actors[i]->number);
	}
}

static void watch(unsigned int seconds)
{
	static unsigned long long steps[64];
	static __u64 since[64];
	__u64 end = mono() + seconds * SEC, taint = tainted();

	for (unsigned int i = 0; i < 64; i++)
		since[i] = mono();
	while (!over && mono() < end) {
		sleep_ns(SEC / 10);
		hostile_nudge();
		watch_actors(steps, since);
		holds(MOVES_ON, actors[0], tainted() == taint, "the kernel has warned");
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
	int failed = 0;

	printf("1..%d\n", PROMISES);
	for (int p = 0; p < PROMISES; p++) {
		bool good = looks[p] && !broken[p];

		failed += !good;
		printf("%sok %d - %s\n# %llu looks, %llu times not so\n", good ? "" : "not ",
		       p + 1, texts[p], looks[p], broken[p]);
	}
	for (unsigned int i = 0; i < actor_count; i++)
		printf("# %s %u: %llu steps\n", actors[i]->role, actors[i]->number,
		       actors[i]->step);
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
