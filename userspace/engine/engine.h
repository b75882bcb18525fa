/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Shared by the engine's files. */
#ifndef TWHEEL_ENGINE_H
#define TWHEEL_ENGINE_H

#include <linux/types.h>
#include <pthread.h>
#include <stdbool.h>

#include "clock.h"
#include "core.h"
#include "process.h"

/* As the module's limits are by default. */
#define ENGINE_MIN_PERIOD	100000U		/* ns */
#define ENGINE_MAX_BATCH	4096U		/* ops in one hold of the lock */
#define ENGINE_MAX_ENTRIES	1048576U	/* records in a ring */

/**
 * struct twheel_process - a queue of the engine in the process
 * @alive: not 0, in a page of its own that a child after fork() finds wiped
 * @unshared: one thread at a time uses the queue, and @lock is not taken
 * @lock: protects all members that follow
 * @clock: the queue's clock
 * @core: timers and records
 * @next: ns, the wheel's next event as of the last change
 * @fd: the timerfd
 * @programmed: ns, when @fd becomes readable, or TW_NEVER; 0: it may be readable
 * @words: the mapping of the words, NULL without
 * @words_bytes: its size
 *
 * LOCKING: @lock is taken by engine_lock() or engine_lock_only() and released by
 * engine_unlock(), which the functions of process.h call and nobody else.  The words and
 * the head of the ring have no lock, as in the module.
 */
struct twheel_process {
	const u32 *alive;
	bool unshared;
	pthread_mutex_t lock;
	struct engine_clock clock;
	struct tw_core core;
	u64 next;
	int fd;
	u64 programmed;
	char *words;
	size_t words_bytes;
};

/* memory.c */
int engine_memory_init(struct twheel_process *p, const struct twheel_setup *setup);
void engine_memory_free(struct twheel_process *p);
int engine_grow(struct twheel_process *p);
u64 engine_memory(const struct twheel_process *p);

/* event.c */
int engine_event_init(struct twheel_process *p);
void engine_event_program(struct twheel_process *p, u64 now);

/* lock.c */
int engine_lock_only(struct twheel_process *p, u64 *now);
int engine_lock(struct twheel_process *p, u64 *now);
bool engine_due(const struct twheel_process *p, u64 now);
bool engine_pass(struct twheel_process *p, u64 now);
void engine_unlock(struct twheel_process *p, u64 now);

#endif /* TWHEEL_ENGINE_H */
