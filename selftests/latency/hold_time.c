// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds of a queue's lock, on a machine with one CPU.
 *
 * All of the module's code that turns softirqs off does it in tw_queue_lock(), and
 * on again in tw_queue_unlock().  The function tracer writes down when each begins
 * and who called it; tracepoints tell of softirqs and of timer interrupts.  A hold
 * is from the one to the other, without the interrupts in between.  With it goes
 * what the tracer itself takes, some hundred instructions.
 *
 * A softirq can come in only before softirqs are off: between the beginning of
 * tw_queue_lock() and its first step.  Then the hold begins at the softirq's end.
 */
#include <stdio.h>
#include <string.h>

#include "../../bench/common/tracefs.h"
#include "../common.h"
#include "hold_time.h"

#define BUFFER_KB	"32768"
#define MAX_OPEN	4	/* a task, and the softirqs that came in between */

struct span {
	char by[64];
	double since;
	double irqs;		/* what interrupts had taken until then */
};

static struct {
	struct span open[MAX_OPEN];
	unsigned int depth;
	struct span softirq;
	double irq_since;
	double irqs;
	double now;
} scan;

void hold_time_start(void)
{
	tracefs_set("tracing_on", "0");
	tracefs_set("trace_clock", "x86-tsc");
	tracefs_set("buffer_size_kb", BUFFER_KB);
	tracefs_set("set_ftrace_filter", "tw_queue_*lock");
	tracefs_set("current_tracer", "function");
	tracefs_set("events/irq/softirq_entry/filter", "vec == 8");
	tracefs_set("events/irq/softirq_exit/filter", "vec == 8");
	tracefs_timer_events("1");
	tracefs_set("trace", "");
	tracefs_set("tracing_on", "1");
}

static void begin(struct span *span)
{
	span->since = scan.now;
	span->irqs = scan.irqs;
}

static double length(const struct span *span)
{
	return scan.now - span->since - (scan.irqs - span->irqs);
}

static void on_lock(struct hold_time *h, const char *caller)
{
	if (scan.depth == MAX_OPEN) {
		h->lost++;
		return;
	}
	snprintf(scan.open[scan.depth].by, sizeof(h->by), "%s", caller);
	begin(&scan.open[scan.depth++]);
}

static void on_unlock(struct hold_time *h)
{
	const struct span *span;

	if (!scan.depth) {
		h->lost++;
		return;
	}
	span = &scan.open[--scan.depth];
	h->count++;
	if (length(span) > h->longest) {
		h->longest = length(span);
		strcpy(h->by, span->by);
	}
}

static void on_softirq_exit(struct hold_time *h)
{
	if (!scan.softirq.since)
		return;
	if (length(&scan.softirq) > h->softirq)
		h->softirq = length(&scan.softirq);
	scan.softirq.since = 0;
	for (unsigned int i = 0; i < scan.depth; i++)
		begin(&scan.open[i]);
}

static void on_event(void *data, double stamp, const char *event)
{
	const char *caller = strstr(event, "<-");
	struct hold_time *h = data;

	scan.now = stamp;
	if (tracefs_is(event, "tw_queue_lock ") && caller) {
		on_lock(h, caller + 2);
	} else if (tracefs_is(event, "tw_queue_unlock ")) {
		on_unlock(h);
	} else if (tracefs_is(event, "softirq_entry:")) {
		begin(&scan.softirq);
	} else if (tracefs_is(event, "softirq_exit:")) {
		on_softirq_exit(h);
	} else if (tracefs_is(event, "local_timer_entry:")) {
		scan.irq_since = scan.now;
	} else if (tracefs_is(event, "local_timer_exit:") && scan.irq_since) {
		scan.irqs += scan.now - scan.irq_since;
		scan.irq_since = 0;
	}
}

/* How many events were written over. */
static unsigned long overrun(void)
{
	char text[512];
	const char *at;

	if (file_get(TRACEFS "per_cpu/cpu0/stats", text, sizeof(text)) <= 0)
		return 1;
	at = strstr(text, "overrun: ");
	return at ? strtoul(at + 9, NULL, 10) : 1;
}

void hold_time_stop(struct hold_time *h)
{
	tracefs_set("tracing_on", "0");
	tracefs_timer_events("0");
	memset(h, 0, sizeof(*h));
	memset(&scan, 0, sizeof(scan));
	h->lost = overrun();
	h->lost += tracefs_read(on_event, h);
	tracefs_set("current_tracer", "nop");
}
