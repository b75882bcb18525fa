// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long the timers keep the processor from everybody else: the longest stretch
 * in the timer interrupt, and in the softirq of hrtimers, as the kernel's own
 * tracepoints tell it.  Under icount the time stamp counter counts instructions.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

#define TRACING	"/sys/kernel/tracing/"

/* Between an event with this text and the next one with that. */
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

#define N_SPANS	(sizeof(spans) / sizeof(spans[0]))

static void set(const char *file, const char *value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), TRACING "%s", file);
	fd = open(path, O_WRONLY | O_CLOEXEC | O_TRUNC);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		complain(0, "cannot write %s", path);
	if (fd >= 0)
		close(fd);
}

static void switch_events(const char *on)
{
	set("events/irq_vectors/local_timer_entry/enable", on);
	set("events/irq_vectors/local_timer_exit/enable", on);
	set("events/irq/softirq_entry/enable", on);
	set("events/irq/softirq_exit/enable", on);
}

void longest_start(void)
{
	set("trace_clock", "x86-tsc");
	set("buffer_size_kb", "8192");
	set("trace", "");
	switch_events("1");
}

/* A line is "task-pid [cpu] flags stamp: event: ...". */
static void look_at(struct span *s, const char *line, double stamp)
{
	if (strstr(line, s->entry)) {
		s->since = stamp;
	} else if (s->since && strstr(line, s->exit)) {
		if (stamp - s->since > s->longest)
			s->longest = stamp - s->since;
		s->since = 0;
	}
}

static void read_trace(void)
{
	FILE *file = fopen(TRACING "trace", "re");
	char line[256];
	double stamp;

	while (file && fgets(line, sizeof(line), file)) {
		const char *flags = strchr(line, ']');

		if (line[0] == '#' || !flags || sscanf(flags, "] %*s %lf:", &stamp) != 1)
			continue;
		for (unsigned int i = 0; i < N_SPANS; i++)
			look_at(&spans[i], line, stamp);
	}
	if (file)
		fclose(file);
}

void longest_figures(const char *peer, unsigned int n)
{
	switch_events("0");
	for (unsigned int i = 0; i < N_SPANS; i++) {
		spans[i].since = 0;
		spans[i].longest = 0;
	}
	read_trace();
	for (unsigned int i = 0; i < N_SPANS; i++)
		cost(peer, spans[i].figure, n, spans[i].longest, 1);
}
