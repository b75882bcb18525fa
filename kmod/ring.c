// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The ring's steps that need a barrier or are rare.  Who writes what is in ring.h; the
 * protocol, and the barriers by their letters, are in <linux/twheel.h>.
 */
#include <linux/atomic.h>
#include <linux/errno.h>

#include "ring.h"

/**
 * tw_ring_init() - make a ring
 * @ring: the ring
 * @shared: tw_ring_bytes(@entries) of zeroes, which the program can read
 * @ctl: zeroes, which the program writes
 * @entries: a power of two
 */
void tw_ring_init(struct tw_ring *ring, struct twheel_ring *shared, struct twheel_ctl *ctl,
		  u32 entries)
{
	*ring = (struct tw_ring){
		.shared = shared,
		.records = (void *)shared + TW_RECORDS_OFFSET,
		.ctl = ctl,
		.entries = entries,
		.last = &ring->backlog.first,
	};
	shared->entries = entries;
}

/**
 * tw_ring_reload_head() - look how far the consumers are
 * @ring: the ring
 *
 * Context: Expects the queue's lock to be held.
 * Return: whether a record can be written.
 */
bool tw_ring_reload_head(struct tw_ring *ring)
{
	ring->head = smp_load_acquire(&ring->ctl->head);	/* D */
	return ring->tail - ring->head < ring->entries;
}

/**
 * tw_ring_commit_tail() - show the program what has been written
 * @ring: the ring
 *
 * Context: Expects the queue's lock to be held.
 */
void tw_ring_commit_tail(struct tw_ring *ring)
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
	tw_ring_commit_tail(ring);
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
 * @id: the id of the record's timer, which has no later record
 *
 * Numbers come again after 2^32 records.  So a record that lies between head and
 * tail by its number may be one of long ago; its place in the ring then has
 * another timer's by now.
 *
 * Context: Expects the queue's lock to be held.
 */
bool tw_ring_unread(const struct tw_ring *ring, u32 number, u64 id)
{
	return ring->tail - number <= ring->tail - READ_ONCE(ring->ctl->head) &&
	       tw_ring_at(ring, number)->id == id;
}

/**
 * tw_backlog_add() - append a due timer to the backlog
 * @ring: the ring
 * @t: a timer that is in no list
 *
 * Context: Expects the queue's lock to be held.
 */
void tw_backlog_add(struct tw_ring *ring, struct tw_timer *t)
{
	t->link.next = NULL;
	t->link.pprev = ring->last;
	*ring->last = &t->link;
	ring->last = &t->link.next;
	ring->waiting++;
}

/**
 * tw_backlog_del() - take a timer out of the backlog
 * @ring: the ring
 * @t: a timer that is in it
 *
 * Context: Expects the queue's lock to be held.
 */
void tw_backlog_del(struct tw_ring *ring, struct tw_timer *t)
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
	u32 head = smp_load_acquire(&ring->ctl->head);		/* C of another */

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
	u32 head = smp_load_acquire(&ring->ctl->head);		/* C of another */
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
