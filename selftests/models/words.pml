/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The words: pushing back, cancelling and arming again without a system call.
 *
 * One index of a queue, hence one word, whose timer is freed and made anew; two
 * threads of a program that do what they like, word steps and ops mixed; the
 * kernel, which looks at the word at the time for which the timer is filed.
 * What stands for what:
 *
 *	tw_word_expire(), tw_word_arm(),	functions of kmod/word.c
 *	tw_word_rearm(), tw_word_end()
 *	expire()		expire() in kmod/pass.c
 *	drain()			flush() there, for one timer of the backlog
 *	report()		write_record() there
 *	op_arm() ... op_free()	the ops, kmod/ops.c; disarm() too
 *	touch()			twheel_word_push() in userspace/include/twheel.h
 *	touch_cancel()		twheel_word_cancel() there
 *	word_arm()		twheel_word_arm() there
 *
 * What is shown:
 *
 *	1. No record comes after a successful touch_cancel().
 *	2. No record comes before the deadline of the last successful touch() or
 *	   word_arm().
 *	3. An arming ends exactly once: in a record, or in one cancel that says
 *	   it did it; a cancel that says "was not pending" is right.
 *	4. Whenever the lock is free, a word that says armed(d) has a timer that
 *	   is filed for d or earlier, or at most DISTANCE later than now; a
 *	   pending timer is filed or in the backlog.
 *	5. Every armed one-shot timer ends (ltl ends).
 *	6. A word_arm() that succeeds after a touch_cancel() that succeeded begins
 *	   an arming like any other: exactly one end, which is its own and not
 *	   that of the cancelled one.
 *
 * 6 is 3 and 5 with one more way to begin an arming: start() asserts that none is
 * open, finish() and write_record() that one is, and ltl ends that it is closed in
 * the end.
 *
 * A thread may touch a timer that the other one has freed.  It then touches the
 * new timer of this index, and 1 to 6 hold for that one.
 *
 * Time is 0 to LAST, and a step of the clock may come between any two others.
 * An op is one step here, and rightly: it holds the lock, and all it does that a
 * thread without the lock can see is one exchange of the word.
 *
 * Each BUG_* macro puts a mistake in; spin must find it.  With HOSTILE the second
 * thread writes any value at any time.  That voids 1 to 3, but the kernel's own
 * books must be right, and the run must come to an end.
 */
#ifndef ACTIONS
#define ACTIONS	3		/* of one thread; the other has one fewer */
#endif
#define LAST	3
#define TRIES	2		/* WORD_TRIES is more */
#define DISTANCE 1		/* TW_WORD_DISTANCE */

/* A word, as in <linux/twheel.h>. */
#define IDLE		0
#define ARMED		1
#define CANCELLED	2
#define FIRED		3
#define STATE(w)	((w) & 3)
#define DEADLINE(w)	((w) >> 2)
#define WORD(d, s)	((d) << 2 | (s))

/* enum tw_timer_state */
#define TW_FREE		0
#define TW_IDLE		1
#define TW_WHEEL	2
#define TW_DUE		3

byte now;
byte word;
bit locked;			/* the queue's lock */

/* struct tw_timer, protected by the lock */
byte state = TW_FREE;
byte filed;			/* TW_WHEEL: when the kernel looks */
byte deadline;			/* the first one without a record */
bit periodic;			/* with a period of 1 */

/* Ghosts: what the program relies on. */
bit open;			/* an arming has begun and has not ended */
byte promised;			/* its record does not come before this */

#ifdef HOSTILE
#define CLAIM(x)	skip
#else
#define CLAIM(x)	assert(x)
#endif

inline lock()
{
	atomic { !locked -> locked = 1 }
}

inline unlock()
{
	atomic {
		CLAIM(!open || state == TW_WHEEL || state == TW_DUE);
		CLAIM(STATE(word) != ARMED || state == TW_WHEEL);
		CLAIM(STATE(word) != ARMED || filed <= DEADLINE(word) ||
		      filed <= now + DISTANCE);
		assert(state != TW_WHEEL || filed <= LAST + 2);
		locked = 0
	}
}

inline start(d)
{
	CLAIM(!open);
	open = 1;
	promised = d
}

inline finish()
{
	CLAIM(open);
	open = 0
}

/* A 64-bit compare-exchange; "done" says whether it was made. */
inline cmpxchg(old, new)
{
	done = (word == old);
	if
	:: done -> word = new
	:: else
	fi
}

/* --- the kernel -------------------------------------------------------------- */

inline tw_word_arm(d)
{
	word = WORD(d, ARMED)
}

/* Sets was: whether the timer was pending until now. */
inline tw_word_rearm(d)
{
	was = (STATE(word) != CANCELLED);
	word = WORD(d, ARMED)
}

inline tw_word_end()
{
#ifdef BUG_CANCEL_DOES_NOT_LOOK
	was = 1;
#else
	was = (STATE(word) != CANCELLED);
#endif
	word = IDLE
}

/* The record becomes visible: tw_ring_write() and tw_ring_publish(). */
inline write_record()
{
	atomic {
		CLAIM(open);
#ifndef BUG_PERIODIC_TOO_SOON
		CLAIM(now >= promised);
#endif
		if
		:: !periodic -> open = 0
		:: else
		fi
	}
}

/* A periodic timer goes on, at the first deadline that has not passed. */
inline next_deadline()
{
	if
	:: deadline < at -> deadline = at + 1
	:: else -> deadline++
	fi
}

/* Write the record; the word, which said fired, and the timer go on from there. */
inline report()
{
#ifndef BUG_PERIODIC_TOO_SOON
	/*
	 * The record first: once the word is armed again the program may cancel,
	 * and then no record may follow.
	 */
	write_record();
#endif
	atomic {
		if
		:: periodic ->
			next_deadline();
			promised = deadline;
			filed = deadline;
			state = TW_WHEEL;
			tw_word_arm(deadline)
		:: else ->
			state = TW_IDLE
		fi
	}
#ifdef BUG_PERIODIC_TOO_SOON
	write_record();
#endif
}

/* Later than LAST is LAST: there, time stands still but the kernel goes on. */
inline not_too_soon()
{
	if
	:: filed < at + DISTANCE && at + DISTANCE <= LAST -> filed = at + DISTANCE
	:: filed < at + DISTANCE && at + DISTANCE > LAST -> filed = LAST
	:: else
	fi
}

/* The time has come for which the timer is filed. */
inline tw_word_expire()
{
	verdict = LATER;
	tries = 0;
	do
	:: tries == TRIES ->
		/* Somebody writes all the time: look again a little later. */
#ifdef BUG_LOST_IS_LOST
		state = TW_IDLE;
#else
		filed = at;
		not_too_soon();
#endif
		break
	:: else ->
		tries++;
		w = word;
		if
		:: STATE(w) != ARMED ->
			/* Cancelled; what cannot be counts as that, too. */
#ifdef BUG_REAPS_BY_STORE
			done = 1;
			word = IDLE;
#else
			d_step { cmpxchg(w, IDLE) };
#endif
#ifdef BUG_REAPS_WHAT_WAS_ARMED_AGAIN
			done = 1;
#endif
			if
			:: done -> verdict = GONE; break
			:: else
			fi
		:: STATE(w) == ARMED && DEADLINE(w) > at ->
#ifdef BUG_NOT_FILED_AGAIN
			verdict = GONE;
#else
			filed = DEADLINE(w);	/* and that is DISTANCE away */
#endif
			break
		:: STATE(w) == ARMED && DEADLINE(w) <= at ->
#ifdef BUG_STORE_INSTEAD_OF_EXCHANGE
			done = 1;
			word = WORD(DEADLINE(w), FIRED);
#else
			d_step { cmpxchg(w, WORD(DEADLINE(w), FIRED)) };
#endif
			if
			:: done -> deadline = DEADLINE(w); verdict = FIRE; break
			:: else
			fi
		fi
	od
}

inline expire()
{
	tw_word_expire();
	if
	:: verdict == FIRE -> report()
	:: verdict == FIRE -> state = TW_DUE	/* the ring is full */
	:: verdict == GONE -> state = TW_IDLE
	:: verdict == LATER
	fi;
	atomic { w = 0; tries = 0; done = 0; verdict = LATER }
}

inline drain()
{
	report()
}

mtype = { FIRE, LATER, GONE };

active proctype kernel()
{
	byte at;			/* the clock, read once per hold of the lock */
	byte w, tries;
	bit done;
	mtype verdict = LATER;

end:	do
	:: atomic { !locked && state == TW_WHEEL && filed <= now -> locked = 1; at = now };
		expire();
		unlock();
		at = 0
	:: atomic { !locked && state == TW_DUE -> locked = 1; at = now };
		drain();
		unlock();
		at = 0
	od
}

active proctype clock()
{
	do
	:: now < LAST -> now++
	:: now == LAST -> break
	od
}

/* --- the program's steps --------------------------------------------------------- */

inline touch()
{
	do
	:: w = word;
		if
		:: STATE(w) != ARMED || DEADLINE(w) >= LAST -> break
		:: STATE(w) == ARMED && DEADLINE(w) < LAST -> d = DEADLINE(w) + 1
		:: STATE(w) == ARMED && DEADLINE(w) < LAST -> d = LAST
		fi;
		atomic {
#ifdef BUG_TOUCH_STORES
			word = WORD(d, ARMED);
			promised = d;
			break
#else
			cmpxchg(w, WORD(d, ARMED));
			if
			:: done -> CLAIM(open); promised = d; break
			:: else
			fi
#endif
		}
	od
}

inline touch_cancel()
{
	do
	:: w = word;
		if
		:: STATE(w) != ARMED -> break
		:: else
		fi;
		atomic {
			cmpxchg(w, WORD(DEADLINE(w), CANCELLED));
			if
			:: done -> finish(); break
			:: else
			fi
		}
	od
}

/* Answers "done", or that MOVE must do it: the kernel has made the word idle. */
inline word_arm()
{
	do
	:: w = word;
		if
		:: STATE(w) != CANCELLED -> break
		:: STATE(w) == CANCELLED -> d = DEADLINE(w)
		:: STATE(w) == CANCELLED && DEADLINE(w) < LAST -> d = LAST
#ifdef BUG_ARMS_EARLIER
		:: STATE(w) == CANCELLED -> d = now
#endif
		fi;
		atomic {
#ifdef BUG_ARM_STORES
			word = WORD(d, ARMED);
			start(d);
			break
#else
			cmpxchg(w, WORD(d, ARMED));
			if
			:: done -> start(d); break
			:: else
			fi
#endif
		}
	od
}

/* --- ops, with the lock held -------------------------------------------------------- */

inline arm(d)
{
	periodic = p;
	filed = d;
	deadline = d;
	state = TW_WHEEL
}

inline op_arm()
{
	if
	:: state == TW_FREE ->
		arm(d);
		tw_word_arm(d);
		start(d)
	:: else				/* another index serves */
	fi
}

inline op_move()
{
	if
	:: state == TW_WHEEL ->
		tw_word_rearm(d);
		if
		:: was -> CLAIM(open); promised = d	/* result 0 */
		:: else -> start(d)			/* result 1 */
		fi;
		arm(d)
	:: state == TW_DUE ->
		tw_word_arm(d);
		CLAIM(open);
		promised = d;				/* result 0 */
		arm(d)
	:: state == TW_IDLE ->
		tw_word_arm(d);
		start(d);				/* result 1 */
		arm(d)
	:: state == TW_FREE				/* ENOENT */
	fi
}

/* Sets was: whether the timer was pending until now. */
inline disarm()
{
	if
	:: state == TW_WHEEL -> tw_word_end()
	:: state == TW_DUE -> tw_word_end(); was = 1
	:: else -> was = 0
	fi;
	if
	:: was -> finish()
	:: else -> CLAIM(!open)
	fi
}

inline op_cancel()
{
	if
	:: state != TW_FREE -> disarm(); state = TW_IDLE
	:: else
	fi
}

inline op_free()
{
	if
	:: state != TW_FREE ->
#ifdef BUG_FREE_LEAVES_THE_WORD
		open = 0;
#else
		disarm();
#endif
		state = TW_FREE
	:: else
	fi
}

#ifdef HOSTILE
active [1] proctype program()
#else
active [2] proctype program()
#endif
{
	byte w, d, n;
	bit done, was, p;

	do
	:: n == ACTIONS - _pid % 2 -> break
	:: n < ACTIONS - _pid % 2 ->
		n++;
		if
		:: true -> touch()
		:: true -> touch_cancel()
		:: true -> word_arm()
		:: atomic { !locked -> locked = 1;
				if
				:: d = now
				:: now < LAST -> d = now + 1
				:: d = LAST
				fi;
				if
				:: p = 0
				:: p = 1
				fi;
				if
				:: true -> op_arm()
				:: true -> op_move()
				:: true -> op_cancel()
				:: true -> op_free()
				fi;
				unlock()
			}
		fi;
		atomic { w = 0; d = 0; p = 0; done = 0; was = 0 }
	od
}

#ifdef HOSTILE
active proctype scribbler()
{
	byte n;

	do
	:: n == 2 -> break
	:: n < 2 ->
		n++;
		if
		:: word = IDLE
		:: word = WORD(0, ARMED)
		:: word = WORD(LAST, ARMED)
		:: word = WORD(LAST + 2, ARMED)
		:: word = WORD(1, CANCELLED)
		:: word = WORD(LAST, FIRED)
		fi
	od
}
#endif

/* An arming of a one-shot timer does not stay open. */
ltl ends { [] ((open && !periodic) -> <> (!open || periodic)) }
