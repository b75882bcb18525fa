// SPDX-License-Identifier: GPL-2.0-only
/* The model of a queue; see model.h. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "model.h"

void model_failed(const char *what, const struct model_timer *t)
{
	fprintf(stderr, "broken: %s\n", what);
	if (t) {
		fprintf(stderr, "timer %llx: deadline %llu, period %llu, granule %llu, ", t->id,
			t->deadline, t->period, t->granule);
		fprintf(stderr, "since %llu, told %llu%s%s%s%s\n", t->since, t->told,
			t->exists ? ", exists" : "", t->keep ? ", kept" : "",
			t->armed ? ", armed" : "", t->cancelled ? ", cancelled" : "");
	}
	abort();
}

/* When the wheel looks at a timer with this deadline. */
__u64 model_expiry(const struct model_timer *t, __u64 deadline)
{
	__u64 expiry = (deadline + t->granule - 1) & ~(t->granule - 1);

	return expiry > INT64_MAX ? INT64_MAX : expiry;
}

/* Whether there may be a record. */
bool model_due(const struct model *m, const struct model_timer *t)
{
	return t->armed && model_expiry(t, t->deadline) <= m->now;
}

/* Whether there must be one. */
static bool overdue(const struct model *m, const struct model_timer *t)
{
	return model_due(m, t) && model_expiry(t, t->deadline) + t->tolerance <= m->now;
}

/* The largest power of two that does not exceed the slack; a word counts in fours. */
static __u64 granule_of(const struct model_timer *t, __u64 slack)
{
	__u64 granule = slack ? 1ULL << (63 - __builtin_clzll(slack)) : 1;

	return t->keep && granule < 4 ? 4 : granule;
}

/* @slack: 0 leaves it as it is */
void model_armed(struct model *m, struct model_timer *t, __u64 deadline, __u64 period,
		 __u64 slack)
{
	if (slack || !t->granule)
		t->granule = granule_of(t, slack);
	t->deadline = deadline;
	t->period = period;
	t->since = m->now;
	t->filed = model_expiry(t, deadline);
	t->tolerance = 0;
	t->told = 0;
	t->taken = 0;
	t->armed = true;
	t->cancelled = false;
}

/* A step by the word, which the wheel learns of when it looks at the timer. */
void model_pushed(struct model *m, struct model_timer *t, __u64 deadline)
{
	t->deadline = deadline;
	t->since = m->now;
	t->tolerance = MODEL_WORD_DISTANCE;
	t->armed = true;
	t->cancelled = false;
}

/* An op has ended the arming, or found that it had ended, so that a record is owed. */
void model_ended(const struct model *m, struct model_timer *t, bool was_pending)
{
	if (!was_pending) {
		MODEL_CHECK(t, model_due(m, t) && !t->period);
		MODEL_CHECK(t, t->owes < MODEL_OWED);
		t->owed[t->owes++] = t->deadline;
	}
	t->armed = false;
}

static struct model_timer *find(struct model *m, __u64 id)
{
	for (int i = 0; i < MODEL_TIMERS; i++)
		if (m->timers[i].id == id)
			return &m->timers[i];
	return NULL;
}

static bool was_owed(struct model_timer *t, __u64 deadline)
{
	for (unsigned int i = 0; i < t->owes; i++) {
		if (t->owed[i] == deadline) {
			t->owed[i] = t->owed[--t->owes];
			return true;
		}
	}
	return false;
}

/* Counters of a record saturate. */
static __u32 min_u32(__u64 n)
{
	return n < UINT32_MAX ? (__u32)n : UINT32_MAX;
}

static void record_of_series(struct model_timer *t, const struct twheel_record *r)
{
	__u64 number = (r->deadline - t->deadline) / t->period;

	MODEL_CHECK(t, (r->deadline - t->deadline) % t->period == 0);
	MODEL_CHECK(t, number >= t->told);
	MODEL_CHECK(t, r->missed == min_u32(number - t->told));
	t->told = number + 1;
}

/* In the order of expiry, but for what was armed for a time that had passed. */
static void check_order(struct model *m, const struct model_timer *t, __u64 deadline)
{
	__u64 due = model_expiry(t, deadline);

	if (t->tolerance)
		return;
	if (due < t->since)
		due = t->since;
	MODEL_CHECK(t, due >= m->order);
	if (due > m->order)
		m->order = due;
}

/* The program has taken a record. */
void model_record(struct model *m, const struct twheel_record *r)
{
	struct model_timer *t = find(m, r->id);

	MODEL_CHECK(NULL, t);
	MODEL_CHECK(t, r->user_data == t->user_data);
	MODEL_CHECK(t, r->deadline <= m->now);
	MODEL_CHECK(t, r->deadline + r->lateness <= m->now);
	if (was_owed(t, r->deadline)) {
		MODEL_CHECK(t, !r->missed);
		return;
	}
	MODEL_CHECK(t, t->armed && r->deadline >= t->deadline);
	if (t->period) {
		record_of_series(t, r);
	} else {
		MODEL_CHECK(t, r->deadline == t->deadline && !r->missed);
		MODEL_CHECK(t, model_due(m, t));
		check_order(m, t, r->deadline);
		t->armed = false;
		t->exists = t->keep;
	}
}

/*
 * Whether a series lacks a record: of its first deadline, or of one after its records were
 * all taken.
 */
static bool silent(const struct model *m, const struct model_timer *t)
{
	__u64 next = t->deadline;

	if (t->taken)
		next += ((t->drained - next) / t->period + 1) * t->period;
	return t->told == t->taken && next + t->granule + t->tolerance <= m->now;
}

/* No record is left. */
void model_drained(struct model *m)
{
	for (int i = 0; i < MODEL_TIMERS; i++) {
		struct model_timer *t = &m->timers[i];

		MODEL_CHECK(t, !t->owes);
		if (t->armed && t->period) {
			MODEL_CHECK(t, !silent(m, t));
			t->taken = t->told;
			t->drained = m->now;
		} else {
			MODEL_CHECK(t, !overdue(m, t));
		}
	}
	m->order = 0;
}
