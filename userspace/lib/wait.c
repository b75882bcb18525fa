// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Waiting for records, and reading them where the ring cannot be mapped.
 *
 * A wake-up can be lost when a consumer goes to sleep, so the order matters.  First
 * the consumer publishes what it did: it has advanced head, and it clears NO_SIGNAL.
 * Then comes a fence (F in barrier.h).  Then it checks once more what the kernel may
 * have done before it could see that: a new tail, or a backlog waiting for room that
 * is there by now.  It may sleep only if there is neither.
 */
#include <limits.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "lib.h"
#include "process.h"

#define SECOND	1000000000LL

int twheel_consume_read(struct twheel *tw, struct twheel_record *records,
			unsigned int count)
{
	const unsigned int most = INT_MAX / sizeof(*records);
	int saved = errno;
	int ret;

	if (tw->process)
		return twheel_process_consume(tw->process, records, count);
	if (count > most)
		count = most;
	if (!count)
		return 0;
	do {
		ret = (int)read(tw->fd, records, count * sizeof(*records));
		ret = lib_result(ret, saved);
	} while (ret == -EINTR);
	if (ret == -EAGAIN)
		return 0;
	return ret < 0 ? ret : ret / (int)sizeof(*records);
}

/* Sleep until the queue is readable, @timeout ns at most: 1, 0 or an errno. */
static int poll_queue(const struct twheel *tw, __s64 timeout)
{
	struct pollfd pollfd = { .fd = tw->fd, .events = POLLIN };
	struct timespec ts = {
		.tv_sec = (time_t)(timeout / SECOND),
		.tv_nsec = (long)(timeout % SECOND),
	};
	int saved = errno;

	return lib_result(ppoll(&pollfd, 1, timeout < 0 ? NULL : &ts, NULL), saved);
}

int twheel_prepare_wait(struct twheel *tw)
{
	unsigned int available;
	int ret;

	if (tw->process)
		return twheel_process_prepare_wait(tw->process);
	if (!tw->ring)
		return poll_queue(tw, 0);

	__atomic_fetch_and(&tw->ctl->flags, ~TWHEEL_CTL_NO_SIGNAL, __ATOMIC_RELAXED);
	twheel_fence();						/* F */
	available = twheel_available(tw);
	if (available || !twheel_load_relaxed(&tw->ring->backlog))
		return (int)available;
	ret = twheel_flush(tw);
	return ret < 0 ? ret : (int)twheel_available(tw);
}

static __s64 monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * SECOND + now.tv_nsec;
}

int twheel_wait(struct twheel *tw, __s64 timeout)
{
	__s64 start = timeout > 0 ? monotonic() : 0;
	__s64 left = timeout;
	int ret;

	for (;;) {
		ret = twheel_prepare_wait(tw);
		if (ret || !left)
			return ret;
		ret = poll_queue(tw, left);
		if (ret < 0)
			return ret;
		/* The time is up, or another consumer was faster: look once more. */
		if (timeout > 0) {
			left = timeout - (monotonic() - start);
			if (left < 0)
				left = 0;
		}
	}
}
