// SPDX-License-Identifier: GPL-2.0-only
/*
 * A worker: arms, moves, cancels, queries and frees timers of its own on a queue
 * that it shares with another worker, by batches of random ops; pushes them back and
 * cancels them by their words; looks at them by LIST; and now and then lets a batch
 * fail half way.  What it is told goes to the model.
 *
 * Everything is drawn before it is known what the kernel has answered, so the same
 * seed is the same row of wishes.
 */
#include "fuzz.h"

/* What is drawn for one op, whatever becomes of it. */
struct wish {
	unsigned int slot, kind, way;
	__u64 delay, period, slack;
	bool relative, keep;
};

static __u64 draw_delay(struct actor *a)
{
	switch (draw(a, 8)) {
	case 0:
		return 0;
	case 1:
	case 2:
		return draw(a, 200 * USEC);
	case 3:
	case 4:
		return draw(a, 3 * MSEC);
	case 5:
		return draw(a, 20 * MSEC);
	case 6:
		return draw(a, 40) * 100 * USEC;	/* many at once */
	default:
		return 2 * FAR + draw(a, HOUR);
	}
}

static void draw_wish(struct actor *a, struct wish *wish)
{
	*wish = (struct wish){
		.slot = 1 + draw(a, SLOTS - 1),
		.kind = draw(a, 16),
		.way = draw(a, 64),
		.delay = draw_delay(a),
		.period = one_in(a, 6) ? 300 * USEC + draw(a, 20 * MSEC) : 0,
		.slack = one_in(a, 3) ? draw(a, 2 * MSEC) : 0,
		.relative = one_in(a, 2),
		.keep = one_in(a, 2),
	};
}

static void set_times(struct worker *w, struct twheel_op *op, const struct wish *wish)
{
	op->deadline = wish->delay;
	if (wish->relative)
		op->flags |= TWHEEL_OP_REL;
	else
		op->deadline += arena_now(w->arena);
	op->period = wish->period;
	op->slack = wish->slack;
}

/* An op with one thing wrong; returns what it must be refused with. */
static int break_op(struct twheel_op *op, const struct wish *wish)
{
	*op = op_arm(TIME_MAX, 1);
	switch (wish->way % 10) {
	case 0:
		op->opcode = wish->way % 2 ? 0 : TWHEEL_OP_FREE + 1 + wish->way;
		return -EINVAL;
	case 1:
		op->resv0 = 1;
		return -EINVAL;
	case 2:
		op->flags = 1U << (2 + wish->way % 14);
		return -EINVAL;
	case 3:
		op->resv[wish->way / 10 % 2] = 1ULL << wish->way;
		return -EINVAL;
	case 4:
		op->period = 1 + wish->slack % 99999;
		return -EINVAL;
	case 5:
		op->period = TIME_MAX + 1 + wish->delay;
		return -EINVAL;
	case 6:
		op->deadline = TIME_MAX + 1 + wish->delay;
		return -EOVERFLOW;
	case 7:
		op->flags = TWHEEL_OP_REL;
		return -EOVERFLOW;
	case 8:
		*op = op_cancel(wish->delay);
		op->deadline = 1;
		return -EINVAL;
	default:
		*op = op_move(wish->delay, 1, 0);
		op->user_data = 1;
		return -EINVAL;
	}
}

/* An op on an id that is not valid any more. */
static int stale_op(struct worker *w, struct twheel_op *op, const struct wish *wish)
{
	static const __u8 opcodes[] = {
		TWHEEL_OP_CANCEL, TWHEEL_OP_MOVE, TWHEEL_OP_QUERY, TWHEEL_OP_FREE,
	};

	*op = op_on(opcodes[wish->way % 4], w->stale[wish->way % STALE]);
	if (op->opcode == TWHEEL_OP_MOVE)
		set_times(w, op, wish);
	return -ENOENT;
}

static void op_for(struct worker *w, struct twheel_op *op, const struct wish *wish,
		   struct timer *t)
{
	static const __u8 opcodes[] = {
		TWHEEL_OP_CANCEL, TWHEEL_OP_CANCEL, TWHEEL_OP_CANCEL, TWHEEL_OP_FREE,
		TWHEEL_OP_QUERY, TWHEEL_OP_QUERY,
	};

	*op = op_on(wish->kind < sizeof(opcodes) ? opcodes[wish->kind] : TWHEEL_OP_MOVE, t->id);
	if (op->opcode == TWHEEL_OP_MOVE)
		set_times(w, op, wish);
}

/* Op @i of the batch. */
static void fill_op(struct worker *w, unsigned int i)
{
	struct twheel_op *op = &w->asked[i];
	struct wish wish;
	struct timer *t;

	draw_wish(&w->actor, &wish);
	t = w->slots[wish.slot];
	w->want[i] = ANY;
	w->in_batch[i] = t;
	if (wish.kind == 15) {
		w->want[i] = break_op(op, &wish);
	} else if (wish.kind == 14 || (t && !t->id)) {
		w->want[i] = stale_op(w, op, &wish);
	} else if (t) {
		op_for(w, op, &wish, t);
	} else {
		*op = op_arm(0, 0);
		op->flags = wish.keep ? TWHEEL_OP_KEEP : 0;
		set_times(w, op, &wish);
		t = model_timer(w, op);
		op->user_data = t->key;
		w->slots[wish.slot] = t;
		w->in_batch[i] = t;
	}
	w->ops[i] = *op;
}

/* Slots of timers that are gone are empty again. */
static void clear_slots(struct worker *w)
{
	for (unsigned int i = 0; i < SLOTS; i++) {
		struct timer *t = w->slots[i];

		if (!t || !t->dead)
			continue;
		if (t->id)
			w->stale[i % STALE] = t->id;
		w->slots[i] = NULL;
	}
}

static void submit_batch(struct worker *w, unsigned int count)
{
	struct base *b = &w->bases[w->base_count++];
	long ret;

	*b = (struct base){ .from = arena_now(w->arena) };
	ret = submit(queue_of(w)->fd, w->ops, count);
	b->to = arena_now(w->arena);
	step(&w->actor, "round %u: batch of %u: %ld", w->arena->round, count, ret);
	atomic_fetch_add(w->actor.operations, count);
	if (!holds(RESULTS, &w->actor, ret == count, "SUBMIT of %u ops: %ld", count, ret))
		return;
	for (unsigned int i = 0; i < count; i++)
		model_account(w, i, b);
	clear_slots(w);
}

static void put_op(struct worker *w, unsigned int i, struct timer *t, struct twheel_op op,
		   int want)
{
	w->asked[i] = op;
	w->ops[i] = op;
	w->want[i] = want;
	w->in_batch[i] = t;
}

static void arm_marker(struct worker *w)
{
	struct twheel_op op = op_arm(TIME_MAX, 0);

	op.flags = TWHEEL_OP_KEEP;
	w->slots[0] = model_timer(w, &op);
	op.user_data = w->slots[0]->key;
	put_op(w, 0, w->slots[0], op, ANY);
	submit_batch(w, 1);
}

static void random_batch(struct worker *w)
{
	unsigned int count = 3 + draw(&w->actor, one_in(&w->actor, 4) ? MAX_BATCH - 2 : 12);
	struct timer *marker = w->slots[0];
	struct twheel_op move = op_move(marker->id, 4 * FAR, 0);

	move.flags = TWHEEL_OP_REL;
	put_op(w, 0, marker, move, ANY);
	put_op(w, 1, marker, op_query(marker->id), ANY);
	for (unsigned int i = 2; i < count; i++)
		fill_op(w, i);
	submit_batch(w, count);
}

/* --- words ---------------------------------------------------------------------- */

static void touch(struct worker *w, struct timer *t, __u64 push, bool cancels)
{
	__u64 *word = &w->arena->words[(__u32)t->id];
	__u64 old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
	__u64 deadline = old & ~TWHEEL_WORD_STATE, later = deadline + 4 + (push & ~3ULL);

	if ((old & TWHEEL_WORD_STATE) != TWHEEL_WORD_ARMED)
		return;
	if (!t->now->base && !t->now->period)
		holds(VIEWS, &w->actor, deadline == ((t->now->deadline + 3) & ~3ULL),
		      "word of %llx: %llu instead of %llu", t->id, deadline, t->now->deadline);
	if (!__atomic_compare_exchange_n(word, &old,
					 cancels ? deadline | TWHEEL_WORD_CANCELLED :
						   later | TWHEEL_WORD_ARMED,
					 false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return;
	if (cancels) {
		model_end(w, t, CANCELLED, arena_now(w->arena));
		w->sums.reaped++;
	} else {
		model_push(w, t, later);
	}
}

static void touch_some(struct worker *w)
{
	for (unsigned int i = 0; i < 8; i++) {
		struct timer *t = w->slots[1 + draw(&w->actor, SLOTS - 1)];
		__u64 push = draw_delay(&w->actor);
		bool cancels = one_in(&w->actor, 4);

		if (t && t->word && model_open(t))
			touch(w, t, push, cancels);
	}
}

/* --- LIST --------------------------------------------------------------------------- */

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

void worker_list(struct worker *w)
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

/* --- a batch that fails half way ----------------------------------------------------- */

/* After the fault: a timer that has an id is armed, or it was undone with all others. */
static void look_at_failed(struct worker *w, const struct twheel_op *op, long ret)
{
	int fd = queue_of(w)->fd;
	long shown;

	if (op->result == -ENOMEM || (op->result == -ENOSPC && w->arena->limited))
		return;
	if (!holds(FAULTS, &w->actor, !op->result && op->id, "ARM with a fault: %d", op->result))
		return;
	shown = state(fd, op->id);
	if (shown == -ENOENT && ret == -EFAULT)
		return;
	holds(FAULTS, &w->actor, shown == TWHEEL_PENDING, "after a fault, %llx is %ld", op->id,
	      shown);
	holds(FAULTS, &w->actor, release(fd, op->id) == 1, "FREE of %llx after a fault", op->id);
	w->sums.armed++;
	w->sums.cancelled++;
}

/* Only ARMs, so that what must be is known. */
static void arm_with_fault(struct worker *w, struct twheel_op *ops, unsigned int count,
			   unsigned int nth)
{
	long ret;

	for (unsigned int i = 0; i < count; i++)
		ops[i] = op_arm(arena_now(w->arena) + 10 * HOUR, ~0ULL);
	if (!nth)
		mprotect(w->pages + PAGE_SIZE, PAGE_SIZE, PROT_READ);
	if (nth)
		fault_at(w->fault_fd, nth);
	ret = submit(queue_of(w)->fd, ops, count);
	if (nth)
		fault_at(w->fault_fd, 0);
	step(&w->actor, "%u ARMs, fault %u: %ld", count, nth, ret);
	atomic_store(&w->arena->faulty, true);
	holds(FAULTS, &w->actor, ret == -EFAULT || (nth && ret > 0 && ret <= count),
	      "SUBMIT of %u with a fault: %ld", count, ret);
	for (long i = 0; i < count; i++)
		if (ops[i].result != POISON32)
			look_at_failed(w, &ops[i], ret);
		else
			holds(FAULTS, &w->actor, i >= ret, "op %ld of %ld has no result", i, ret);
	if (!nth)
		mprotect(w->pages + PAGE_SIZE, PAGE_SIZE, PROT_READ | PROT_WRITE);
}

void worker_faults(struct worker *w)
{
	unsigned int count = 2 + draw(&w->actor, 60), nth = draw(&w->actor, 12);
	unsigned int beyond = 1 + draw(&w->actor, count);

	if (nth && w->fault_fd < 0)
		return;
	if (nth)
		arm_with_fault(w, w->ops, count, nth);
	else
		arm_with_fault(w, (void *)(w->pages + PAGE_SIZE -
					   (count - beyond) * sizeof(struct twheel_op)), count, 0);
}

/* --- a round ---------------------------------------------------------------------------- */

static void look_at_stats(struct worker *w)
{
	struct twheel_stats s = stats(queue_of(w)->fd);
	__u64 levels = 0, records = 0;

	for (int i = 0; i < TWHEEL_LEVELS; i++)
		levels += s.level[i];
	for (int i = 0; i < TWHEEL_LATENESS_BUCKETS; i++)
		records += s.lateness[i];
	step(&w->actor, "STATS");
	/* timers whose time had come when they were armed are in no level */
	holds(VIEWS, &w->actor, levels <= s.pending && records == s.expired &&
	      s.pending + s.backlog <= s.allocated,
	      "STATS: %llu in levels, %llu pending, %llu backlog, %llu allocated; %llu, %llu records",
	      levels, s.pending, s.backlog, s.allocated, records, s.expired);
}

static void something_else(struct worker *w)
{
	switch (draw(&w->actor, 16)) {
	case 0:
		worker_list(w);
		return;
	case 1:
		worker_faults(w);
		return;
	case 2:
		around_harmless(&w->actor, queue_of(w));
		return;
	case 3:
		look_at_stats(w);
		return;
	case 4:
		/* FLUSH tells nobody, so there must be somebody who looks anyway. */
		if (w->arena->consumer[0].kind == MAPPED)
			flush(queue_of(w)->fd);
		return;
	default:
		sleep_ns(draw(&w->actor, 2 * MSEC));
	}
}

void worker_begin(struct worker *w)
{
	memset(w->slots, 0, sizeof(w->slots));
	memset(&w->sums, 0, sizeof(w->sums));
	for (unsigned int i = 0; i < STALE; i++)
		w->stale[i] = (__u64)(0x10000000 + i) << 32 | i;
	w->timer_count = 0;
	w->span_count = 0;
	w->base_count = 0;
	arm_marker(w);
}

void worker_work(struct worker *w)
{
	unsigned int batches = 10 + draw(&w->actor, MAX_BATCHES - 13);

	while (batches-- && !over && !w->arena->full && !model_full(w)) {
		random_batch(w);
		if (w->arena->words)
			touch_some(w);
		something_else(w);
	}
}

/*
 * Leave nothing that would go on for ever: periodic timers are cancelled; and those
 * that were cancelled by their words are taken out.
 */
void worker_settle(struct worker *w)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < SLOTS; i++) {
		struct timer *t = w->slots[i];

		if (!t || (model_open(t) && (!t->now->period || model_far(w, t))))
			continue;
		put_op(w, count++, t, op_cancel(t->id), ANY);
	}
	if (count)
		submit_batch(w, count);
}

/* Now that all that was due has been delivered: look at what is left, and end it. */
void worker_rest(struct worker *w)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < SLOTS; i++) {
		struct timer *t = w->slots[i];

		if (!t || !model_open(t) || model_far(w, t))
			continue;
		model_end(w, t, DELIVERED, arena_now(w->arena));
		t->dead = !t->keep;
	}
	clear_slots(w);
	worker_list(w);
	if (w->arena->leave)
		return;
	for (unsigned int i = 0; i < SLOTS; i++) {
		struct timer *t = w->slots[i];

		if (!t)
			continue;
		put_op(w, count++, t, op_free(t->id), model_open(t));
		w->sums.cancelled += model_open(t);
		t->dead = true;
	}
	if (count)
		submit_batch(w, count);
}
