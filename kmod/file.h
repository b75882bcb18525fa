/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_FILE_H
#define TWHEEL_FILE_H

#include <linux/fs.h>

extern const struct file_operations tw_file_operations;

#endif /* TWHEEL_FILE_H */
