/* SPDX-License-Identifier: GPL-2.0-only */
/* Hostile ioctls: valid, nearly valid, and not at all. */
#ifndef TWHEEL_FUZZ_IOCTLS_H
#define TWHEEL_FUZZ_IOCTLS_H

#include "actor.h"

void ioctl_prepare(void);
/* One ioctl on one of the hostile queues. */
void ioctl_step(struct actor *a);
/* The same; the @nth point of it that can fail does, see common/fault.h for @fd. */
void ioctl_step_with_fault(struct actor *a, int fd, unsigned int nth);

#endif /* TWHEEL_FUZZ_IOCTLS_H */
