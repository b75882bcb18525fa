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
#include "halfway.h"
#include "harmless.h"
#include "listing.h"
#include "model.h"
#include "promise.h"
#include "wish.h"
#include "worker.h"

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

	wish_draw(&w->actor, &wish);
	t = w->slots[wish.slot];
	w->want[i] = ANY;
	w->in_batch[i] = t;
	if (wish.kind == 15) {
		w->want[i] = wish_broken(op, &wish);
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
	atomic_fetch_add(&operations, count);
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

static bool word_step(shared_u64 *word, __u64 from, __u64 to)
{
	return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

/* A timer that is armed as far as the model knows: push it back, or cancel it. */
static void touch(struct worker *w, struct timer *t, __u64 push, bool cancels)
{
	shared_u64 *word = &w->arena->words[(__u32)t->id];
	__u64 old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
	__u64 deadline = old & ~TWHEEL_WORD_STATE, later = deadline + push;

	if ((old & TWHEEL_WORD_STATE) != TWHEEL_WORD_ARMED)
		return;
	if (!t->now->base && !t->now->period)
		holds(VIEWS, &w->actor, deadline == ((t->now->deadline + 3) & ~3ULL),
		      "word of %llx: %llu instead of %llu", t->id, deadline, t->now->deadline);
	if (!word_step(word, old, cancels ? deadline | TWHEEL_WORD_CANCELLED :
					    later | TWHEEL_WORD_ARMED))
		return;
	if (cancels)
		model_word_cancel(w, t);
	else
		model_push(w, t, later);
}

/* A timer that is not armed: if its word has cancelled it, arm it again. */
static void arm_again(struct worker *w, struct timer *t, __u64 push)
{
	shared_u64 *word = &w->arena->words[(__u32)t->id];
	__u64 old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
	__u64 later = (old & ~TWHEEL_WORD_STATE) + push;

	if ((old & TWHEEL_WORD_STATE) == TWHEEL_WORD_CANCELLED &&
	    word_step(word, old, later | TWHEEL_WORD_ARMED))
		model_word_arm(w, t, later);
}

static void touch_some(struct worker *w)
{
	for (unsigned int i = 0; i < 8; i++) {
		struct timer *t = w->slots[1 + draw(&w->actor, SLOTS - 1)];
		__u64 push = 4 + (wish_delay(&w->actor) & ~3ULL);
		bool cancels = one_in(&w->actor, 4), again = one_in(&w->actor, 2);

		if (!t || t->dead || !t->word)
			continue;
		if (model_open(t))
			touch(w, t, push, cancels);
		if (!model_open(t) && again)
			arm_again(w, t, push);
	}
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
		listing_check(w);
		return;
	case 1:
		halfway_batch(w);
		return;
	case 2:
		harmless_step(&w->actor, queue_of(w));
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
	listing_check(w);
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
