/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own tracing: its switches, and its events one after the other.  Under
 * -icount the time stamp counter, which stamps them, counts instructions.
 */
#ifndef TWHEEL_BENCH_TRACEFS_H
#define TWHEEL_BENCH_TRACEFS_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TRACEFS		"/sys/kernel/tracing/"

static inline void tracefs_set(const char *file, const char *value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), TRACEFS "%s", file);
	fd = open(path, O_WRONLY | O_CLOEXEC | O_TRUNC);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		fprintf(stderr, "# cannot write %s: %s\n", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* Timer interrupts and softirqs, their beginnings and ends: @on is "1" or "0". */
static inline void tracefs_timer_events(const char *on)
{
	tracefs_set("events/irq_vectors/local_timer_entry/enable", on);
	tracefs_set("events/irq_vectors/local_timer_exit/enable", on);
	tracefs_set("events/irq/softirq_entry/enable", on);
	tracefs_set("events/irq/softirq_exit/enable", on);
}

/* Whether an event as tracefs_read() hands it out begins with this text. */
static inline bool tracefs_is(const char *event, const char *text)
{
	return !strncmp(event, text, strlen(text));
}

typedef void (*tracefs_on_event)(void *data, double stamp, const char *event);

/*
 * Call @on_event for each line "task-pid [cpu] flags stamp: event".  Returns how many
 * remarks there are of events that were lost.
 */
static inline unsigned int tracefs_read(tracefs_on_event on_event, void *data)
{
	FILE *file = fopen(TRACEFS "trace", "re");
	unsigned int lost = !file;
	char line[512];
	double stamp;

	while (file && fgets(line, sizeof(line), file)) {
		const char *flags = strchr(line, ']'), *event;

		line[strcspn(line, "\n")] = '\0';
		lost += !!strstr(line, "LOST");
		if (line[0] == '#' || !flags || sscanf(flags, "] %*s %lf:", &stamp) != 1)
			continue;
		event = strstr(flags, ": ");
		if (event)
			on_event(data, stamp, event + 2);
	}
	if (file)
		fclose(file);
	return lost;
}

#endif /* TWHEEL_BENCH_TRACEFS_H */
