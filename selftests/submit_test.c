// SPDX-License-Identifier: GPL-2.0-only
/*
 * What SUBMIT refuses: wrong members of each op, a wrong number of ops, bad memory.
 *
 * Each test breaks one thing of a call that works, and afterwards asks the queue
 * whether anything changed.
 */
#include "common.h"

#include <signal.h>
#include <sys/time.h>

#include "kselftest_harness.h"

#define ENTRIES		8
#include "common/queue_fixture.h"

/* --- ops -------------------------------------------------------------------- */

/* One op that must be refused, and have no effect. */
static void refused(struct __test_metadata *_metadata, int fd, struct twheel_op op, long error,
		    const char *what)
{
	struct twheel_stats before = stats(fd), after;

	EXPECT_EQ(error, run_op(fd, &op))
		TH_LOG("%s", what);
	after = stats(fd);
	EXPECT_EQ(before.armed, after.armed);
	EXPECT_EQ(before.pending, after.pending);
	EXPECT_EQ(before.cancelled, after.cancelled);
	EXPECT_EQ(before.moved, after.moved);
	EXPECT_EQ(before.next, after.next);
}

#define REFUSED(op, error, what) refused(_metadata, self->fd, op, error, what)

/* B153 */
TEST_F(queue, no_ops_is_0)
{
	EXPECT_EQ(0, submit(self->fd, NULL, 0));
	EXPECT_EQ(0, submit(self->fd, (void *)8, 0));
}

/* B153 */
TEST_F(queue, count_beyond_max_batch_is_einval)
{
	const __u32 counts[] = { self->q.setup.max_batch + 1, 1U << 26, 1U << 28, 1U << 31, ~0U };
	struct twheel_op op = op_arm(TIME_MAX, 1);

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		EXPECT_EQ(-EINVAL, submit(self->fd, &op, counts[i]))
			TH_LOG("count %u", counts[i]);
	}
	EXPECT_EQ(POISON32, op.result);
	EXPECT_EQ(0ULL, stats(self->fd).armed);
}

/* B153 */
TEST_F(queue, batch_of_max_batch_works)
{
	__u32 n = self->q.setup.max_batch;
	struct twheel_op *ops = calloc(n, sizeof(*ops));

	for (__u32 i = 0; i < n; i++)
		ops[i] = op_arm(TIME_MAX - i, i);
	EXPECT_EQ(n, submit(self->fd, ops, n));
	for (__u32 i = 0; i < n; i++) {
		ASSERT_EQ(0, ops[i].result);
	}
	EXPECT_EQ(n, stats(self->fd).pending);
	free(ops);
}

/* B148 */
TEST_F(queue, unknown_opcodes_are_einval)
{
	for (int opcode = 0; opcode < 256; opcode++) {
		struct twheel_op op = op_on(opcode, 0);

		if (opcode >= TWHEEL_OP_ARM && opcode <= TWHEEL_OP_FREE)
			continue;
		EXPECT_EQ(-EINVAL, run_op(self->fd, &op));
	}
	REFUSED(op_on(0, 0), -EINVAL, "opcode 0");
	REFUSED(op_on(6, 0), -EINVAL, "opcode 6");
	REFUSED(op_on(255, 0), -EINVAL, "opcode 255");
}

/* Each opcode, on a timer that it could act on. */
FIXTURE(op) {
	struct queue q;
	int fd;
	struct twheel_op op;
};

FIXTURE_VARIANT(op) {
	__u8 opcode;
	__u16 flags;		/* those it knows */
	bool deadline, period, slack, user_data;	/* it names these members */
};

FIXTURE_VARIANT_ADD(op, arm) {
	.opcode = TWHEEL_OP_ARM,
	.flags = TWHEEL_OP_REL | TWHEEL_OP_KEEP,
	.deadline = true, .period = true, .slack = true, .user_data = true,
};

FIXTURE_VARIANT_ADD(op, cancel) {
	.opcode = TWHEEL_OP_CANCEL,
};

FIXTURE_VARIANT_ADD(op, move) {
	.opcode = TWHEEL_OP_MOVE,
	.flags = TWHEEL_OP_REL,
	.deadline = true, .period = true, .slack = true,
};

FIXTURE_VARIANT_ADD(op, query) {
	.opcode = TWHEEL_OP_QUERY,
	.deadline = true, .period = true, .slack = true, .user_data = true,
};

FIXTURE_VARIANT_ADD(op, free) {
	.opcode = TWHEEL_OP_FREE,
};

FIXTURE_SETUP(op)
{
	__u64 id;

	ASSERT_EQ(0, queue_open(&self->q, CLOCK_MONOTONIC, 8));
	self->fd = self->q.fd;
	id = arm(self->fd, mono() + HOUR, 1);
	ASSERT_NE(0ULL, id);
	self->op = op_on(variant->opcode, variant->opcode == TWHEEL_OP_ARM ? 0 : id);
	if (variant->opcode == TWHEEL_OP_ARM || variant->opcode == TWHEEL_OP_MOVE)
		self->op.deadline = mono() + 2 * HOUR;
}

FIXTURE_TEARDOWN(op)
{
	queue_close(&self->q);
}

TEST_F(op, works)
{
	long ret = run_op(self->fd, &self->op);

	EXPECT_EQ(variant->opcode == TWHEEL_OP_FREE ? 1 : 0, ret);
}

/* B148 */
TEST_F(op, each_unknown_flag_is_einval)
{
	for (int bit = 0; bit < 16; bit++) {
		struct twheel_op op = self->op;

		if (variant->flags & (1U << bit))
			continue;
		op.flags = 1U << bit;
		REFUSED(op, -EINVAL, "flag");
	}
}

/* B148 */
TEST_F(op, each_reserved_byte_is_einval)
{
	for (size_t i = 0; i < sizeof(self->op.resv); i++) {
		struct twheel_op op = self->op;

		((unsigned char *)op.resv)[i] = 1;
		REFUSED(op, -EINVAL, "resv");
	}
	self->op.resv0 = 1;
	REFUSED(self->op, -EINVAL, "resv0");
}

TEST_F(op, member_that_it_does_not_name_is_einval)
{
	const struct {
		size_t offset;
		bool named;
		const char *name;
	} rows[] = {
		{ offsetof(struct twheel_op, deadline), variant->deadline, "deadline" },
		{ offsetof(struct twheel_op, period), variant->period, "period" },
		{ offsetof(struct twheel_op, slack), variant->slack, "slack" },
		{ offsetof(struct twheel_op, user_data), variant->user_data, "user_data" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct twheel_op op = self->op;
		__u64 value = SEC;

		if (rows[i].named)
			continue;
		memcpy((char *)&op + rows[i].offset, &value, sizeof(value));
		REFUSED(op, -EINVAL, rows[i].name);
	}
}

TEST_F(op, refused_one_does_not_stop_the_batch)
{
	struct twheel_op ops[3] = { self->op, self->op, op_arm(TIME_MAX, 3) };

	ops[0].resv[1] = 1ULL << 63;
	EXPECT_EQ(3, submit(self->fd, ops, 3));
	EXPECT_EQ(-EINVAL, ops[0].result);
	EXPECT_EQ(variant->opcode == TWHEEL_OP_FREE ? 1 : 0, ops[1].result);
	EXPECT_EQ(0, ops[2].result);
}

/* B20, B21, B113 */
TEST_F(queue, period_below_the_minimum_is_einval)
{
	const __u64 periods[] = { 1, 2, 999, self->q.setup.min_period - 1 };

	ASSERT_LT(1ULL, self->q.setup.min_period);
	for (size_t i = 0; i < ARRAY_SIZE(periods); i++) {
		struct twheel_op op = op_arm(TIME_MAX, 1);

		op.period = periods[i];
		if (op.period < self->q.setup.min_period)
			REFUSED(op, -EINVAL, "short period");
	}
}

/* B20 */
TEST_F(queue, period_beyond_the_end_of_time_is_einval)
{
	const __u64 periods[] = { 1ULL << 63, (1ULL << 63) + 1, ~0ULL };

	for (size_t i = 0; i < ARRAY_SIZE(periods); i++) {
		struct twheel_op op = op_arm(TIME_MAX, 1);

		op.period = periods[i];
		REFUSED(op, -EINVAL, "long period");
	}
}

/* B20 */
TEST_F(queue, shortest_and_longest_period_are_accepted)
{
	__u64 first = mono() + HOUR;
	struct twheel_op op = op_query(arm_periodic(self->fd, first, TIME_MAX, 1));

	EXPECT_EQ(TWHEEL_PENDING, run_op(self->fd, &op));
	EXPECT_EQ(TIME_MAX, op.period);
	op = op_query(arm_periodic(self->fd, first, self->q.setup.min_period, 1));
	EXPECT_EQ(TWHEEL_PENDING, run_op(self->fd, &op));
	EXPECT_EQ(self->q.setup.min_period, op.period);
}

TEST_F(queue, bad_period_of_move_is_einval)
{
	__u64 id = arm(self->fd, mono() + HOUR, 1);

	REFUSED(op_move(id, TIME_MAX, self->q.setup.min_period - 1), -EINVAL, "short period");
	REFUSED(op_move(id, TIME_MAX, 1ULL << 63), -EINVAL, "long period");
}

/* B03 */
TEST_F(queue, last_deadline_is_accepted)
{
	struct twheel_op op = op_query(arm(self->fd, TIME_MAX, 1));

	EXPECT_EQ(TWHEEL_PENDING, run_op(self->fd, &op));
	EXPECT_EQ(TIME_MAX, op.deadline);
	EXPECT_EQ(TIME_MAX, stats(self->fd).next);
}

/* B03 */
TEST_F(queue, deadline_beyond_the_last_is_eoverflow)
{
	REFUSED(op_arm(1ULL << 63, 1), -EOVERFLOW, "2^63");
	REFUSED(op_arm((1ULL << 63) + 1, 1), -EOVERFLOW, "2^63 + 1");
	REFUSED(op_arm(~0ULL, 1), -EOVERFLOW, "2^64 - 1");
}

/* B03: what would be negative is among them. */
TEST_F(queue, relative_deadline_beyond_the_last_is_eoverflow)
{
	REFUSED(op_arm_rel(TIME_MAX, 1), -EOVERFLOW, "2^63 - 1");
	REFUSED(op_arm_rel(1ULL << 63, 1), -EOVERFLOW, "2^63");
	REFUSED(op_arm_rel(~0ULL, 1), -EOVERFLOW, "-1");
	REFUSED(op_arm_rel(-(__u64)MSEC, 1), -EOVERFLOW, "-1 ms");
	/* Would have been the last one some time ago, so it is beyond it now. */
	REFUSED(op_arm_rel(TIME_MAX - mono() + 1, 1), -EOVERFLOW, "the last one and a bit");
}

/* B18: seconds are no more than there may be, but the nanoseconds with them are. */
TEST_F(queue, seconds_and_nanoseconds_that_are_too_much_together)
{
	const __u64 last = 9223372036 * SEC + 854775807, beyond[] = { last + 1, last + 145224192 };
	struct twheel_op op, query = op_query(arm_periodic(self->fd, last, last, 1));

	ASSERT_EQ(TWHEEL_PENDING, run_op(self->fd, &query));
	EXPECT_EQ(last, query.deadline);
	EXPECT_EQ(last, query.period);
	for (size_t i = 0; i < ARRAY_SIZE(beyond); i++) {
		REFUSED(op_arm(beyond[i], 1), -EOVERFLOW, "absolute");
		REFUSED(op_arm_rel(beyond[i], 1), -EOVERFLOW, "relative");
		op = op_arm(HOUR, 1);
		op.period = beyond[i];
		REFUSED(op, -EINVAL, "period");
	}
}

TEST_F(queue, move_beyond_the_last_deadline_is_eoverflow)
{
	struct twheel_op op = op_move(arm(self->fd, mono() + HOUR, 1), TIME_MAX, 0);

	op.flags = TWHEEL_OP_REL;
	REFUSED(op, -EOVERFLOW, "relative");
	op.flags = 0;
	op.deadline = 1ULL << 63;
	REFUSED(op, -EOVERFLOW, "absolute");
}

/* B01, B02: in ms these did not fit into 32 bits elsewhere. */
TEST_F(queue, long_relative_delays_keep_their_length)
{
	const __u64 ms[] = { (1ULL << 31) - 1, 1ULL << 31, (1ULL << 32) - 1, 1ULL << 32,
			     (1ULL << 32) + 5000, 10000000000ULL };

	for (size_t i = 0; i < ARRAY_SIZE(ms); i++) {
		__u64 before = mono();
		struct twheel_op op = op_query(arm_rel(self->fd, ms[i] * MSEC, i));

		ASSERT_EQ(TWHEEL_PENDING, run_op(self->fd, &op));
		EXPECT_LE(before + ms[i] * MSEC, op.deadline);
		EXPECT_GE(mono() + ms[i] * MSEC, op.deadline);
	}
	EXPECT_EQ(ARRAY_SIZE(ms), stats(self->fd).pending);
}

TEST_F(queue, any_slack_of_an_op_is_accepted)
{
	const __u64 slacks[] = { 1, 2, 3, MSEC, 1ULL << 62, TIME_MAX, 1ULL << 63, ~0ULL };
	__u64 deadline = mono() + HOUR;

	for (size_t i = 0; i < ARRAY_SIZE(slacks); i++) {
		struct twheel_op op = op_arm(deadline, 1);
		struct twheel_op query;

		op.slack = slacks[i];
		query = op_query(arm_op(self->fd, op));
		EXPECT_EQ(TWHEEL_PENDING, run_op(self->fd, &query))
			TH_LOG("slack %llx", slacks[i]);
		EXPECT_EQ(deadline, query.deadline);
	}
	EXPECT_EQ(ARRAY_SIZE(slacks), stats(self->fd).pending);
	EXPECT_LE(deadline, stats(self->fd).next);
}

/* --- the memory of a batch --------------------------------------------------- */

/* B152 */
TEST_F(queue, ops_at_odd_addresses_work)
{
	const int offsets[] = { 1, 2, 3, 4, 7 };
	char *page = guarded_page();

	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		struct twheel_op op = op_arm(TIME_MAX, 1);
		char *at = page + PAGE_SIZE - sizeof(op) - offsets[i];

		memcpy(at, &op, sizeof(op));
		EXPECT_EQ(1, submit(self->fd, (void *)at, 1));
		memcpy(&op, at, sizeof(op));
		EXPECT_EQ(0, op.result);
		EXPECT_EQ(TWHEEL_PENDING, state(self->fd, op.id));
	}
}

TEST_F(queue, first_op_unreadable_is_efault)
{
	char *page = guarded_page();

	EXPECT_EQ(-EFAULT, submit(self->fd, NULL, 1));
	EXPECT_EQ(-EFAULT, submit(self->fd, (void *)(page + PAGE_SIZE), 1));
	EXPECT_EQ(-EFAULT, submit(self->fd, (void *)(page + PAGE_SIZE - 32), 1));
	EXPECT_EQ(0ULL, stats(self->fd).armed);
}

/* B152: those before the hole run, and have their results. */
TEST_F(queue, later_op_unreadable_ends_the_batch)
{
	struct twheel_op *ops = (void *)(guarded_page() + PAGE_SIZE);

	for (int i = 1; i <= 3; i++)
		ops[-i] = op_arm(TIME_MAX, i);
	EXPECT_EQ(3, submit(self->fd, ops - 3, 8));
	for (int i = 1; i <= 3; i++) {
		EXPECT_EQ(0, ops[-i].result);
		EXPECT_EQ(TWHEEL_PENDING, state(self->fd, ops[-i].id));
	}
	EXPECT_EQ(3ULL, stats(self->fd).pending);
}

/* B152 */
TEST_F(queue, op_that_is_half_unreadable_ends_the_batch)
{
	char *at = guarded_page() + PAGE_SIZE - 96;
	struct twheel_op op = op_arm(TIME_MAX, 1);

	memcpy(at, &op, sizeof(op));
	memcpy(at + 64, &op, 32);
	EXPECT_EQ(1, submit(self->fd, (void *)at, 2));
	EXPECT_EQ(1ULL, stats(self->fd).pending);
}

TEST_F(queue, results_that_cannot_be_written_leave_nothing_armed)
{
	struct twheel_op *ops = (void *)guarded_page();

	for (int i = 0; i < 16; i++)
		ops[i] = op_arm(TIME_MAX - i, i);
	ops[3].flags = TWHEEL_OP_KEEP;
	ops[5].deadline = 1;
	ASSERT_EQ(0, mprotect(ops, PAGE_SIZE, PROT_READ));
	EXPECT_EQ(-EFAULT, submit(self->fd, ops, 16));
	EXPECT_EQ(0ULL, stats(self->fd).pending);
	EXPECT_EQ(0ULL, stats(self->fd).backlog);
	EXPECT_EQ(0ULL, stats(self->fd).allocated);
}

/* The second page is read-only: whatever stays armed, the caller knows its id. */
TEST_F(queue, results_written_in_part_leave_no_unknown_timer)
{
	enum { HALF = 64, ALL = 2 * HALF };
	struct twheel_op *ops;
	unsigned int known = 0;

	ops = mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)ops);
	if (self->q.setup.max_batch < ALL)
		SKIP(return, "max_batch is too small");
	for (int i = 0; i < ALL; i++)
		ops[i] = op_arm(TIME_MAX - i, i);
	ASSERT_EQ(0, mprotect(ops + HALF, PAGE_SIZE, PROT_READ));
	EXPECT_EQ(-EFAULT, submit(self->fd, ops, ALL));
	for (int i = 0; i < HALF; i++)
		known += ops[i].id && state(self->fd, ops[i].id) == TWHEEL_PENDING;
	EXPECT_EQ(known, stats(self->fd).pending);
	EXPECT_EQ(known, stats(self->fd).allocated);
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* A signal may end a batch, but never between an op and its result. */
TEST_F(queue, signals_end_a_batch_cleanly)
{
	struct itimerval fast = { { 0, 300 }, { 0, 300 } }, off = { 0 };
	struct sigaction action = { .sa_handler = on_alarm };
	__u32 n = self->q.setup.max_batch;
	struct twheel_op *ops = calloc(n, sizeof(*ops));
	__u64 armed = 0;

	sigaction(SIGALRM, &action, NULL);
	for (unsigned int round = 0; round < 20; round++) {
		long ret;

		for (__u32 i = 0; i < n; i++)
			ops[i] = op_arm(TIME_MAX, i);
		setitimer(ITIMER_REAL, &fast, NULL);
		ret = submit(self->fd, ops, n);
		setitimer(ITIMER_REAL, &off, NULL);
		ASSERT_LE(0, ret);
		for (__u32 i = 0; i < n; i++) {
			ASSERT_EQ((long)i < ret ? 0 : POISON32, ops[i].result);
		}
		armed += ret;
	}
	EXPECT_EQ(armed, stats(self->fd).pending);
	free(ops);
}

/* A second thread changes what the first one submits. */
struct flipper {
	struct twheel_op op;
	shared_u64 *deadline;	/* the op's */
	atomic_bool stop;
} __attribute__((aligned(8)));

_Static_assert(offsetof(struct flipper, op.deadline) % 8 == 0, "for atomic stores");

static void *flip(void *data)
{
	struct flipper *f = data;

	while (!atomic_load(&f->stop)) {
		__atomic_store_n(f->deadline, ~0ULL, __ATOMIC_RELAXED);
		__atomic_store_n(&f->op.opcode, 200, __ATOMIC_RELAXED);
		__atomic_store_n(f->deadline, TIME_MAX, __ATOMIC_RELAXED);
		__atomic_store_n(&f->op.opcode, TWHEEL_OP_ARM, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* B76 */
TEST_F(queue, op_that_changes_meanwhile_is_read_once)
{
	struct flipper f = { .op = op_arm(TIME_MAX, 1) };
	struct twheel_op *op = &f.op;
	__u64 armed = 0;
	pthread_t thread;

	NEEDS_THREADS();
	f.deadline = &op->deadline;
	ASSERT_EQ(0, pthread_create(&thread, NULL, flip, &f));
	for (unsigned int i = 0; i < rounds(3000); i++) {
		ASSERT_EQ(1, submit(self->fd, op, 1));
		ASSERT_TRUE(op->result == 0 || op->result == -EINVAL ||
			    op->result == -EOVERFLOW);
		armed += !op->result;
		op->id = 0;
	}
	atomic_store(&f.stop, true);
	pthread_join(thread, NULL);
	EXPECT_EQ(armed, stats(self->fd).pending);
}

/* B151 */
TEST_F(queue, batch_is_not_looked_at_after_the_call)
{
	char *page = guarded_page();
	struct twheel_op *op = (void *)page;
	struct twheel_record rec;
	__u64 id;

	*op = op_arm_rel(5 * MSEC, 42);
	ASSERT_EQ(1, submit(self->fd, op, 1));
	id = op->id;
	memset(page, 0xff, PAGE_SIZE);
	munmap(page, 2 * PAGE_SIZE);
	ASSERT_EQ(1, next_record(self->fd, &rec));
	EXPECT_EQ(id, rec.id);
	EXPECT_EQ(42ULL, rec.user_data);
}

TEST_HARNESS_MAIN
