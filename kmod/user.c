// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits per user: the number of queues, and of timers in all of them together.
 * The kernel's own counters (ucounts) are not exported to modules, so this is a
 * table of users by uid.  A user is in it as long as the user has a queue.
 *
 * Timers are counted when memory is allocated for them, 64 at a time, so that
 * arming a timer touches nothing that queues share.
 *
 * LOCKING: users_lock protects the table and each user's number of queues, which
 * is the reference count too.  tw_user.timers is atomic.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "compat.h"
#include "user.h"

static uint max_queues_per_user = 1024;
module_param(max_queues_per_user, uint, 0644);
MODULE_PARM_DESC(max_queues_per_user, "Most queues of one user (default 1024)");

static uint max_timers_per_user = 1U << 24;
module_param(max_timers_per_user, uint, 0644);
MODULE_PARM_DESC(max_timers_per_user,
		 "Most timers of one user, counted in steps of 64 (default 16777216)");

static DEFINE_MUTEX(users_lock);
static DEFINE_HASHTABLE(users, 8);

/*
 * The caller's uid is charged.  In user namespaces made by an unprivileged user, who
 * may have many uids there (/etc/subuid), the owner of the outermost one is charged.
 * Namespaces made by root, for containers, do not aggregate.
 */
static kuid_t charged_uid(void)
{
	const struct user_namespace *ns;
	kuid_t uid = current_uid();

	for (ns = current_user_ns(); ns->parent; ns = ns->parent)
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			uid = ns->owner;
	return uid;
}

static struct tw_user *find(kuid_t uid)
{
	struct tw_user *user;

	lockdep_assert_held(&users_lock);
	hash_for_each_possible(users, user, users, __kuid_val(uid))
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

static struct tw_user *make(kuid_t uid)
{
	struct tw_user *user = kzalloc(sizeof(*user), TW_GFP_USER);

	if (user) {
		user->uid = uid;
		tw_run_queue_init(&user->run_queue);
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
	kuid_t uid = charged_uid();
	struct tw_user *user, *new;

	if (!limit)
		return ERR_PTR(-EDQUOT);
	new = make(uid);	/* not under the lock: it may wait if the cgroup is full */
	if (!new)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&users_lock);
	user = find(uid);
	if (!user) {
		swap(user, new);
		hash_add(users, &user->users, __kuid_val(uid));
	}
	if (user->queues < limit)
		user->queues++;
	else
		user = ERR_PTR(-EDQUOT);
	mutex_unlock(&users_lock);
	kfree(new);
	return user;
}

/**
 * tw_user_put() - uncharge one queue, which is gone
 * @user: from tw_user_get()
 *
 * Context: Process context.  May sleep.  Takes and releases users_lock.
 */
void tw_user_put(struct tw_user *user)
{
	bool last;

	mutex_lock(&users_lock);
	last = !--user->queues;
	if (last)
		hash_del(&user->users);
	mutex_unlock(&users_lock);
	if (!last)
		return;
	tw_run_queue_destroy(&user->run_queue);
	kfree(user);
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
 * tw_user_uncharge() - uncharge timers, which are gone
 * @user: the user
 * @timers: how many
 *
 * Context: Any.
 */
void tw_user_uncharge(struct tw_user *user, u32 timers)
{
	atomic_long_sub(timers, &user->timers);
}
