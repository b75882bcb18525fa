/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the machine says of itself.
 */
#ifndef TWHEEL_LOAD_MACHINE_H
#define TWHEEL_LOAD_MACHINE_H

#include <stdbool.h>

bool counts_instructions(void);
double memory_used(void);		/* bytes, in the whole machine */
unsigned long timer_hangs(void);	/* "hrtimer: interrupt took", how often */
void log_begin(void);
unsigned int log_bad_lines(void);	/* since log_begin(); prints them */

#endif /* TWHEEL_LOAD_MACHINE_H */
