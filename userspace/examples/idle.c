// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * An echo server that closes connections which are idle for too long.
 *
 *	idle PORT MILLISECONDS
 *
 * Each connection has one kept timer.  Data pushes it back through its word,
 * without a system call.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <twheel.h>
#include <unistd.h>

#define MAX_FDS	1024

static struct twheel tw;
static __u64 timers[MAX_FDS];	/* by descriptor; 0 if there is no connection */
static __u64 idle_ns;
static int epoll_fd;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void watch(int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event))
		die("epoll_ctl");
}

static void accept_one(int listener)
{
	int fd = accept(listener, NULL, NULL);
	struct twheel_op op;

	if (fd < 0)
		return;
	twheel_prep_arm(&op, idle_ns, 0, (__u64)fd, TWHEEL_OP_REL | TWHEEL_OP_KEEP);
	if (fd >= MAX_FDS || twheel_submit(&tw, &op, 1) != 1 || op.result < 0) {
		close(fd);
		return;
	}
	timers[fd] = op.id;
	watch(fd);
}

/* A kept timer has to be freed, whichever way its connection ends. */
static void hang_up(int fd)
{
	struct twheel_op op;

	twheel_prep_free(&op, timers[fd]);
	twheel_submit(&tw, &op, 1);
	timers[fd] = 0;
	close(fd);
}

static void serve(int fd)
{
	char buffer[4096];
	ssize_t n;

	if (!timers[fd])	/* closed by an earlier event of the same batch */
		return;
	n = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0 || send(fd, buffer, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL) != n) {
		hang_up(fd);
		return;
	}
	/* If this is too late, the record is on its way and closes the connection. */
	twheel_word_push(&tw, timers[fd], twheel_now(&tw) + idle_ns);
}

static void close_idle(void)
{
	struct twheel_record record;

	while (twheel_consume(&tw, &record, 1) == 1) {
		int fd = (int)record.user_data;

		/* The descriptor may belong to a newer connection by now. */
		if (timers[fd] != record.id)
			continue;
		printf("connection %d was idle, %u ns late\n", fd, record.lateness);
		hang_up(fd);
	}
}

static int listen_on(int port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(fd, SOMAXCONN))
		die("listen");
	return fd;
}

static void loop(int listener)
{
	struct epoll_event events[64];

	for (;;) {
		int n = epoll_wait(epoll_fd, events, 64, -1);

		for (int i = 0; i < n; i++) {
			int fd = events[i].data.fd;

			if (fd == listener)
				accept_one(listener);
			else if (fd == twheel_fd(&tw))
				close_idle();
			else
				serve(fd);
		}
	}
}

int main(int argc, char **argv)
{
	struct twheel_config config = {
		.size = sizeof(config),
		.flags = TWHEEL_SETUP_WORDS,
		.clockid = CLOCK_MONOTONIC,
		.slack = 1000000,	/* 1 ms late does not matter; fewer wake-ups */
	};
	int listener;

	if (argc != 3) {
		fprintf(stderr, "usage: idle PORT MILLISECONDS\n");
		return 2;
	}
	idle_ns = strtoull(argv[2], NULL, 10) * 1000000;
	errno = -twheel_open(&tw, &config);
	if (errno)
		die("twheel_open");
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0)
		die("epoll_create1");
	setvbuf(stdout, NULL, _IOLBF, 0);
	listener = listen_on(atoi(argv[1]));
	watch(listener);
	watch(twheel_fd(&tw));
	loop(listener);
}
