/* SPDX-License-Identifier: GPL-2.0-only */
/* Passing descriptors from one process to another over a unix socket. */
#ifndef TWHEEL_SELFTESTS_PASS_FD_H
#define TWHEEL_SELFTESTS_PASS_FD_H

#include <string.h>
#include <sys/socket.h>

#include "base.h"

/* Pass a descriptor over a unix socket. */
static inline long send_fd(int sock, int fd, int flags)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return result_of(sendmsg(sock, &msg, flags));
}

/* Receive the next descriptor, or -1. */
static inline int receive_fd(int sock)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	int fd = -1;

	if (recvmsg(sock, &msg, 0) == 1 && CMSG_FIRSTHDR(&msg))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

#endif /* TWHEEL_SELFTESTS_PASS_FD_H */
