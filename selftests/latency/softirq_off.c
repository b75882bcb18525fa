// SPDX-License-Identifier: GPL-2.0-only
/*
 * softirq_off: the longest that the module keeps softirqs off, in all that programs can
 * have it do: large batches of every op, a million timers due in one instant, a slot
 * with a crowd being taken apart, a full backlog, listings, hostile words, a clock
 * that was set back.
 *
 * To be run under QEMU's -icount, where the time stamp counter counts instructions;
 * LIMIT of them, 50 us on a machine that does one a ns, is what is promised.
 */
#include <sys/eventfd.h>

#include "../../bench/common/icount.h"
#include "../common.h"
#include "hold_time.h"

#define LIMIT		50000
#define BATCH		256U
#define MANY		1000000U
#define SOME		20000U
#define RING		65536U
#define PERIODIC	1024U
#define QUEUES		256U
#define PER_QUEUE	2000	/* more for each queue that must wait for its turn */
#define CROWD_SPREAD	(20 * MSEC)

/* A queue, and the ids of the timers in it. */
struct scene {
	struct queue q;
	__u64 *ids;
	__u64 start;
	__u64 seed;
	shared_u64 *words;
};

typedef struct twheel_op (*make_op)(struct scene *s, unsigned int i);

static int results, failures;

static void die(const char *why, long error)
{
	printf("Bail out! %s: %s\n", why, strerror(-error));
	exit(1);
}

/* --- results --------------------------------------------------------------- */

static void verdict(bool good, const char *what)
{
	printf("%s %d - %s\n", good ? "ok" : "not ok", ++results, what);
	failures += !good;
}

/* What was traced since hold_time_start(). */
static void measured(const char *what)
{
	struct hold_time h;
	char text[160];

	hold_time_stop(&h);
	snprintf(text, sizeof(text), "%s: %.0f at most in %s, %lu times%s", what, h.longest,
		 h.by, h.count, h.lost ? "; events were lost" : "");
	verdict(h.count && !h.lost && h.longest <= LIMIT, text);
}

/* The same, and all that one softirq did for that many queues. */
static void measured_softirq(const char *what, unsigned int queues)
{
	double limit = LIMIT + (queues - 1) * PER_QUEUE;
	struct hold_time h;
	char text[160];

	hold_time_stop(&h);
	snprintf(text, sizeof(text), "%s: %.0f at most in %s, %.0f in a softirq%s", what,
		 h.longest, h.by, h.softirq, h.lost ? "; events were lost" : "");
	verdict(h.count && h.softirq && !h.lost && h.longest <= LIMIT && h.softirq <= limit,
		text);
}

/* --- queues ---------------------------------------------------------------- */

static void begin(struct scene *s, __u32 clock, __u32 flags, __u32 ring, unsigned int n)
{
	long ret;

	memset(s, 0, sizeof(*s));
	s->seed = 1;
	s->q.setup = setup_of(clock, ring);
	s->q.setup.flags = flags;
	ret = queue_open_with(&s->q);
	if (!ret)
		ret = queue_map(&s->q);
	if (!ret && flags) {
		s->words = words_map(&s->q);
		ret = s->words ? 0 : -errno;
	}
	s->ids = calloc(n, sizeof(*s->ids));
	if (ret || !s->ids)
		die("a queue", ret ? ret : -ENOMEM);
}

static void end(struct scene *s)
{
	if (s->words)
		munmap(s->words, s->q.setup.words_size);
	queue_close(&s->q);
	free(s->ids);
}

/* Run an op for each of n timers, in batches of 256. */
static void run(struct scene *s, unsigned int n, make_op make)
{
	struct twheel_op ops[BATCH];

	for (unsigned int done = 0; done < n; done += BATCH) {
		unsigned int count = n - done < BATCH ? n - done : BATCH;
		long ret;

		for (unsigned int i = 0; i < count; i++)
			ops[i] = make(s, done + i);
		ret = submit(s->q.fd, ops, count);
		if (ret != count)
			die("SUBMIT", ret < 0 ? ret : -EIO);
		for (unsigned int i = 0; i < count; i++) {
			if (ops[i].result < 0 && ops[i].result != -ENOENT)
				die("an op", ops[i].result);
			s->ids[done + i] = ops[i].id;
		}
	}
}

/* Throw away all records that are there; how many. */
static unsigned int drain(struct scene *s)
{
	__u32 tail = __atomic_load_n(&s->q.ring->tail, __ATOMIC_ACQUIRE);
	__u32 head = __atomic_exchange_n(&s->q.ctl->head, tail, __ATOMIC_RELEASE);

	return tail - head;
}

/* Wait until nothing in the wheel is due. */
static void wait_until(struct scene *s, __u64 when)
{
	while (mono() < when)
		sleep_ns(when - mono());
	while (stats(s->q.fd).next < mono())
		sleep_ns(MSEC);
}

/* --- ops ------------------------------------------------------------------- */

static struct twheel_op arm_same(struct scene *s, unsigned int i)
{
	return op_arm(s->start, i);
}

static struct twheel_op arm_random(struct scene *s, unsigned int i)
{
	return op_arm(s->start + random_below(&s->seed, HOUR), i);
}

static struct twheel_op arm_crowd(struct scene *s, unsigned int i)
{
	return op_arm(s->start + random_below(&s->seed, CROWD_SPREAD), i);
}

static struct twheel_op arm_kept(struct scene *s, unsigned int i)
{
	struct twheel_op op = op_arm(s->start, i);

	op.flags = TWHEEL_OP_KEEP;
	return op;
}

/* Each later than the one before, and in the past. */
static struct twheel_op arm_past(struct scene *s, unsigned int i)
{
	return op_arm(s->start + i, i);
}

static struct twheel_op arm_past_period(struct scene *s, unsigned int i)
{
	struct twheel_op op = op_arm(1 + i, i);

	op.flags = TWHEEL_OP_KEEP;
	op.period = s->q.setup.min_period;
	return op;
}

static struct twheel_op arm_period(struct scene *s, unsigned int i)
{
	struct twheel_op op = op_arm(s->start, i);

	op.period = s->q.setup.min_period;
	return op;
}

static struct twheel_op move_random(struct scene *s, unsigned int i)
{
	return op_move(s->ids[i], s->start + random_below(&s->seed, HOUR), 0);
}

static struct twheel_op move_same(struct scene *s, unsigned int i)
{
	return op_move(s->ids[i], s->start, 0);
}

static struct twheel_op move_past(struct scene *s, unsigned int i)
{
	return op_move(s->ids[i], 1 + i, 0);
}

static struct twheel_op cancel_it(struct scene *s, unsigned int i)
{
	return op_cancel(s->ids[i]);
}

static struct twheel_op free_it(struct scene *s, unsigned int i)
{
	return op_free(s->ids[i]);
}

static struct twheel_op query_it(struct scene *s, unsigned int i)
{
	return op_query(s->ids[i]);
}

static void run_traced(const char *what, struct scene *s, unsigned int n, make_op make)
{
	hold_time_start();
	run(s, n, make);
	measured(what);
}

/* --- the cases ------------------------------------------------------------- */

static void batches(void)
{
	struct scene s;

	begin(&s, CLOCK_MONOTONIC, 0, 1024, SOME);
	s.start = mono() + HOUR;
	run_traced("ARM in batches of 256, with memory", &s, SOME, arm_random);
	run_traced("MOVE in batches of 256", &s, SOME, move_random);
	run_traced("CANCEL in batches of 256", &s, SOME, cancel_it);
	run_traced("ARM in batches of 256", &s, SOME, arm_random);
	end(&s);
}

static void batches_with_words(void)
{
	struct scene s;

	begin(&s, CLOCK_MONOTONIC, TWHEEL_SETUP_WORDS, 1024, SOME);
	s.start = mono() + HOUR;
	run_traced("words: ARM in batches of 256, with memory", &s, SOME, arm_kept);
	run_traced("words: MOVE in batches of 256", &s, SOME, move_random);
	run_traced("words: QUERY in batches of 256", &s, SOME, query_it);
	run_traced("words: CANCEL in batches of 256", &s, SOME, cancel_it);
	run_traced("words: MOVE of idle timers", &s, SOME, move_random);
	run_traced("words: FREE in batches of 256", &s, SOME, free_it);
	end(&s);
}

/* Records are written at once, or timers join the backlog. */
static void batches_that_are_due(void)
{
	struct scene s;

	begin(&s, CLOCK_MONOTONIC, TWHEEL_SETUP_WORDS, RING, SOME);
	s.start = 1;
	run_traced("ARM of timers that are due, the latest last", &s, SOME, arm_past);
	end(&s);
	begin(&s, CLOCK_MONOTONIC, TWHEEL_SETUP_WORDS, 1, SOME);
	s.start = mono() + HOUR;
	run(&s, SOME, arm_kept);
	run_traced("words: MOVE into the past, the ring is full", &s, SOME, move_past);
	run_traced("words: FREE out of the backlog", &s, SOME, free_it);
	end(&s);
}

/* Before each batch room for 64 of the backlog comes, so that it has both to do. */
static void batches_that_flow(const char *what, make_op make)
{
	struct scene s;

	begin(&s, CLOCK_MONOTONIC, TWHEEL_SETUP_WORDS, 64, SOME);
	run(&s, BATCH, make);
	hold_time_start();
	for (unsigned int i = 0; i < SOME / BATCH; i++) {
		struct twheel_op ops[64];

		drain(&s);
		for (unsigned int k = 0; k < 64; k++)
			ops[k] = make(&s, k);
		if (submit(s.q.fd, ops, 64) != 64)
			die("SUBMIT", -EIO);
	}
	measured(what);
	end(&s);
}

static void list_some(struct scene *s)
{
	static struct twheel_info infos[BATCH];
	__u64 cursor = 0;

	for (unsigned int done = 0; done < SOME; done += BATCH)
		if (list(s->q.fd, &cursor, infos, BATCH) < 0)
			die("LIST", -EIO);
}

/* A million timers of one instant, into a ring of 65536. */
static void million_at_once(void)
{
	struct twheel_stats st;
	unsigned int got = 0;
	struct scene s;

	begin(&s, CLOCK_MONOTONIC, 0, RING, MANY);
	set_eventfd(s.q.fd, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	s.start = mono() + 2 * SEC;
	run(&s, MANY, arm_same);
	verdict(mono() < s.start, "10^6 timers are armed before they are due");
	hold_time_start();
	wait_until(&s, s.start);
	measured_softirq("10^6 timers due in one instant", 1);
	st = stats(s.q.fd);
	verdict(st.unread == RING && st.backlog == MANY - RING, "the rest waits in the backlog");
	hold_time_start();
	for (int i = 0; i < 2; i++) {
		got += drain(&s);
		flush(s.q.fd);
	}
	measured("FLUSH of a full backlog");
	verdict(got == 2 * RING, "FLUSH fills the ring");
	hold_time_start();
	list_some(&s);
	measured("LIST of the backlog");
	end(&s);
}

static void crowd(void)
{
	struct scene s;

	begin(&s, CLOCK_MONOTONIC, 0, RING, RING);
	s.start = mono() + SEC;
	run(&s, RING, arm_crowd);
	hold_time_start();
	wait_until(&s, s.start + CROWD_SPREAD);
	measured_softirq("65536 timers within 20 ms, crowds taken apart", 1);
	verdict(drain(&s) == RING, "each has its record");
	hold_time_start();
	for (int i = 0; i < 100; i++)
		stats(s.q.fd);
	measured("STATS");
	end(&s);
}

/* All words are changed to what @wish says; the timers are due soon. */
static void words_case(const char *what, __u64 (*wish)(struct scene *s, unsigned int i))
{
	struct scene s;

	begin(&s, CLOCK_MONOTONIC, TWHEEL_SETUP_WORDS, RING, SOME);
	s.start = mono() + SEC;
	run(&s, SOME, arm_kept);
	run(&s, SOME, move_same);
	for (unsigned int i = 0; i < SOME; i++)
		__atomic_store_n(&s.words[(__u32)s.ids[i]], wish(&s, i), __ATOMIC_SEQ_CST);
	hold_time_start();
	wait_until(&s, s.start + 100 * MSEC);
	measured_softirq(what, 1);
	end(&s);
}

static __u64 pushed_by_little(struct scene *s, unsigned int i)
{
	return ((s->start + i) & ~TWHEEL_WORD_STATE) | TWHEEL_WORD_ARMED;
}

static __u64 pushed_far(struct scene *s, unsigned int i)
{
	return ((s->start + HOUR + i) & ~TWHEEL_WORD_STATE) | TWHEEL_WORD_ARMED;
}

static __u64 cancelled(struct scene *s, unsigned int i)
{
	(void)i;
	return (s->start & ~TWHEEL_WORD_STATE) | TWHEEL_WORD_CANCELLED;
}

static __u64 anything(struct scene *s, unsigned int i)
{
	(void)i;
	return random_next(&s->seed);
}

/* Nobody reads: each of them is looked at once a period, and gets no record. */
static void periodic(void)
{
	struct scene s;

	begin(&s, CLOCK_MONOTONIC, 0, 2 * PERIODIC, PERIODIC);
	s.start = mono() + 20 * MSEC;
	run(&s, PERIODIC, arm_period);
	hold_time_start();
	sleep_ns(50 * MSEC);
	measured("1024 timers of 100 us that nobody reads");
	end(&s);
}

/* Many queues whose hrtimers fire together. */
static void many_queues(void)
{
	static struct scene s[QUEUES];
	__u64 start = mono() + 2 * SEC;

	for (unsigned int i = 0; i < QUEUES; i++) {
		begin(&s[i], CLOCK_MONOTONIC, 0, BATCH, BATCH);
		s[i].start = start;
		run(&s[i], 64, arm_same);
	}
	hold_time_start();
	wait_until(&s[0], start);
	sleep_ns(100 * MSEC);
	measured_softirq("256 queues, each with 64 timers due in one instant", QUEUES);
	for (unsigned int i = 0; i < QUEUES; i++)
		end(&s[i]);
}

static void set_back(__s64 ns)
{
	__u64 wall = now(CLOCK_REALTIME) - ns;
	struct timespec ts = { .tv_sec = wall / SEC, .tv_nsec = wall % SEC };

	if (clock_settime(CLOCK_REALTIME, &ts))
		die("clock_settime", -errno);
}

/* One in each slot of the levels 3 to 9, those of 262 us to 208 days, seen from now. */
static struct twheel_op arm_everywhere(struct scene *s, unsigned int i)
{
	unsigned int level = 3 + i / 64 % 7;
	__u64 width = 1ULL << (6 * level);

	(void)s;
	return op_arm(now(CLOCK_REALTIME) + width * (1 + i % 64), i);
}

static void clock_set_back(void)
{
	struct scene s;

	begin(&s, CLOCK_REALTIME, 0, RING, 8192);
	run(&s, 448, arm_everywhere);
	set_back(HOUR);
	hold_time_start();
	run(&s, 4096, arm_everywhere);
	sleep_ns(200 * MSEC);
	run(&s, 4096, arm_everywhere);
	sleep_ns(500 * MSEC);
	measured_softirq("the clock was set back, timers in every slot", 1);
	hold_time_start();
	set_back(-2LL * HOUR);
	sleep_ns(100 * MSEC);
	measured_softirq("and set forward again", 1);
	set_back(HOUR);
	end(&s);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!counts_instructions()) {
		printf("1..0 # SKIP the clock counts no instructions (scripts/vm --icount)\n");
		return 4;
	}
	batches();
	batches_with_words();
	batches_that_are_due();
	batches_that_flow("ARM of timers that are due, while backlog leaves", arm_past);
	batches_that_flow("words: ARM of periodic ones that are due", arm_past_period);
	million_at_once();
	crowd();
	words_case("words that were pushed back by little", pushed_by_little);
	words_case("words that were pushed back by an hour", pushed_far);
	words_case("words that were cancelled", cancelled);
	words_case("hostile words", anything);
	periodic();
	many_queues();
	clock_set_back();
	printf("1..%d\n", results);
	return failures ? 1 : 0;
}
