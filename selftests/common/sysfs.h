/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of sysfs, procfs and the like: the module's parameters, its use count. */
#ifndef TWHEEL_SELFTESTS_SYSFS_H
#define TWHEEL_SELFTESTS_SYSFS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "time.h"

#define PARAMETERS	"/sys/module/twheel/parameters/"

static inline long file_get(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	long ret;

	if (fd < 0)
		return -errno;
	ret = result_of(read(fd, text, size - 1));
	close(fd);
	if (ret >= 0)
		text[ret] = '\0';
	return ret;
}

static inline long file_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	long ret;

	if (fd < 0)
		return -errno;
	ret = result_of(write(fd, text, strlen(text)));
	close(fd);
	return ret < 0 ? ret : 0;
}

/* A module parameter, or 0. */
static inline __u64 parameter(const char *name)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	return file_get(path, text, sizeof(text)) > 0 ? strtoull(text, NULL, 0) : 0;
}

static inline long parameter_set(const char *name, __u64 value)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return file_put(path, text);
}

/* How often the module is in use, or -1. */
static inline long module_users(void)
{
	char text[32];

	return file_get("/sys/module/twheel/refcnt", text, sizeof(text)) > 0 ?
		atol(text) : -1;
}

/*
 * Wait for a use count: the last reference may be dropped a little later, by a work
 * item.  Sockets that hold each other are found when another socket is closed.
 */
static inline bool users_become(long n)
{
	__u64 give_up = mono() + GIVE_UP_MS * MSEC;

	while (module_users() != n) {
		if (mono() > give_up)
			return false;
		close(socket(AF_UNIX, SOCK_DGRAM, 0));
		sleep_ns(5 * MSEC);
	}
	return true;
}

#endif /* TWHEEL_SELFTESTS_SYSFS_H */
