/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM twheel

#if !defined(TWHEEL_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define TWHEEL_TRACE_H

#include <linux/tracepoint.h>
#include <linux/twheel.h>

#include "timer.h"

/* What happened to a timer that is still known: its id, deadline and period. */
DECLARE_EVENT_CLASS(twheel_timer,
	TP_PROTO(u64 queue, const struct tw_timer *t),
	TP_ARGS(queue, t),
	TP_STRUCT__entry(
		__field(u64, queue)
		__field(u64, id)
		__field(u64, deadline)
		__field(u64, period)
	),
	TP_fast_assign(
		__entry->queue = queue;
		__entry->id = tw_timer_id(t);
		__entry->deadline = t->deadline;
		__entry->period = t->period;
	),
	TP_printk("queue=%llu id=0x%llx deadline=%llu period=%llu",
		  __entry->queue, __entry->id, __entry->deadline, __entry->period)
);

/* ARM, and MOVE of a timer that was idle */
DEFINE_EVENT(twheel_timer, twheel_arm,
	     TP_PROTO(u64 queue, const struct tw_timer *t), TP_ARGS(queue, t));
/* MOVE of a pending timer */
DEFINE_EVENT(twheel_timer, twheel_move,
	     TP_PROTO(u64 queue, const struct tw_timer *t), TP_ARGS(queue, t));
/* CANCEL, FREE, or the kernel finds a word that was cancelled */
DEFINE_EVENT(twheel_timer, twheel_cancel,
	     TP_PROTO(u64 queue, const struct tw_timer *t), TP_ARGS(queue, t));
/* the kernel finds a word that was pushed back */
DEFINE_EVENT(twheel_timer, twheel_refile,
	     TP_PROTO(u64 queue, const struct tw_timer *t), TP_ARGS(queue, t));
/* due, and the ring is full */
DEFINE_EVENT(twheel_timer, twheel_backlog,
	     TP_PROTO(u64 queue, const struct tw_timer *t), TP_ARGS(queue, t));

/* a record is written */
TRACE_EVENT(twheel_expire,
	TP_PROTO(u64 queue, const struct twheel_record *rec),
	TP_ARGS(queue, rec),
	TP_STRUCT__entry(
		__field(u64, queue)
		__field(u64, id)
		__field(u64, deadline)
		__field(u32, lateness)
		__field(u32, missed)
	),
	TP_fast_assign(
		__entry->queue = queue;
		__entry->id = rec->id;
		__entry->deadline = rec->deadline;
		__entry->lateness = rec->lateness;
		__entry->missed = rec->missed;
	),
	TP_printk("queue=%llu id=0x%llx deadline=%llu lateness=%u missed=%u",
		  __entry->queue, __entry->id, __entry->deadline,
		  __entry->lateness, __entry->missed)
);

#endif /* TWHEEL_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
