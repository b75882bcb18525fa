// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many users, a process each.
 */
#include <sys/wait.h>

#include "load.h"

#define FIRST_UID	2000U
#define GET_READY	(2 * SEC)	/* to fill the queues; more where it is slow */

static void be_user(struct user *u, void (*run)(struct user *))
{
	for (unsigned int i = 0; i <= USER_QUEUES; i++)
		u->fds[i] = device_open();
	if (u->fds[USER_QUEUES] < 0 || setuid(FIRST_UID + u->number))
		wrong(u->outcome, "user %u: %s", u->number, strerror(errno));
	else
		run(u);
}

void run_users(struct outcome *o, void (*run)(struct user *))
{
	struct user u = {
		.outcome = o,
		.start = mono() + (counts_instructions() ? 1 : 10) * GET_READY,
	};
	int status;

	fflush(stdout);
	for (u.number = 0; u.number < USERS; u.number++) {
		pid_t pid = fork();

		if (!pid) {
			be_user(&u, run);
			exit(0);
		}
		if (pid < 0)
			wrong(o, "fork: %s", strerror(errno));
	}
	while (wait(&status) > 0)
		if (status)
			wrong(o, "a user's process ended with status %d", status);
}
