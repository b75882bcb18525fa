/* SPDX-License-Identifier: GPL-2.0-only */
/* The hostile threads, and their queues. */
#ifndef TWHEEL_FUZZ_HOSTILE_H
#define TWHEEL_FUZZ_HOSTILE_H

void hostile_start(void);
/* A signal for each, which ends whatever sleeps. */
void hostile_nudge(void);
void hostile_join(void);

#endif /* TWHEEL_FUZZ_HOSTILE_H */
