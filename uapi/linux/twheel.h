/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * twheel: a timer service for programs with very many timeouts.
 *
 * This header is the whole ABI.  The sections that follow are its manual, and
 * the only place where the protocol is written down: Documentation/ includes
 * them.
 */

/**
 * DOC: Queues and timers
 *
 * One open of /dev/twheel is a *queue*: a timing wheel, a ring of expiry
 * records, a clock and limits of its own.  The life of a queue::
 *
 *	fd = open("/dev/twheel", O_RDWR | O_CLOEXEC);
 *	ioctl(fd, TWHEEL_IOC_SETUP, &setup);		once, before all else
 *	ioctl(fd, TWHEEL_IOC_EVENTFD, &eventfd);	if an eventfd is wanted
 *	ioctl(fd, TWHEEL_IOC_SUBMIT, &submit);		arm, cancel, move timers
 *	read(fd, records, sizeof(records));		or take them from the ring
 *
 * Times are nanoseconds on the queue's clock, as the task that called SETUP
 * sees that clock (its time namespace).
 *
 * A timer never fires before its *deadline*.  It may fire later by its *slack*
 * at most: its expiry is the deadline rounded up to a multiple of the largest
 * power of two that does not exceed the slack.  So timers with similar
 * deadlines share an expiry and a wake-up.
 *
 * Every arming has exactly one end: one record, or one successful cancel, or
 * the last close of the queue.  A periodic timer has one record per period (or
 * fewer, see struct twheel_record), and its arming ends in one of the other two
 * ways.
 *
 * A timer is named by a 64-bit id, generation << 32 | index, which is never 0.
 * A freed index is used again with the next generation.  So an old id finds
 * nothing until 2^32 - 1 other timers have had the same index.
 */

/**
 * DOC: The ring
 *
 * Three areas can be mapped, with MAP_SHARED only, each as a whole or a prefix
 * of it, from the offsets that SETUP returns::
 *
 *	ring	struct twheel_ring, then the records.	PROT_READ only
 *	ctl	struct twheel_ctl.			PROT_READ | PROT_WRITE
 *	words	one __u64 per timer index.		PROT_READ | PROT_WRITE
 *
 * tail, which the kernel writes, and head, which the program writes, run freely
 * from 0 to 2^32 - 1 and wrap.  Record number n is at
 * records[n & (entries - 1)].  The number of unread records is tail - head.
 *
 * To take a record:
 *
 * 1. Load head, then tail, both with acquire.  If they are equal, there is no
 *    record.
 * 2. If tail - head exceeds entries, head is stale: reload it and retry.  If it
 *    has not changed, the ctl page is corrupt.
 * 3. Copy the record at head.  If another consumer takes it meanwhile, the
 *    kernel may overwrite it; step 4 detects that.
 * 4. Advance head by a compare-exchange with release.  If the exchange fails,
 *    another consumer has taken the record: start again.
 *
 * Several records may be taken with one exchange.
 *
 * A due timer that finds the ring full waits in the kernel.  These timers are
 * the *backlog*.  The kernel does not see head move.  So a consumer that is
 * about to sleep checks ring->backlog first.  If it is not 0, TWHEEL_IOC_FLUSH
 * moves as many records into the ring as fit.  SUBMIT, read() and poll() do
 * that, too.
 *
 * TWHEEL_CTL_NO_SIGNAL in ctl->flags asks the kernel not to signal the eventfd.
 * A consumer sets it while it polls the ring.  read() and poll() on the queue
 * are woken in any case.
 *
 * To go to sleep on the eventfd::
 *
 *	clear NO_SIGNAL, if it was set
 *	full barrier (F)
 *	tail != head?		do not sleep
 *	backlog != 0?		TWHEEL_IOC_FLUSH, then look again
 *	sleep on the eventfd
 *
 * poll() and read() do all of this in the kernel.
 */

/**
 * DOC: Barriers
 *
 * A barrier has an effect only together with its partner on the other side.
 * The code carries these letters: A, D and E are in kmod/ring.c; B, C and F are
 * in the library and, as read() is a consumer, too, in kmod/ring.c::
 *
 *	kernel				consumer
 *
 *	write the records		load head, acquire
 *	store tail, release	(A)	load tail, acquire	(B)
 *					copy the records
 *
 *	load head, acquire	(D)	copy the records
 *	write over records		advance head, release	(C)
 *
 *	store tail, backlog		advance head; clear NO_SIGNAL
 *	full barrier		(E)	full barrier		(F)
 *	load head, flags		load tail, backlog
 *
 * - A with B: a record that tail announces is complete.
 * - C with D: a record that is written over has been copied.
 * - C with the load of head by another consumer: a consumer that sees an
 *   advanced head sees a tail at least as new as the one which the consumer
 *   that advanced it saw.  So tail - head is not negative.
 * - E with F: of two sides that each store and then load what the other one
 *   stores, at least one sees the other's store.  So either the kernel sees
 *   the free room, or the wish for a signal; or the consumer sees that it must
 *   not sleep.  Only a full barrier orders a load behind an earlier store.
 */

/**
 * DOC: The words
 *
 * On a queue set up with TWHEEL_SETUP_WORDS, each timer armed with
 * TWHEEL_OP_KEEP has a word, words[(__u32)id].  The two low bits of a word are
 * its state; the rest is the deadline.  Such deadlines are rounded up to a
 * multiple of 4 ns.  The steps of a word::
 *
 *	armed(d) -> armed(later)	the program pushes the timer back
 *	armed(d) -> cancelled(d)	the program cancels it: no record follows
 *	cancelled(d) -> armed(d')	the program arms it again, d' >= d
 *	armed(d) -> fired(d)		the kernel: the record follows, or waits
 *					for room
 *	fired(d) -> armed(d + period)	the kernel, if periodic: the record is there
 *	cancelled -> idle		the kernel has taken it out of the wheel
 *
 * Each step is one 64-bit compare-exchange, so the side that makes it knows that
 * it was made.  An earlier deadline needs TWHEEL_OP_MOVE.  So does a new arming of
 * a timer whose word is idle or fired.  Programs may rely on each step; the step
 * cancelled -> armed may be made only where TWHEEL_FEAT_WORDS_ARM is set.
 */

/**
 * DOC: Errors
 *
 * Each errno has one meaning, wherever it comes from.  After an error of an
 * ioctl or of an op nothing has changed, except where struct twheel_submit says
 * otherwise.
 *
 * ``E2BIG``
 *	a struct is larger than the kernel knows, and the part that it does not
 *	know is not 0; or it is larger than a page
 * ``EACCES``
 *	not opened with O_RDWR; or a mapping asks for more rights than its area
 *	gives
 * ``EAGAIN``
 *	read() with O_NONBLOCK: there is no record
 * ``EBADF``
 *	EVENTFD: the descriptor is not open
 * ``EBUSY``
 *	SETUP: the queue is set up already
 * ``EDQUOT``
 *	a limit of the user who called SETUP is reached
 * ``EFAULT``
 *	memory that was passed cannot be read or written
 * ``EINTR``
 *	a signal came while read() waited
 * ``EINVAL``
 *	malformed: an unknown flag, opcode or clock, a reserved field that is
 *	not 0, a value out of its range, a descriptor that is not an eventfd
 * ``ENODEV``
 *	this machine cannot map the areas; use read()
 * ``ENOENT``
 *	CANCEL: no pending timer has this id; MOVE, QUERY, FREE: no timer has
 *	this id
 * ``ENOMEM``
 *	out of memory, or the memory cgroup is at its limit
 * ``ENOSPC``
 *	the queue holds max_timers timers already
 * ``ENOTTY``
 *	unknown ioctl
 * ``ENXIO``
 *	the queue is not set up yet
 * ``EOPNOTSUPP``
 *	TWHEEL_SETUP_WORDS on a machine that cannot have words
 * ``EOVERFLOW``
 *	a deadline beyond 2^63 - 1 ns
 * ``EPROTO``
 *	read(): the head in the ctl page makes no sense
 */
#ifndef _UAPI_LINUX_TWHEEL_H
#define _UAPI_LINUX_TWHEEL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* setup.flags */
#define TWHEEL_SETUP_WORDS	(1U << 0)	/* a word for each timer */

/* setup.features */
#define TWHEEL_FEAT_WORDS	(1ULL << 0)	/* SETUP_WORDS works here */
#define TWHEEL_FEAT_MMAP	(1ULL << 1)	/* the areas can be mapped */
#define TWHEEL_FEAT_WORDS_ARM	(1ULL << 2)	/* cancelled -> armed may be made */

/**
 * struct twheel_setup - argument of TWHEEL_IOC_SETUP
 * @size: in: sizeof(struct twheel_setup)
 * @flags: in: 0, or %TWHEEL_SETUP_WORDS for a word for each kept timer
 * @clockid: in: CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME or CLOCK_TAI
 * @ring_entries: in: records that the ring shall hold, 1 to 2^20;
 *	out: the same, rounded up to a power of two
 * @max_timers: in: most timers at a time, 0 for the module's limit;
 *	out: the limit in force
 * @records_offset: out: bytes from the start of the ring area to its records
 * @slack: in: ns, the default slack: of timers armed with slack 0.  0 is exact
 * @features: out: %TWHEEL_FEAT_WORDS: words work here;
 *	%TWHEEL_FEAT_MMAP: the areas can be mapped; %TWHEEL_FEAT_WORDS_ARM: the
 *	program may make the step of a word from cancelled to armed
 * @min_period: out: ns, the shortest period of a periodic timer
 * @max_batch: out: most ops of one TWHEEL_IOC_SUBMIT, most entries of one
 *	TWHEEL_IOC_LIST
 * @resv: 0
 * @ring_offset: out: mmap() offset of the ring area
 * @ring_size: out: its size in bytes
 * @ctl_offset: out: mmap() offset of the ctl area
 * @ctl_size: out: its size in bytes
 * @words_offset: out: mmap() offset of the words
 * @words_size: out: their size in bytes, 0 without %TWHEEL_SETUP_WORDS
 */
struct twheel_setup {
	__u32 size;
	__u32 flags;
	__u32 clockid;
	__u32 ring_entries;
	__u32 max_timers;
	__u32 records_offset;
	__u64 slack;
	__u64 features;
	__u64 min_period;
	__u32 max_batch;
	__u32 resv;
	__u64 ring_offset;
	__u64 ring_size;
	__u64 ctl_offset;
	__u64 ctl_size;
	__u64 words_offset;
	__u64 words_size;
};

/**
 * enum twheel_opcode - what an op does
 * @TWHEEL_OP_ARM: make a timer and arm it.  In: deadline, period, slack,
 *	user_data; out: id.  Flags: REL, KEEP.  Result: 0
 * @TWHEEL_OP_CANCEL: end the arming of a pending timer.  In: id.
 *	Result: 0, and then no record of this arming will be written any more
 * @TWHEEL_OP_MOVE: give a timer a new deadline and period, earlier or later.
 *	In: id, deadline, period, slack (0: unchanged).  Flag: REL.
 *	Result: 0: it was pending; 1: it was a kept timer that was not pending,
 *	and is armed anew
 * @TWHEEL_OP_QUERY: read a timer.  In: id; out: deadline (the next one), period,
 *	slack, user_data.  Result: enum twheel_state
 * @TWHEEL_OP_FREE: release a timer; a pending one is cancelled.  In: id.
 *	Result: 1 if it was pending, otherwise 0
 *
 * Fields of struct twheel_op that are listed as "in" are read, those listed as
 * "out" are written and may hold anything before.  All other fields must be 0,
 * or the result is EINVAL.  A result is as above, or a negative errno.
 */
enum twheel_opcode {
	TWHEEL_OP_ARM = 1,
	TWHEEL_OP_CANCEL = 2,
	TWHEEL_OP_MOVE = 3,
	TWHEEL_OP_QUERY = 4,
	TWHEEL_OP_FREE = 5,
};

/* op.flags */
#define TWHEEL_OP_REL	(1U << 0)	/* deadline counts from now */
#define TWHEEL_OP_KEEP	(1U << 1)	/* stays allocated until FREE */

/**
 * enum twheel_state - state of a timer that exists
 * @TWHEEL_PENDING: armed, its time has not come
 * @TWHEEL_BACKLOG: due, its record waits for room in the ring
 * @TWHEEL_IDLE: a kept timer that is not armed
 */
enum twheel_state {
	TWHEEL_PENDING = 0,
	TWHEEL_BACKLOG = 1,
	TWHEEL_IDLE = 2,
};

/**
 * struct twheel_op - one operation of a batch
 * @opcode: enum twheel_opcode, which tells the fields that each op uses
 * @resv0: 0
 * @flags: %TWHEEL_OP_REL: the deadline counts from now, where one reading of the
 *	clock serves the whole batch; %TWHEEL_OP_KEEP: the timer stays allocated
 *	after its record or its cancel, until FREE
 * @result: out: 0 or more, or a negative errno; not written if the op did not
 *	run
 * @id: the timer; ARM writes it
 * @deadline: ns on the queue's clock, at most 2^63 - 1; with REL from now
 * @period: ns, 0 for one-shot, otherwise min_period to 2^63 - 1
 * @slack: ns, 0 for the queue's default (ARM) or no change (MOVE); 1 is exact
 * @user_data: comes back in the record
 * @resv: 0
 */
struct twheel_op {
	__u8 opcode;
	__u8 resv0;
	__u16 flags;
	__s32 result;
	__u64 id;
	__u64 deadline;
	__u64 period;
	__u64 slack;
	__u64 user_data;
	__u64 resv[2];
};

/**
 * struct twheel_submit - argument of TWHEEL_IOC_SUBMIT
 * @size: sizeof(struct twheel_submit)
 * @flags: 0
 * @ops: address of an array of struct twheel_op
 * @count: number of ops, at most max_batch; 0 does nothing
 * @resv: 0
 *
 * The ops run in order, and each gets its own result.  The ioctl returns how
 * many ran: fewer than @count after a signal, or when a later op cannot be read.
 *
 * It fails with EFAULT if the first op cannot be read, or if results cannot be
 * written.  In the latter case no timer stays armed whose id could not be
 * written; what other ops of the same part of the batch did (a cancel, a move)
 * is done.
 */
struct twheel_submit {
	__u32 size;
	__u32 flags;
	__u64 ops;
	__u32 count;
	__u32 resv;
};

/**
 * struct twheel_eventfd - argument of TWHEEL_IOC_EVENTFD
 * @size: sizeof(struct twheel_eventfd)
 * @flags: 0
 * @fd: an eventfd, in place of the one before; -1 for none
 * @resv: 0
 *
 * EBADF if @fd is not open, EINVAL if it is not an eventfd; then the one before
 * stays.
 */
struct twheel_eventfd {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 resv;
};

/**
 * struct twheel_record - one expiry, or one step of the clock
 * @user_data: as given with ARM; of a step: how far the clock jumped, as a
 *	signed number of ns
 * @id: the timer; 0 for a step of the clock (CLOCK_REALTIME and CLOCK_TAI): it
 *	was set, or the system was suspended
 * @deadline: the deadline that has passed, the latest one of a periodic timer;
 *	of a step: the clock when the record was written
 * @lateness: ns from @deadline to the writing of the record, at most 2^32 - 1
 * @missed: overruns, as of timer_getoverrun(): periods before @deadline that got
 *	no record of their own, at most 2^32 - 1
 */
struct twheel_record {
	__u64 user_data;
	__u64 id;
	__u64 deadline;
	__u32 lateness;
	__u32 missed;
};

/**
 * struct twheel_ring - start of the ring area, written by the kernel only
 * @tail: number of the record that comes next; load it with acquire
 * @backlog: due timers that wait for room, at most 2^32 - 1
 * @entries: size of the ring, a power of two
 * @resv: 0
 */
struct twheel_ring {
	__u32 tail;
	__u32 backlog;
	__u32 entries;
	__u32 resv[13];
};

/* ctl.flags */
#define TWHEEL_CTL_NO_SIGNAL	(1U << 0)	/* do not signal the eventfd */

/**
 * struct twheel_ctl - start of the ctl area, written by the program only
 * @head: number of the first unread record
 * @flags: 0, or %TWHEEL_CTL_NO_SIGNAL: do not signal the eventfd
 * @resv: ignored
 */
struct twheel_ctl {
	__u32 head;
	__u32 flags;
	__u32 resv[14];
};

/* A word is deadline | state. */
#define TWHEEL_WORD_IDLE	0ULL
#define TWHEEL_WORD_ARMED	1ULL
#define TWHEEL_WORD_CANCELLED	2ULL
#define TWHEEL_WORD_FIRED	3ULL
#define TWHEEL_WORD_STATE	3ULL		/* mask of the state */

#define TWHEEL_LEVELS		11
#define TWHEEL_LATENESS_BUCKETS	64

/**
 * struct twheel_stats - argument of TWHEEL_IOC_STATS
 * @size: in: sizeof(struct twheel_stats)
 * @flags: in: 0
 * @now: ns, the queue's clock
 * @next: ns, the next event of the wheel; 2^64 - 1 for never
 * @allocated: timers that exist, idle ones included
 * @pending: timers in the wheel
 * @backlog: due timers that wait for room in the ring
 * @unread: records in the ring
 * @armed: armings by ARM, and by MOVE of an idle timer
 * @moved: pending timers moved by MOVE
 * @cancelled: armings ended by CANCEL or FREE
 * @expired: records of timers written
 * @missed: overruns: periods that got no record of their own
 * @pushed: timers filed again because their word held a later deadline
 * @reaped: timers taken out because their word was cancelled
 * @refiled: timers moved from a slot into a finer one
 * @steps: steps of the clock
 * @interrupts: expiries of the queue's hrtimer
 * @passes: passes over due timers
 * @signals: wake-ups given
 * @memory: bytes held by the queue's timers, words and ring
 * @level: timers in the wheel, for each of its %TWHEEL_LEVELS levels
 * @lateness: timer records by lateness, in %TWHEEL_LATENESS_BUCKETS buckets:
 *	bucket 0 counts 0 ns, bucket n counts 2^(n-1) to 2^n - 1 ns, the last one
 *	all above
 */
struct twheel_stats {
	__u32 size;
	__u32 flags;
	__u64 now;
	__u64 next;
	__u64 allocated;
	__u64 pending;
	__u64 backlog;
	__u64 unread;
	__u64 armed;
	__u64 moved;
	__u64 cancelled;
	__u64 expired;
	__u64 missed;
	__u64 pushed;
	__u64 reaped;
	__u64 refiled;
	__u64 steps;
	__u64 interrupts;
	__u64 passes;
	__u64 signals;
	__u64 memory;
	__u64 level[TWHEEL_LEVELS];
	__u64 lateness[TWHEEL_LATENESS_BUCKETS];
};

/* info.flags */
#define TWHEEL_INFO_KEEP	(1U << 0)	/* armed with TWHEEL_OP_KEEP */

/**
 * struct twheel_info - one timer in a listing
 * @id: the timer
 * @user_data: as given with ARM
 * @deadline: ns, the next one; of an idle timer the last one that the kernel
 *	knows of: it does not see a push-back whose time has not come
 * @period: ns
 * @slack: ns, as it is applied: a power of two
 * @state: enum twheel_state
 * @flags: 0, or %TWHEEL_INFO_KEEP: armed with %TWHEEL_OP_KEEP
 */
struct twheel_info {
	__u64 id;
	__u64 user_data;
	__u64 deadline;
	__u64 period;
	__u64 slack;
	__u32 state;
	__u32 flags;
};

#define TWHEEL_LIST_END		(~0ULL)

/**
 * struct twheel_list - argument of TWHEEL_IOC_LIST
 * @size: sizeof(struct twheel_list)
 * @flags: 0
 * @cursor: in: 0 to begin, later what the call before left here;
 *	out: where to go on, %TWHEEL_LIST_END after the last timer
 * @infos: address of an array of struct twheel_info
 * @count: its size, at most max_batch
 * @resv: 0
 *
 * The ioctl returns how many were written, which may be 0 before the end: one
 * call looks at a bounded number of places.  A timer that exists throughout the
 * listing is in it once.  Each is shown as it was when its place was looked at.
 */
struct twheel_list {
	__u32 size;
	__u32 flags;
	__u64 cursor;
	__u64 infos;
	__u32 count;
	__u32 resv;
};

#define TWHEEL_IOC_MAGIC	0xD3

#define TWHEEL_IOC_SETUP	_IO(TWHEEL_IOC_MAGIC, 0)
#define TWHEEL_IOC_SUBMIT	_IO(TWHEEL_IOC_MAGIC, 1)
#define TWHEEL_IOC_EVENTFD	_IO(TWHEEL_IOC_MAGIC, 2)
#define TWHEEL_IOC_FLUSH	_IO(TWHEEL_IOC_MAGIC, 3)	/* no argument */
#define TWHEEL_IOC_STATS	_IO(TWHEEL_IOC_MAGIC, 4)
#define TWHEEL_IOC_LIST		_IO(TWHEEL_IOC_MAGIC, 5)

#ifdef __cplusplus
}
#endif

#endif /* _UAPI_LINUX_TWHEEL_H */
