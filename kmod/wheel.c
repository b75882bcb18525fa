// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The timing wheel: exact, ordered, lazily split.
 *
 * A time is a 64-bit number of nanoseconds, read as 11 digits of 6 bits.  A
 * timer is filed by the highest digit in which its expiry and the wheel's
 * @now differ: that digit's place is the level, its value the slot.
 *
 *	level	slot width	reaches		level	slot width	reaches
 *	0	1 ns		64 ns		6	69 s		73 min
 *	1	64 ns		4 us		7	73 min		78 h
 *	2	4 us		262 us		8	78 h		208 days
 *	3	262 us		17 ms		9	208 days	36 years
 *	4	17 ms		1.07 s		10	36 years	all of 2^64
 *	5	1.07 s		69 s
 *
 * What follows from it, as long as @now does not go back:
 *
 * - All timers of a slot share the digits above its level with @now, and their
 *   digit at the level is larger than that of @now.
 * - So a slot lies before the slots to its right and before all higher levels.
 *   The lowest occupied level's first slot is the earliest; a bit search finds
 *   it.
 * - When @now enters a slot, the slot's timers agree with @now in the level's
 *   digit too and belong to lower levels.  The slot is *opened*: its timers are
 *   taken one by one, handed out if they have expired and otherwise filed again.  No
 *   timer is filed again more than 10 times.
 *
 * A slot is opened not when its time starts but at the smallest expiry in it,
 * which it remembers.  So a lone timer costs one event however far away it is,
 * and its precision does not depend on the level.  A large slot (more than
 * TW_SPLIT_MIN timers, not all of the same expiry) is opened at its start, so
 * that the first timer need not wait until all others have been filed.
 *
 * @now goes from event to event and never past one, so timers come out in the
 * order of their expiry, however late the caller is.  Opening a slot may be cut
 * off after any timer (the budget) and goes on with the next call.
 *
 * The price: a slot's smallest expiry is a lower bound once that timer has been
 * removed, so an event may find nothing to hand out.  A timer that does expire
 * is filed again up to once per level on its way down.
 *
 * When @now goes back (a wall clock is set), timers filed before stay where
 * they are.  The order of slots then means nothing until @now has passed its old
 * value (@high) and is in no slot that it entered without opening it.  Until then
 * the earliest slot is found by comparing the smallest expiries of all slots, at
 * most 704.  These are always right.
 *
 * Nothing here allocates, reads a clock or takes a lock.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "timer.h"
#include "wheel.h"

#define PAST_WALK	64
#define SEARCH		32U	/* a search costs as much as looking at this many timers */

static unsigned int slot_level(unsigned int slot)
{
	return slot / TW_SLOTS;
}

static u64 slot_width(unsigned int slot)
{
	return 1ULL << (TW_BITS * slot_level(slot));
}

/* The slot of a timer that expires at @expires, seen from @now. */
static unsigned int slot_of(u64 now, u64 expires)
{
	unsigned int level;

	if (expires <= now)
		return TW_SLOT_PAST;
	level = (fls64(expires ^ now) - 1) / TW_BITS;
	return level * TW_SLOTS + ((expires >> (TW_BITS * level)) & (TW_SLOTS - 1));
}

/*
 * Timers that had expired when they were added come out in order too, as long as
 * no more than PAST_WALK of them wait.  The caller takes them soon.
 */
static void link_in_order(struct tw_slot *s, struct tw_timer *t)
{
	struct hlist_node **at = &s->timers.first;
	unsigned int steps = PAST_WALK;

	while (*at && steps-- &&
	       hlist_entry(*at, struct tw_timer, link)->expires <= t->expires)
		at = &(*at)->next;
	t->link.next = *at;
	t->link.pprev = at;
	if (*at)
		(*at)->pprev = &t->link.next;
	*at = &t->link;
}

/* Note in @s that one of its timers, already counted, expires at @expires. */
static void slot_note(struct tw_slot *s, u64 expires)
{
	if (s->count == 1 || expires < s->min)
		s->min = expires;
	if (s->count == 1 || expires > s->max)
		s->max = expires;
}

static void slot_mark(struct tw_wheel *w, unsigned int i)
{
	w->occupied[slot_level(i)] |= 1ULL << (i % TW_SLOTS);
	w->levels |= 1U << slot_level(i);
}

static void slot_unmark(struct tw_wheel *w, unsigned int i)
{
	w->occupied[slot_level(i)] &= ~(1ULL << (i % TW_SLOTS));
	if (!w->occupied[slot_level(i)])
		w->levels &= ~(1U << slot_level(i));
}

static void slot_link(struct tw_wheel *w, struct tw_timer *t)
{
	unsigned int i = slot_of(w->now, t->expires);
	struct tw_slot *s = &w->slots[i];

	if (!s->count++)
		slot_mark(w, i);
	slot_note(s, t->expires);
	t->slot = i;
	if (i == TW_SLOT_PAST)
		link_in_order(s, t);
	else
		hlist_add_head(&t->link, &s->timers);
}

static void slot_unlink(struct tw_wheel *w, struct tw_timer *t)
{
	unsigned int i = t->slot;
	struct tw_slot *s = &w->slots[i];

	__hlist_del(&t->link);
	INIT_HLIST_NODE(&t->link);
	if (--s->count)
		return;
	slot_unmark(w, i);
	if (w->open == s)
		w->open = NULL;
}

/*
 * When slot @i, which has timers, must be opened: see the head comment.  A large
 * slot whose time has already started is opened at once.
 */
static u64 slot_event(const struct tw_wheel *w, unsigned int i)
{
	const struct tw_slot *s = &w->slots[i];

	if (s->count <= TW_SPLIT_MIN || s->min == s->max)
		return s->min;
	return max(w->now, s->min & ~(slot_width(i) - 1));
}

/* The earliest slot while slots are in order. */
static int first_slot(const struct tw_wheel *w)
{
	u32 levels = w->levels & ((1U << TW_LEVELS) - 1);
	unsigned int level;

	if (!levels)
		return -1;
	level = __ffs64(levels);
	return level * TW_SLOTS + __ffs64(w->occupied[level]);
}

/* The earliest slot after @now went back: compare them all. */
static int search_slot(const struct tw_wheel *w)
{
	u64 bits, event, earliest = TW_NEVER;
	unsigned int level, i;
	int best = -1;

	for (level = 0; level < TW_LEVELS; level++) {
		for (bits = w->occupied[level]; bits; bits &= bits - 1) {
			i = level * TW_SLOTS + __ffs64(bits);
			event = slot_event(w, i);
			if (event < earliest) {
				earliest = event;
				best = i;
			}
		}
	}
	return best;
}

static int earliest_slot(const struct tw_wheel *w)
{
	return w->high ? search_slot(w) : first_slot(w);
}

/*
 * Whether @now is in the time of a slot that has not been opened, so that its
 * timers belong to lower levels.
 */
static bool slot_missed(const struct tw_wheel *w)
{
	unsigned int level, i;

	for (level = 1; level < TW_LEVELS; level++) {
		i = (w->now >> (TW_BITS * level)) & (TW_SLOTS - 1);
		if ((w->occupied[level] >> i & 1) &&
		    w->open != &w->slots[level * TW_SLOTS + i])
			return true;
	}
	return false;
}

/* Open slot @i at @now. */
static void open_slot(struct tw_wheel *w, unsigned int i, u64 now)
{
	w->open = &w->slots[i];
	w->now = now;
	if (w->high && now > w->high && !slot_missed(w))
		w->high = 0;
}

/*
 * The slot to take the next timer from, or NULL when nothing is due.  A search is
 * charged to the budget, which is at least 1 and remains so.
 */
static struct tw_slot *due_slot(struct tw_wheel *w, u64 now, unsigned int *budget)
{
	struct tw_slot *past = &w->slots[TW_SLOT_PAST];
	int i;

	if (past->count)
		return past;
	if (w->open)
		return w->open;
	if (w->high)
		*budget -= min(*budget - 1, SEARCH);
	i = earliest_slot(w);
	if (i < 0 || slot_event(w, i) > now)
		return NULL;
	open_slot(w, i, max(w->now, slot_event(w, i)));
	return w->open;
}

/**
 * tw_wheel_init() - initialise an empty wheel
 * @w: the wheel
 * @now: ns, where its time begins
 */
void tw_wheel_init(struct tw_wheel *w, u64 now)
{
	memset(w, 0, sizeof(*w));
	w->now = now;
}

/**
 * tw_wheel_add() - file a timer
 * @w: the wheel
 * @t: a timer that is in no list; its @expires is set, at most 2^64 - 2
 *
 * A timer whose time has passed is handed out by the next tw_wheel_pop(), although
 * later ones may have been handed out before.  Several such timers come out in the
 * order of @expires if there are no more than 64.  O(1).
 */
void tw_wheel_add(struct tw_wheel *w, struct tw_timer *t)
{
	slot_link(w, t);
	w->count++;
}

/**
 * tw_wheel_remove() - take a timer out
 * @w: the wheel
 * @t: a timer that is in it
 *
 * O(1).  tw_wheel_next() may still return the time of @t once.
 */
void tw_wheel_remove(struct tw_wheel *w, struct tw_timer *t)
{
	slot_unlink(w, t);
	if (!--w->count)
		w->high = 0;
}

/**
 * tw_wheel_move() - give a timer another expiry
 * @w: the wheel
 * @t: a timer that is in it
 * @expires: ns, at most 2^64 - 2
 *
 * The same as taking it out and adding it again.  Cheaper when it stays in its
 * slot, which is usual for a timer that is pushed back by a little.  O(1).
 */
void tw_wheel_move(struct tw_wheel *w, struct tw_timer *t, u64 expires)
{
	unsigned int i = slot_of(w->now, expires);

	if (i != t->slot || i == TW_SLOT_PAST) {
		slot_unlink(w, t);
		t->expires = expires;
		slot_link(w, t);
		return;
	}
	t->expires = expires;
	slot_note(&w->slots[i], expires);
}

/**
 * tw_wheel_set_now() - tell the wheel the time
 * @w: the wheel
 * @now: ns
 *
 * Keeps the wheel's own time close to the real one while nothing expires, so
 * that new timers are filed at low levels.  The wheel's time moves up to @now, but
 * not into a slot that has timers.  If @now is before the wheel's time, the clock was set back and
 * the wheel follows.
 */
void tw_wheel_set_now(struct tw_wheel *w, u64 now)
{
	int i;

	if (now < w->now) {
		w->high = w->count ? max(w->high, w->now) : 0;
		w->now = now;
		w->open = NULL;
		return;
	}
	if (!w->count) {
		w->now = now;
		return;
	}
	if (w->high || w->open || w->slots[TW_SLOT_PAST].count)
		return;
	i = first_slot(w);
	now = min(now, (w->slots[i].min & ~(slot_width(i) - 1)) - 1);
	if (now > w->now)
		w->now = now;
}

/**
 * tw_wheel_pop() - hand out a timer that has expired
 * @w: the wheel
 * @now: ns
 * @budget: how many timers may be looked at; counted down
 *
 * Call it until it returns NULL to get all expired timers in the order of
 * @expires, except those that had already expired when they were added.
 *
 * Return: a timer with @expires <= @now, no longer in the wheel; or NULL.  After
 * NULL there is no such timer, unless *@budget is 0: then there may be more.
 */
struct tw_timer *tw_wheel_pop(struct tw_wheel *w, u64 now, unsigned int *budget)
{
	struct tw_slot *s;
	struct tw_timer *t;

	if (now < w->now)
		tw_wheel_set_now(w, now);
	while (*budget && (s = due_slot(w, now, budget))) {
		--*budget;
		t = hlist_entry(s->timers.first, struct tw_timer, link);
		slot_unlink(w, t);
		if (t->expires <= w->now) {
			if (!--w->count)
				w->high = 0;
			return t;
		}
		slot_link(w, t);
		w->refiled++;
	}
	return NULL;
}

/**
 * tw_wheel_next() - when to call tw_wheel_pop() next
 * @w: the wheel
 *
 * Return: ns, not later than the earliest expiry that is ahead; w->now when one
 * has passed; TW_NEVER for an empty wheel.
 * The time is earlier when a large slot has to be sorted, or when the earliest
 * timer of a slot has been removed.  Then tw_wheel_pop() finds nothing once and the
 * next answer is later.
 */
u64 tw_wheel_next(const struct tw_wheel *w)
{
	int i;

	if (w->slots[TW_SLOT_PAST].count || w->open)
		return w->now;
	i = earliest_slot(w);
	return i < 0 ? TW_NEVER : slot_event(w, i);
}

/**
 * tw_wheel_level_count() - number of timers on a level
 * @w: the wheel
 * @level: 0 to TW_LEVELS - 1; timers that had expired when they were added
 *	count as level 0
 */
u64 tw_wheel_level_count(const struct tw_wheel *w, unsigned int level)
{
	u64 bits, sum = level ? 0 : w->slots[TW_SLOT_PAST].count;

	for (bits = w->occupied[level]; bits; bits &= bits - 1)
		sum += w->slots[level * TW_SLOTS + __ffs64(bits)].count;
	return sum;
}

/* What is wrong with slot @i, or NULL. */
static const char *check_slot(const struct tw_wheel *w, unsigned int i)
{
	const struct tw_slot *s = &w->slots[i];
	bool bit = w->occupied[slot_level(i)] >> (i % TW_SLOTS) & 1;
	const struct tw_timer *t;
	u32 count = 0;

	hlist_for_each_entry(t, &s->timers, link) {
		count++;
		if (t->slot != i)
			return "a timer names another slot";
		if (t->expires < s->min || t->expires > s->max)
			return "an expiry is outside its slot's bounds";
		if (!w->high && s != w->open && slot_of(w->now, t->expires) != i)
			return "a timer is in the wrong slot";
		if (i != TW_SLOT_PAST && t->expires < w->now)
			return "a timer has been passed over";
	}
	if (count != s->count)
		return "a slot's count is wrong";
	return bit == !!count ? NULL : "a bit of the map is wrong";
}

/**
 * tw_wheel_check() - for tests: check all that a wheel promises
 * @w: the wheel
 *
 * Looks at every timer.
 *
 * Return: NULL, or what is wrong.
 */
const char *tw_wheel_check(const struct tw_wheel *w)
{
	const char *wrong;
	unsigned int i;
	u64 count = 0;

	for (i = 0; i <= TW_LEVELS; i++)
		if ((w->levels >> i & 1) != !!w->occupied[i])
			return "a bit of the levels is wrong";
	for (i = 0; i < ARRAY_SIZE(w->slots); i++) {
		wrong = check_slot(w, i);
		if (wrong)
			return wrong;
		count += w->slots[i].count;
	}
	return count == w->count ? NULL : "the wheel's count is wrong";
}
