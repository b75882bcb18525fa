/* SPDX-License-Identifier: GPL-2.0-only */
/* A queue, from open to close: the raw ioctls and mappings of linux/twheel.h. */
#ifndef TWHEEL_SELFTESTS_QUEUE_H
#define TWHEEL_SELFTESTS_QUEUE_H

#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/twheel.h>

#include "base.h"

#define DEVICE		"/dev/twheel"

struct queue {
	int fd;
	struct twheel_setup setup;
	const struct twheel_ring *ring;		/* NULL when it is not mapped */
	const struct twheel_record *records;
	struct twheel_ctl *ctl;
};

static inline long tw_ioctl(int fd, unsigned long cmd, void *arg)
{
	return result_of(ioctl(fd, cmd, arg));
}

static inline int device_open(void)
{
	return result_of(open(DEVICE, O_RDWR | O_CLOEXEC));
}

static inline struct twheel_setup setup_of(__u32 clock, __u32 entries)
{
	return (struct twheel_setup){
		.size = sizeof(struct twheel_setup),
		.clockid = clock,
		.ring_entries = entries,
	};
}

/* Open a queue as q->setup describes it. Returns 0, or the error of open or SETUP. */
static inline long queue_open_with(struct queue *q)
{
	long ret;

	q->ring = NULL;
	q->ctl = NULL;
	q->fd = device_open();
	if (q->fd < 0)
		return q->fd;
	ret = tw_ioctl(q->fd, TWHEEL_IOC_SETUP, &q->setup);
	if (ret < 0) {
		close(q->fd);
		q->fd = -1;
	}
	return ret;
}

static inline long queue_open(struct queue *q, __u32 clock, __u32 entries)
{
	q->setup = setup_of(clock, entries);
	return queue_open_with(q);
}

static inline long queue_map(struct queue *q)
{
	const struct twheel_setup *s = &q->setup;
	char *ring;

	ring = mmap(NULL, s->ring_size, PROT_READ, MAP_SHARED, q->fd, s->ring_offset);
	if (ring == MAP_FAILED)
		return -errno;
	q->ctl = mmap(NULL, s->ctl_size, PROT_READ | PROT_WRITE, MAP_SHARED, q->fd,
		      s->ctl_offset);
	if (q->ctl == MAP_FAILED) {
		q->ctl = NULL;
		munmap(ring, s->ring_size);
		return -errno;
	}
	q->ring = (const struct twheel_ring *)ring;
	q->records = (const struct twheel_record *)(ring + s->records_offset);
	return 0;
}

/* Map the words; NULL on failure. */
static inline shared_u64 *words_map(const struct queue *q)
{
	void *p = mmap(NULL, q->setup.words_size, PROT_READ | PROT_WRITE, MAP_SHARED, q->fd,
		       q->setup.words_offset);

	return p == MAP_FAILED ? NULL : p;
}

/* Open a queue with words; returns the words, or NULL. */
static inline shared_u64 *words_open(struct queue *q, __u32 entries, __u32 max_timers)
{
	q->setup = setup_of(CLOCK_MONOTONIC, entries);
	q->setup.flags = TWHEEL_SETUP_WORDS;
	q->setup.max_timers = max_timers;
	return queue_open_with(q) ? NULL : words_map(q);
}

static inline void queue_unmap(struct queue *q)
{
	if (q->ring)
		munmap((void *)q->ring, q->setup.ring_size);
	if (q->ctl)
		munmap(q->ctl, q->setup.ctl_size);
	q->ring = NULL;
	q->ctl = NULL;
}

static inline void queue_close(struct queue *q)
{
	queue_unmap(q);
	if (q->fd >= 0)
		close(q->fd);
	q->fd = -1;
}

static inline long set_eventfd(int fd, int efd)
{
	struct twheel_eventfd arg = { .size = sizeof(arg), .fd = efd };

	return tw_ioctl(fd, TWHEEL_IOC_EVENTFD, &arg);
}

static inline long flush(int fd)
{
	return tw_ioctl(fd, TWHEEL_IOC_FLUSH, NULL);
}

#endif /* TWHEEL_SELFTESTS_QUEUE_H */
