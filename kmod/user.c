// SPDX-License-Identifier: GPL-2.0-only
/*
 * What each user may have: so many queues, and so many timers in all of them.
 * The kernel's own counters (ucounts) are not exported to modules, so this is a
 * table of users by uid; a user is in it while he has a queue.
 *
 * Timers are counted where memory is taken for them, 64 at a time, so that
 * arming a timer touches nothing that queues share.
 *
 * LOCKING: users_lock protects the table, and the count of each user's queues,
 * which is the reference count too.  tw_user.timers is atomic.
 */
#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

#include "user.h"

static uint max_queues_per_user = 1024;
module_param(max_queues_per_user, uint, 0644);
MODULE_PARM_DESC(max_queues_per_user, "Most queues of one user (default 1024)");

static uint max_timers_per_user = 1U << 24;
module_param(max_timers_per_user, uint, 0644);
MODULE_PARM_DESC(max_timers_per_user,
		 "Most timers of one user, counted in steps of 64 (default 16777216)");

/**
 * struct tw_user - a user who has queues
 * @uid: who
 * @queues: how many; protected by users_lock
 * @timers: timers his queues have memory for
 */
struct tw_user {
	uid_t uid;
	u32 queues;
	atomic_long_t timers;
};

static DEFINE_MUTEX(users_lock);
static DEFINE_XARRAY(users);

static struct tw_user *find_or_add(uid_t uid)
{
	struct tw_user *user = xa_load(&users, uid);
	int err;

	lockdep_assert_held(&users_lock);
	if (user)
		return user;
	user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	if (!user)
		return ERR_PTR(-ENOMEM);
	user->uid = uid;
	err = xa_err(xa_store(&users, uid, user, GFP_KERNEL_ACCOUNT));
	if (err) {
		kfree(user);
		return ERR_PTR(err);
	}
	return user;
}

/**
 * tw_user_get() - charge the calling user with one queue
 *
 * Context: Process context.  May sleep.  Takes and releases users_lock.
 * Return: the user; or an ERR_PTR: -EDQUOT at the limit, -ENOMEM.
 */
struct tw_user *tw_user_get(void)
{
	uint limit = READ_ONCE(max_queues_per_user);
	struct tw_user *user;

	if (!limit)
		return ERR_PTR(-EDQUOT);
	mutex_lock(&users_lock);
	user = find_or_add(__kuid_val(current_uid()));
	if (!IS_ERR(user)) {
		if (user->queues < limit)
			user->queues++;
		else
			user = ERR_PTR(-EDQUOT);
	}
	mutex_unlock(&users_lock);
	return user;
}

/**
 * tw_user_put() - the queue is gone
 * @user: from tw_user_get()
 *
 * Context: Process context.  May sleep.  Takes and releases users_lock.
 */
void tw_user_put(struct tw_user *user)
{
	mutex_lock(&users_lock);
	if (!--user->queues) {
		xa_erase(&users, user->uid);
		kfree(user);
	}
	mutex_unlock(&users_lock);
}

/**
 * tw_user_charge() - charge a user with timers
 * @user: the user
 * @timers: how many
 *
 * Context: Any.
 * Return: 0, or -EDQUOT at the limit.
 */
int tw_user_charge(struct tw_user *user, u32 timers)
{
	if (atomic_long_add_return(timers, &user->timers) <= READ_ONCE(max_timers_per_user))
		return 0;
	atomic_long_sub(timers, &user->timers);
	return -EDQUOT;
}

/**
 * tw_user_uncharge() - timers are gone
 * @user: the user
 * @timers: how many
 *
 * Context: Any.
 */
void tw_user_uncharge(struct tw_user *user, u32 timers)
{
	atomic_long_sub(timers, &user->timers);
}
