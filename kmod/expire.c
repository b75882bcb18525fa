// SPDX-License-Identifier: GPL-2.0-only
/*
 * Expiry: from the hrtimer to the ring.
 *
 * A *pass* takes the lock, looks at TW_BUDGET timers of the wheel and of the
 * backlog at most, and drops it:
 *
 *	backlog  ->  ring, while there is room
 *	wheel, what is due, in order  ->  ring, or backlog when there is no room
 *	publish; if room has come meanwhile, the backlog once more
 *
 * Then the hrtimer is programmed for the wheel's next event.  If a pass was not
 * enough, another is deferred to an ordinary task (defer.c); meanwhile the hrtimer
 * is not programmed.  So a million due timers take no more than TW_BUDGET of them
 * at a time with softirqs off.
 *
 * The kernel runs the hrtimers of many queues in one softirq if they are due
 * together.  All their passes in it share one budget; queues that find the budget
 * exhausted are deferred.
 *
 * The hrtimer is programmed only when the next event is earlier than the one it
 * is programmed for.  When that has been removed it fires for nothing, once.
 *
 * A periodic timer counts its deadlines from the first, never from the time of
 * a pass.  While its last record is unread, or it is in the backlog, it gets no
 * other; t->deadline stays at the first deadline without a record, and the next
 * record tells how many there were.
 */
#include <linux/interrupt.h>
#include <linux/kernel_stat.h>
#include <linux/percpu.h>

#include "compat.h"
#include "deadline.h"
#include "expire.h"
#include "periodic.h"
#include "queue.h"
#include "trace.h"
#include "user.h"

#define CALLBACK	8	/* a pass of one timer and its wake-up, in timers' worth */

/**
 * struct softirq_run - what a CPU may do in one run of the hrtimer softirq
 * @number: tells it from other runs
 * @budget: how many timers may still be looked at
 */
struct softirq_run {
	unsigned int number;
	unsigned int budget;
};

static DEFINE_PER_CPU(struct softirq_run, softirq_runs);

/*
 * From the softirq.  Runs are told apart by kstat_softirqs_cpu(): the kernel counts
 * each run of a softirq, on the CPU that it runs on, right before it calls the
 * handler, and nowhere else; so the count is the same in all callbacks of a run and
 * another in the next.  A softirq does not change its CPU, and no other run on this
 * CPU comes in between; with PREEMPT_RT neither, since softirqs exclude each other on
 * a CPU there too.  Another CPU has a struct of its own.
 *
 * The count wraps after 2^32 runs.  If this CPU ran no hrtimer of ours for exactly
 * so many, the run goes on with what was left of the old budget: at worst its queues
 * are deferred once, which they can be at any time.
 */
static struct softirq_run *this_run(void)
{
	unsigned int number = kstat_softirqs_cpu(HRTIMER_SOFTIRQ, smp_processor_id());
	struct softirq_run *run = this_cpu_ptr(&softirq_runs);

	if (run->number != number) {
		run->number = number;
		run->budget = TW_BUDGET + CALLBACK;
	}
	return run;
}

static void write_step(struct tw_queue *q)
{
	struct twheel_record rec = {
		.user_data = q->step,
		.deadline = tw_clock_now(&q->clock),
	};

	tw_ring_write(&q->ring, &rec);
	q->stepped = false;
	q->step = 0;
	q->count.steps++;
	q->notify = true;
}

/* The word of a periodic timer, fired until now, goes on with @deadline. */
static void rearm_word(struct tw_queue *q, struct tw_timer *t, u64 deadline)
{
	u64 *word = tw_queue_word(q, t);

	if (!word)
		return;
	tw_ring_commit_tail(&q->ring);
	tw_word_arm(word, deadline);
}

/* Write the record of @t, whose word agrees, and file it again or end it. */
static void write_record(struct tw_queue *q, struct tw_timer *t, u64 now)
{
	u64 missed = tw_periods(t, now);
	u64 deadline = t->deadline + missed * t->period;
	u64 lateness = now > deadline ? now - deadline : 0;
	struct twheel_record rec = {
		.user_data = t->user_data,
		.id = tw_timer_id(t),
		.deadline = deadline,
		.lateness = min_t(u64, lateness, U32_MAX),
		.missed = min_t(u64, missed, U32_MAX),
	};

	t->last = tw_ring_write(&q->ring, &rec);
	t->reported = true;
	t->skipped = false;
	q->count.expired++;
	q->count.missed += missed;
	tw_count_lateness(&q->count, lateness);
	trace_twheel_expire(q->number, tw_ring_at(&q->ring, t->last));
	t->state = TW_IDLE;
	if (t->period) {
		t->deadline = tw_deadline_after(t, deadline);
		tw_enqueue(q, t);
		rearm_word(q, t, t->deadline);
	} else if (!t->keep) {
		tw_table_free(&q->table, t);
	}
}

/* Whether @t gets no record now because nobody has read its last one. */
static bool must_skip(const struct tw_queue *q, const struct tw_timer *t)
{
	return t->period && t->reported && tw_ring_unread(&q->ring, t->last, tw_timer_id(t));
}

static void skip_period(struct tw_queue *q, struct tw_timer *t, u64 now)
{
	u64 next = tw_deadline_after(t, t->deadline + tw_periods(t, now) * t->period);

	t->skipped = true;
	t->expires = tw_expires(next, t->slack_shift);
	tw_wheel_add(&q->wheel, t);
	rearm_word(q, t, next);
}

/* The word of @t has it cancelled. */
static void reap(struct tw_queue *q, struct tw_timer *t)
{
	t->state = TW_IDLE;
	q->count.reaped++;
	trace_twheel_cancel(q->number, t);
}

/* The word of @t has it fire at another deadline and not now. */
static void push_back(struct tw_queue *q, struct tw_timer *t, u64 now)
{
	t->expires = max(tw_expires(t->deadline, t->slack_shift), now + TW_WORD_DISTANCE);
	tw_wheel_add(&q->wheel, t);
	q->count.pushed++;
	trace_twheel_refile(q->number, t);
}

static bool has_room(struct tw_queue *q)
{
	return !tw_backlog_first(&q->ring) && !q->stepped && tw_ring_room(&q->ring);
}

static void deliver(struct tw_queue *q, struct tw_timer *t, u64 now)
{
	q->notify = true;
	if (has_room(q)) {
		write_record(q, t, now);
		return;
	}
	t->state = TW_DUE;
	tw_backlog_add(&q->ring, t);
	trace_twheel_backlog(q->number, t);
}

/* The wheel has handed out @t. */
static void expire(struct tw_queue *q, struct tw_timer *t, u64 now)
{
	u64 *word = tw_queue_word(q, t);
	enum tw_word_verdict verdict = TW_WORD_FIRE;

	if (word)
		verdict = tw_word_expire(word, t, now);
	if (verdict == TW_WORD_GONE)
		reap(q, t);
	else if (verdict == TW_WORD_LATER)
		push_back(q, t, now);
	else if (must_skip(q, t))
		skip_period(q, t, now);
	else
		deliver(q, t, now);
}

/* Move backlog to the ring: how many records. */
static unsigned int flush(struct tw_queue *q, u64 now, unsigned int *budget)
{
	unsigned int moved = 0;
	struct tw_timer *t;

	if (q->stepped && tw_ring_room(&q->ring)) {
		write_step(q);
		moved++;
	}
	while (*budget && (t = tw_backlog_first(&q->ring)) && tw_ring_room(&q->ring)) {
		--*budget;
		tw_backlog_del(&q->ring, t);
		write_record(q, t, now);
		moved++;
	}
	return moved;
}

/* Whether there is something that can be written to the ring, and was not. */
static bool can_write(struct tw_queue *q)
{
	return (tw_backlog_first(&q->ring) || q->stepped) && tw_ring_room(&q->ring);
}

/* Publish; go on while the program makes room: it does not say when it does. */
static unsigned int flush_and_publish(struct tw_queue *q, u64 now, unsigned int *budget)
{
	unsigned int sum = 0, moved;

	do {
		moved = flush(q, now, budget);
		sum += moved;
		tw_ring_publish(&q->ring, q->stepped);
	} while (*budget && can_write(q));
	return sum;
}

/*
 * One bounded step: @budget timers of the wheel and as many of the backlog; it is
 * counted down.  Whether more is due.
 */
static bool pass(struct tw_queue *q, u64 now, unsigned int *budget)
{
	unsigned int records = *budget;
	struct tw_timer *t;

	lockdep_assert_held(&q->lock);
	q->count.passes++;
	if (flush(q, now, &records))
		q->notify = true;
	while ((t = tw_wheel_pop(&q->wheel, now, budget)))
		expire(q, t, now);
	if (flush_and_publish(q, now, &records))
		q->notify = true;
	*budget = min(*budget, records);
	return tw_wheel_next(&q->wheel) <= now || can_write(q);
}

/* Have the hrtimer fire at the wheel's next event, at the latest. */
static void program(struct tw_queue *q)
{
	u64 next = tw_wheel_next(&q->wheel);

	lockdep_assert_held(&q->lock);
	if (next < q->programmed) {
		q->programmed = next;
		hrtimer_start_range_ns(&q->hrtimer, tw_clock_to_host(&q->clock, next), 0,
				       HRTIMER_MODE_ABS_SOFT);
	} else if (next == TW_NEVER && q->programmed != TW_NEVER) {
		q->programmed = TW_NEVER;
		hrtimer_try_to_cancel(&q->hrtimer);
	}
}

/* After a pass: defer another if more is due, otherwise program the hrtimer. */
static void go_on(struct tw_queue *q, bool more)
{
	lockdep_assert_held(&q->lock);
	if (q->working || q->closing)
		return;
	q->working = more;
	if (more)
		tw_defer(&q->user->run_queue, &q->deferred);
	else
		program(q);
}

/* A pass of its own for @q.  Whether more is due. */
static bool whole_pass(struct tw_queue *q, u64 now)
{
	unsigned int budget = TW_BUDGET;

	return pass(q, now, &budget);
}

/* A pass, as far as this run of the softirq allows.  Whether more is due. */
static bool softirq_pass(struct tw_queue *q, u64 now)
{
	struct softirq_run *run = this_run();

	if (run->budget <= CALLBACK)
		return true;
	run->budget -= CALLBACK;
	return pass(q, now, &run->budget);
}

static enum hrtimer_restart on_hrtimer(struct hrtimer *hrtimer)
{
	struct tw_queue *q = container_of(hrtimer, struct tw_queue, hrtimer);
	u64 now = tw_queue_lock(q);

	q->count.interrupts++;
	q->programmed = TW_NEVER;
	if (!q->working)
		go_on(q, softirq_pass(q, now));
	tw_queue_unlock(q);
	return HRTIMER_NORESTART;
}

/* A pass that was deferred, in process context. */
static void run_deferred(struct tw_deferred *deferred)
{
	struct tw_queue *q = container_of(deferred, struct tw_queue, deferred);
	u64 now = tw_queue_lock(q);

	q->working = false;
	if (!q->closing)
		go_on(q, whole_pass(q, now));
	tw_queue_unlock(q);
}

/**
 * tw_queue_init_expiry() - make a new queue's expiry ready
 * @q: the queue, with its clock
 */
void tw_queue_init_expiry(struct tw_queue *q)
{
	q->programmed = TW_NEVER;
	tw_deferred_init(&q->deferred, run_deferred);
	tw_hrtimer_setup(&q->hrtimer, on_hrtimer, tw_clock_host_id(&q->clock),
			 HRTIMER_MODE_ABS_SOFT);
}

/**
 * tw_queue_stop_expiry() - no pass runs after this, or ever will
 * @q: the queue
 *
 * Context: Process context.  May sleep.  Must not hold q->lock, which the
 * hrtimer and deferred passes take.
 */
void tw_queue_stop_expiry(struct tw_queue *q)
{
	lockdep_assert_not_held(&q->lock);
	/* Not tw_queue_lock(): a queue half made has no ring to tell a step of the clock. */
	spin_lock_bh(&q->lock);
	q->closing = true;
	spin_unlock_bh(&q->lock);
	hrtimer_cancel(&q->hrtimer);
	tw_defer_cancel(&q->user->run_queue, &q->deferred);
}

/**
 * tw_run_due_and_program() - after changes: deliver what is due, program the hrtimer
 * @q: the queue
 * @now: ns, from tw_queue_lock()
 *
 * Context: Expects q->lock to be held.
 */
void tw_run_due_and_program(struct tw_queue *q, u64 now)
{
	u64 next = tw_wheel_next(&q->wheel);

	lockdep_assert_held(&q->lock);
	if (next <= now || q->ring.waiting || q->stepped)
		go_on(q, whole_pass(q, now));
	else if (next != q->programmed)
		go_on(q, false);
}

/**
 * tw_queue_flush() - move backlog into the ring while there is room
 * @q: the queue
 *
 * Context: Process context.  May sleep.  Takes and releases q->lock.
 * Return: how many records were written.
 */
int tw_queue_flush(struct tw_queue *q)
{
	unsigned int budget;
	int moved = 0;

	do {
		u64 now = tw_queue_lock(q);

		budget = TW_BUDGET;
		moved += flush_and_publish(q, now, &budget);
		go_on(q, false);
		tw_queue_unlock(q);
		cond_resched();
	} while (!budget && !fatal_signal_pending(current));
	return moved;
}
