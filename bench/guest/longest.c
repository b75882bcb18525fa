// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long the timers keep the processor from everybody else: the longest stretch
 * in the timer interrupt, and in the softirq of hrtimers, as the kernel's own
 * tracepoints tell it.
 */
#include "../common/tracefs.h"
#include "guest.h"

/* Between an event that begins with one text and the next one with the other. */
static struct span {
	const char *figure;
	const char *entry;
	const char *exit;
	double since;
	double longest;
} spans[] = {
	{ "longest.hardirq", "local_timer_entry:", "local_timer_exit:", 0, 0 },
	{ "longest.softirq", "softirq_entry: vec=8 ", "softirq_exit: vec=8 ", 0, 0 },
};

#define N_SPANS		(sizeof(spans) / sizeof(spans[0]))

void longest_start(void)
{
	tracefs_set("trace_clock", "x86-tsc");
	tracefs_set("buffer_size_kb", "8192");
	tracefs_set("trace", "");
	tracefs_timer_events("1");
}

static void on_event(void *unused, double stamp, const char *event)
{
	(void)unused;
	for (struct span *s = spans; s < spans + N_SPANS; s++) {
		if (tracefs_is(event, s->entry)) {
			s->since = stamp;
		} else if (s->since && tracefs_is(event, s->exit)) {
			if (stamp - s->since > s->longest)
				s->longest = stamp - s->since;
			s->since = 0;
		}
	}
}

void longest_figures(const char *peer, unsigned int n)
{
	tracefs_timer_events("0");
	for (unsigned int i = 0; i < N_SPANS; i++) {
		spans[i].since = 0;
		spans[i].longest = 0;
	}
	tracefs_read(on_event, NULL);
	for (unsigned int i = 0; i < N_SPANS; i++)
		cost(peer, spans[i].figure, n, spans[i].longest, 1);
}
