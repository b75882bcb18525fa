// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring: one producer, the queue; any number of consumers, programs that map
 * it and callers of read().  The protocol is in <linux/twheel.h>.
 *
 * Who writes what:
 *
 *	shared->tail, backlog, the records	the kernel, mapped read-only
 *	ctl->head				consumers, by compare-exchange
 *	ctl->flags				the program
 *
 * The kernel keeps its own size and tail, reads head and flags once each, and
 * acts on the copy.  It looks at head when the room that it knows of is used up.
 * A head that cannot be (more unread records than the ring holds) counts as a
 * full ring then: nothing is written until it makes sense again.
 *
 * Barriers, in pairs:
 *
 *	producer				consumer
 *
 *	write the records			load head, tail
 *	A  release				B  acquire
 *	store tail				read the records
 *
 *	load head				copy the records
 *	D  acquire				C  release
 *	write over read records			advance head
 *
 *	store tail, backlog			store head, flags
 *	E  full barrier				F  full barrier
 *	load head, flags			load tail, backlog
 *
 * A with B: what is announced can be read.  C with D: what is overwritten has
 * been copied.  E with F: of a producer that finds the ring full, or signals
 * unwanted, and a consumer that goes to sleep, at least one sees what the other
 * has stored; so either the producer goes on or signals, or the consumer does
 * not sleep.
 *
 * The backlog is a list of the due timers themselves, so it needs no memory and
 * loses nothing.  It is in the order of expiry, for timers join it in that order
 * and the ring takes from its front before it takes anything newer.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "ring.h"

/**
 * tw_ring_init() - make a ring
 * @ring: zeroed; tw_ring_destroy() takes it also after an error
 * @entries: a power of two
 *
 * Context: Process context.  May sleep.
 * Return: 0 or -ENOMEM.
 */
int tw_ring_init(struct tw_ring *ring, u32 entries)
{
	size_t bytes = TW_RECORDS_OFFSET + sizeof(*ring->records) * (size_t)entries;
	int err;

	ring->entries = entries;
	ring->last = &ring->backlog.first;
	err = tw_area_init(&ring->area, bytes);
	if (!err)
		err = tw_area_init(&ring->ctl_area, sizeof(*ring->ctl));
	if (err)
		return err;
	ring->shared = ring->area.addr;
	ring->records = ring->area.addr + TW_RECORDS_OFFSET;
	ring->ctl = ring->ctl_area.addr;
	ring->shared->entries = entries;
	return 0;
}

/**
 * tw_ring_destroy() - the end of a ring
 * @ring: a ring, whole or half made or zeroed
 *
 * Context: Process context.  May sleep.
 */
void tw_ring_destroy(struct tw_ring *ring)
{
	tw_area_destroy(&ring->area);
	tw_area_destroy(&ring->ctl_area);
}

/**
 * tw_ring_look() - look at how far the consumers are
 * @ring: the ring
 *
 * Context: Expects the queue's lock to be held.
 * Return: whether a record can be written.
 */
bool tw_ring_look(struct tw_ring *ring)
{
	ring->head = smp_load_acquire(&ring->ctl->head);	/* D */
	return ring->tail - ring->head < ring->entries;
}

/**
 * tw_ring_show() - show the program what has been written
 * @ring: the ring
 *
 * Context: Expects the queue's lock to be held.
 */
void tw_ring_show(struct tw_ring *ring)
{
	smp_store_release(&ring->shared->tail, ring->tail);	/* A */
}

/**
 * tw_ring_publish() - show the program what has been written and what waits
 * @ring: the ring
 * @more: what else waits for room
 *
 * After it tw_ring_room() must be asked once more if the backlog is not empty,
 * and tw_ring_wants_signal() answers for what was published.
 *
 * Context: Expects the queue's lock to be held.
 */
void tw_ring_publish(struct tw_ring *ring, u32 more)
{
	WRITE_ONCE(ring->shared->backlog, ring->waiting + more);
	tw_ring_show(ring);
	smp_mb();						/* E */
}

/**
 * tw_ring_wants_signal() - whether the program wants to be signalled
 * @ring: the ring
 *
 * Context: Any, after tw_ring_publish().
 */
bool tw_ring_wants_signal(const struct tw_ring *ring)
{
	return !(READ_ONCE(ring->ctl->flags) & TWHEEL_CTL_NO_SIGNAL);
}

/**
 * tw_ring_unread() - whether a record has not been taken yet
 * @ring: the ring
 * @number: the record's number
 *
 * Context: Expects the queue's lock to be held.
 */
bool tw_ring_unread(const struct tw_ring *ring, u32 number)
{
	return ring->tail - number <= ring->tail - READ_ONCE(ring->ctl->head);
}

/**
 * tw_ring_wait() - append a due timer to the backlog
 * @ring: the ring
 * @t: a timer that is in no list
 *
 * Context: Expects the queue's lock to be held.
 */
void tw_ring_wait(struct tw_ring *ring, struct tw_timer *t)
{
	t->link.next = NULL;
	t->link.pprev = ring->last;
	*ring->last = &t->link;
	ring->last = &t->link.next;
	ring->waiting++;
}

/**
 * tw_ring_unwait() - take a timer out of the backlog
 * @ring: the ring
 * @t: a timer that is in it
 *
 * Context: Expects the queue's lock to be held.
 */
void tw_ring_unwait(struct tw_ring *ring, struct tw_timer *t)
{
	if (ring->last == &t->link.next)
		ring->last = t->link.pprev;
	hlist_del_init(&t->link);
	ring->waiting--;
}

/**
 * tw_ring_count() - number of unread records
 * @ring: the ring
 *
 * Context: Any.
 * Return: what the program's head says; more than the ring holds when that
 * makes no sense.
 */
u32 tw_ring_count(const struct tw_ring *ring)
{
	u32 head = smp_load_acquire(&ring->ctl->head);		/* B */

	return READ_ONCE(ring->shared->tail) - head;
}

/**
 * tw_ring_peek() - copy the first unread record
 * @ring: the ring
 * @rec: where to
 * @number: out: its number, for tw_ring_take()
 *
 * Context: Any.
 * Return: 0; -EAGAIN when there is none; -EPROTO when the head makes no sense;
 * -EBUSY when others took records meanwhile, try again.
 */
int tw_ring_peek(const struct tw_ring *ring, struct twheel_record *rec, u32 *number)
{
	u32 head = smp_load_acquire(&ring->ctl->head);		/* B */
	u32 tail = smp_load_acquire(&ring->shared->tail);	/* B */

	if (tail == head)
		return -EAGAIN;
	if (tail - head > ring->entries)
		return READ_ONCE(ring->ctl->head) == head ? -EPROTO : -EBUSY;
	/* Written over meanwhile, if others took it: then tw_ring_take() says so. */
	data_race(*rec = *tw_ring_at(ring, head));
	*number = head;
	return 0;
}

/**
 * tw_ring_take() - take the record that was peeked at
 * @ring: the ring
 * @number: its number
 *
 * Context: Any.
 * Return: false when somebody else has taken it.
 */
bool tw_ring_take(struct tw_ring *ring, u32 number)
{
	return cmpxchg(&ring->ctl->head, number, number + 1) == number;	/* C */
}
