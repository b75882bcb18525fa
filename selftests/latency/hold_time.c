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

#include "../common.h"
#include "hold_time.h"

#define TRACING		"/sys/kernel/tracing/"
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

static void set(const char *file, const char *value)
{
	char path[128];
	long ret;

	snprintf(path, sizeof(path), TRACING "%s", file);
	ret = file_put(path, value);
	if (ret)
		fprintf(stderr, "# %s: %s\n", path, strerror(-ret));
}

static void switch_events(const char *on)
{
	set("events/irq_vectors/local_timer_entry/enable", on);
	set("events/irq_vectors/local_timer_exit/enable", on);
	set("events/irq/softirq_entry/enable", on);
	set("events/irq/softirq_exit/enable", on);
}

void hold_time_start(void)
{
	set("tracing_on", "0");
	set("trace_clock", "x86-tsc");
	set("buffer_size_kb", BUFFER_KB);
	set("set_ftrace_filter", "tw_queue_*lock");
	set("current_tracer", "function");
	set("events/irq/softirq_entry/filter", "vec == 8");
	set("events/irq/softirq_exit/filter", "vec == 8");
	switch_events("1");
	set("trace", "");
	set("tracing_on", "1");
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

static void on_event(struct hold_time *h, const char *event)
{
	const char *caller = strstr(event, "<-");

	if (!strncmp(event, "tw_queue_lock ", 14) && caller) {
		on_lock(h, caller + 2);
	} else if (!strncmp(event, "tw_queue_unlock ", 16)) {
		on_unlock(h);
	} else if (!strncmp(event, "softirq_entry:", 14)) {
		begin(&scan.softirq);
	} else if (!strncmp(event, "softirq_exit:", 13)) {
		on_softirq_exit(h);
	} else if (!strncmp(event, "local_timer_entry:", 18)) {
		scan.irq_since = scan.now;
	} else if (!strncmp(event, "local_timer_exit:", 17) && scan.irq_since) {
		scan.irqs += scan.now - scan.irq_since;
		scan.irq_since = 0;
	}
}

/* A line is "task-pid [cpu] flags stamp: event", or a remark. */
static void on_line(struct hold_time *h, char *line)
{
	char *flags = strchr(line, ']'), *event;

	line[strcspn(line, "\n")] = '\0';
	if (strstr(line, "LOST"))
		h->lost++;
	if (line[0] == '#' || !flags || sscanf(flags, "] %*s %lf:", &scan.now) != 1)
		return;
	event = strstr(flags, ": ");
	if (event)
		on_event(h, event + 2);
}

/* How many events were written over. */
static unsigned long overrun(void)
{
	char text[512];
	const char *at;

	if (file_get(TRACING "per_cpu/cpu0/stats", text, sizeof(text)) <= 0)
		return 1;
	at = strstr(text, "overrun: ");
	return at ? strtoul(at + 9, NULL, 10) : 1;
}

void hold_time_stop(struct hold_time *h)
{
	char line[512];
	FILE *file;

	set("tracing_on", "0");
	switch_events("0");
	memset(h, 0, sizeof(*h));
	memset(&scan, 0, sizeof(scan));
	h->lost = overrun();
	file = fopen(TRACING "trace", "re");
	while (file && fgets(line, sizeof(line), file))
		on_line(h, line);
	if (file)
		fclose(file);
	else
		h->lost++;
	set("current_tracer", "nop");
}
