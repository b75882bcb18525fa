/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether the clock counts instructions.
 *
 * Under QEMU's -icount shift=0 (scripts/vm --icount) the guest's clock goes on by a
 * nanosecond with each instruction.  The same binary then gives the same figures on
 * every machine, within a percent, and bounds on them can be checked.  A guest cannot
 * ask for that, so a loop of known length is timed.
 */
#ifndef TWHEEL_BENCH_ICOUNT_H
#define TWHEEL_BENCH_ICOUNT_H

#include <stdbool.h>
#include <time.h>

#define ICOUNT_TURNS	1000000UL
#define ICOUNT_TRIALS	3

/* What an instruction takes, in ns: ten a turn, most of which do nothing. */
static inline double icount_instruction(void)
{
#if defined(__x86_64__)
	unsigned long turns = ICOUNT_TURNS;
	struct timespec start, end;

	clock_gettime(CLOCK_MONOTONIC, &start);
	__asm__ volatile("1: nop; nop; nop; nop; nop; nop; nop; nop\n\t"
			 "dec %0\n\tjnz 1b" : "+r" (turns));
	clock_gettime(CLOCK_MONOTONIC, &end);
	return ((end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec)) /
	       ICOUNT_TURNS / 10;
#else
	return 0;
#endif
}

/* The first call takes some ms.  An interrupt may lengthen a trial, hence several. */
static inline bool counts_instructions(void)
{
	static enum { UNKNOWN, NO, YES } answer;

	if (answer == UNKNOWN) {
		answer = NO;
		for (int i = 0; i < ICOUNT_TRIALS && answer == NO; i++) {
			double trial = icount_instruction();

			if (trial > 0.98 && trial < 1.02)
				answer = YES;
		}
	}
	return answer == YES;
}

#endif /* TWHEEL_BENCH_ICOUNT_H */
