/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The engine in the process: what the library calls where the module is not loaded.
 *
 * It is the module's own core (kmod/core.h) with what a program has instead of a
 * kernel around it: anonymous memory, clock_gettime(), a mutex, and one timerfd.  It
 * has no thread.
 *
 * The timerfd is the queue's descriptor.  It is readable when something is due or a
 * record is unread; what is due gets its record when the program asks for records.
 *
 * All functions return 0 or a positive number, or a negative errno: -ECHILD in a
 * child after fork(), whose copy of the queue is dead.
 */
#ifndef TWHEEL_PROCESS_H
#define TWHEEL_PROCESS_H

#include <twheel.h>

struct twheel_process;

int twheel_process_open(struct twheel *tw, const struct twheel_config *config);
void twheel_process_close(struct twheel *tw);

int twheel_process_submit(struct twheel_process *p, struct twheel_op *ops,
			  unsigned int count);
int twheel_process_consume(struct twheel_process *p, struct twheel_record *records,
			   unsigned int count);
int twheel_process_prepare_wait(struct twheel_process *p);
int twheel_process_flush(struct twheel_process *p);
int twheel_process_advance(struct twheel_process *p, __u64 ns);
__u64 twheel_process_now(struct twheel_process *p);
int twheel_process_stats(struct twheel_process *p, struct twheel_stats *stats);
int twheel_process_list(struct twheel_process *p, __u64 *cursor,
			struct twheel_info *infos, unsigned int count);

#endif /* TWHEEL_PROCESS_H */
