// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue's life: the file creates it with SETUP and destroys it with the last
 * close; whoever uses it holds the file.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "compat.h"
#include "expire.h"
#include "grow.h"
#include "lifetime.h"
#include "queue.h"
#include "user.h"

static atomic64_t last_number = ATOMIC64_INIT(0);

static int init_ring(struct tw_queue *q, u32 entries)
{
	int err = tw_area_init(&q->ring_area, tw_ring_bytes(entries));

	if (!err)
		err = tw_area_init(&q->ctl_area, sizeof(struct twheel_ctl));
	if (!err)
		tw_ring_init(&q->core.ring, q->ring_area.addr, q->ctl_area.addr, entries);
	return err;
}

static int init_members(struct tw_queue *q, const struct twheel_setup *setup)
{
	q->core.number = atomic64_inc_return(&last_number);
	q->core.slack = setup->slack;
	q->core.min_period = setup->min_period;
	tw_words_init(&q->core.words, setup->flags & TWHEEL_SETUP_WORDS);
	mutex_init(&q->growing);
	spin_lock_init(&q->lock);
	tw_queue_init_signals(q);
	tw_wheel_init(&q->core.wheel, tw_clock_now(&q->clock));
	tw_table_init(&q->core.table, setup->max_timers);
	tw_queue_init_expiry(q);
	return init_ring(q, setup->ring_entries);
}

/**
 * tw_queue_create() - make a queue
 * @setup: what SETUP asks for, checked; ring_entries is a power of two
 * @wait: whom to wake; outlives the queue
 *
 * Context: Process context.  May sleep.
 * Return: the queue, or an ERR_PTR: -EDQUOT, -EINVAL for the clock, -ENOMEM.
 */
struct tw_queue *tw_queue_create(const struct twheel_setup *setup, wait_queue_head_t *wait)
{
	struct tw_user *user;
	struct tw_clock clock;
	struct tw_queue *q;
	int err = tw_clock_init(&clock, setup->clockid);

	if (err)
		return ERR_PTR(err);
	user = tw_user_get();
	if (IS_ERR(user))
		return ERR_CAST(user);
	q = kvzalloc(sizeof(*q), TW_GFP_USER);
	if (!q) {
		tw_user_put(user);
		return ERR_PTR(-ENOMEM);
	}
	q->user = user;
	q->wait = wait;
	q->clock = clock;
	err = init_members(q, setup);
	if (err) {
		tw_queue_destroy(q);
		return ERR_PTR(err);
	}
	return q;
}

/**
 * tw_queue_destroy() - the end of a queue and all its timers
 * @q: a queue that nobody else can reach
 *
 * Context: Process context.  May sleep.
 */
void tw_queue_destroy(struct tw_queue *q)
{
	lockdep_assert_not_held(&q->lock);
	tw_queue_stop_expiry(q);
	tw_queue_stop_signals(q);
	tw_queue_free_timers(q);
	tw_area_destroy(&q->ring_area);
	tw_area_destroy(&q->ctl_area);
	tw_user_put(q->user);
	kvfree(q);
}
