// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/minmax.h>
#include <linux/string.h>

#include "model.h"

static void show_log(const struct model *m)
{
	const struct model_op *op;
	u64 i;

	for (i = m->ops < MODEL_LOG ? 0 : m->ops - MODEL_LOG; i < m->ops; i++) {
		op = &m->log[i % MODEL_LOG];
		fprintf(stderr, "# %6llu %-8s %llu (%#llx) %llu\n",
			i, op->name, op->a, op->a, op->b);
	}
}

__attribute__((format(printf, 2, 3), noreturn))
static void fail(const struct model *m, const char *fmt, ...)
{
	va_list ap;

	show_log(m);
	fprintf(stderr, "# now %llu, wheel's %llu, high %llu: ",
		m->now, m->wheel.now, m->wheel.high);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\nBail out! the wheel differs from the model\n");
	abort();
}

static void note(struct model *m, const char *name, u64 a, u64 b)
{
	m->log[m->ops++ % MODEL_LOG] = (struct model_op){ name, a, b };
}

/* Where @t is, or would have to be put. */
static unsigned int list_find(const struct model_list *l, const struct tw_timer *t)
{
	unsigned int low = 0, high = l->count, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (l->timers[mid]->expires < t->expires ||
		    (l->timers[mid]->expires == t->expires && l->timers[mid] < t))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void list_add(struct model_list *l, struct tw_timer *t)
{
	unsigned int i = list_find(l, t);

	memmove(l->timers + i + 1, l->timers + i, (l->count++ - i) * sizeof(t));
	l->timers[i] = t;
}

static void list_del(struct model_list *l, struct tw_timer *t)
{
	unsigned int i = list_find(l, t);

	memmove(l->timers + i, l->timers + i + 1, (--l->count - i) * sizeof(t));
}

static bool list_has(const struct model_list *l, const struct tw_timer *t)
{
	unsigned int i = list_find(l, t);

	return i < l->count && l->timers[i] == t;
}

static u64 list_first(const struct model_list *l)
{
	return l->count ? l->timers[0]->expires : TW_NEVER;
}

unsigned int model_count(const struct model *m)
{
	return m->on_time.count + m->late.count;
}

u64 model_earliest(const struct model *m)
{
	return min(list_first(&m->on_time), list_first(&m->late));
}

static void check_next(struct model *m)
{
	u64 next = tw_wheel_next(&m->wheel);
	u64 latest = max(model_earliest(m), m->wheel.now);

	if (!model_count(m)) {
		m->exact = true;
		if (next != TW_NEVER)
			fail(m, "next is %llu, but the wheel is empty", next);
		if (m->wheel.high || m->wheel.open)
			fail(m, "an empty wheel remembers more than the time");
	} else if (next > latest) {
		fail(m, "next is %llu, but a timer expires at %llu", next, latest);
	} else if (next < latest && m->exact && !m->wheel.open &&
		   model_count(m) <= TW_SPLIT_MIN) {
		fail(m, "next is %llu, but no timer expires before %llu", next, latest);
	}
}

static void check(struct model *m)
{
	const char *wrong = tw_wheel_check(&m->wheel);

	if (wrong)
		fail(m, "%s", wrong);
	if (m->wheel.now > m->now)
		fail(m, "the wheel is ahead of the time");
	if (m->wheel.count != model_count(m))
		fail(m, "%llu timers instead of %u", m->wheel.count, model_count(m));
	if (m->wheel.refiled > m->refiles)
		fail(m, "refiled %llu times", m->wheel.refiled);
	check_next(m);
}

void model_init(struct model *m, u64 now, unsigned int max)
{
	unsigned int i;

	memset(m, 0, sizeof(*m));
	m->now = now;
	m->max = max;
	m->arena_bytes = max * (sizeof(*m->timers) + 3 * sizeof(*m->idle));
	m->arena = calloc(1, m->arena_bytes);
	m->timers = m->arena;
	m->idle = (struct tw_timer **)(m->timers + max);
	m->on_time.timers = m->idle + max;
	m->late.timers = m->on_time.timers + max;
	for (i = max; i--;)
		m->idle[m->idle_count++] = &m->timers[i];
	tw_wheel_init(&m->wheel, now);
	note(m, "init", now, max);
	check(m);
}

void model_exit(struct model *m)
{
	free(m->arena);
}

size_t model_bytes(const struct model *m)
{
	return sizeof(*m) + m->arena_bytes;
}

void model_save(const struct model *m, void *copy)
{
	memcpy(copy, m, sizeof(*m));
	memcpy((char *)copy + sizeof(*m), m->arena, m->arena_bytes);
}

void model_restore(struct model *m, const void *copy)
{
	memcpy(m, copy, sizeof(*m));
	memcpy(m->arena, (const char *)copy + sizeof(*m), m->arena_bytes);
}

static void remember(struct model *m, struct tw_timer *t)
{
	list_add(t->expires <= m->wheel.now ? &m->late : &m->on_time, t);
	m->refiles += TW_LEVELS - 1;
}

static struct tw_timer *pending(const struct model *m, unsigned int n)
{
	n %= model_count(m);
	if (n < m->on_time.count)
		return m->on_time.timers[n];
	return m->late.timers[n - m->on_time.count];
}

static void forget(struct model *m, struct tw_timer *t)
{
	list_del(list_has(&m->late, t) ? &m->late : &m->on_time, t);
}

bool model_add(struct model *m, u64 expires)
{
	struct tw_timer *t;

	if (!m->idle_count)
		return false;
	t = m->idle[--m->idle_count];
	note(m, "add", expires, t - m->timers);
	t->expires = expires;
	remember(m, t);
	tw_wheel_add(&m->wheel, t);
	check(m);
	return true;
}

bool model_cancel(struct model *m, unsigned int n)
{
	struct tw_timer *t;

	if (!model_count(m))
		return false;
	t = pending(m, n);
	note(m, "cancel", t->expires, t - m->timers);
	forget(m, t);
	m->exact = false;
	tw_wheel_remove(&m->wheel, t);
	if (!hlist_unhashed(&t->link))
		fail(m, "a removed timer is in a slot");
	m->idle[m->idle_count++] = t;
	check(m);
	return true;
}

bool model_move(struct model *m, unsigned int n, u64 expires)
{
	struct tw_timer *t;

	if (!model_count(m))
		return false;
	t = pending(m, n);
	note(m, "move", expires, t - m->timers);
	forget(m, t);
	m->exact = false;
	tw_wheel_move(&m->wheel, t, expires);
	remember(m, t);
	check(m);
	return true;
}

/* The clock: what was late may have time again when it is set back. */
static void set_clock(struct model *m, u64 now)
{
	struct tw_timer *t;

	m->now = now;
	if (now >= m->wheel.now)
		return;
	if (m->late.count || m->wheel.open)
		m->exact = false;
	m->refiles += (u64)model_count(m) * TW_LEVELS;
	while (m->late.count && m->late.timers[m->late.count - 1]->expires > now) {
		t = m->late.timers[--m->late.count];
		list_add(&m->on_time, t);
	}
}

void model_set_now(struct model *m, u64 now)
{
	note(m, "set_now", now, 0);
	set_clock(m, now);
	tw_wheel_set_now(&m->wheel, now);
	check(m);
}

static void check_popped(struct model *m, const struct tw_timer *t)
{
	if (t < m->timers || t >= m->timers + m->max)
		fail(m, "a timer that never was");
	if (!hlist_unhashed(&t->link))
		fail(m, "a timer that was handed out is in a slot");
	if (t->expires > m->now)
		fail(m, "timer %td of %llu is early", t - m->timers, t->expires);
	if (t->expires > list_first(&m->on_time))
		fail(m, "timer %td of %llu comes before that of %llu",
		     t - m->timers, t->expires, list_first(&m->on_time));
	if (list_has(&m->on_time, t) == list_has(&m->late, t))
		fail(m, "timer %td of %llu is not pending", t - m->timers, t->expires);
	if (list_has(&m->on_time, t) && m->late.count)
		fail(m, "a late timer is left behind");
}

unsigned int model_pop(struct model *m, u64 now, unsigned int budget)
{
	unsigned int left = budget, popped = 0;
	struct tw_timer *t;

	note(m, "pop", now, budget);
	set_clock(m, now);
	while ((t = tw_wheel_pop(&m->wheel, now, &left))) {
		check_popped(m, t);
		forget(m, t);
		m->idle[m->idle_count++] = t;
		popped++;
	}
	note(m, "popped", popped, left);
	if (left > budget || popped > budget - left)
		fail(m, "the budget was not counted down");
	if (left && model_earliest(m) <= now)
		fail(m, "the timer of %llu was not handed out", model_earliest(m));
	if (left && tw_wheel_next(&m->wheel) <= now)
		fail(m, "next is not after now");
	check(m);
	return popped;
}

u64 model_run_dry(struct model *m)
{
	u64 pops;

	for (pops = 0; model_count(m); pops++)
		model_pop(m, max(m->now, tw_wheel_next(&m->wheel)), MODEL_ALL);
	return pops;
}
