/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_USER_H
#define TWHEEL_USER_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "defer.h"

/**
 * struct tw_user - a user who has queues
 * @uid: the user
 * @users: link in the table of users
 * @queues: how many queues; protected by users_lock, as @users is
 * @timers: how many timers the queues have memory for
 * @run_queue: the deferred passes of these queues
 */
struct tw_user {
	kuid_t uid;
	struct hlist_node users;
	u32 queues;
	atomic_long_t timers;
	struct tw_run_queue run_queue;
};

struct tw_user *tw_user_get(void);
void tw_user_put(struct tw_user *user);
int tw_user_charge(struct tw_user *user, u32 timers);
void tw_user_uncharge(struct tw_user *user, u32 timers);

#endif /* TWHEEL_USER_H */
