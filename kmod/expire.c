// SPDX-License-Identifier: GPL-2.0-only
/*
 * Expiry: the hrtimer, and the passes (pass.c) that it runs.
 *
 * After each pass the hrtimer is programmed for the wheel's next event.  If a pass
 * was not enough, another is deferred to an ordinary task (defer.c); meanwhile the
 * hrtimer is not programmed.  So a million due timers take no more than TW_BUDGET of
 * them at a time with softirqs off.
 *
 * The kernel runs the hrtimers of many queues in one softirq if they are due
 * together.  All their passes in it share one budget; queues that find the budget
 * exhausted are deferred.
 *
 * The hrtimer is programmed only when the next event is earlier than the one it
 * is programmed for.  When that has been removed it fires for nothing, once.
 */
#include <linux/interrupt.h>
#include <linux/kernel_stat.h>
#include <linux/percpu.h>

#include "compat.h"
#include "expire.h"
#include "pass.h"
#include "queue.h"
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

/* Have the hrtimer fire at the wheel's next event, at the latest. */
static void program(struct tw_queue *q)
{
	u64 next = tw_wheel_next(&q->core.wheel);

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

	lockdep_assert_held(&q->lock);
	return tw_pass(&q->core, now, &budget);
}

/* A pass, as far as this run of the softirq allows.  Whether more is due. */
static bool softirq_pass(struct tw_queue *q, u64 now)
{
	struct softirq_run *run = this_run();

	if (run->budget <= CALLBACK)
		return true;
	run->budget -= CALLBACK;
	lockdep_assert_held(&q->lock);
	return tw_pass(&q->core, now, &run->budget);
}

static enum hrtimer_restart on_hrtimer(struct hrtimer *hrtimer)
{
	struct tw_queue *q = container_of(hrtimer, struct tw_queue, hrtimer);
	u64 now = tw_queue_lock(q);

	q->core.count.interrupts++;
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
	u64 next = tw_wheel_next(&q->core.wheel);

	lockdep_assert_held(&q->lock);
	if (tw_pass_due(&q->core, next, now))
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
		moved += tw_pass_flush(&q->core, now, &budget);
		go_on(q, false);
		tw_queue_unlock(q);
		cond_resched();
	} while (!budget && !fatal_signal_pending(current));
	return moved;
}
