// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock, and a meter that leaves out the time in which nothing runs.
 *
 * A virtual machine that idles under -icount jumps to its next timer, so that the
 * clock no longer counts instructions.  While the meter runs it never idles: a
 * thread of the lowest kind, SCHED_IDLE, goes round in a loop of known length
 * whenever nobody else wants to run, and its turns are taken off.  What is left
 * is interrupts, softirqs, kernel threads, context switches and the program.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "../common/icount.h"
#include "guest.h"

static struct {
	pthread_t thread;
	volatile unsigned long turns;
	volatile int stop;
	double start;
	unsigned long start_turns;
	double turn;			/* what one costs */
} meter;

double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

/* What is left to RCU and to work items is not for the next one to pay for. */
void quiesce(void)
{
	const struct timespec pause = { 0, 50000000 };	/* virtual ones, mostly */

	nanosleep(&pause, NULL);
}

/* --- laps --- */

static const char *profiled;
static bool marked;

void profile(const char *name)
{
	profiled = name;
}

/* Instructions that do nothing, but that the plugin in profile.c looks for. */
static void mark_start(const char *name)
{
	marked = profiled && name && !strcmp(profiled, name);
#if defined(__x86_64__)
	if (marked)
		__asm__ volatile("nopl 0x74770001(%%rax)" : : : "memory");
#endif
}

static void mark_stop(void)
{
#if defined(__x86_64__)
	if (marked)
		__asm__ volatile("nopl 0x74770002(%%rax)" : : : "memory");
#endif
}

double lap_start(const char *name)
{
	mark_start(name);
	return now();
}

double lap_stop(double start)
{
	double sum = now() - start;

	mark_stop();
	return sum;
}

/* --- without idling --- */

/* Ten instructions a turn, most of which do nothing. */
static void turn_until(volatile unsigned long *turns, volatile int *stop)
{
#if defined(__x86_64__)
	__asm__ volatile("1: nop; nop; nop; nop; nop; nop; nop\n\t"
			 "incq %0\n\tcmpl $0, %1\n\tje 1b"
			 : "+m" (*turns) : "m" (*stop) : "cc", "memory");
#else
	while (!*stop)
		++*turns;
#endif
}

static void *idle(void *unused)
{
	const struct sched_param param = { 0 };

	sched_setscheduler(0, SCHED_IDLE, &param);
	turn_until(&meter.turns, &meter.stop);
	return unused;
}

/* Let the idle thread alone run for a while and see how far it comes. */
static void calibrate(void)
{
	const struct timespec pause = { 0, 10000000 };
	unsigned long turns;
	double start;

	nanosleep(&pause, NULL);
	turns = meter.turns;
	start = now();
	nanosleep(&pause, NULL);
	meter.turn = (now() - start) / (meter.turns - turns);
}

void meter_start(const char *name)
{
	meter.stop = 0;
	if (pthread_create(&meter.thread, NULL, idle, NULL))
		abort();
	calibrate();
	if (counts_instructions())
		meter.turn = 10;
	mark_start(name);
	meter.start_turns = meter.turns;
	meter.start = now();
}

double meter_stop(void)
{
	double busy = now() - meter.start - (meter.turns - meter.start_turns) * meter.turn;

	mark_stop();
	meter.stop = 1;
	pthread_join(meter.thread, NULL);
	return busy;
}
