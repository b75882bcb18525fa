// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The ring and the backlog: random operations compared with numbers of 64 bits and
 * a plain array, from a start near the end of the ring's own numbers, with jumps of
 * 2^32 records.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/errno.h>
#include <linux/kernel.h>

#include "ring.h"
#include "rng.h"
#include "tap.h"

#define ENTRIES	8U
#define TIMERS	12U

/* A ring, and what must be in it. */
struct world {
	struct tw_ring ring;
	struct twheel_ctl ctl;
	u64 head, tail;			/* as they would be if they did not wrap */
	u64 values[ENTRIES];		/* of the records, by their place */
	u64 last[TIMERS];		/* 1 + number of the timer's last record, or 0 */
	struct tw_timer timers[TIMERS];
	struct tw_timer *backlog[TIMERS];
	u32 waiting;
};

/* An empty ring that has had so many records. */
static void set_number(struct world *w, u64 number)
{
	w->head = number;
	w->tail = number;
	w->ring.head = number;
	w->ring.tail = number;
	w->ring.shared->tail = number;
	w->ctl.head = number;
}

static void begin(struct world *w, u64 number)
{
	void *shared = calloc(1, tw_ring_bytes(ENTRIES));
	u32 i;

	memset(w, 0, sizeof(*w));
	tw_ring_init(&w->ring, shared, &w->ctl, ENTRIES);
	set_number(w, number);
	for (i = 0; i < TIMERS; i++) {
		w->timers[i].gen = 1;
		w->timers[i].index = i;
	}
}

static void write(struct rng *r, struct world *w)
{
	struct tw_timer *t = &w->timers[rng_below(r, TIMERS)];
	struct twheel_record rec = { .id = tw_timer_id(t), .user_data = rng_u64(r) };

	tap_expect_eq(tw_ring_room(&w->ring), w->tail - w->head < ENTRIES);
	if (w->tail - w->head == ENTRIES)
		return;
	tap_expect_eq(tw_ring_write(&w->ring, &rec), (u32)w->tail);
	tw_ring_publish(&w->ring, 0);
	w->values[w->tail % ENTRIES] = rec.user_data;
	w->last[t->index] = ++w->tail;
}

static void take(struct world *w)
{
	struct twheel_record rec = {};
	u32 number = 0;
	int err = tw_ring_peek(&w->ring, &rec, &number);

	tap_expect_eq(tw_ring_count(&w->ring), w->tail - w->head);
	tap_expect_eq(err == -EAGAIN, w->tail == w->head);
	if (err)
		return;
	tap_expect_eq(number, (u32)w->head);
	tap_expect_eq(rec.user_data, w->values[w->head % ENTRIES]);
	tap_expect(!tw_ring_take(&w->ring, number + 1));
	tap_expect(tw_ring_take(&w->ring, number));
	w->head++;
}

/* A head that cannot be: no room, and nothing is given out, until it is right again. */
static void false_head(struct rng *r, struct world *w)
{
	u32 head = w->ctl.head, number, unread = ENTRIES + 1 + rng_below(r, 1000000);
	struct twheel_record rec;

	w->ctl.head = w->ring.tail - unread;
	w->ring.head = w->ring.tail - ENTRIES;
	tap_expect(!tw_ring_room(&w->ring));
	tap_expect_eq(tw_ring_peek(&w->ring, &rec, &number), (u64)-EPROTO);
	w->ctl.head = head;
}

/* As if others had had about 2^32 records since: the last numbers come again. */
static void go_round(struct rng *r, struct world *w)
{
	u64 records = (1ULL << 32) - rng_below(r, 2 * ENTRIES);
	u32 i;

	while (w->head != w->tail)
		take(w);
	for (i = 0; i < ENTRIES; i++)
		w->ring.records[i].id = -1ULL;
	set_number(w, w->tail + records);
}

static void check_unread(struct world *w)
{
	u32 i;

	for (i = 0; i < TIMERS; i++)
		if (w->last[i])
			tap_expect_eq(tw_ring_unread(&w->ring, w->last[i] - 1,
						     tw_timer_id(&w->timers[i])),
				      w->last[i] > w->head);
}

/* In or out, anywhere in the line. */
static void change_backlog(struct rng *r, struct world *w)
{
	struct tw_timer *t = &w->timers[rng_below(r, TIMERS)];
	u32 i;

	for (i = 0; i < w->waiting && w->backlog[i] != t; i++)
		;
	if (i == w->waiting) {
		tw_backlog_add(&w->ring, t);
		w->backlog[w->waiting++] = t;
	} else {
		tw_backlog_del(&w->ring, t);
		w->waiting--;
		memmove(&w->backlog[i], &w->backlog[i + 1],
			(w->waiting - i) * sizeof(w->backlog[0]));
	}
}

static void check_backlog(struct world *w)
{
	struct tw_timer *t;
	u32 n = 0;

	tap_expect(tw_backlog_first(&w->ring) == (w->waiting ? w->backlog[0] : NULL));
	hlist_for_each_entry(t, &w->ring.backlog, link)
		tap_expect(n < w->waiting && w->backlog[n++] == t);
	tap_expect_eq(n, w->waiting);
	tap_expect_eq(w->ring.waiting, w->waiting);
	tw_ring_publish(&w->ring, 1);
	tap_expect_eq(w->ring.shared->backlog, w->waiting + 1);
}

static void random_operations(u64 seed, u64 number)
{
	struct rng r = { seed };
	static struct world w;
	unsigned int i;

	begin(&w, number);
	for (i = 0; i < 100000; i++) {
		switch (rng_below(&r, 16)) {
		case 0 ... 5:
			write(&r, &w);
			break;
		case 6 ... 11:
			take(&w);
			break;
		case 12:
			false_head(&r, &w);
			break;
		case 13:
			if (rng_one_in(&r, 8))
				go_round(&r, &w);
			break;
		default:
			change_backlog(&r, &w);
			check_backlog(&w);
		}
		check_unread(&w);
	}
	free(w.ring.shared);
}

static const struct {
	const char *name;
	u64 number;
} starts[] = {
	{ "from 0", 0 },
	{ "from 2^31 - 8", (1ULL << 31) - 8 },
	{ "from 2^32 - 8", (1ULL << 32) - 8 },
	{ "from 2^32 - 1", (1ULL << 32) - 1 },
};

int main(int argc, char **argv)
{
	u64 seed = tap_seed(argc, argv, 1);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		tap_begin(starts[i].name);
		random_operations(seed, starts[i].number);
		tap_end();
	}
	return tap_exit();
}
