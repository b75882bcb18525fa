/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls that do no harm to a queue. */
#ifndef TWHEEL_FUZZ_HARMLESS_H
#define TWHEEL_FUZZ_HARMLESS_H

#include "actor.h"

/* One of them; an honest queue must not notice. */
void harmless_step(struct actor *a, const struct queue *q);
/* Send a descriptor through a socket; returns the one that came out of the other end. */
int through_socket(int fd);
void show_fdinfo(int fd);

#endif /* TWHEEL_FUZZ_HARMLESS_H */
