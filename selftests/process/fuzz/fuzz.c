// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sequences of ops on a queue of the process's engine, on a manual clock, each answer
 * compared with the model's.
 *
 * The bytes of an input are a program: one byte chooses the step, the next ones its
 * timer and its times.  Any bytes are a valid program, so a fuzzer can cut, mix and
 * repeat them.  Where the input ends, zeroes follow, until its steps are done.
 *
 * Deadlines are near, at powers of two, in the past and at the end of time, since
 * that is where a wheel's levels meet.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "model.h"

bool fuzz_verbose;

#define RING		16
#define MIN_PERIOD	100000ULL
#define LEAP		(1ULL << 24)	/* the farthest advance beside periodic timers */

struct fuzz {
	const unsigned char *bytes, *end;
	struct twheel tw;
	struct model m;
	unsigned long ops;
};

/* A step, for those who look at a finding. */
static void __attribute__((format(printf, 2, 3))) say(const struct fuzz *f, const char *format, ...)
{
	va_list args;

	if (!fuzz_verbose)
		return;
	printf("%llu: ", f->m.now);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

/* --- the input --- */

static unsigned int byte(struct fuzz *f)
{
	return f->bytes < f->end ? *f->bytes++ : 0;
}

/* A span of ns: some, or near a power of two. */
static __u64 span(struct fuzz *f)
{
	unsigned int kind = byte(f);
	__u64 near = byte(f);

	if (kind < 96)
		return near;
	if (kind < 240)
		return (1ULL << (kind % 33 + 8)) + near - 128 * (kind % 3 == 0);
	return (1ULL << (kind % 23 + 40)) + near;
}

static struct model_timer *any_timer(struct fuzz *f)
{
	return &f->m.timers[byte(f) % MODEL_TIMERS];
}

/* One op, which runs. */
static void submit(struct fuzz *f, struct twheel_op *op)
{
	say(f, "op %u of %llx, deadline %llu, period %llu, slack %llu", op->opcode, op->id,
	    op->deadline, op->period, op->slack);
	MODEL_CHECK(NULL, twheel_submit(&f->tw, op, 1) == 1);
	say(f, "  id %llx, result %d", op->id, op->result);
	f->ops++;
}

/* --- records --- */

/* Take some; false when there are none. */
static bool take(struct fuzz *f, unsigned int count)
{
	struct twheel_record records[32];
	int taken = twheel_consume(&f->tw, records, count);

	MODEL_CHECK(NULL, taken >= 0 && (unsigned int)taken <= count);
	for (int i = 0; i < taken; i++) {
		say(f, "record of %llx, deadline %llu, late %u, missed %u", records[i].id,
		    records[i].deadline, records[i].lateness, records[i].missed);
		model_record(&f->m, &records[i]);
	}
	f->ops++;
	return taken > 0;
}

static void drain(struct fuzz *f)
{
	/* A call may file timers again and find none to fire. */
	do {
		while (take(f, 32))
			;
	} while (twheel_prepare_wait(&f->tw) > 0);
	model_drained(&f->m);
}

/*
 * Whether a periodic timer has an unread record cannot be seen, and one that owes
 * many records has no room for another: then take all first.
 */
static void settle(struct fuzz *f, const struct model_timer *t)
{
	if ((t->armed && t->period) || t->owes + 1 >= MODEL_OWED)
		drain(f);
}

/* --- steps --- */

/* A deadline that the word can hold as it is: kept timers have a word. */
static __u64 deadline_of(struct fuzz *f, bool keep)
{
	__u64 delay = span(f), deadline = f->m.now + delay;

	if (byte(f) % 16 == 0)		/* the past */
		deadline = f->m.now - (delay < f->m.now ? delay : f->m.now);
	return keep ? deadline & ~3ULL : deadline;
}

static __u64 period_of(struct fuzz *f)
{
	return byte(f) % 4 ? 0 : MIN_PERIOD + span(f) % (1 << 20);
}

static void step_arm(struct fuzz *f)
{
	struct model_timer *t = any_timer(f);
	bool keep = byte(f) & 1;
	__u64 deadline = deadline_of(f, keep), period = period_of(f), slack = span(f) % LEAP;
	struct twheel_op op;

	if (t->exists || t->owes)
		return;
	twheel_prep_arm(&op, deadline, period, f->ops, keep ? TWHEEL_OP_KEEP : 0);
	op.slack = slack;
	submit(f, &op);
	if (deadline > INT64_MAX) {
		MODEL_CHECK(t, op.result == -EOVERFLOW);
		return;
	}
	MODEL_CHECK(t, op.result == 0 && op.id != t->id);
	*t = (struct model_timer){ .id = op.id, .user_data = op.user_data, .exists = true,
				   .keep = keep };
	model_armed(&f->m, t, deadline, period, slack);
}

/* What an op that asks for a pending timer may answer. */
static void check_pending(struct fuzz *f, struct model_timer *t, bool pending)
{
	if (!t->armed || !model_due(&f->m, t) || t->period)
		MODEL_CHECK(t, pending == t->armed);
}

static void gone(struct fuzz *f, struct model_timer *t, bool pending)
{
	check_pending(f, t, pending);
	if (t->armed)
		model_ended(&f->m, t, pending);
	t->exists = t->exists && t->keep;
}

static void step_cancel(struct fuzz *f)
{
	struct model_timer *t = any_timer(f);
	struct twheel_op op;

	settle(f, t);
	twheel_prep_cancel(&op, t->id);
	submit(f, &op);
	MODEL_CHECK(t, op.result == 0 || op.result == -ENOENT);
	gone(f, t, op.result == 0);
	t->cancelled = false;
}

static void step_free(struct fuzz *f)
{
	struct model_timer *t = any_timer(f);
	struct twheel_op op;

	settle(f, t);
	twheel_prep_free(&op, t->id);
	submit(f, &op);
	if (!t->exists) {
		MODEL_CHECK(t, op.result == -ENOENT);
		return;
	}
	if (op.result == -ENOENT) {	/* it went with its record */
		MODEL_CHECK(t, !t->keep && model_due(&f->m, t));
		gone(f, t, false);
		return;
	}
	MODEL_CHECK(t, op.result == 0 || op.result == 1);
	gone(f, t, op.result);
	t->exists = false;
	t->cancelled = false;
}

static void step_move(struct fuzz *f)
{
	struct model_timer *t = any_timer(f);
	__u64 deadline = deadline_of(f, t->keep), period = period_of(f);
	__u64 slack = byte(f) % 2 ? span(f) % LEAP : 0;
	struct twheel_op op;

	settle(f, t);
	twheel_prep_move(&op, t->id, deadline, period, 0);
	op.slack = slack;
	submit(f, &op);
	if (deadline > INT64_MAX) {
		MODEL_CHECK(t, op.result == -EOVERFLOW);
		return;
	}
	if (op.result == -ENOENT) {
		MODEL_CHECK(t, !t->exists || (!t->keep && model_due(&f->m, t)));
		gone(f, t, false);
		return;
	}
	MODEL_CHECK(t, t->exists && (op.result == 0 || (op.result == 1 && t->keep)));
	check_pending(f, t, op.result == 0);
	if (t->armed)
		model_ended(&f->m, t, op.result == 0);
	model_armed(&f->m, t, deadline, period, slack);
}

static void step_query(struct fuzz *f)
{
	struct model_timer *t = any_timer(f);
	struct twheel_op op;
	bool due = model_due(&f->m, t);

	twheel_prep_query(&op, t->id);
	submit(f, &op);
	if (op.result == -ENOENT) {
		MODEL_CHECK(t, !t->exists || (due && !t->keep && !t->period));
		return;
	}
	MODEL_CHECK(t, t->exists && op.user_data == t->user_data);
	if (t->armed && !due) {
		MODEL_CHECK(t, op.result == TWHEEL_PENDING && op.deadline == t->deadline);
		MODEL_CHECK(t, op.slack == t->granule);
	} else if (!t->armed) {
		MODEL_CHECK(t, op.result == TWHEEL_IDLE);
	}
	if (t->armed && t->period)
		MODEL_CHECK(t, (op.deadline - t->deadline) % t->period == 0);
}

/* A word is there for kept timers only. */
static struct model_timer *kept_timer(struct fuzz *f)
{
	struct model_timer *t = any_timer(f);

	if (!t->exists || !t->keep)
		return NULL;
	settle(f, t);
	return t;
}

static void step_push(struct fuzz *f)
{
	struct model_timer *t = kept_timer(f);
	__u64 later = deadline_of(f, true) % (1ULL << 62);
	enum twheel_answer answer;

	if (!t || (t->period && t->told))
		return;
	answer = twheel_word_push(&f->tw, t->id, later);
	say(f, "push %llx to %llu: %d", t->id, later, answer);
	f->ops++;
	if (answer == TWHEEL_DONE) {
		MODEL_CHECK(t, t->armed && later >= t->deadline);
		model_pushed(&f->m, t, later);
	} else if (t->armed && !model_due(&f->m, t)) {
		MODEL_CHECK(t, answer == TWHEEL_USE_MOVE && later < t->deadline);
	}
}

static void step_word_cancel(struct fuzz *f)
{
	struct model_timer *t = kept_timer(f);
	enum twheel_answer answer;

	if (!t || t->period)
		return;
	answer = twheel_word_cancel(&f->tw, t->id);
	say(f, "cancel the word of %llx: %d", t->id, answer);
	f->ops++;
	MODEL_CHECK(t, answer == TWHEEL_DONE || answer == TWHEEL_TOO_LATE);
	if (answer == TWHEEL_DONE) {
		MODEL_CHECK(t, t->armed);
		t->armed = false;
		t->cancelled = true;
	} else {
		MODEL_CHECK(t, !t->armed || model_due(&f->m, t));
	}
}

static void step_word_arm(struct fuzz *f)
{
	struct model_timer *t = kept_timer(f);
	__u64 deadline = deadline_of(f, true) % (1ULL << 62);
	enum twheel_answer answer;

	if (!t)
		return;
	answer = twheel_word_arm(&f->tw, t->id, deadline);
	say(f, "arm the word of %llx for %llu: %d", t->id, deadline, answer);
	f->ops++;
	if (answer == TWHEEL_DONE) {
		MODEL_CHECK(t, t->cancelled && deadline >= t->deadline);
		model_pushed(&f->m, t, deadline);
	} else {
		MODEL_CHECK(t, !t->cancelled || deadline < t->deadline || t->filed <= f->m.now);
	}
}

static bool has_periodic(const struct fuzz *f)
{
	for (int i = 0; i < MODEL_TIMERS; i++)
		if (f->m.timers[i].armed && f->m.timers[i].period)
			return true;
	return false;
}

/* By a span, or to the very time of a timer, or 1 ns before. */
static void step_advance(struct fuzz *f)
{
	struct model_timer *t = any_timer(f);
	__u64 ns = span(f), at = model_expiry(t, t->deadline), kind = byte(f);
	int ret;

	if (t->armed && at > f->m.now && kind % 4)
		ns = at - f->m.now - (kind % 4 == 1);
	if (ns > LEAP && has_periodic(f))
		ns = LEAP;
	ret = twheel_advance(&f->tw, ns);
	say(f, "advance by %llu: %d", ns, ret);
	f->ops++;
	if (f->m.now + ns > INT64_MAX) {
		MODEL_CHECK(NULL, ret == -EOVERFLOW);
		return;
	}
	f->m.now += ns;
	MODEL_CHECK(NULL, ret == 0 && twheel_now(&f->tw) == f->m.now);
}

static void step_take(struct fuzz *f)
{
	take(f, byte(f) % 32);
}

/* Ops with one thing wrong, which change nothing. */
static void step_bad(struct fuzz *f)
{
	struct model_timer *t = any_timer(f);
	struct twheel_op op;

	twheel_prep_arm(&op, f->m.now, 0, 0, 0);
	switch (byte(f) % 5) {
	case 0:
		op.opcode = 0;
		break;
	case 1:
		op.flags = 1U << 15;
		break;
	case 2:
		op.period = MIN_PERIOD - 1;
		break;
	case 3:
		op.resv[1] = 1;
		break;
	default:
		twheel_prep_cancel(&op, t->id);
		op.deadline = 1;
	}
	submit(f, &op);
	MODEL_CHECK(t, op.result == -EINVAL);
}

/* With nothing unread, counters and listing are those of the model. */
static void step_view(struct fuzz *f)
{
	struct twheel_info infos[MODEL_TIMERS + 1];
	unsigned int exist = 0, armed = 0, cancelled = 0;
	struct twheel_stats stats;
	__u64 cursor = 0;
	int listed = 0;

	drain(f);
	for (int i = 0; i < MODEL_TIMERS; i++) {
		exist += f->m.timers[i].exists;
		armed += f->m.timers[i].armed;
		cancelled += f->m.timers[i].cancelled;
	}
	MODEL_CHECK(NULL, twheel_stats(&f->tw, &stats) == 0);
	MODEL_CHECK(NULL, stats.allocated == exist && !stats.unread && !stats.backlog);
	MODEL_CHECK(NULL, stats.pending >= armed && stats.pending <= armed + cancelled);
	while (cursor != TWHEEL_LIST_END)
		listed += twheel_list(&f->tw, &cursor, infos + listed, MODEL_TIMERS + 1 - listed);
	MODEL_CHECK(NULL, (unsigned int)listed == exist);
	f->ops += 2;
}

static void (*const steps[])(struct fuzz *f) = {
	step_arm, step_arm, step_arm, step_arm, step_cancel, step_free, step_move, step_move,
	step_query, step_push, step_push, step_word_cancel, step_word_arm, step_advance,
	step_advance, step_take, step_take, step_bad, step_view,
};

#define STEPS	(sizeof(steps) / sizeof(*steps))

unsigned long fuzz_sequence(const unsigned char *bytes, size_t size)
{
	struct twheel_config config = {
		.size = sizeof(config),
		.flags = TWHEEL_SETUP_WORDS | TWHEEL_UNSHARED,
		.clockid = TWHEEL_CLOCK_MANUAL,
		.ring_entries = RING,
		.max_timers = 64,
	};
	struct fuzz f = { .bytes = bytes, .end = bytes + size };

	if (twheel_open(&f.tw, &config))
		model_failed("the queue opens", NULL);
	while (f.bytes < f.end)
		steps[byte(&f) % STEPS](&f);
	step_view(&f);
	twheel_close(&f.tw);
	return f.ops;
}
