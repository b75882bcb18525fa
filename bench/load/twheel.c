// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads by twheel.  Each counts exactly: every timer has one record, none early.
 */
#include "load.h"

#define BATCH		256U
#define SPREAD		(2 * SEC)	/* of the users' timers */
#define BUSY		16U		/* periodic timers of the shortest period */

/* --- records, each once ------------------------------------------------------ */

struct tally {
	unsigned char *seen;
	unsigned int n, got, early, twice;
	__u64 last;
	unsigned int disorder;
	bool unordered;		/* armed when some were due already */
};

static void tally_begin(struct tally *t, unsigned int n)
{
	memset(t, 0, sizeof(*t));
	t->n = n;
	t->seen = malloc(n);
	if (!t->seen)
		abort();
	memset(t->seen, 0, n);	/* its pages are there */
}

static void tally_note(struct tally *t, const struct twheel_record *rec)
{
	if (rec->user_data >= t->n)
		return;			/* one of the periodic ones */
	t->early += mono() < rec->deadline;
	t->twice += t->seen[rec->user_data]++;
	t->disorder += !t->unordered && rec->deadline < t->last;
	t->last = rec->deadline;
	t->got++;
}

static void tally_end(struct outcome *o, struct tally *t)
{
	if (t->got != t->n || t->early || t->twice || t->disorder)
		wrong(o, "%u records of %u timers, %u early, %u twice, %u out of order",
		      t->got, t->n, t->early, t->twice, t->disorder);
	free(t->seen);
}

static void take_some(int fd, struct tally *t)
{
	struct twheel_record recs[64];
	long n = read_records(fd, recs, 64);

	for (long i = 0; i < n; i++)
		tally_note(t, &recs[i]);
}

/* --- ops --------------------------------------------------------------------- */

/* Timers [first, first + count) by @deadline, in batches. */
static bool arm_all(struct outcome *o, int fd, unsigned int count,
		    __u64 (*deadline)(void *data, unsigned int i), void *data)
{
	struct twheel_op ops[BATCH];

	for (unsigned int done = 0; done < count; done += BATCH) {
		unsigned int n = count - done < BATCH ? count - done : BATCH;
		long ret;

		for (unsigned int i = 0; i < n; i++)
			ops[i] = op_arm(deadline(data, done + i), done + i);
		ret = submit(fd, ops, n);
		if (ret != n || ops[n - 1].result) {
			wrong(o, "SUBMIT: %ld, result %d", ret, ops[n - 1].result);
			return false;
		}
	}
	return true;
}

static __u64 at(void *when, unsigned int i)
{
	(void)i;
	return *(__u64 *)when;
}

static void expect(struct outcome *o, const char *what, long expected, long got)
{
	if (got != expected)
		wrong(o, "%s: %ld, not %ld", what, got, expected);
}

/* --- 10^7 timers -------------------------------------------------------------- */

struct pending {
	__u64 start;
	__u64 seed;
};

static __u64 within_an_hour(void *data, unsigned int i)
{
	struct pending *p = data;

	(void)i;
	return p->start + random_below(&p->seed, HOUR);
}

/* Go through all of them; a tenth gets a new deadline. */
static void list_and_move(struct outcome *o, struct queue *q, struct pending *p)
{
	static struct twheel_info infos[BATCH];
	static struct twheel_op ops[BATCH];
	unsigned long listed = 0, moved = 0;
	__u64 cursor = 0;

	while (cursor != TWHEEL_LIST_END) {
		long n = list(q->fd, &cursor, infos, BATCH), want = 0;

		if (n < 0) {
			wrong(o, "LIST: %ld", n);
			return;
		}
		for (long i = 0; i < n; i += 10)
			ops[want++] = op_move(infos[i].id, within_an_hour(p, 0), 0);
		if (want && submit(q->fd, ops, want) != want)
			wrong(o, "MOVE of %ld", want);
		listed += n;
		moved += want;
	}
	expect(o, "timers listed", o->timers, listed);
	expect(o, "timers moved", moved, stats(q->fd).moved);
}

void twheel_pending(struct outcome *o)
{
	struct pending p = { .start = mono() + HOUR, .seed = 1 };
	struct twheel_op more = op_arm(p.start, 0);
	double before = proc_memory_free();
	struct queue q = { .setup = setup_of(CLOCK_MONOTONIC, 1024) };

	o->timers = PENDING;
	o->queues = 1;
	q.setup.max_timers = PENDING;
	if (queue_open_with(&q) || !arm_all(o, q.fd, PENDING, within_an_hour, &p)) {
		wrong(o, "no queue");
		return;
	}
	o->bytes = (before - proc_memory_free()) / PENDING;
	expect(o, "one more timer", -ENOSPC, run_op(q.fd, &more));
	expect(o, "pending", PENDING, stats(q.fd).pending);
	list_and_move(o, &q, &p);
	queue_close(&q);
}

/* --- 10^6 timers of one instant ------------------------------------------------ */

static void take_all(struct outcome *o, struct queue *q, struct tally *t)
{
	struct twheel_record rec;

	while (t->got < t->n) {
		if (!readable(q->fd, PATIENCE_MS)) {
			wrong(o, "no record for a long time");
			return;
		}
		while (ring_take(q, &rec))
			tally_note(t, &rec);
	}
	expect(o, "expired", t->n, stats(q->fd).expired);
}

void twheel_instant(struct outcome *o)
{
	double before = proc_memory_free();
	struct tally t;
	struct queue q;
	__u64 due;

	o->timers = INSTANT;
	o->queues = 1;
	tally_begin(&t, INSTANT);
	before = proc_memory_free();
	if (queue_open(&q, CLOCK_MONOTONIC, 65536) || queue_map(&q)) {
		wrong(o, "no queue");
		return;
	}
	/* Whatever was armed late is due at once, and comes out in order all the same. */
	due = mono() + (counts_instructions() ? 3 : 20) * SEC;
	if (arm_all(o, q.fd, INSTANT, at, &due)) {
		if (mono() < due)
			sleep_ns(due - mono());
		take_all(o, &q, &t);
	}
	o->bytes = (before - proc_memory_free()) / INSTANT;
	tally_end(o, &t);
	queue_close(&q);
}

/* --- 64 users at their limits --------------------------------------------------- */

static __u64 users_deadline(void *data, unsigned int i)
{
	struct pending *p = data;

	(void)i;
	return p->start + random_below(&p->seed, SPREAD);
}

static bool user_fill(struct user *u, struct queue *queues, struct pending *p)
{
	struct outcome *o = u->outcome;
	struct twheel_op more = op_arm(p->start + HOUR, 0);
	struct twheel_setup setup = setup_of(CLOCK_MONOTONIC, 64);

	for (unsigned int i = 0; i < USER_QUEUES; i++) {
		queues[i].setup = setup;
		queues[i].fd = u->fds[i];
		if (tw_ioctl(u->fds[i], TWHEEL_IOC_SETUP, &queues[i].setup) ||
		    !arm_all(o, u->fds[i], USER_TIMERS, users_deadline, p)) {
			wrong(o, "user %u, queue %u cannot be filled", u->number, i);
			return false;
		}
	}
	expect(o, "one more queue", -EDQUOT,
	       tw_ioctl(u->fds[USER_QUEUES], TWHEEL_IOC_SETUP, &setup));
	expect(o, "one more timer", -EDQUOT, run_op(u->fds[0], &more));
	return true;
}

static void twheel_user(struct user *u)
{
	struct pending p = { .start = u->start, .seed = u->number + 1 };
	struct queue queues[USER_QUEUES];
	struct pollfd polls[USER_QUEUES];
	struct tally tallies[USER_QUEUES];
	unsigned int left = USER_QUEUES;

	if (!user_fill(u, queues, &p))
		return;
	for (unsigned int i = 0; i < USER_QUEUES; i++) {
		polls[i] = (struct pollfd){ .fd = u->fds[i], .events = POLLIN };
		tally_begin(&tallies[i], USER_TIMERS);
		tallies[i].unordered = mono() >= u->start;
	}
	while (left && poll(polls, USER_QUEUES, PATIENCE_MS) > 0) {
		for (unsigned int i = 0; i < USER_QUEUES; i++) {
			if (!(polls[i].revents & POLLIN))
				continue;
			take_some(polls[i].fd, &tallies[i]);
			if (tallies[i].got < USER_TIMERS)
				continue;
			polls[i].fd = -1;
			left--;
		}
	}
	for (unsigned int i = 0; i < USER_QUEUES; i++)
		tally_end(u->outcome, &tallies[i]);
}

void twheel_users(struct outcome *o)
{
	const char *queues = "max_queues_per_user", *timers = "max_timers_per_user";
	__u64 had_queues = parameter(queues), had_timers = parameter(timers);

	o->queues = USERS * USER_QUEUES;
	o->timers = o->queues * USER_TIMERS;
	if (parameter_set(queues, USER_QUEUES) ||
	    parameter_set(timers, USER_QUEUES * USER_TIMERS))
		wrong(o, "limits cannot be set");
	run_users(o, twheel_user);
	parameter_set(queues, had_queues);
	parameter_set(timers, had_timers);
}

/* --- consumers that do not read ---------------------------------------------------- */

static __u64 while_it_lasts(void *data, unsigned int i)
{
	return *(__u64 *)data + i * (READ_SECONDS * SEC / UNREAD);
}

static bool arm_busy(struct queue *q, __u64 start)
{
	for (unsigned int i = 0; i < BUSY; i++)
		if (!arm_periodic(q->fd, start, q->setup.min_period, UNREAD + i))
			return false;
	return true;
}

/* How many are due, when the wheel has handed out all that it will. */
static long all_due(struct queue *q)
{
	struct twheel_stats s = stats(q->fd);

	for (int i = 0; i < 100 && s.unread + s.backlog < UNREAD + BUSY; i++) {
		sleep_ns(100 * MSEC);
		s = stats(q->fd);
	}
	return s.unread + s.backlog;
}

/* Nobody reads, or one record a second; then all of it is read. */
static void unread(struct outcome *o, bool one_a_second)
{
	__u64 start = mono() + SEC;
	struct twheel_record rec;
	__u64 give_up;
	struct queue q;
	struct tally t;

	o->timers = UNREAD + BUSY;
	o->queues = 1;
	tally_begin(&t, UNREAD);
	if (queue_open(&q, CLOCK_MONOTONIC, 256) || !arm_busy(&q, start) ||
	    !arm_all(o, q.fd, UNREAD, while_it_lasts, &start)) {
		wrong(o, "no queue");
		return;
	}
	t.unordered = mono() >= start;
	while (mono() < start + READ_SECONDS * SEC) {
		sleep_ns(SEC);
		if (one_a_second && read_records(q.fd, &rec, 1) == 1)
			tally_note(&t, &rec);
	}
	if (!one_a_second)
		expect(o, "due, and unread", o->timers, all_due(&q));
	give_up = mono() + PATIENCE_MS * MSEC;
	while (t.got < UNREAD && mono() < give_up)
		take_some(q.fd, &t);
	tally_end(o, &t);
	queue_close(&q);
}

void twheel_unread(struct outcome *o)
{
	unread(o, false);
}

void twheel_slow_reader(struct outcome *o)
{
	unread(o, true);
}
