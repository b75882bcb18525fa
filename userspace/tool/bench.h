/* SPDX-License-Identifier: GPL-2.0-only */
/* What the benchmarks of the command share: timers to measure, and how a result is told. */
#ifndef TWHEEL_BENCH_H
#define TWHEEL_BENCH_H

#include <stdbool.h>
#include <twheel.h>

#include "tool.h"

#define HOUR		(3600 * NSEC_PER_SEC)
#define BATCH		256U
#define STEPS		65536U
#define SETTIMES	4096U

/* A queue of n kept timers with words, and the order in which they are chosen. */
struct bench {
	struct twheel tw;
	unsigned int n;
	__u64 *ids;
	__u64 *order;		/* STEPS ids */
	__u64 deadline;		/* all timers are before it */
	struct twheel_op ops[BATCH];
};

int bench_begin(struct bench *b, unsigned int n);
void bench_end(struct bench *b);
double bench_now(void);
double bench_nothing(struct bench *b);

int bench_timerfds(int *fds, unsigned int n);
void bench_close(int *fds, unsigned int n);
int bench_settime(int fd, __u64 delay);

bool bench_row(const char *what, unsigned int n, double cost, double timerfd);

/* Floors: they say PASS or FAIL, also of what was not measured; true is PASS. */
bool bench_at_most(const char *what, double cost, double most);
bool bench_at_least(const char *what, double ratio, double least);

/* The sizes that are measured, in ascending order; 0 ends them. */
extern const unsigned int bench_sizes[];

/* The benchmarks; with no more than @most pending timers.  They return exit statuses. */
int bench_touch(unsigned int most);
int bench_cycle(unsigned int most);

#endif /* TWHEEL_BENCH_H */
