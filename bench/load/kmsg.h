/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_LOAD_KMSG_H
#define TWHEEL_LOAD_KMSG_H

void kmsg_begin(void);
unsigned int kmsg_bad_lines(void);	/* since kmsg_begin(); prints them */

#endif /* TWHEEL_LOAD_KMSG_H */
