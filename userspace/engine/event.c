// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The timerfd, which is readable when the program should ask for records.
 *
 * It is set to the wheel's next event; or to a time long past, which makes it
 * readable at once, when a record is unread or more is due.  Setting it costs a
 * system call.  So it is left as it is when it is set for earlier than needed: when
 * a timer is cancelled or moved, the program wakes up once, finds nothing, and
 * the timerfd is set anew.
 */
#include <errno.h>
#include <linux/errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "engine.h"

#define SECOND	1000000000ULL

int engine_event_init(struct twheel_process *p)
{
	p->fd = timerfd_create(engine_clock_timer_id(&p->clock), TFD_CLOEXEC | TFD_NONBLOCK);
	p->programmed = TW_NEVER;
	return p->fd < 0 ? -errno : 0;
}

/* @ns: on the queue's clock; TW_NEVER: do not; 0: at once */
static void set(struct twheel_process *p, u64 ns)
{
	struct itimerspec its = {};

	if (p->clock.manual && ns)
		ns = TW_NEVER;		/* it does not come by waiting */
	p->programmed = ns;
	if (ns != TW_NEVER) {
		u64 time = engine_clock_to_timer(&p->clock, ns);

		its.it_value.tv_sec = (time_t)(time / SECOND);
		its.it_value.tv_nsec = (long)(time % SECOND);
	}
	/* Cannot fail: the arguments are in range. */
	timerfd_settime(p->fd, TFD_TIMER_ABSTIME, &its, NULL);
}

/**
 * engine_event_program() - have the timerfd readable when it should be
 * @p: the queue, locked, whose @next is right
 * @now: ns
 */
void engine_event_program(struct twheel_process *p, u64 now)
{
	bool ready = tw_ring_count(&p->core.ring) || engine_due(p, now);

	if (ready && p->programmed)
		set(p, 0);
	else if (!ready && (!p->programmed || p->next < p->programmed))
		set(p, p->next);
}
