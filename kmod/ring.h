/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef TWHEEL_RING_H
#define TWHEEL_RING_H

/*
 * The ring: one producer, the queue; any number of consumers, programs that map
 * it and callers of read().  The protocol is in <linux/twheel.h>, its proof in
 * selftests/models/ring.pml.
 *
 * Who writes what:
 *
 *	shared->tail, backlog, the records	the engine, mapped read-only
 *	ctl->head				consumers, by compare-exchange
 *	ctl->flags				the program
 *
 * The engine keeps its own size and tail, reads head and flags once each, and
 * acts on the copy.  It looks at head when the room that it knows of is used up.
 * An impossible head (more unread records than the ring holds) then counts as a
 * full ring: nothing is written until head makes sense again.
 *
 * The barriers, in pairs, are described in <linux/twheel.h> under "Barriers"; the
 * letters in ring.c are those.
 *
 * The backlog is a list of the due timers themselves, so it needs no memory and
 * loses nothing.  It is in the order of expiry, since timers join it in that
 * order and the ring takes from its front before it takes anything newer.
 */
#include <linux/list.h>
#include <linux/twheel.h>
#include <linux/types.h>

#include "timer.h"

/**
 * struct tw_ring - records for the program, and the timers that wait for room
 * @shared: read-only for the program
 * @records: they follow @shared
 * @ctl: the program writes it
 * @entries: size of the ring, a power of two
 * @tail: number of the next record; the program sees it after a publish
 * @head: a value that ctl->head had
 * @backlog: due timers without a record, earliest first
 * @last: where the next timer is linked
 * @waiting: how many timers are in the backlog
 *
 * The producer's side is protected by the queue's lock.
 */
struct tw_ring {
	struct twheel_ring *shared;
	struct twheel_record *records;
	struct twheel_ctl *ctl;
	u32 entries;
	u32 tail;
	u32 head;
	struct hlist_head backlog;
	struct hlist_node **last;
	u32 waiting;
};

/* Bytes from the start of the ring area to the records. */
#define TW_RECORDS_OFFSET	sizeof(struct twheel_ring)

/* The size of the ring area. */
static inline size_t tw_ring_bytes(u32 entries)
{
	return TW_RECORDS_OFFSET + sizeof(struct twheel_record) * (size_t)entries;
}

void tw_ring_init(struct tw_ring *ring, struct twheel_ring *shared, struct twheel_ctl *ctl,
		  u32 entries);

bool tw_ring_reload_head(struct tw_ring *ring);
void tw_ring_commit_tail(struct tw_ring *ring);
void tw_ring_publish(struct tw_ring *ring, u32 more);
bool tw_ring_unread(const struct tw_ring *ring, u32 number, u64 id);

void tw_backlog_add(struct tw_ring *ring, struct tw_timer *t);
void tw_backlog_del(struct tw_ring *ring, struct tw_timer *t);

int tw_ring_peek(const struct tw_ring *ring, struct twheel_record *rec, u32 *number);
bool tw_ring_take(struct tw_ring *ring, u32 number);
u32 tw_ring_count(const struct tw_ring *ring);
bool tw_ring_wants_signal(const struct tw_ring *ring);

/**
 * tw_ring_room() - whether a record can be written
 * @ring: the ring
 *
 * Context: Expects the queue's lock to be held.
 */
static inline bool tw_ring_room(struct tw_ring *ring)
{
	return ring->tail - ring->head < ring->entries || tw_ring_reload_head(ring);
}

/**
 * tw_backlog_first() - the timer that has waited longest
 * @ring: the ring
 *
 * Context: Expects the queue's lock to be held.
 * Return: a timer, or NULL when the backlog is empty.
 */
static inline struct tw_timer *tw_backlog_first(const struct tw_ring *ring)
{
	return ring->backlog.first ?
	       hlist_entry(ring->backlog.first, struct tw_timer, link) : NULL;
}

/* The place of record @number. */
static inline struct twheel_record *tw_ring_at(const struct tw_ring *ring, u32 number)
{
	return &ring->records[number & (ring->entries - 1)];
}

/**
 * tw_ring_write() - write a record; tw_ring_publish() shows it
 * @ring: a ring that has room
 * @rec: the record
 *
 * Context: Expects the queue's lock to be held.
 * Return: the record's number.
 */
static inline u32 tw_ring_write(struct tw_ring *ring, const struct twheel_record *rec)
{
	*tw_ring_at(ring, ring->tail) = *rec;
	return ring->tail++;
}

#endif /* TWHEEL_RING_H */
