// SPDX-License-Identifier: GPL-2.0-only
/*
 * The layout of linux/twheel.h: sizes, offsets, holes, values, ioctl numbers.
 *
 * What is frozen is stated twice, here and in the module. The static asserts
 * make a slip a build failure; the tests say which member it was. This is built as
 * a 64-bit and as a 32-bit program. Both must see the same layout, because the
 * module translates nothing.
 */
#include "common.h"

#include "kselftest_harness.h"

struct member {
	const char *name;
	size_t offset, size, expected;
};

#define MEMBER(type, name, expected) \
	{ #name, offsetof(struct type, name), sizeof(((struct type *)0)->name), expected }

#define FROZEN(type, size) \
	_Static_assert(sizeof(struct type) == (size), #type " has another size")

FROZEN(twheel_setup, 104);
FROZEN(twheel_op, 64);
FROZEN(twheel_submit, 24);
FROZEN(twheel_eventfd, 16);
FROZEN(twheel_record, 32);
FROZEN(twheel_ring, 64);
FROZEN(twheel_ctl, 64);
FROZEN(twheel_stats, 760);
FROZEN(twheel_info, 48);
FROZEN(twheel_list, 32);

/*
 * Members in order: each where it belongs, none overlapping and no hole between
 * them, and nothing after the last one.
 */
static void check(struct __test_metadata *_metadata, const struct member *m, size_t n,
		  size_t size)
{
	size_t end = 0;

	for (size_t i = 0; i < n; i++) {
		EXPECT_EQ(m[i].expected, m[i].offset)
			TH_LOG("%s moved", m[i].name);
		EXPECT_EQ(end, m[i].offset)
			TH_LOG("hole or overlap before %s", m[i].name);
		end = m[i].offset + m[i].size;
	}
	EXPECT_EQ(size, end)
		TH_LOG("hole at the end");
}

#define CHECK(members, type) \
	check(_metadata, members, ARRAY_SIZE(members), sizeof(struct type))

TEST(layout_of_setup)
{
	static const struct member m[] = {
		MEMBER(twheel_setup, size, 0),
		MEMBER(twheel_setup, flags, 4),
		MEMBER(twheel_setup, clockid, 8),
		MEMBER(twheel_setup, ring_entries, 12),
		MEMBER(twheel_setup, max_timers, 16),
		MEMBER(twheel_setup, records_offset, 20),
		MEMBER(twheel_setup, slack, 24),
		MEMBER(twheel_setup, features, 32),
		MEMBER(twheel_setup, min_period, 40),
		MEMBER(twheel_setup, max_batch, 48),
		MEMBER(twheel_setup, resv, 52),
		MEMBER(twheel_setup, ring_offset, 56),
		MEMBER(twheel_setup, ring_size, 64),
		MEMBER(twheel_setup, ctl_offset, 72),
		MEMBER(twheel_setup, ctl_size, 80),
		MEMBER(twheel_setup, words_offset, 88),
		MEMBER(twheel_setup, words_size, 96),
	};

	CHECK(m, twheel_setup);
}

TEST(layout_of_op)
{
	static const struct member m[] = {
		MEMBER(twheel_op, opcode, 0),
		MEMBER(twheel_op, resv0, 1),
		MEMBER(twheel_op, flags, 2),
		MEMBER(twheel_op, result, 4),
		MEMBER(twheel_op, id, 8),
		MEMBER(twheel_op, deadline, 16),
		MEMBER(twheel_op, period, 24),
		MEMBER(twheel_op, slack, 32),
		MEMBER(twheel_op, user_data, 40),
		MEMBER(twheel_op, resv, 48),
	};

	CHECK(m, twheel_op);
}

TEST(layout_of_submit)
{
	static const struct member m[] = {
		MEMBER(twheel_submit, size, 0),
		MEMBER(twheel_submit, flags, 4),
		MEMBER(twheel_submit, ops, 8),
		MEMBER(twheel_submit, count, 16),
		MEMBER(twheel_submit, resv, 20),
	};

	CHECK(m, twheel_submit);
}

TEST(layout_of_eventfd)
{
	static const struct member m[] = {
		MEMBER(twheel_eventfd, size, 0),
		MEMBER(twheel_eventfd, flags, 4),
		MEMBER(twheel_eventfd, fd, 8),
		MEMBER(twheel_eventfd, resv, 12),
	};

	CHECK(m, twheel_eventfd);
}

TEST(layout_of_record)
{
	static const struct member m[] = {
		MEMBER(twheel_record, user_data, 0),
		MEMBER(twheel_record, id, 8),
		MEMBER(twheel_record, deadline, 16),
		MEMBER(twheel_record, lateness, 24),
		MEMBER(twheel_record, missed, 28),
	};

	CHECK(m, twheel_record);
}

TEST(layout_of_ring_and_ctl)
{
	static const struct member ring[] = {
		MEMBER(twheel_ring, tail, 0),
		MEMBER(twheel_ring, backlog, 4),
		MEMBER(twheel_ring, entries, 8),
		MEMBER(twheel_ring, resv, 12),
	};
	static const struct member ctl[] = {
		MEMBER(twheel_ctl, head, 0),
		MEMBER(twheel_ctl, flags, 4),
		MEMBER(twheel_ctl, resv, 8),
	};

	CHECK(ring, twheel_ring);
	CHECK(ctl, twheel_ctl);
}

TEST(layout_of_stats)
{
	static const struct member m[] = {
		MEMBER(twheel_stats, size, 0),
		MEMBER(twheel_stats, flags, 4),
		MEMBER(twheel_stats, now, 8),
		MEMBER(twheel_stats, next, 16),
		MEMBER(twheel_stats, allocated, 24),
		MEMBER(twheel_stats, pending, 32),
		MEMBER(twheel_stats, backlog, 40),
		MEMBER(twheel_stats, unread, 48),
		MEMBER(twheel_stats, armed, 56),
		MEMBER(twheel_stats, moved, 64),
		MEMBER(twheel_stats, cancelled, 72),
		MEMBER(twheel_stats, expired, 80),
		MEMBER(twheel_stats, missed, 88),
		MEMBER(twheel_stats, pushed, 96),
		MEMBER(twheel_stats, reaped, 104),
		MEMBER(twheel_stats, refiled, 112),
		MEMBER(twheel_stats, steps, 120),
		MEMBER(twheel_stats, interrupts, 128),
		MEMBER(twheel_stats, passes, 136),
		MEMBER(twheel_stats, signals, 144),
		MEMBER(twheel_stats, memory, 152),
		MEMBER(twheel_stats, level, 160),
		MEMBER(twheel_stats, lateness, 248),
	};

	CHECK(m, twheel_stats);
}

TEST(layout_of_info)
{
	static const struct member m[] = {
		MEMBER(twheel_info, id, 0),
		MEMBER(twheel_info, user_data, 8),
		MEMBER(twheel_info, deadline, 16),
		MEMBER(twheel_info, period, 24),
		MEMBER(twheel_info, slack, 32),
		MEMBER(twheel_info, state, 40),
		MEMBER(twheel_info, flags, 44),
	};

	CHECK(m, twheel_info);
}

TEST(layout_of_list)
{
	static const struct member m[] = {
		MEMBER(twheel_list, size, 0),
		MEMBER(twheel_list, flags, 4),
		MEMBER(twheel_list, cursor, 8),
		MEMBER(twheel_list, infos, 16),
		MEMBER(twheel_list, count, 24),
		MEMBER(twheel_list, resv, 28),
	};

	CHECK(m, twheel_list);
}

/* B149 */
TEST(ioctl_numbers)
{
	EXPECT_EQ(0xd300U, TWHEEL_IOC_SETUP);
	EXPECT_EQ(0xd301U, TWHEEL_IOC_SUBMIT);
	EXPECT_EQ(0xd302U, TWHEEL_IOC_EVENTFD);
	EXPECT_EQ(0xd303U, TWHEEL_IOC_FLUSH);
	EXPECT_EQ(0xd304U, TWHEEL_IOC_STATS);
	EXPECT_EQ(0xd305U, TWHEEL_IOC_LIST);
}

TEST(values_of_opcodes_states_and_flags)
{
	EXPECT_EQ(1, TWHEEL_OP_ARM);
	EXPECT_EQ(2, TWHEEL_OP_CANCEL);
	EXPECT_EQ(3, TWHEEL_OP_MOVE);
	EXPECT_EQ(4, TWHEEL_OP_QUERY);
	EXPECT_EQ(5, TWHEEL_OP_FREE);
	EXPECT_EQ(1U, TWHEEL_OP_REL);
	EXPECT_EQ(2U, TWHEEL_OP_KEEP);
	EXPECT_EQ(0, TWHEEL_PENDING);
	EXPECT_EQ(1, TWHEEL_BACKLOG);
	EXPECT_EQ(2, TWHEEL_IDLE);
	EXPECT_EQ(1U, TWHEEL_SETUP_WORDS);
	EXPECT_EQ(1U, TWHEEL_CTL_NO_SIGNAL);
	EXPECT_EQ(1U, TWHEEL_INFO_KEEP);
	EXPECT_EQ(1ULL, TWHEEL_FEAT_WORDS);
	EXPECT_EQ(4ULL, TWHEEL_FEAT_WORDS_ARM);
	EXPECT_EQ(2ULL, TWHEEL_FEAT_MMAP);
	EXPECT_EQ(~0ULL, TWHEEL_LIST_END);
}

TEST(values_of_word_states)
{
	EXPECT_EQ(0ULL, TWHEEL_WORD_IDLE);
	EXPECT_EQ(1ULL, TWHEEL_WORD_ARMED);
	EXPECT_EQ(2ULL, TWHEEL_WORD_CANCELLED);
	EXPECT_EQ(3ULL, TWHEEL_WORD_FIRED);
	EXPECT_EQ(3ULL, TWHEEL_WORD_STATE);
}

/* B149: the module answers in the same layout: what it fills in is where it belongs. */
TEST(setup_answers_where_the_header_says)
{
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 64));
	EXPECT_EQ(sizeof(struct twheel_setup), q.setup.size);
	EXPECT_EQ(64U, q.setup.ring_entries);
	EXPECT_LT(0U, q.setup.max_timers);
	EXPECT_LT(0U, q.setup.max_batch);
	EXPECT_EQ(0U, q.setup.resv);
	EXPECT_LE(sizeof(struct twheel_ring), q.setup.records_offset);
	EXPECT_LE(q.setup.records_offset + 64 * sizeof(struct twheel_record),
		  q.setup.ring_size);
	EXPECT_LE(sizeof(struct twheel_ctl), q.setup.ctl_size);
	EXPECT_EQ(parameter("min_period_ns"), q.setup.min_period);
	queue_close(&q);
}

/* B149 */
TEST(stats_answers_where_the_header_says)
{
	struct twheel_stats s;
	struct queue q;
	__u64 before, levels = 0;

	ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 64));
	ASSERT_NE(0ULL, arm(q.fd, TIME_MAX, 1));
	before = mono();
	s = stats(q.fd);
	EXPECT_EQ(sizeof(s), s.size);
	EXPECT_EQ(0U, s.flags);
	EXPECT_LE(before, s.now);
	EXPECT_GE(mono(), s.now);
	EXPECT_EQ(TIME_MAX, s.next);
	EXPECT_EQ(1ULL, s.allocated);
	EXPECT_EQ(1ULL, s.pending);
	EXPECT_EQ(1ULL, s.armed);
	EXPECT_LT(0ULL, s.memory);
	for (int i = 0; i < TWHEEL_LEVELS; i++)
		levels += s.level[i];
	EXPECT_EQ(1ULL, levels);
	for (int i = 0; i < TWHEEL_LATENESS_BUCKETS; i++) {
		EXPECT_EQ(0ULL, s.lateness[i]);
	}
	queue_close(&q);
}

TEST_HARNESS_MAIN
