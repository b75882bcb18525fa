// SPDX-License-Identifier: GPL-2.0-only
/* LIST, compared with what a worker knows of its timers. */
#include "listing.h"
#include "model.h"
#include "promise.h"

/* The timer of this worker that @info shows, or NULL. */
static struct timer *listed(struct worker *w, const struct twheel_info *info)
{
	__u32 index = info->user_data;

	if (index >= w->timer_count || w->timers[index].key != info->user_data)
		return NULL;
	return &w->timers[index];
}

static void look_at_info(struct worker *w, const struct twheel_info *info, __u64 from)
{
	struct timer *t = listed(w, info);

	if (!t)
		return;
	if (!holds(VIEWS, &w->actor, !t->dead && t->id == info->id &&
		   t->keep == !!(info->flags & TWHEEL_INFO_KEEP),
		   "LIST shows %llx, which is %s", info->id, t->dead ? "gone" : "another"))
		return;
	if (info->state == TWHEEL_IDLE)
		holds(VIEWS, &w->actor, t->keep && (!model_open(t) || !t->now->period),
		      "LIST shows %llx idle", info->id);
	else if (holds(VIEWS, &w->actor, model_open(t), "LIST shows %llx pending", info->id))
		model_info(w, t, info, from, arena_now(w->arena));
}

/* Those that exist as long as the listing takes, whatever the clock says. */
static unsigned int lasting(const struct worker *w, const __u64 *ids, unsigned int count)
{
	unsigned int missing = 0;

	for (unsigned int i = 0; i < SLOTS; i++) {
		const struct timer *t = w->slots[i];
		unsigned int times = 0;

		if (!t)
			continue;
		for (unsigned int k = 0; k < count; k++)
			times += ids[k] == t->id;
		missing += t->keep || t->now->period || model_far(w, t) ? times != 1 : times > 1;
	}
	return missing;
}

void listing_check(struct worker *w)
{
	static __thread __u64 ids[8192];
	struct twheel_info infos[32];
	unsigned int count = 0, wrong, room = 1 + draw(&w->actor, 32);
	__u64 cursor = 0, from;

	while (cursor != TWHEEL_LIST_END && count + 32 <= 8192) {
		long got;

		from = arena_now(w->arena);
		got = list(queue_of(w)->fd, &cursor, infos, room);
		if (!holds(VIEWS, &w->actor, got >= 0, "LIST: %ld", got))
			return;
		for (long i = 0; i < got; i++) {
			look_at_info(w, &infos[i], from);
			ids[count++] = infos[i].id;
		}
	}
	wrong = lasting(w, ids, count);
	step(&w->actor, "LIST: %u timers", count);
	holds(VIEWS, &w->actor, !wrong, "LIST of %u timers: %u are missing or twice", count, wrong);
}
