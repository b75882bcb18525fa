/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ring, "do not signal me" and the backlog, on a machine with store buffers.
 *
 * The kernel delivers RECORDS due timers through a ring of ENTRIES; two consumers
 * take records, say that they do not want signals while they poll, and sleep on
 * the eventfd.  What stands for what:
 *
 *	deliver()		tw_pass_flush() in kmod/pass.c, which calls
 *				tw_ring_room(), tw_ring_write() and
 *				tw_ring_publish() of kmod/ring.c, under the lock
 *	tell()			notify() in kmod/queue.c, after the lock
 *	take()			twheel_consume() in userspace/include/twheel.h,
 *				tw_ring_peek() and tw_ring_take() in kmod/ring.c
 *	prepare_wait()		twheel_prepare_wait() in userspace/lib/wait.c
 *	flush()			TWHEEL_IOC_FLUSH; who calls it takes the records, so
 *				nobody is told
 *
 * What is shown:
 *
 *	1. No lost wake-up: when nothing moves any more, no record is unread and
 *	   no timer is in the backlog.
 *	2. Each record is taken exactly once.
 *	3. No record is written over before it has been taken.
 *
 * Stores go through a first-in first-out buffer for each CPU and become visible
 * to others at any later time (total store order, as on x86; kernel and consumers
 * each have a CPU of their own).  A full barrier waits until the buffer is empty;
 * so does a compare-exchange.  That is enough to find a full barrier that is
 * missing, E and F in kmod/ring.c.  Acquire and release cost nothing on such a
 * machine: BUG_TAIL_FIRST and BUG_HEAD_FIRST stand for A to D that are missing.
 *
 * With HEAD_IS_STORED there is one consumer, which advances head by a plain store:
 * like a compare-exchange with release on a machine where that is no full barrier.
 *
 * Each BUG_* macro puts a mistake in; spin must find it.  For the backlog there
 * are two nets, and one is enough: joining it gives a signal like a record does,
 * and after E the kernel looks for room once more.  BUG_BACKLOG_IS_SILENT takes
 * both away.
 */
#ifndef RECORDS
#define RECORDS	4
#endif
#define ENTRIES	2

/* What is shared; an index into memory[]. */
#define TAIL	0
#define BACKLOG	1
#define HEAD	2
#define NO_SIGNAL 3
#define LOCK	4
#define SLOT(n)	(5 + (n) % ENTRIES)
#define WORDS	(5 + ENTRIES)

byte memory[WORDS];
bit eventfd;

/* CPU 0 runs the kernel's passes, 1 and 2 the consumers.  Process 0 is stores(). */
#define cpu (_pid - 1)
chan buffer[3] = [5] of { byte, byte };

inline store(word, value)
{
	buffer[cpu]!word, value
}

inline full_barrier()
{
	empty(buffer[cpu])
}

active proctype stores()
{
	byte word, value;

end:	do
	:: atomic { buffer[0]?word, value -> memory[word] = value; word = 0; value = 0 }
	:: atomic { buffer[1]?word, value -> memory[word] = value; word = 0; value = 0 }
#ifndef HEAD_IS_STORED
	:: atomic { buffer[2]?word, value -> memory[word] = value; word = 0; value = 0 }
#endif
	od
}

/* --- the kernel's private copies, under the lock ------------------------------- */

byte tail;			/* of the next record */
byte head;			/* as seen last */
byte waiting;			/* due timers without a record */

inline lock()
{
	atomic { memory[LOCK] == 0 && empty(buffer[cpu]) -> memory[LOCK] = 1 }
}

/* The store that drops a lock stays in line with those before it. */
inline unlock()
{
	store(LOCK, 0)
}

inline look_for_room()
{
	if
	:: tail - head == ENTRIES -> head = memory[HEAD]		/* D */
	:: else
	fi
}

inline deliver()
{
	do
	:: true ->
		look_for_room();
		do
		:: waiting > 0 && tail - head < ENTRIES ->
			atomic {
#ifdef BUG_TAIL_FIRST
				store(TAIL, tail + 1);
#endif
				store(SLOT(tail), tail);
				tail++;
				waiting--;
				told = 1
			};
			look_for_room()
		:: else -> break
		od;
		atomic {
			store(BACKLOG, waiting);
			store(TAIL, tail)				/* A */
		};
#ifndef BUG_NO_E
		full_barrier();						/* E */
#endif
#ifdef BUG_BACKLOG_IS_SILENT
		break;
#endif
		if
		:: waiting == 0 -> break
		:: waiting > 0 ->
			head = memory[HEAD];
			if
			:: tail - head == ENTRIES -> break
			:: else
			fi
		fi
	od
}

/* Also when the timers had to join the backlog. */
inline tell()
{
	if
	:: told && memory[NO_SIGNAL] == 0 -> eventfd = 1
	:: else
	fi;
	told = 0
}

active proctype kernel()
{
	byte made;
	bit told;
	do
	:: made == RECORDS -> break
	:: made < RECORDS ->
		/* Some more have come due; joining the backlog is no store. */
		lock();
		atomic {
			if
			:: made++; waiting++
			:: made < RECORDS - 1 -> made = made + 2; waiting = waiting + 2
			fi;
#ifndef BUG_BACKLOG_IS_SILENT
			told = 1
#endif
		};
		deliver();
		unlock();
		tell()
	od
}

/* --- the consumers ----------------------------------------------------------------- */

byte taken[RECORDS];

/* What a consumer has copied is record number n. */
inline note(n, copy)
{
	assert(copy == n);
	taken[n]++;
	assert(taken[n] == 1)
}

#ifdef HEAD_IS_STORED
#define CONSUMERS 1
#define MY_HEAD mine
#else
#define CONSUMERS 2
#define MY_HEAD memory[HEAD]
#endif

/* Sets got: how many were taken. */
inline take()
{
	got = 0;
	do
	:: true ->
		h = MY_HEAD;
		t = memory[TAIL];					/* B */
		if
		:: t == h -> break
		:: t != h
		fi;
		/* As many as there are, or fewer. */
		if
		:: got = 1
		:: t - h == 2 -> got = 2
		fi;
#ifdef BUG_HEAD_FIRST
		atomic {
			empty(buffer[cpu]);
			if
			:: memory[HEAD] == h -> memory[HEAD] = h + got
			:: else -> got = 0
			fi
		};
#endif
		one = memory[SLOT(h)];
		if
		:: got == 2 -> two = memory[SLOT(h + 1)]
		:: else
		fi;
#ifdef BUG_HEAD_FIRST
		atomic {
			if
			:: got >= 1 -> note(h, one)
			:: else
			fi;
			if
			:: got == 2 -> note(h + 1, two)
			:: else
			fi
		};
#elif defined(HEAD_IS_STORED) || defined(BUG_NO_EXCHANGE)
		atomic {
			note(h, one);
			if
			:: got == 2 -> note(h + 1, two)
			:: else
			fi
		};
		store(HEAD, h + got);
		mine = h + got;
#else
		atomic {
			empty(buffer[cpu]);
			if
			:: memory[HEAD] == h ->				/* C */
				memory[HEAD] = h + got;
				note(h, one);
				if
				:: got == 2 -> note(h + 1, two)
				:: else
				fi
			:: else -> got = 0
			fi
		};
#endif
		if
		:: got > 0 -> break
		:: else
		fi
	od;
	atomic { h = 0; t = 0; one = 0; two = 0 }
}

/* Sets got: whether there is a reason not to sleep. */
inline prepare_wait()
{
	store(NO_SIGNAL, 0);
#ifndef BUG_NO_F
	full_barrier();							/* F */
#endif
	h = MY_HEAD;
	got = (memory[TAIL] != h);
	if
	:: !got && memory[BACKLOG] != 0 ->
		flush();
		got = 1
	:: else
	fi;
	h = 0
}

inline flush()
{
	lock();
	deliver();
	told = 0;
	unlock()
}

active [CONSUMERS] proctype consumer()
{
	byte h, t, one, two, got;
	bit told;			/* FLUSH tells nobody */
#ifdef HEAD_IS_STORED
	byte mine;
#endif
#ifdef BUG_NO_EXCHANGE
	byte mine;
#endif
	do
	:: true ->
		if
		:: store(NO_SIGNAL, 1)
		:: true
		fi;
		do
		:: true ->
			take();
			if
			:: got == 0 -> break
			:: else
			fi
		od;
		prepare_wait();
		if
		:: got == 0 ->
end:			atomic { eventfd == 1 -> eventfd = 0 }
		:: else
		fi;
		got = 0
	od
}

/* When nothing else can move. */
active proctype judge()
{
end:	timeout ->
	assert(waiting == 0);
	assert(memory[HEAD] == RECORDS);
}
