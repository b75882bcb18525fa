// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model: what a worker knows of its timers from the results of its ops.
 *
 * A timer's life is a row of spans.  ARM and MOVE begin one, and so does a push-back
 * or an arming by the word; the next op that says anything ends it: CANCEL that succeeds, MOVE, or
 * whatever finds that the timer is not pending any more.  Only the worker submits ops
 * for its timers, so what it has been told is all there is.  What it cannot know is
 * when a timer is delivered; so to an open span of a one-shot timer two answers are
 * right, and the one that comes decides what the judge expects.
 */
#include "model.h"
#include "promise.h"

enum meaning { PENDING, NOT_ARMED, UNKNOWN_ID, NONSENSE };

static enum meaning meaning_of(const struct twheel_op *op, bool exists)
{
	__s32 r = op->result;

	switch (op->opcode) {
	case TWHEEL_OP_CANCEL:
		if (r == -ENOENT)
			return exists ? NOT_ARMED : UNKNOWN_ID;
		return r ? NONSENSE : PENDING;
	case TWHEEL_OP_MOVE:
		return !r ? PENDING : r == 1 ? NOT_ARMED : r == -ENOENT ? UNKNOWN_ID : NONSENSE;
	case TWHEEL_OP_QUERY:
		if (r == TWHEEL_PENDING || r == TWHEEL_BACKLOG)
			return PENDING;
		return r == TWHEEL_IDLE ? NOT_ARMED : r == -ENOENT ? UNKNOWN_ID : NONSENSE;
	default:
		return r == 1 ? PENDING : !r ? NOT_ARMED : r == -ENOENT ? UNKNOWN_ID : NONSENSE;
	}
}

bool model_open(const struct timer *t)
{
	return !t->dead && t->now && t->now->end == OPEN;
}

bool model_full(const struct worker *w)
{
	return w->timer_count + MAX_BATCH > MAX_TIMERS ||
	       w->span_count + 2 * MAX_BATCH > MAX_SPANS || w->base_count == MAX_BATCHES;
}

/* Whether the timer's deadline is beyond this round. */
bool model_far(const struct worker *w, const struct timer *t)
{
	const struct span *s = t->now;

	return s->deadline > FAR + (s->base ? 0 : arena_now(w->arena));
}

/* A timer that is about to be armed; its id will be known when it is. */
struct timer *model_timer(struct worker *w, const struct twheel_op *asked)
{
	struct timer *t = &w->timers[w->timer_count];

	*t = (struct timer){
		.dead = true,
		.keep = asked->flags & TWHEEL_OP_KEEP,
		.key = (__u64)(w->arena->round & 0xffff) << 48 |
		       (__u64)w->actor.number << 32 | w->timer_count,
	};
	t->word = t->keep && w->arena->words;
	w->timer_count++;
	return t;
}

static unsigned int grain_of(const struct worker *w, const struct timer *t, __u64 slack)
{
	unsigned int grain = t->now ? t->now->grain : 0;

	if (!slack && !t->now)
		slack = queue_of(w)->setup.slack;
	if (slack)
		grain = 63 - __builtin_clzll(slack);
	return t->word && grain < 2 ? 2 : grain;
}

struct span *model_span(struct worker *w, struct timer *t, const struct twheel_op *asked,
			struct base *b)
{
	struct span *s = &w->spans[w->span_count++];

	*s = (struct span){
		.base = asked->flags & TWHEEL_OP_REL ? b : NULL,
		.deadline = asked->deadline,
		.period = asked->period,
		.from = b->from,
		.known = b->to,
		.until = ~0ULL,
		.grain = grain_of(w, t, asked->slack),
	};
	if (t->now)
		t->now->next = s;
	else
		t->first = s;
	t->now = s;
	return s;
}

void model_end(struct worker *w, struct timer *t, enum end how, __u64 until)
{
	(void)w;
	t->now->end = how;
	t->now->until = until;
}

/*
 * The word of @t is armed for @later now: a span like the one before.  Words know no
 * lock, so a pass that began before may obey it, and its record bears the time when the
 * pass began.
 */
static void word_span(struct worker *w, struct timer *t, __u64 later)
{
	struct twheel_op asked = op_move(t->id, later, t->now->period);
	struct base b = { .from = t->now->from, .to = arena_now(w->arena) };

	model_span(w, t, &asked, &b)->pushed = true;
}

/* The word of @t has been pushed back. */
void model_push(struct worker *w, struct timer *t, __u64 later)
{
	model_end(w, t, MOVED, arena_now(w->arena));
	word_span(w, t, later);
}

/* The word of @t has cancelled it: the kernel will reap it. */
void model_word_cancel(struct worker *w, struct timer *t)
{
	model_end(w, t, CANCELLED, arena_now(w->arena));
	w->sums.reaped++;
}

/* The word of @t, cancelled, has armed it again before the kernel reaped it. */
void model_word_arm(struct worker *w, struct timer *t, __u64 later)
{
	word_span(w, t, later);
	w->sums.reaped--;
}

/* --- what can be seen of a timer ------------------------------------------------- */

/* Whether @deadline is right for an open span; a relative one may tell the base. */
static bool deadline_fits(struct span *s, __u64 deadline)
{
	__u64 first = s->deadline;

	if (s->base && !s->base->value) {
		if (s->period)
			return deadline >= s->base->from + first;
		if (deadline - first < s->base->from || deadline - first > s->base->to)
			return false;
		s->base->value = deadline - first;
	}
	first += s->base ? s->base->value : 0;
	if (!s->period)
		return deadline == first;
	return deadline >= first && (deadline - first) % s->period == 0;
}

/* The next deadline of a periodic timer is not more than period and slack ahead. */
static bool goes_on(const struct span *s, __u64 deadline, __u64 to)
{
	__u64 first = s->deadline + (s->base ? s->base->to : 0);

	return !s->period || deadline <= first || deadline <= to + s->period + (1ULL << s->grain);
}

/* A pending timer, as QUERY or LIST shows it, by a call between @from and @to. */
void model_info(struct worker *w, const struct timer *t, const struct twheel_info *info,
		__u64 from, __u64 to)
{
	struct span *s = t->now;
	__u64 deadline = info->deadline;

	holds(VIEWS, &w->actor, info->user_data == t->key && info->period == s->period &&
	      info->slack == 1ULL << s->grain,
	      "timer %llx shows user_data %llx, period %llu, slack %llu, not %llx, %llu, 2^%u",
	      t->id, info->user_data, info->period, info->slack, t->key, s->period, s->grain);
	holds(VIEWS, &w->actor, deadline_fits(s, deadline),
	      "timer %llx shows deadline %llu, not %llu%s period %llu", t->id, deadline,
	      s->deadline, s->base ? " after the base," : ",", s->period);
	holds(PERIODS, &w->actor, goes_on(s, deadline, to),
	      "timer %llx of period %llu shows deadline %llu at %llu", t->id, s->period, deadline,
	      to);
	if (info->state == TWHEEL_BACKLOG)
		holds(NEVER_EARLY, &w->actor, to >= deadline,
		      "timer %llx is in the backlog %llu ns early", t->id, deadline - to);
	else
		holds(MOVES_ON, &w->actor, deadline + 60 * SEC > from,
		      "timer %llx is still pending at %llu, its deadline was %llu", t->id, from,
		      deadline);
}

/* --- results -------------------------------------------------------------------------- */

static void account_arm(struct worker *w, struct timer *t, const struct twheel_op *asked,
			const struct twheel_op *op, struct base *b)
{
	if (op->result == -ENOSPC && w->arena->limited)
		return;
	if (!holds(RESULTS, &w->actor, !op->result && op->id, "ARM: %d, id %llx", op->result,
		   op->id))
		return;
	t->id = op->id;
	t->dead = false;
	model_span(w, t, asked, b);
	w->sums.armed++;
}

/* Whether the answer is one of those that can be. */
static bool possible(const struct timer *t, enum meaning m)
{
	if (t->dead)
		return m == UNKNOWN_ID;
	if (!model_open(t))
		return m == NOT_ARMED;
	if (m == PENDING)
		return true;
	return !t->now->period && m == (t->keep ? NOT_ARMED : UNKNOWN_ID);
}

static void account_query(struct worker *w, struct timer *t, const struct twheel_op *op,
			  const struct base *b)
{
	struct twheel_info info = {
		.id = op->id, .user_data = op->user_data, .deadline = op->deadline,
		.period = op->period, .slack = op->slack, .state = op->result,
	};

	model_info(w, t, &info, b->from, b->to);
}

static void account_pending(struct worker *w, struct timer *t, const struct twheel_op *asked,
			    const struct twheel_op *op, struct base *b)
{
	switch (op->opcode) {
	case TWHEEL_OP_MOVE:
		model_end(w, t, MOVED, b->to);
		model_span(w, t, asked, b);
		w->sums.moved++;
		return;
	case TWHEEL_OP_QUERY:
		account_query(w, t, op, b);
		return;
	default:
		model_end(w, t, CANCELLED, b->to);
		t->dead = op->opcode == TWHEEL_OP_FREE || !t->keep;
		w->sums.cancelled++;
	}
}

static void account_not_pending(struct worker *w, struct timer *t, const struct twheel_op *asked,
				const struct twheel_op *op, struct base *b)
{
	if (model_open(t))
		model_end(w, t, DELIVERED, b->to);
	if (!t->keep || op->opcode == TWHEEL_OP_FREE)
		t->dead = true;
	if (op->opcode == TWHEEL_OP_MOVE && !t->dead) {
		model_span(w, t, asked, b);
		w->sums.armed++;
	}
}

/* Op @i of a batch has been answered. */
void model_account(struct worker *w, unsigned int i, struct base *b)
{
	const struct twheel_op *asked = &w->asked[i], *op = &w->ops[i];
	struct timer *t = w->in_batch[i];
	enum meaning m;

	if (w->want[i] != ANY) {
		holds(RESULTS, &w->actor, op->result == w->want[i],
		      "op %u on %llx: %d instead of %d", asked->opcode, asked->id, op->result,
		      w->want[i]);
		return;
	}
	if (op->opcode == TWHEEL_OP_ARM) {
		account_arm(w, t, asked, op, b);
		return;
	}
	m = meaning_of(op, !t->dead && t->keep);
	if (!holds(RESULTS, &w->actor, m != NONSENSE && possible(t, m),
		   "op %u on %llx: %d, but it is %s", op->opcode, asked->id, op->result,
		   t->dead ? "gone" : model_open(t) ? "armed" : "idle"))
		return;
	if (m == PENDING)
		account_pending(w, t, asked, op, b);
	else
		account_not_pending(w, t, asked, op, b);
}
