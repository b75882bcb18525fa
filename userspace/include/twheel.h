/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * libtwheel: the timer service of /dev/twheel for C and C++ programs.
 *
 * Where the module is not loaded, the same engine runs in the process, behind the
 * same functions; see enum twheel_engine_kind.
 *
 * A queue is a struct twheel that the program owns.  The program arms and cancels
 * timers by batches of ops, and finds their expiries as records in a ring:
 *
 *	struct twheel tw;
 *	struct twheel_op op;
 *	struct twheel_record rec;
 *
 *	twheel_open(&tw, NULL);
 *	twheel_prep_arm(&op, 1000000, 0, 42, TWHEEL_OP_REL);	in 1 ms
 *	twheel_submit(&tw, &op, 1);
 *	while (twheel_wait(&tw, -1) > 0)
 *		while (twheel_consume(&tw, &rec, 1) == 1)
 *			handle(rec.user_data);
 *	twheel_close(&tw);
 *
 * Conventions, which hold for every function here unless it says otherwise:
 *
 *  - It returns 0 or a positive number, or a negative errno.  The errnos have the
 *    meanings that <linux/twheel.h> lists; and -ECHILD: this is a child's copy of a
 *    queue of the process's engine.  errno itself stays as it was, and nothing is
 *    ever printed.
 *  - After an error nothing has changed, and outputs are not written, unless the
 *    function says so.
 *  - Times are __u64 nanoseconds on the queue's clock, from 0 to 2^63 - 1.
 *  - Any number of threads may use one struct twheel at the same time, except
 *    for twheel_open(), twheel_attach() and twheel_close(), and unless the queue was
 *    opened with TWHEEL_UNSHARED.
 *
 * Functions that make no system call are inline.  Each of them is also a symbol of
 * libtwheel.so, for programs in other languages.
 */
#ifndef TWHEEL_H
#define TWHEEL_H

#include <errno.h>
#include <linux/twheel.h>
#include <string.h>
#include <twheel/barrier.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * twheel_submit() and others share their name with a struct of <linux/twheel.h>, as
 * stat() does with struct stat.  In C++ g++ warns that they hide its constructor.
 */
#if defined(__cplusplus) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

/**
 * enum twheel_engine_kind - what runs a queue's timers
 * @TWHEEL_ENGINE_ANY: in struct twheel_config: the kernel's if /dev/twheel can be
 *	opened, otherwise the process's.  The environment variable TWHEEL_ENGINE
 *	chooses for programs that do not: "kernel" or "process"
 * @TWHEEL_ENGINE_KERNEL: the module
 * @TWHEEL_ENGINE_PROCESS: the same code in the library, with one timerfd and no
 *	thread.  What is due gets its record when the program asks for records.
 *	It needs no module and no right.  The queue cannot be shared with another
 *	process or outlive this one, and signals no eventfd
 */
enum twheel_engine_kind {
	TWHEEL_ENGINE_ANY = 0,
	TWHEEL_ENGINE_KERNEL = 1,
	TWHEEL_ENGINE_PROCESS = 2,
};

/* A clock for tests, of the process's engine only: see twheel_advance(). */
#define TWHEEL_CLOCK_MANUAL	0x7477

/* In twheel_config.flags: one thread at a time uses the queue, so no lock is needed. */
#define TWHEEL_UNSHARED		(1U << 31)

struct twheel_process;

/**
 * struct twheel - a queue, as the program sees it
 * @ring: the mapped ring; NULL where it cannot be mapped and read() is used
 * @records: the records in it
 * @ctl: head and flags
 * @words: one word per timer index; NULL without words
 * @fd: the descriptor of the queue, non-blocking
 * @mask: number of records the ring can hold, less 1
 * @setup: the kernel's answer to SETUP, or what it would be; programs may read it
 * @process: the queue of the process's engine; NULL for the kernel's
 * @device_error: why the process's engine was taken, as a negative errno of open(2):
 *	-ENOENT: the module is not loaded, -EACCES: no permission; 0 if it was chosen;
 *	programs may read it
 * @resv: for later versions
 *
 * For the inline functions only, except members that programs may read.
 */
struct twheel {
	const struct twheel_ring *ring;
	const struct twheel_record *records;
	struct twheel_ctl *ctl;
	__u64 *words;
	int fd;
	__u32 mask;
	struct twheel_setup setup;
	struct twheel_process *process;
	int device_error;
	__u32 resv[5];
};

/**
 * struct twheel_config - parameters of a new queue
 * @size: sizeof(struct twheel_config); lets later versions add members
 * @flags: TWHEEL_SETUP_WORDS for words; TWHEEL_UNSHARED
 * @clockid: CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME or CLOCK_TAI; or
 *	TWHEEL_CLOCK_MANUAL, which chooses the process's engine, whatever the
 *	environment says
 * @ring_entries: records that the ring shall hold, 1 to 2^20, rounded up to a
 *	power of two; 0 for 4096
 * @max_timers: how many timers at a time; 0 for the engine's limit
 * @engine: enum twheel_engine_kind
 * @slack: ns that a timer may be late if its op has no slack; 0 is exact
 */
struct twheel_config {
	__u32 size;
	__u32 flags;
	__s32 clockid;
	__u32 ring_entries;
	__u32 max_timers;
	__u32 engine;
	__u64 slack;
};

/* --- a queue --- */

/**
 * twheel_open - open a queue, set it up, map it
 * @tw: filled in
 * @config: NULL for exact timers on CLOCK_MONOTONIC, no words, 4096 records, any
 *	engine
 *
 * Where the machine cannot map the ring, twheel_consume() uses read() instead.
 *
 * The process's engine is taken only if the device cannot be opened; an error after
 * that is reported.
 *
 * Return:
 * * 0: done; call twheel_close() when the queue is no longer needed
 * * -E2BIG: @config has members that this library does not know and that are not 0
 * * -EINVAL: a value in @config, or the environment variable TWHEEL_ENGINE, is out
 *   of its range; TWHEEL_CLOCK_MANUAL with the kernel's engine
 * * -EOPNOTSUPP: words were asked for, and this machine cannot have them
 * * others: of open(2) (-ENOENT: the module is not loaded, -EACCES: no permission;
 *   both only if the kernel's engine is asked for), of SETUP (-EDQUOT, -ENOMEM) or
 *   of mmap(2); of timerfd_create(2)
 */
int twheel_open(struct twheel *tw, const struct twheel_config *config);

/**
 * twheel_attach - use a queue that is already set up
 * @tw: filled in
 * @fd: a descriptor of the queue, opened with O_NONBLOCK as twheel_open() does;
 *	@tw owns it from here on, if this succeeds
 * @setup: tw.setup of the process that called twheel_open()
 *
 * For a child after fork(), which does not inherit the mappings, and for a process
 * that was sent the descriptor.
 *
 * Return: 0, or a negative errno of mmap(2); -EOPNOTSUPP: @setup is of a queue of
 * the process's engine, which cannot be shared.
 */
int twheel_attach(struct twheel *tw, int fd, const struct twheel_setup *setup);

/**
 * twheel_close - unmap a queue and close its descriptor
 * @tw: may be all 0, or closed already
 *
 * Its timers end without a record, unless the queue is also open elsewhere.
 */
void twheel_close(struct twheel *tw);

/**
 * twheel_fd - the descriptor of a queue, for poll() and the like
 * @tw: the queue
 *
 * It is readable when there is a record.  Programs that sleep on it need no eventfd.
 *
 * With the process's engine it is readable when there is a record or something is due;
 * twheel_consume() then writes and takes the records, if there are any: the timer
 * that was due may have been cancelled or pushed back.  Do not read() from it.
 *
 * Return: the descriptor, which @tw owns.
 */
static inline int twheel_fd(const struct twheel *tw)
{
	return tw->fd;
}

/**
 * twheel_engine - what runs a queue's timers
 * @tw: the queue
 *
 * Return: TWHEEL_ENGINE_KERNEL or TWHEEL_ENGINE_PROCESS.
 */
static inline enum twheel_engine_kind twheel_engine(const struct twheel *tw)
{
	return tw->process ? TWHEEL_ENGINE_PROCESS : TWHEEL_ENGINE_KERNEL;
}

/**
 * twheel_now - read the queue's clock
 * @tw: the queue
 *
 * Return: ns.
 */
__u64 twheel_now(const struct twheel *tw);

/**
 * twheel_advance - let time pass on a manual clock
 * @tw: a queue on TWHEEL_CLOCK_MANUAL, which begins at 0
 * @ns: how much
 *
 * All timers that are due on the way expire, each at its time and in order; their
 * records are there to be taken when this returns, as many as the ring holds, and the
 * others when these are taken.  "Its time" is the deadline with slack applied; a timer
 * that was pushed back by its word may come 50 us after that.
 *
 * Return: 0; -EINVAL: the queue has another clock; -EOVERFLOW: beyond 2^63 - 1.
 */
int twheel_advance(struct twheel *tw, __u64 ns);

/* --- ops --- */

/* What all ops have in common. */
static inline void twheel_prep(struct twheel_op *op, __u8 opcode, __u64 id)
{
	memset(op, 0, sizeof(*op));
	op->opcode = opcode;
	op->id = id;
}

/**
 * twheel_prep_arm - op that makes a timer and arms it
 * @op: filled in; after twheel_submit() op->id is the timer's id
 * @deadline: ns on the queue's clock; with TWHEEL_OP_REL from now
 * @period: ns between further expiries, 0 for one only
 * @user_data: comes back in the records
 * @flags: TWHEEL_OP_REL, TWHEEL_OP_KEEP
 *
 * op->slack may be set afterwards (ns; 1 is exact, 0 the queue's default).
 */
static inline void twheel_prep_arm(struct twheel_op *op, __u64 deadline,
				   __u64 period, __u64 user_data, __u16 flags)
{
	twheel_prep(op, TWHEEL_OP_ARM, 0);
	op->flags = flags;
	op->deadline = deadline;
	op->period = period;
	op->user_data = user_data;
}

/**
 * twheel_prep_move - op that gives a timer a new deadline, earlier or later
 * @op: filled in; op->result will be 0 if the timer was pending, 1 if it was a
 *	kept timer that was not pending and is now armed again
 * @id: the timer
 * @deadline: ns on the queue's clock; with TWHEEL_OP_REL from now
 * @period: ns between further expiries, 0 for one only
 * @flags: TWHEEL_OP_REL
 */
static inline void twheel_prep_move(struct twheel_op *op, __u64 id,
				    __u64 deadline, __u64 period, __u16 flags)
{
	twheel_prep(op, TWHEEL_OP_MOVE, id);
	op->flags = flags;
	op->deadline = deadline;
	op->period = period;
}

/**
 * twheel_prep_cancel - op that ends an arming
 * @op: filled in; op->result will be 0 if no record will come, -ENOENT if the
 *	timer was not pending
 * @id: the timer
 */
static inline void twheel_prep_cancel(struct twheel_op *op, __u64 id)
{
	twheel_prep(op, TWHEEL_OP_CANCEL, id);
}

/**
 * twheel_prep_query - op that asks for a timer's state
 * @op: filled in; op->result will be an enum twheel_state, and deadline, period,
 *	slack and user_data are written
 * @id: the timer
 */
static inline void twheel_prep_query(struct twheel_op *op, __u64 id)
{
	twheel_prep(op, TWHEEL_OP_QUERY, id);
}

/**
 * twheel_prep_free - op that releases a kept timer
 * @op: filled in; op->result will be 1 if the timer was pending until now,
 *	otherwise 0
 * @id: the timer, not to be used again
 */
static inline void twheel_prep_free(struct twheel_op *op, __u64 id)
{
	twheel_prep(op, TWHEEL_OP_FREE, id);
}

/**
 * twheel_submit - run ops
 * @tw: the queue
 * @ops: run in this order; each gets its own result in @result
 * @count: how many, any number
 *
 * Signals do not interrupt it.
 *
 * Return: how many ops ran, fewer than @count only if the next one cannot be
 * read or its results cannot be written.  (With the process's engine such an address
 * is a segmentation fault.)  -EFAULT if the first cannot be read, or a
 * result of the first max_batch cannot be written.  Then ops may have run whose
 * results were not written, but no timer is armed whose id was not written.
 */
int twheel_submit(struct twheel *tw, struct twheel_op *ops, unsigned int count);

/* --- records --- */

/**
 * twheel_available - how many records are in the ring
 * @tw: a queue whose ring is mapped
 *
 * Return: the number.  It is out of date as soon as another consumer takes some.
 */
static inline unsigned int twheel_available(const struct twheel *tw)
{
	__u32 head = twheel_load_acquire(&tw->ctl->head);
	__u32 count = twheel_load_acquire(&tw->ring->tail) - head;

	/* More than the ring holds: head was read long before tail. */
	return count <= tw->mask ? count : tw->mask + 1;
}

/* One record.  It may be overwritten meanwhile; then the caller must not use it. */
static inline void twheel_copy_record(struct twheel_record *to,
				      const struct twheel_record *from)
{
	to->user_data = twheel_load_torn_64(&from->user_data);
	to->id = twheel_load_torn_64(&from->id);
	to->deadline = twheel_load_torn_64(&from->deadline);
	to->lateness = twheel_load_relaxed(&from->lateness);
	to->missed = twheel_load_relaxed(&from->missed);
}

/* For twheel_consume() when there is no mapping, or the engine is the process's. */
int twheel_consume_read(struct twheel *tw, struct twheel_record *records,
			unsigned int count);

/**
 * twheel_consume - take records, without waiting
 * @tw: the queue
 * @records: where to put them
 * @count: how many at most
 *
 * Several threads and processes may do this at the same time; each record goes to
 * one of them.
 *
 * Return: how many were taken, 0 if there are none.  -EPROTO if the head in the
 * ctl page makes no sense: someone who shares the queue has broken it.
 */
static inline int twheel_consume(struct twheel *tw, struct twheel_record *records,
				 unsigned int count)
{
	__u32 head, ready, i;

	if (!tw->ring || tw->process)
		return twheel_consume_read(tw, records, count);

	/*
	 * Acquire: a head that another consumer has advanced must not be seen
	 * together with a tail older than the one which that consumer saw.
	 */
	head = twheel_load_acquire(&tw->ctl->head);
	for (;;) {
		ready = twheel_load_acquire(&tw->ring->tail) - head;	/* B */
		if (ready > tw->mask + 1) {
			__u32 before = head;

			head = twheel_load_acquire(&tw->ctl->head);
			if (head == before)
				return -EPROTO;
			continue;
		}
		if (ready > count)
			ready = count;
		for (i = 0; i < ready; i++)
			twheel_copy_record(&records[i],
					   &tw->records[(head + i) & tw->mask]);
		if (!ready || twheel_cas_32(&tw->ctl->head, &head, head + ready)) /* C */
			return ready & 0x7fffffff;	/* an int; it is 2^20 at most */
	}
}

/**
 * twheel_wait - sleep until there are records
 * @tw: the queue
 * @timeout: ns; 0: do not sleep; negative: no limit
 *
 * Return: how many records there are (at least; 1 where the ring is not mapped);
 * 0 when the timeout has passed; -EINTR after a signal.
 */
int twheel_wait(struct twheel *tw, __s64 timeout);

/**
 * twheel_prepare_wait - the last thing to do before sleeping on an eventfd
 * @tw: the queue
 *
 * Asks for signals again (see twheel_no_signal()) and moves due timers
 * that wait for room into the ring.  twheel_wait() does this by itself.
 *
 * Return: 0 if the next record gives a signal, so that sleeping is safe; otherwise
 * how many records have to be consumed first.
 */
int twheel_prepare_wait(struct twheel *tw);

/**
 * twheel_no_signal - ask not to be signalled while the ring is polled
 * @tw: the queue
 *
 * Only a hint.  twheel_prepare_wait() revokes it.
 */
static inline void twheel_no_signal(struct twheel *tw)
{
	if (tw->ctl)
		__atomic_fetch_or(&tw->ctl->flags, TWHEEL_CTL_NO_SIGNAL,
				  __ATOMIC_RELAXED);
}

/**
 * twheel_eventfd - have an eventfd signalled when records come
 * @tw: the queue
 * @efd: the eventfd, which replaces the previous one; -1 for none
 *
 * Return: 0; -EBADF if @efd is not open, -EINVAL if it is something else;
 * -EOPNOTSUPP with the process's engine.
 */
int twheel_eventfd(struct twheel *tw, int efd);

/**
 * twheel_flush - move due timers that are waiting for room into the ring
 * @tw: the queue
 *
 * Needed only by programs that neither submit nor wait through this library.
 *
 * Return: 0 or positive.
 */
int twheel_flush(struct twheel *tw);

/* --- words: push back, cancel and arm again without a system call --- */

/* The word of a timer: the index is the lower half of the id. */
static inline __u64 *twheel_word_at(const struct twheel *tw, __u64 id)
{
	return &tw->words[id & 0xffffffffU];
}

/**
 * enum twheel_answer - the result of a step by the word
 * @TWHEEL_DONE: the step was made
 * @TWHEEL_TOO_LATE: this arming has ended: its record is written or waits for
 *	room, or it is cancelled.  A MOVE op arms the timer again
 * @TWHEEL_USE_MOVE: a MOVE op must do it: the deadline is earlier, or the timer
 *	is not in the state that the step starts from, or is not a kept timer
 */
enum twheel_answer {
	TWHEEL_DONE = 0,
	TWHEEL_TOO_LATE = 1,
	TWHEEL_USE_MOVE = 2,
};

/**
 * twheel_word_push - push a pending timer back
 * @tw: a queue with words
 * @id: a timer armed with TWHEEL_OP_KEEP, not freed.  This is not checked: an id
 *	of another queue may cause a segmentation fault, and the id of a freed
 *	timer may push back the timer that has taken its place
 * @deadline: ns on the queue's clock, not before the present one; rounded up to
 *	a multiple of 4, at most 2^63 - 4.  For a periodic timer this is the
 *	next deadline; the others follow from it
 *
 * Return: enum twheel_answer.  After TWHEEL_DONE no record of this arming comes
 * before @deadline.
 */
static inline enum twheel_answer twheel_word_push(struct twheel *tw, __u64 id,
						  __u64 deadline)
{
	__u64 *word = twheel_word_at(tw, id);
	__u64 later = ((deadline + 3) & ~TWHEEL_WORD_STATE) | TWHEEL_WORD_ARMED;
	__u64 old = twheel_load_relaxed_64(word);

	/*
	 * If old is armed and not later than the new word, their difference has no
	 * state bits and no sign.  One test checks both: this path must be short.
	 */
	do {
		if ((later - old) & (TWHEEL_WORD_STATE | 1ULL << 63))
			return (old & TWHEEL_WORD_STATE) <= TWHEEL_WORD_ARMED ?
				TWHEEL_USE_MOVE : TWHEEL_TOO_LATE;
	} while (!twheel_cas_64(word, &old, later));
	return TWHEEL_DONE;
}

/**
 * twheel_word_cancel - cancel a pending timer
 * @tw: a queue with words
 * @id: as for twheel_word_push()
 *
 * The timer stays in the kernel until its time would have come, or until CANCEL,
 * MOVE or FREE.  Meanwhile twheel_word_arm() can arm it again.
 *
 * Return: TWHEEL_DONE: no record of this arming will come.  TWHEEL_TOO_LATE
 * otherwise; if the record is still waiting for room, a CANCEL op can hold it back.
 */
static inline enum twheel_answer twheel_word_cancel(struct twheel *tw, __u64 id)
{
	__u64 *word = twheel_word_at(tw, id);
	__u64 old = twheel_load_relaxed_64(word);

	do {
		if ((old & TWHEEL_WORD_STATE) != TWHEEL_WORD_ARMED)
			return TWHEEL_TOO_LATE;
		/* armed -> cancelled */
	} while (!twheel_cas_64(word, &old, old ^ (TWHEEL_WORD_ARMED ^
						   TWHEEL_WORD_CANCELLED)));
	return TWHEEL_DONE;
}

/**
 * twheel_word_arm - arm a timer again that was cancelled by its word
 * @tw: a queue with words
 * @id: as for twheel_word_push()
 * @deadline: as for twheel_word_push(); not before the one that was cancelled
 *
 * This is a new arming, which has an end of its own.  So a program that arms and
 * cancels a timeout for each request needs a MOVE at most once per length of the
 * timeout: when the time came while the timer was cancelled, and the kernel made it
 * idle.
 *
 * Return: TWHEEL_DONE: this call armed it, and no record comes before @deadline.
 * TWHEEL_USE_MOVE otherwise: the timer is idle, fired, or armed already; or the
 * deadline is earlier; or this kernel does not support this step
 * (TWHEEL_FEAT_WORDS_ARM).
 */
static inline enum twheel_answer twheel_word_arm(struct twheel *tw, __u64 id,
						 __u64 deadline)
{
	__u64 *word = twheel_word_at(tw, id);
	__u64 later = ((deadline + 3) & ~TWHEEL_WORD_STATE) + TWHEEL_WORD_CANCELLED;
	__u64 old;

	if (!(tw->setup.features & TWHEEL_FEAT_WORDS_ARM))
		return TWHEEL_USE_MOVE;
	old = twheel_load_relaxed_64(word);
	/* One test for state and deadline, as in twheel_word_push(). */
	do {
		if ((later - old) & (TWHEEL_WORD_STATE | 1ULL << 63))
			return TWHEEL_USE_MOVE;
		/* cancelled -> armed */
	} while (!twheel_cas_64(word, &old, later - TWHEEL_WORD_CANCELLED +
				TWHEEL_WORD_ARMED));
	return TWHEEL_DONE;
}

/**
 * twheel_word_state - the state of a timer according to its word
 * @tw: a queue with words
 * @id: as for twheel_word_push()
 *
 * Return: TWHEEL_WORD_IDLE, _ARMED, _CANCELLED or _FIRED.
 */
static inline unsigned int twheel_word_state(const struct twheel *tw, __u64 id)
{
	return twheel_load_acquire_64(twheel_word_at(tw, id)) & TWHEEL_WORD_STATE;
}

/* --- inspecting a queue --- */

/**
 * twheel_stats - read the queue's counters
 * @tw: the queue
 * @stats: filled in, see <linux/twheel.h>
 *
 * Return: 0.
 */
int twheel_stats(const struct twheel *tw, struct twheel_stats *stats);

/**
 * twheel_list - list timers, some at a time
 * @tw: the queue
 * @cursor: 0 to begin with; advanced; TWHEEL_LIST_END after the last one
 * @infos: where to put them
 * @count: how many at most; not more than tw.setup.max_batch are listed
 *
 * Return: how many were listed; this may be 0 before the end, too.  After an
 * error @infos may have been written to.
 */
int twheel_list(const struct twheel *tw, __u64 *cursor, struct twheel_info *infos,
		unsigned int count);

#if defined(__cplusplus) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* TWHEEL_H */
