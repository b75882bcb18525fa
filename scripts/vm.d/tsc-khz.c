// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print how many thousand ticks a second this machine's TSC makes: an emulated guest
 * has the same. Both clocks are read together, again and again until no interrupt and
 * no other program came between, so the answer is right on a busy machine as well.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct moment {
	uint64_t ns, ticks;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* The best of many readings: that with the least time around it. */
static struct moment moment(void)
{
	struct moment best = { 0, 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		uint64_t before = now_ns(), ticks = __rdtsc(), after = now_ns();

		if (after - before >= least)
			continue;
		least = after - before;
		best = (struct moment){ before + least / 2, ticks };
	}
	return best;
}

int main(void)
{
	struct timespec pause = { .tv_nsec = 50000000 };
	struct moment a = moment(), b;

	nanosleep(&pause, NULL);
	b = moment();
	printf("%llu\n", (unsigned long long)((b.ticks - a.ticks) * 1000000 / (b.ns - a.ns)));
	return 0;
}
