/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_BENCH_URING_H
#define TWHEEL_BENCH_URING_H

/* What removing an io_uring timeout and adding it again takes, with @n of them. */
int measure_uring(unsigned int n, double *cost);

#endif /* TWHEEL_BENCH_URING_H */
