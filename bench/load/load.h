/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * load: what its files share.  Each load runs in a process of its own, on the CPU
 * that the probes have, and tells its outcome in memory that it shares.
 */
#ifndef TWHEEL_LOAD_LOAD_H
#define TWHEEL_LOAD_LOAD_H

#include "../../selftests/common.h"
#include "../common/icount.h"
#include "../common/procfs.h"

/**
 * struct outcome - what a load did
 * @timers: how many, at most at a time
 * @queues: in how many queues, or 0
 * @bytes: of memory that the machine gave for each, or 0
 * @wrong: what was wrong, or ""
 */
struct outcome {
	unsigned long timers;
	unsigned int queues;
	double bytes;
	char wrong[160];
};

/* Say what is wrong; the first one counts. */
void wrong(struct outcome *o, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* --- probe.c: processes that wait for their own timers, of 1 ms --- */

#define MAX_SAMPLES	(1U << 18)	/* four minutes */

struct probe {
	atomic_bool ready;
	atomic_bool stop;
	atomic_ulong early;
	atomic_uint count;		/* of late */
	__u32 late[MAX_SAMPLES];	/* ns */
};

void probe_by_twheel(struct probe *p);
void probe_by_timerfd(struct probe *p);

/* Make this process run on the first CPU only. */
void pin(void);

/* --- twheel.c: loads by twheel; timerfd.c: the same by timerfds --- */

#define PENDING		10000000U
#define INSTANT		1000000U
#define USERS		64U
#define USER_QUEUES	16U
#define USER_TIMERS	256U		/* in each queue */
#define UNREAD		100000U
#define FILES		100000U		/* timerfds where twheel has more timers */
#define READ_SECONDS	5U
#define PATIENCE_MS	60000		/* a slow machine under load */

void twheel_pending(struct outcome *o);
void twheel_instant(struct outcome *o);
void twheel_users(struct outcome *o);
void twheel_unread(struct outcome *o);
void twheel_slow_reader(struct outcome *o);

void timerfd_pending(struct outcome *o);
void timerfd_instant(struct outcome *o);
void timerfd_users(struct outcome *o);
void timerfd_unread(struct outcome *o);
void timerfd_slow_reader(struct outcome *o);

/**
 * struct user - one of USERS processes
 * @outcome: of the load
 * @number: 0 to USERS - 1
 * @start: no timer is due before
 * @fds: the device, opened by root
 */
struct user {
	struct outcome *outcome;
	unsigned int number;
	__u64 start;
	int fds[USER_QUEUES + 1];
};

/* --- users.c: run @run in USERS processes, each with a uid of its own --- */
void run_users(struct outcome *o, void (*run)(struct user *));

#endif /* TWHEEL_LOAD_LOAD_H */
