// SPDX-License-Identifier: GPL-2.0-only
/*
 * random SECONDS [SEED]: random sequences, as many as there is time for.
 * random FILE: one more time the sequence of a finding, with all its steps.
 *
 * The sequence that runs is in the file fuzz-engine.last of the working directory if a
 * promise breaks.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../../bench/common/random.h"
#include "fuzz.h"

#define LAST	"fuzz-engine.last"

static unsigned char bytes[4096];

static void save(int sig)
{
	FILE *file = fopen(LAST, "w");

	if (file && fwrite(bytes, sizeof(bytes), 1, file) == 1 && !fclose(file))
		fprintf(stderr, "the sequence is in " LAST "\n");
	signal(sig, SIG_DFL);
	raise(sig);
}

static int repeat(const char *name)
{
	FILE *file = fopen(name, "r");
	size_t size;

	if (!file) {
		perror(name);
		return 2;
	}
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	fuzz_verbose = true;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ok 1 %lu ops of %s\n", fuzz_sequence(bytes, size), name);
	return 0;
}

int main(int argc, char **argv)
{
	long seconds = argc > 1 ? atol(argv[1]) : 0;
	unsigned long ops = 0, sequences = 0;
	__u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (__u64)time(NULL), state;
	time_t end = time(NULL) + seconds;

	if (argc < 2)
		return 2;
	if (!seconds)
		return repeat(argv[1]);
	printf("# seed %llu\n", seed);
	fflush(stdout);
	signal(SIGABRT, save);
	signal(SIGSEGV, save);
	state = seed | 1ULL << 63;
	do {
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = random_next(&state) >> 56;
		ops += fuzz_sequence(bytes, sizeof(bytes));
		sequences++;
	} while (time(NULL) < end);
	printf("ok 1 random sequences: %lu, %lu ops\n", sequences, ops);
	return 0;
}
