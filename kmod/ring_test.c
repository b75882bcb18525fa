// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the ring and of the backlog.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/slab.h>

#include "area.h"
#include "ring.c"

#define ENTRIES	8U

struct fixture {
	struct tw_ring ring;
	struct tw_area area;
	struct tw_area ctl_area;
	struct tw_timer timers[ENTRIES];
};

static int new_ring(struct fixture *f, u32 entries)
{
	int err = tw_area_init(&f->area, tw_ring_bytes(entries));

	if (!err)
		err = tw_area_init(&f->ctl_area, sizeof(struct twheel_ctl));
	if (!err)
		tw_ring_init(&f->ring, f->area.addr, f->ctl_area.addr, entries);
	return err;
}

static void destroy_ring(struct fixture *f)
{
	tw_area_destroy(&f->area);
	tw_area_destroy(&f->ctl_area);
}

static int ring_test_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	test->priv = f;
	return new_ring(f, ENTRIES);
}

static void ring_test_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	if (f)
		destroy_ring(f);
}

/* The ring's numbers begin at @number, as if it had been in use for long. */
static void begin_at(struct tw_ring *ring, u32 number)
{
	ring->tail = number;
	ring->head = number;
	ring->shared->tail = number;
	ring->ctl->head = number;
}

static void write(struct tw_ring *ring, unsigned int count, u64 *value)
{
	while (count--) {
		struct twheel_record rec = { .user_data = (*value)++, .id = 1 };

		tw_ring_write(ring, &rec);
	}
	tw_ring_publish(ring, 0);
}

/* Take one record as a consumer does: its user_data, or an error. */
static s64 take(struct tw_ring *ring)
{
	struct twheel_record rec;
	u32 number;
	int err = tw_ring_peek(ring, &rec, &number);

	if (err)
		return err;
	return tw_ring_take(ring, number) ? (s64)rec.user_data : -EBUSY;
}

static void ring_new(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, f->ring.shared->entries, ENTRIES);
	KUNIT_EXPECT_EQ(test, f->ring.shared->tail, 0);
	KUNIT_EXPECT_EQ(test, f->ring.shared->backlog, 0);
	KUNIT_EXPECT_EQ(test, f->ring.ctl->head, 0);
	KUNIT_EXPECT_TRUE(test, tw_ring_room(&f->ring));
	KUNIT_EXPECT_EQ(test, tw_ring_count(&f->ring), 0);
	KUNIT_EXPECT_NULL(test, tw_backlog_first(&f->ring));
	KUNIT_EXPECT_EQ(test, take(&f->ring), -EAGAIN);
}

static void ring_area_of_zeroes(struct kunit *test)
{
	static struct tw_area area;

	tw_area_destroy(&area);
	tw_area_destroy(&area);
	KUNIT_SUCCEED(test);
}

static void ring_sizes(struct kunit *test)
{
	struct twheel_record rec = { .user_data = 7 };
	struct fixture *f = test->priv;
	struct tw_ring *ring = &f->ring;
	u32 entries, i;

	for (entries = 1; entries <= 4096; entries *= 2) {
		destroy_ring(f);
		KUNIT_ASSERT_EQ(test, new_ring(f, entries), 0);
		for (i = 0; i < entries; i++) {
			KUNIT_ASSERT_TRUE(test, tw_ring_room(ring));
			tw_ring_write(ring, &rec);
		}
		KUNIT_EXPECT_FALSE(test, tw_ring_room(ring));
		tw_ring_publish(ring, 0);
		KUNIT_EXPECT_EQ(test, tw_ring_count(ring), entries);
		KUNIT_EXPECT_EQ(test, ring->records[entries - 1].user_data, 7);
	}
}

/* Nothing is seen before it is published. */
static void ring_publish(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct twheel_record rec = { .user_data = 42 };

	KUNIT_EXPECT_EQ(test, tw_ring_write(&f->ring, &rec), 0);
	KUNIT_EXPECT_EQ(test, tw_ring_write(&f->ring, &rec), 1);
	KUNIT_EXPECT_EQ(test, take(&f->ring), -EAGAIN);
	tw_ring_publish(&f->ring, 0);
	KUNIT_EXPECT_EQ(test, tw_ring_count(&f->ring), 2);
	KUNIT_EXPECT_EQ(test, take(&f->ring), 42);
	KUNIT_EXPECT_EQ(test, tw_ring_count(&f->ring), 1);
}

static void ring_whole_record(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct twheel_record rec = { 1, 2, 3, 4, 5 }, got;
	u32 number;

	tw_ring_write(&f->ring, &rec);
	tw_ring_publish(&f->ring, 0);
	KUNIT_ASSERT_EQ(test, tw_ring_peek(&f->ring, &got, &number), 0);
	KUNIT_EXPECT_EQ(test, memcmp(&got, &rec, sizeof(rec)), 0);
	KUNIT_EXPECT_EQ(test, number, 0);
}

static void ring_full(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 value = 0;

	write(&f->ring, ENTRIES - 1, &value);
	KUNIT_EXPECT_TRUE(test, tw_ring_room(&f->ring));
	write(&f->ring, 1, &value);
	KUNIT_EXPECT_FALSE(test, tw_ring_room(&f->ring));
	KUNIT_EXPECT_EQ(test, take(&f->ring), 0);
	KUNIT_EXPECT_TRUE(test, tw_ring_room(&f->ring));
	write(&f->ring, 1, &value);
	KUNIT_EXPECT_FALSE(test, tw_ring_room(&f->ring));
}

struct begin_case {
	const char *name;
	u32 number;
};

/* B16 */
static const struct begin_case begin_cases[] = {
	{ "0", 0 },
	{ "5", 5 },
	{ "2^31 - 8", (1U << 31) - 8 },
	{ "2^32 - 8", -8U },
	{ "2^32 - 1", -1U },
};

static void begin_name(const struct begin_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(begin, begin_cases, begin_name);

/* 32 records through a ring of 8, over the end of the numbers. */
static void ring_wraps(struct kunit *test)
{
	const struct begin_case *c = test->param_value;
	struct fixture *f = test->priv;
	u64 written = 0, read = 0;

	begin_at(&f->ring, c->number);
	while (read < 32) {
		while (tw_ring_room(&f->ring) && written - read < 5)
			write(&f->ring, 1, &written);
		KUNIT_EXPECT_EQ(test, tw_ring_count(&f->ring), written - read);
		KUNIT_ASSERT_EQ(test, take(&f->ring), read);
		read++;
	}
	KUNIT_EXPECT_EQ(test, f->ring.tail, (u32)(c->number + written));
}

static void ring_unread_wraps(struct kunit *test)
{
	const struct begin_case *c = test->param_value;
	struct fixture *f = test->priv;
	u64 value = 0;
	u32 i;

	begin_at(&f->ring, c->number);
	write(&f->ring, 3, &value);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, tw_ring_unread(&f->ring, c->number + i, 1));
	KUNIT_EXPECT_FALSE(test, tw_ring_unread(&f->ring, c->number - 1, 1));
	take(&f->ring);
	KUNIT_EXPECT_FALSE(test, tw_ring_unread(&f->ring, c->number, 1));
	KUNIT_EXPECT_TRUE(test, tw_ring_unread(&f->ring, c->number + 1, 1));
	take(&f->ring);
	take(&f->ring);
	KUNIT_EXPECT_FALSE(test, tw_ring_unread(&f->ring, c->number + 2, 1));
}

/* Its number is between head and tail again, 2^32 records later. */
static void ring_unread_of_long_ago(struct kunit *test)
{
	const struct begin_case *c = test->param_value;
	struct fixture *f = test->priv;
	struct twheel_record other = { .id = 2 };
	u64 value = 0;

	begin_at(&f->ring, c->number);
	write(&f->ring, 1, &value);
	take(&f->ring);
	begin_at(&f->ring, c->number);
	KUNIT_EXPECT_FALSE(test, tw_ring_unread(&f->ring, c->number - 1, 1));
	tw_ring_write(&f->ring, &other);
	tw_ring_publish(&f->ring, 0);
	KUNIT_EXPECT_FALSE(test, tw_ring_unread(&f->ring, c->number, 1));
	KUNIT_EXPECT_TRUE(test, tw_ring_unread(&f->ring, c->number, 2));
}

/* A head that cannot be: a full ring, and nothing is read. */
static void ring_false_head(struct kunit *test)
{
	const struct begin_case *c = test->param_value;
	struct fixture *f = test->priv;
	u64 value = 0;

	begin_at(&f->ring, c->number);
	write(&f->ring, ENTRIES, &value);
	f->ring.ctl->head = c->number - 1;		/* one too many */
	KUNIT_EXPECT_FALSE(test, tw_ring_room(&f->ring));
	KUNIT_EXPECT_EQ(test, take(&f->ring), -EPROTO);
	f->ring.ctl->head = c->number + ENTRIES + 1;	/* ahead of the tail */
	KUNIT_EXPECT_FALSE(test, tw_ring_room(&f->ring));
	KUNIT_EXPECT_EQ(test, take(&f->ring), -EPROTO);
	KUNIT_EXPECT_GT(test, tw_ring_count(&f->ring), ENTRIES);
	f->ring.ctl->head = c->number + 3;		/* sense again */
	KUNIT_EXPECT_TRUE(test, tw_ring_room(&f->ring));
	KUNIT_EXPECT_EQ(test, take(&f->ring), 3);
}

/* What the program may read is never read back. */
static void ring_trusts_no_shared_field(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct twheel_record rec = { .user_data = 9 };

	f->ring.shared->entries = 1 << 20;
	KUNIT_EXPECT_EQ(test, tw_ring_write(&f->ring, &rec), 0);
	f->ring.tail = f->ring.entries;
	tw_ring_write(&f->ring, &rec);
	KUNIT_EXPECT_EQ(test, f->ring.records[0].user_data, 9);
	KUNIT_EXPECT_EQ(test, f->ring.tail, ENTRIES + 1);
}

static void ring_two_consumers(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct twheel_record a, b;
	u32 first, second;
	u64 value = 0;

	write(&f->ring, 2, &value);
	KUNIT_ASSERT_EQ(test, tw_ring_peek(&f->ring, &a, &first), 0);
	KUNIT_ASSERT_EQ(test, tw_ring_peek(&f->ring, &b, &second), 0);
	KUNIT_EXPECT_TRUE(test, tw_ring_take(&f->ring, first));
	KUNIT_EXPECT_FALSE(test, tw_ring_take(&f->ring, second));
	KUNIT_EXPECT_EQ(test, take(&f->ring), 1);
	KUNIT_EXPECT_EQ(test, take(&f->ring), -EAGAIN);
}

static void ring_no_signal(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_TRUE(test, tw_ring_wants_signal(&f->ring));
	f->ring.ctl->flags = TWHEEL_CTL_NO_SIGNAL;
	KUNIT_EXPECT_FALSE(test, tw_ring_wants_signal(&f->ring));
	f->ring.ctl->flags = ~TWHEEL_CTL_NO_SIGNAL;
	KUNIT_EXPECT_TRUE(test, tw_ring_wants_signal(&f->ring));
}

/* backlog: 0, 1, 2, ... in this order */
static void wait_for_room(struct fixture *f, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		f->timers[i].index = i;
		tw_backlog_add(&f->ring, &f->timers[i]);
	}
}

static void expect_backlog(struct kunit *test, const unsigned int *order, unsigned int count)
{
	struct fixture *f = test->priv;
	struct tw_timer *t;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, f->ring.waiting, count);
	for (i = 0; i < count; i++) {
		t = tw_backlog_first(&f->ring);
		KUNIT_ASSERT_NOT_NULL(test, t);
		KUNIT_EXPECT_EQ(test, t->index, order[i]);
		tw_backlog_del(&f->ring, t);
		KUNIT_EXPECT_TRUE(test, hlist_unhashed(&t->link));
	}
	KUNIT_EXPECT_NULL(test, tw_backlog_first(&f->ring));
	KUNIT_EXPECT_EQ(test, f->ring.waiting, 0);
}

static void ring_backlog_in_order(struct kunit *test)
{
	static const unsigned int order[] = { 0, 1, 2, 3 };

	wait_for_room(test->priv, 4);
	expect_backlog(test, order, ARRAY_SIZE(order));
	wait_for_room(test->priv, 4);
	expect_backlog(test, order, ARRAY_SIZE(order));
}

/* Cancelled at either end and within; then one more comes. */
static void ring_backlog_remove(struct kunit *test)
{
	static const unsigned int orders[4][4] = {
		{ 1, 2, 3, 7 }, { 0, 2, 3, 7 }, { 0, 1, 3, 7 }, { 0, 1, 2, 7 },
	};
	struct fixture *f = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		wait_for_room(f, 4);
		tw_backlog_del(&f->ring, &f->timers[i]);
		f->timers[7].index = 7;
		tw_backlog_add(&f->ring, &f->timers[7]);
		expect_backlog(test, orders[i], 4);
	}
}

static void ring_backlog_is_shown(struct kunit *test)
{
	struct fixture *f = test->priv;

	wait_for_room(f, 3);
	KUNIT_EXPECT_EQ(test, f->ring.shared->backlog, 0);
	tw_ring_publish(&f->ring, 0);
	KUNIT_EXPECT_EQ(test, f->ring.shared->backlog, 3);
	tw_ring_publish(&f->ring, 1);
	KUNIT_EXPECT_EQ(test, f->ring.shared->backlog, 4);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(ring_new),
	KUNIT_CASE(ring_area_of_zeroes),
	KUNIT_CASE(ring_sizes),
	KUNIT_CASE(ring_publish),
	KUNIT_CASE(ring_whole_record),
	KUNIT_CASE(ring_full),
	KUNIT_CASE_PARAM(ring_wraps, begin_gen_params),
	KUNIT_CASE_PARAM(ring_unread_wraps, begin_gen_params),
	KUNIT_CASE_PARAM(ring_unread_of_long_ago, begin_gen_params),
	KUNIT_CASE_PARAM(ring_false_head, begin_gen_params),
	KUNIT_CASE(ring_trusts_no_shared_field),
	KUNIT_CASE(ring_two_consumers),
	KUNIT_CASE(ring_no_signal),
	KUNIT_CASE(ring_backlog_in_order),
	KUNIT_CASE(ring_backlog_remove),
	KUNIT_CASE(ring_backlog_is_shown),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "twheel_ring",
	.init = ring_test_init,
	.exit = ring_test_exit,
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);
