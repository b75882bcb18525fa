// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inspecting a queue: LIST by cursor, STATS, /proc/PID/fdinfo.
 */
#include "common.h"

#include <strings.h>

#include "kselftest_harness.h"

#define ENTRIES		64
#include "common/queue_fixture.h"

/* --- LIST ------------------------------------------------------------------------------ */

/* Count each user_data below n in a full listing by pages; how many were others. */
static long list_all(int fd, __u32 page, unsigned char *seen, __u64 n, void (*between)(void *),
		     void *data)
{
	struct twheel_info *infos = calloc(page, sizeof(*infos));
	__u64 cursor = 0;
	long others = 0;

	while (cursor != TWHEEL_LIST_END) {
		long got = list(fd, &cursor, infos, page);

		if (got < 0 || got > (long)page) {
			others = got < 0 ? got : -EPROTO;
			break;
		}
		for (long i = 0; i < got; i++) {
			if (infos[i].user_data < n)
				seen[infos[i].user_data]++;
			else
				others++;
		}
		if (between)
			between(data);
	}
	free(infos);
	return others;
}

TEST_F(queue, list_of_nothing_is_empty)
{
	struct twheel_info info;
	__u64 cursor = 0;
	long got;

	do {
		got = list(self->fd, &cursor, &info, 1);
		ASSERT_EQ(0, got);
	} while (cursor != TWHEEL_LIST_END);
}

TEST_F(queue, list_has_each_timer_once_in_pages_of_any_size)
{
	enum { N = 100 };
	const __u32 pages[] = { 1, 7, 64, 100, 101 };
	unsigned char seen[N];

	for (int i = 0; i < N; i++) {
		ASSERT_NE(0ULL, arm(self->fd, TIME_MAX - i, i));
	}
	for (size_t p = 0; p < ARRAY_SIZE(pages); p++) {
		memset(seen, 0, sizeof(seen));
		EXPECT_EQ(0, list_all(self->fd, pages[p], seen, N, NULL, NULL));
		for (int i = 0; i < N; i++) {
			ASSERT_EQ(1, seen[i]);
		}
	}
}

TEST_F(queue, list_tells_state_and_members)
{
	struct twheel_info infos[4];
	__u64 cursor = 0, t = mono() + HOUR;
	struct twheel_op op = op_arm(t, 1);
	__u64 kept = arm_keep(self->fd, t + 5, 2);

	op.period = SEC;
	op.slack = 1000;
	op.id = arm_op(self->fd, op);
	ASSERT_EQ(0, cancel(self->fd, kept));
	ASSERT_EQ(2, list(self->fd, &cursor, infos, 4));
	if (infos[0].id == kept) {
		infos[2] = infos[0];
		infos[0] = infos[1];
		infos[1] = infos[2];
	}
	EXPECT_EQ(op.id, infos[0].id);
	EXPECT_EQ(t, infos[0].deadline);
	EXPECT_EQ(SEC, infos[0].period);
	EXPECT_EQ(512ULL, infos[0].slack);
	EXPECT_EQ((__u32)TWHEEL_PENDING, infos[0].state);
	EXPECT_EQ(0U, infos[0].flags);
	EXPECT_EQ(kept, infos[1].id);
	EXPECT_EQ(t + 5, infos[1].deadline);
	EXPECT_EQ((__u32)TWHEEL_IDLE, infos[1].state);
	EXPECT_EQ(TWHEEL_INFO_KEEP, infos[1].flags);
}

TEST_F(queue, list_has_the_backlog)
{
	struct twheel_info info;
	__u64 cursor = 0, id;
	long got;

	ASSERT_NE(0ULL, arm(self->other.fd, 1, 1));
	id = arm(self->other.fd, 2, 2);
	do {
		got = list(self->other.fd, &cursor, &info, 1);
	} while (!got && cursor != TWHEEL_LIST_END);
	ASSERT_EQ(1, got);
	EXPECT_EQ(id, info.id);
	EXPECT_EQ((__u32)TWHEEL_BACKLOG, info.state);
	EXPECT_EQ(2ULL, info.deadline);
}

/* Between two pages, some timers go, some come, some move. */
struct churn {
	int fd;
	__u64 *ids;
	int next, end;
};

static void churn(void *data)
{
	struct churn *c = data;

	if (c->next >= c->end)
		return;
	cancel(c->fd, c->ids[c->next]);
	move(c->fd, c->ids[c->next + 1], TIME_MAX / 2 + c->next);
	arm(c->fd, TIME_MAX, ~0ULL);
	c->next += 2;
}

TEST_F(queue, list_has_what_exists_throughout_once)
{
	enum { N = 200 };
	unsigned char seen[N] = { 0 };
	__u64 ids[N];
	struct churn c = { self->fd, ids, 0, N };

	for (int i = 0; i < N; i++) {
		ids[i] = arm(self->fd, TIME_MAX - i, i);
		ASSERT_NE(0ULL, ids[i]);
	}
	EXPECT_LE(0, list_all(self->fd, 3, seen, N, churn, &c));
	for (int i = 0; i < N; i++) {
		bool cancelled = i % 2 == 0 && i < c.next;

		ASSERT_TRUE(cancelled ? seen[i] <= 1 : seen[i] == 1) {
			TH_LOG("timer %d was listed %d times", i, seen[i]);
		}
	}
}

/* --- STATS and fdinfo ------------------------------------------------------------------ */

TEST_F(queue, counters_add_up)
{
	struct twheel_record rec[16];
	__u64 ids[40], levels = 0, late = 0;
	struct twheel_stats s;

	for (int i = 0; i < 40; i++)
		ids[i] = arm(self->fd, i < 10 ? 1 : mono() + HOUR, i);
	for (int i = 10; i < 17; i++) {
		ASSERT_EQ(0, cancel(self->fd, ids[i]));
	}
	for (int i = 17; i < 22; i++) {
		ASSERT_EQ(0, move(self->fd, ids[i], mono() + 2 * HOUR));
	}
	ASSERT_EQ(4, read_records(self->fd, rec, 4));
	s = stats(self->fd);
	EXPECT_EQ(40ULL, s.armed);
	EXPECT_EQ(7ULL, s.cancelled);
	EXPECT_EQ(5ULL, s.moved);
	EXPECT_EQ(10ULL, s.expired);
	EXPECT_EQ(23ULL, s.pending);
	EXPECT_EQ(23ULL, s.allocated);
	EXPECT_EQ(6ULL, s.unread);
	EXPECT_EQ(s.armed, s.cancelled + s.expired + s.pending + s.backlog);
	for (int i = 0; i < TWHEEL_LEVELS; i++)
		levels += s.level[i];
	EXPECT_EQ(s.pending, levels);
	for (int i = 0; i < TWHEEL_LATENESS_BUCKETS; i++)
		late += s.lateness[i];
	EXPECT_EQ(s.expired, late);
}

/* Promise 6, B91: an empty queue has no event ahead, and no interrupt. */
TEST_F(queue, empty_queue_does_not_tick)
{
	__u64 deadline = arm_and_end(self->fd, TWHEEL_OP_CANCEL, 0), interrupts;

	ASSERT_NE(0ULL, deadline);
	EXPECT_TRUE(silent_until(self->fd, deadline));
	interrupts = stats(self->fd).interrupts;
	sleep_ns(60 * MSEC);
	EXPECT_EQ(interrupts, stats(self->fd).interrupts);
	EXPECT_EQ(~0ULL, stats(self->fd).next);
}

/* How many hrtimers of queues the kernel knows of; -1: it does not tell. */
static int hrtimers(void)
{
	FILE *file = fopen("/proc/timer_list", "r");
	char line[512];
	int n = 0;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		n += strstr(line, "on_hrtimer") && strstr(line, "twheel");
	fclose(file);
	return n;
}

/* B91 */
TEST_F(queue, empty_queue_has_no_hrtimer)
{
	__u64 id;

	if (hrtimers() < 0)
		SKIP(return, "no /proc/timer_list");
	EXPECT_EQ(0, hrtimers());
	id = arm(self->fd, mono() + HOUR, 1);
	EXPECT_EQ(1, hrtimers());
	EXPECT_EQ(0, cancel(self->fd, id));
	EXPECT_EQ(0, hrtimers());
	ASSERT_NE(0ULL, arm_rel(self->fd, MSEC, 1));
	EXPECT_TRUE(readable(self->fd, GIVE_UP_MS));
	EXPECT_EQ(0, hrtimers());
}

/* B13: far away is no reason to wake up in between. */
TEST_F(queue, lone_timer_costs_one_interrupt)
{
	struct twheel_record rec;

	ASSERT_NE(0ULL, arm_rel(self->fd, 150 * MSEC, 1));
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_EQ(1ULL, stats(self->fd).interrupts);
}

TEST_F(queue, memory_is_counted)
{
	static struct twheel_op ops[4096];
	__u64 before = stats(self->fd).memory;

	for (int i = 0; i < 4096; i++)
		ops[i] = op_arm(TIME_MAX, i);
	ASSERT_EQ(4096, submit_all(&self->q, ops, 4096));
	EXPECT_LE(before + 4096 * 40, stats(self->fd).memory);
	EXPECT_GE(before + 2 * 4096 * 72, stats(self->fd).memory);
}

TEST_F(queue, fdinfo_tells_of_the_queue)
{
	char path[64], text[8192];

	ASSERT_NE(0ULL, arm(self->fd, TIME_MAX, 1));
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", self->fd);
	ASSERT_LT(0, file_get(path, text, sizeof(text)));
	EXPECT_NE(NULL, strcasestr(text, "pending")) {
		TH_LOG("%s", text);
	}
	EXPECT_NE(NULL, strcasestr(text, "clock"));
}

TEST(fdinfo_before_setup_is_harmless)
{
	char path[64], text[4096];
	int fd = device_open();

	ASSERT_LE(0, fd);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	EXPECT_LT(0, file_get(path, text, sizeof(text)));
	close(fd);
}

TEST_HARNESS_MAIN
