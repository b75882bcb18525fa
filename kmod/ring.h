/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_RING_H
#define TWHEEL_RING_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/twheel.h>

#include "area.h"
#include "timer.h"

/**
 * struct tw_ring - records for the program, and the timers that wait for room
 * @area: struct twheel_ring and the records, read-only for the program
 * @ctl_area: struct twheel_ctl, which the program writes
 * @shared: start of @area
 * @records: after it
 * @ctl: start of @ctl_area
 * @entries: size of the ring, a power of two
 * @tail: number of the next record; the program sees it after a publish
 * @head: a value that ctl->head had
 * @backlog: due timers without a record, earliest first
 * @last: where the next one is linked
 * @waiting: how many there are
 *
 * The producer's side is protected by the queue's lock.
 */
struct tw_ring {
	struct tw_area area;
	struct tw_area ctl_area;
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

int tw_ring_init(struct tw_ring *ring, u32 entries);
void tw_ring_destroy(struct tw_ring *ring);

bool tw_ring_look(struct tw_ring *ring);
void tw_ring_show(struct tw_ring *ring);
void tw_ring_publish(struct tw_ring *ring, u32 more);
bool tw_ring_unread(const struct tw_ring *ring, u32 number);

void tw_ring_wait(struct tw_ring *ring, struct tw_timer *t);
void tw_ring_unwait(struct tw_ring *ring, struct tw_timer *t);

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
	return ring->tail - ring->head < ring->entries || tw_ring_look(ring);
}

/**
 * tw_ring_first() - the timer that has waited longest
 * @ring: the ring
 *
 * Context: Expects the queue's lock to be held.
 * Return: a timer, or NULL when the backlog is empty.
 */
static inline struct tw_timer *tw_ring_first(const struct tw_ring *ring)
{
	return hlist_entry_safe(ring->backlog.first, struct tw_timer, link);
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
