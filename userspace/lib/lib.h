/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Shared by the library's files, not visible to programs. */
#ifndef TWHEEL_LIB_H
#define TWHEEL_LIB_H

#include <errno.h>
#include <sys/ioctl.h>
#include <twheel.h>

/**
 * lib_result - convert the return value of a system call to that of the library
 * @ret: -1 after an error
 * @saved: errno as it was before the call
 *
 * errno belongs to the program, so it gets its old value back.
 *
 * Return: @ret, or a negative errno.
 */
static inline int lib_result(int ret, int saved)
{
	if (ret == -1) {
		ret = -errno;
		errno = saved;
	}
	return ret;
}

/* ioctl() on a queue. */
static inline int lib_ioctl(int fd, unsigned long command, void *argument)
{
	int saved = errno;

	return lib_result(ioctl(fd, command, argument), saved);
}

#endif /* TWHEEL_LIB_H */
