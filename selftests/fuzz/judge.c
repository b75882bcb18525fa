// SPDX-License-Identifier: GPL-2.0-only
/*
 * The judge: after a round, compares what the consumers have taken with what the
 * model says must have been delivered.
 *
 * Each record is put to the timer that its user_data names, and there to the span
 * that explains it: by its deadline, which is exact, and by the time it was written,
 * deadline + lateness, which is between the ops that began and ended the span.  Then
 * each span must have as many records as its end promises, and each consumer's
 * records must be in order.
 */
#include "judge.h"
#include "promise.h"

static __u64 written(const struct taken *r)
{
	return r->rec.deadline + r->rec.lateness;
}

/* ~4 s late and more: when it was written is not known. */
static bool saturated(const struct taken *r)
{
	return r->rec.lateness == ~0U;
}

/* The first deadline that the record stands for. */
static __u64 first_deadline(const struct twheel_record *rec, const struct span *s)
{
	return rec->deadline - rec->missed * s->period;
}

static __u64 rounded(__u64 deadline, unsigned int grain)
{
	__u64 mask = (1ULL << grain) - 1;

	return (deadline + mask) & ~mask;
}

/* --- a record and its span --------------------------------------------------------- */

static struct timer *timer_of(struct arena *a, __u64 key)
{
	unsigned int worker = (key >> 32 & 0xffff) % WORKERS, index = key;
	struct worker *w = &a->worker[worker];

	if (index >= w->timer_count || w->timers[index].key != key)
		return NULL;
	return &w->timers[index];
}

/* Into the list of its timer, by time; nearly always at the end of a short list. */
static void add_record(struct timer *t, struct taken *r)
{
	struct taken **at = &t->taken;

	while (*at && written(*at) <= written(r))
		at = &(*at)->next;
	r->next = *at;
	*at = r;
}

static void look_at_record(struct arena *a, struct consumer *c, struct taken *r)
{
	struct timer *t = timer_of(a, r->rec.user_data);

	holds(NEVER_EARLY, &c->actor,
	      r->seen >= r->rec.deadline && (saturated(r) || r->seen >= written(r)),
	      "record of %llx: deadline %llu, lateness %u, taken at %llu", r->rec.id,
	      r->rec.deadline, r->rec.lateness, r->seen);
	if (holds(ONE_END, &c->actor, t && t->id == r->rec.id,
		  "record of a timer that was never armed: id %llx, user_data %llx, deadline %llu",
		  r->rec.id, r->rec.user_data, r->rec.deadline))
		add_record(t, r);
}

static bool is_first(const struct span *s, __u64 first)
{
	return first == s->deadline + (s->base ? s->base->value : 0);
}

static bool in_time(const struct span *s, const struct taken *r)
{
	return saturated(r) || (written(r) >= s->from && written(r) <= s->until);
}

static bool explains(const struct span *s, const struct taken *r)
{
	__u64 first = first_deadline(&r->rec, s);

	if (!in_time(s, r))
		return false;
	if (s->period)
		return s->records ? first == s->following : is_first(s, first);
	return s->end == DELIVERED && !s->records && !r->rec.missed && is_first(s, first);
}

/* Whether all records that must come of a span have come. */
static bool complete(const struct span *s)
{
	return s->period || s->records == (s->end == DELIVERED);
}

static bool explain_all(struct span *s, struct taken *r);

/* @s may explain @r: does all else fit then? */
static bool explain_one(struct span *s, struct taken *r)
{
	__u64 following = s->following;

	s->records++;
	s->following = r->rec.deadline + s->period;
	r->span = s;
	if (explain_all(s, r->next))
		return true;
	s->records--;
	s->following = following;
	r->span = NULL;
	return false;
}

/*
 * Whether the spans from @s on explain the records from @r on, all of them, in this
 * order.  Two spans may explain one record, if a timer was given the same deadline
 * twice in a batch; then either is tried.
 */
static bool explain_all(struct span *s, struct taken *r)
{
	for (; s; s = s->next) {
		if (r && explains(s, r) && explain_one(s, r))
			return true;
		if (!complete(s))
			return false;
	}
	return !r;
}

/* --- a timer ------------------------------------------------------------------------- */

static void show_timer(const struct timer *t)
{
	static const char * const ends[] = { "open", "delivered", "cancelled", "moved" };

	printf("# timer %llx%s%s%s\n", (unsigned long long)t->id, t->keep ? ", kept" : "",
	       t->word ? ", word" : "", t->dead ? ", gone" : "");
	for (const struct span *s = t->first; s; s = s->next)
		printf("#   deadline %llu + %llu, period %llu, grain %u%s: %llu to %llu, %s\n",
		       s->base ? s->base->value : 0, s->deadline, s->period, s->grain,
		       s->pushed ? ", pushed" : "", s->from, s->until, ends[s->end]);
	for (const struct taken *r = t->taken; r; r = r->next)
		printf("#   record: deadline %llu, missed %u, written %llu\n", r->rec.deadline,
		       r->rec.missed, written(r));
}

/* One that has never been armed has no spans, and must have no records. */
static bool judge_timer(struct worker *w, struct timer *t)
{
	enum promise p = ONE_END;

	for (const struct span *s = t->first; s; s = s->next)
		if (s->period)
			p = PERIODS;
	return holds(p, &w->actor, explain_all(t->first, t->taken),
		     "timer %llx: its records are not what must have come", t->id);
}

static void judge_timers(struct worker *w)
{
	for (unsigned int i = 0; i < w->timer_count; i++) {
		if (!judge_timer(w, &w->timers[i])) {
			show_timer(&w->timers[i]);
			return;
		}
	}
}

/* --- order ----------------------------------------------------------------------------- */

/*
 * What one consumer takes is in the order of the ring.  A timer that was armed for
 * the future comes before all that expire later, whenever those were armed.
 */
static void judge_order(struct consumer *c)
{
	__u64 latest = 0;

	for (unsigned int i = 0; i < c->count; i++) {
		const struct taken *r = &c->taken[i];
		const struct span *s = r->span;
		__u64 least, most;

		if (!s || s->pushed)
			continue;
		least = rounded(first_deadline(&r->rec, s), s->grain);
		most = rounded(r->rec.deadline, s->grain);
		if (s->known < least)
			holds(ORDER, &c->actor, most >= latest,
			      "record %u: timer %llx expires at %llu, behind one that expires at %llu",
			      i, r->rec.id, most, latest);
		if (least > latest)
			latest = least;
	}
}

void judge_round(struct arena *a)
{
	for (unsigned int i = 0; i < a->consumers; i++)
		for (unsigned int k = 0; k < a->consumer[i].count; k++)
			look_at_record(a, &a->consumer[i], &a->consumer[i].taken[k]);
	for (unsigned int i = 0; i < WORKERS; i++)
		judge_timers(&a->worker[i]);
	for (unsigned int i = 0; i < a->consumers; i++)
		judge_order(&a->consumer[i]);
}
