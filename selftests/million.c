// SPDX-License-Identifier: GPL-2.0-only
/*
 * A million timers: arm them in batches of 256, cancel one half, move a quarter
 * later, and receive exactly those that were not cancelled, each once, none
 * early. Prints a summary line; exit status 0, or 1 with a line that says why.
 *
 *	million [TIMERS [SEED]]
 *
 * TWHEEL_SCALE=PERCENT makes it fewer where TIMERS is not given.
 */
#include "common.h"

#define BATCH		256
#define RING		(1U << 16)
#define SPREAD		(3 * SEC)	/* from the first deadline to the last one */
#define SAMPLE		(64 * BATCH)	/* timers armed and cancelled to see how long it takes */

struct timer {
	__u64 id, deadline;
	bool cancelled;
	unsigned char records;
};

struct run {
	struct queue q;
	struct timer *timers;
	__u32 n;
	__u64 seed, cancelled, moved, early, wrong, received, last, disorder;
	bool in_time;		/* all were armed before the first one was due */
};

static void die(const char *why, long error)
{
	printf("not ok million: %s: %s\n", why, strerror(-error));
	exit(1);
}

/* Run one op for each timer in [first, first + count) that "want" chooses. */
static void for_each(struct run *r, bool (*want)(const struct run *, __u32),
		     struct twheel_op (*make)(struct run *, __u32),
		     void (*done)(struct run *, __u32, const struct twheel_op *))
{
	struct twheel_op ops[BATCH];
	__u32 which[BATCH], have = 0;

	for (__u32 i = 0; i < r->n; i++) {
		if (want(r, i)) {
			which[have] = i;
			ops[have++] = make(r, i);
		}
		if (have == BATCH || (i + 1 == r->n && have)) {
			long ret = submit(r->q.fd, ops, have);

			if (ret != have)
				die("SUBMIT", ret < 0 ? ret : -EIO);
			for (__u32 k = 0; k < have; k++)
				done(r, which[k], &ops[k]);
			have = 0;
		}
	}
}

static bool want_all(const struct run *r, __u32 i)
{
	(void)r;
	(void)i;
	return true;
}

static bool want_half(const struct run *r, __u32 i)
{
	(void)r;
	return i % 2;
}

static bool want_quarter(const struct run *r, __u32 i)
{
	(void)r;
	return i % 4 == 2;
}

static struct twheel_op make_arm(struct run *r, __u32 i)
{
	return op_arm(r->timers[i].deadline, i);
}

static void armed(struct run *r, __u32 i, const struct twheel_op *op)
{
	if (op->result)
		die("ARM", op->result);
	r->timers[i].id = op->id;
}

static struct twheel_op make_cancel(struct run *r, __u32 i)
{
	return op_cancel(r->timers[i].id);
}

/* On a slow machine some may have fired already; then their record must come. */
static void cancelled(struct run *r, __u32 i, const struct twheel_op *op)
{
	if (op->result == -ENOENT)
		return;
	if (op->result)
		die("CANCEL", op->result);
	r->timers[i].cancelled = true;
	r->cancelled++;
}

static struct twheel_op make_move(struct run *r, __u32 i)
{
	return op_move(r->timers[i].id,
		       r->timers[i].deadline + random_below(&r->seed, SPREAD / 2), 0);
}

static void moved(struct run *r, __u32 i, const struct twheel_op *op)
{
	if (op->result == -ENOENT)
		return;
	if (op->result)
		die("MOVE", op->result);
	r->timers[i].deadline = op->deadline;
	r->moved++;
}

static void take(struct run *r, const struct twheel_record *rec, __u64 now_ns)
{
	struct timer *t = &r->timers[rec->user_data < r->n ? rec->user_data : 0];

	r->wrong += rec->user_data >= r->n || rec->id != t->id ||
		    rec->deadline != t->deadline || t->cancelled || t->records++;
	r->early += now_ns < rec->deadline;
	r->disorder += r->in_time && rec->deadline < r->last;
	r->last = rec->deadline;
	r->received++;
}

static void receive(struct run *r, __u64 expected)
{
	struct twheel_record rec;

	while (r->received < expected) {
		__u64 now_ns;

		if (!readable(r->q.fd, GIVE_UP_MS))
			return;
		now_ns = mono();
		while (ring_take(&r->q, &rec))
			take(r, &rec, now_ns > rec.deadline ? now_ns : mono());
	}
}

static long check(struct run *r, __u64 expected)
{
	struct twheel_stats s = stats(r->q.fd);
	__u64 missing = 0;

	for (__u32 i = 0; i < r->n; i++)
		missing += r->timers[i].records != !r->timers[i].cancelled;
	printf("%s million: %u armed, %llu cancelled, %llu moved, %llu of %llu received, "
	       "%llu early, %llu wrong, %llu missing, %llu out of order\n",
	       missing || r->early || r->wrong || r->disorder ? "not ok" : "ok",
	       r->n, r->cancelled, r->moved, r->received, expected,
	       r->early, r->wrong, missing, r->disorder);
	return missing || r->early || r->wrong || r->disorder || r->received != expected ||
	       s.pending || s.backlog || s.unread || s.allocated;
}

/* How long n ops take here, in ns, from a sample. */
static __u64 time_for(struct run *r, __u64 n)
{
	__u64 start = mono();

	for (int i = 0; i < SAMPLE; i += BATCH) {
		struct twheel_op ops[BATCH];

		for (int k = 0; k < BATCH; k++)
			ops[k] = op_arm(TIME_MAX, 0);
		if (submit(r->q.fd, ops, BATCH) != BATCH)
			die("SUBMIT", -EIO);
		for (int k = 0; k < BATCH; k++)
			ops[k] = op_cancel(ops[k].id);
		if (submit(r->q.fd, ops, BATCH) != BATCH)
			die("SUBMIT", -EIO);
	}
	return (mono() - start) * n / (2 * SAMPLE);
}

static void setup(struct run *r)
{
	long ret = queue_open(&r->q, CLOCK_MONOTONIC, RING);

	if (!ret)
		ret = queue_map(&r->q);
	if (ret)
		die("a queue", ret);
	if (r->q.setup.max_batch < BATCH || r->q.setup.max_timers < r->n)
		die("the queue is too small", -ENOSPC);
	r->timers = calloc(r->n, sizeof(*r->timers));
	if (!r->timers)
		die("memory", -ENOMEM);
}

int main(int argc, char **argv)
{
	struct run r = {
		.n = argc > 1 ? strtoul(argv[1], NULL, 0) : rounds(1000000),
		.seed = argc > 2 ? strtoull(argv[2], NULL, 0) : random_seed(),
	};
	__u64 base;

	setup(&r);
	/* n to arm, n / 2 to cancel, n / 4 to move; and memory is touched the first time. */
	base = mono() + SEC + 2 * time_for(&r, 7ULL * r.n / 4);
	for (__u32 i = 0; i < r.n; i++)
		r.timers[i].deadline = base + random_below(&r.seed, SPREAD);
	for_each(&r, want_all, make_arm, armed);
	r.in_time = mono() < base;
	for_each(&r, want_half, make_cancel, cancelled);
	for_each(&r, want_quarter, make_move, moved);
	receive(&r, r.n - r.cancelled);
	return check(&r, r.n - r.cancelled);
}
