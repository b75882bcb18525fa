// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * What the library asks of a queue of the engine in the process.
 */
#include <limits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "engine.h"
#include "ops.h"
#include "pass.h"
#include "view.h"

#define CHUNK		32U	/* ops whose timers are prefetched together */
#define LIST_LOOKS	1024	/* calls of tw_view_list() in one hold of the lock */

/* Ops that need memory and cannot have it get the error; others go on. */
static void run_ops(struct twheel_process *p, struct twheel_op *ops, unsigned int count,
		    u64 now)
{
	unsigned int done = 0;
	int err;

	for (;;) {
		done += tw_ops_run(&p->core, ops + done, count - done, now);
		if (done == count)
			return;
		err = engine_grow(p);
		if (err)
			ops[done++].result = err;
	}
}

/*
 * Timers are far apart in memory, and so are those that they are linked with.  Asked
 * for in advance, they come at the same time; one after another, each op would
 * wait for its own.
 */
static void prefetch(const struct tw_table *table, const struct twheel_op *ops,
		     unsigned int count)
{
	const struct tw_timer *timers[CHUNK];
	unsigned int i, n = 0;

	for (i = 0; i < count; i++) {
		if (ops[i].opcode == TWHEEL_OP_ARM)
			continue;
		timers[n] = tw_table_at(table, (u32)ops[i].id);
		__builtin_prefetch(timers[n], 1);
		n += !!timers[n];
	}
	for (i = 0; i < n; i++) {
		__builtin_prefetch(timers[i]->link.next, 1);
		__builtin_prefetch(timers[i]->link.pprev, 1);
	}
}

static void run_chunks(struct twheel_process *p, struct twheel_op *ops, unsigned int count,
		       u64 now)
{
	for (unsigned int done = 0; done < count; done += CHUNK) {
		unsigned int some = min(count - done, CHUNK);

		if (some > 1)
			prefetch(&p->core.table, ops + done, some);
		run_ops(p, ops + done, some, now);
	}
}

int twheel_process_submit(struct twheel_process *p, struct twheel_op *ops, unsigned int count)
{
	unsigned int done = 0, some;
	u64 now;
	int err;

	while (done < count) {
		some = min(count - done, ENGINE_MAX_BATCH);
		err = engine_lock(p, &now);
		if (err)
			return err;
		run_chunks(p, ops + done, some, now);
		engine_unlock(p, now);
		done += some;
	}
	return (int)done;
}

/* Take unread records: how many, or -EPROTO. */
static int take(struct twheel_process *p, struct twheel_record *records, unsigned int count)
{
	unsigned int taken = 0;
	u32 number;
	int err;

	while (taken < count) {
		err = tw_ring_peek(&p->core.ring, &records[taken], &number);
		if (err == -EAGAIN)
			break;
		if (err == -EPROTO)
			return taken ? (int)taken : err;
		taken += !err && tw_ring_take(&p->core.ring, number);
	}
	return (int)taken;
}

/*
 * A pass may find timers to file again and none to fire.  So the passes are counted, too:
 * the call returns after a while, and the timerfd stays readable.
 */
int twheel_process_consume(struct twheel_process *p, struct twheel_record *records,
			   unsigned int count)
{
	unsigned int done = 0, passes = 0;
	u64 now;
	int ret = engine_lock(p, &now);

	if (ret)
		return ret;
	count = min_t(unsigned int, count, INT_MAX);
	for (;;) {
		ret = take(p, records + done, count - done);
		if (ret < 0)
			break;
		done += (unsigned int)ret;
		if (done == count || !engine_due(p, now) || passes++ > count / TW_BUDGET)
			break;
		engine_pass(p, now);
	}
	engine_unlock(p, now);
	return done ? (int)done : ret;
}

int twheel_process_prepare_wait(struct twheel_process *p)
{
	unsigned int unread;
	u64 now;
	int err = engine_lock(p, &now);

	if (err)
		return err;
	while (!tw_ring_count(&p->core.ring) && engine_due(p, now))
		engine_pass(p, now);
	unread = tw_ring_count(&p->core.ring);
	engine_unlock(p, now);
	return (int)min(unread, p->core.ring.entries);
}

/* Only what waited for room before counts. */
int twheel_process_flush(struct twheel_process *p)
{
	unsigned int budget = UINT_MAX;
	int moved;
	u64 now;
	int err = engine_lock_only(p, &now);

	if (err)
		return err;
	moved = (int)tw_pass_flush(&p->core, now, &budget);
	engine_unlock(p, now);
	return moved;
}

/* From event to event, as if somebody had asked at each. */
int twheel_process_advance(struct twheel_process *p, __u64 ns)
{
	u64 now, end;
	int err = engine_lock(p, &now);

	if (err)
		return err;
	end = now + ns;
	if (!p->clock.manual)
		err = -EINVAL;
	else if (end < now || end > S64_MAX)
		err = -EOVERFLOW;
	while (!err && now < end) {
		now = max(now, min(p->next, end));
		p->clock.time = now;
		tw_core_set_now(&p->core, now, 0);
		while (engine_pass(p, now))
			;
	}
	engine_unlock(p, now);
	return err;
}

__u64 twheel_process_now(struct twheel_process *p)
{
	u64 now;

	if (!p->clock.manual)
		return engine_clock_now(&p->clock);
	if (engine_lock(p, &now))
		return 0;
	engine_unlock(p, now);
	return now;
}

int twheel_process_stats(struct twheel_process *p, struct twheel_stats *stats)
{
	u64 now;
	int err = engine_lock(p, &now);

	if (err)
		return err;
	*stats = (struct twheel_stats){
		.size = sizeof(*stats),
		.now = now,
		.memory = engine_memory(p),
	};
	tw_view_stats(&p->core, stats);
	engine_unlock(p, now);
	return 0;
}

int twheel_process_list(struct twheel_process *p, __u64 *cursor, struct twheel_info *infos,
			unsigned int count)
{
	unsigned int listed = 0, places = 0;
	u64 now;
	int err = engine_lock(p, &now);

	if (err)
		return err;
	count = min(count, ENGINE_MAX_BATCH);
	while (listed < count && *cursor != TWHEEL_LIST_END && places++ < LIST_LOOKS)
		listed += tw_view_list(&p->core, cursor, infos + listed, count - listed);
	engine_unlock(p, now);
	return (int)listed;
}
