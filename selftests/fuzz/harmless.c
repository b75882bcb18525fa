// SPDX-License-Identifier: GPL-2.0-only
/*
 * The system calls around the ioctls that an honest queue must not notice: dup, fork,
 * descriptors through a socket, a second mapping, fdinfo.
 */
#include "arena.h"
#include "harmless.h"
#include "place.h"
#include "promise.h"

#include <sys/wait.h>

static void dup_and_close(const struct queue *q)
{
	int fd = fcntl(q->fd, F_DUPFD_CLOEXEC, 0);

	stats(fd);
	close(fd);
}

/* A second mapping shows the same ring. */
static void map_twice(struct actor *a, const struct queue *q)
{
	char *spare = (char *)q->ring + PLACE_SPARE;
	const struct twheel_ring *ring = (void *)spare;
	size_t size = PLACE_BYTES - PLACE_SPARE;

	if (size > q->setup.ring_size)
		size = q->setup.ring_size;
	if (!holds(VIEWS, a, mmap(spare, size, PROT_READ, MAP_SHARED | MAP_FIXED, q->fd,
				  q->setup.ring_offset) == spare, "second mapping: %d", errno))
		return;
	holds(VIEWS, a, ring->entries == q->setup.ring_entries, "second mapping: %u entries",
	      ring->entries);
	munmap(spare, size);
}

/* The child has the descriptor, and leaves. */
static void fork_and_exit(const struct queue *q)
{
	pid_t pid = fork();

	if (!pid) {
		stats(q->fd);
		_exit(0);
	}
	if (pid > 0)
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
}

int through_socket(int fd)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	int pair[2], received = -1;

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair))
		return -1;
	if (send_fd(pair[0], fd, 0) == 1 && recvmsg(pair[1], &msg, MSG_CMSG_CLOEXEC) == 1 &&
	    CMSG_FIRSTHDR(&msg))
		memcpy(&received, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(received));
	close(pair[0]);
	close(pair[1]);
	return received;
}

void show_fdinfo(int fd)
{
	char path[64], text[2048];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file_get(path, text, sizeof(text));
}

void harmless_step(struct actor *a, const struct queue *q)
{
	unsigned int way = draw(a, 16);

	step(a, "harmless %u", way);
	if (way < 5)
		dup_and_close(q);
	else if (way < 9 && a->number % WORKERS == 0)
		map_twice(a, q);
	else if (way < 10)
		fork_and_exit(q);
	else if (way < 13)
		close(through_socket(q->fd));
	else
		show_fdinfo(q->fd);
}
