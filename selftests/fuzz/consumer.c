// SPDX-License-Identifier: GPL-2.0-only
/*
 * Consumers: take the records of a queue in each of the ways there are, and note
 * them for the judge.  They sleep without a time-out: a wake-up that is lost leaves
 * records behind, and the round does not end.  A signal ends their sleep when the
 * round is over.
 */
#include "consumer.h"
#include "promise.h"

#include <signal.h>

static void note(struct consumer *c, const struct twheel_record *rec)
{
	__u64 seen = arena_now(c->arena);

	atomic_fetch_add(&c->actor.step, 1);
	if (!holds(MOVES_ON, &c->actor, c->count < MAX_RECORDS, "too many records"))
		return;
	c->taken[c->count++] = (struct taken){ .rec = *rec, .seen = seen };
	if (c->count > MAX_RECORDS / 4)
		atomic_store(&c->arena->full, true);
}

static bool take_mapped(struct consumer *c)
{
	struct twheel_record rec;
	bool any = false;

	while (ring_take(&c->arena->q, &rec)) {
		note(c, &rec);
		any = true;
	}
	return any;
}

/* Takes from the mapping, and never sleeps for long. */
static void mapped(struct consumer *c)
{
	struct queue *q = &c->arena->q;

	if (!take_mapped(c)) {
		if (ring_backlog(q))
			flush(q->fd);
		else
			poll(&(struct pollfd){ .fd = q->fd, .events = POLLIN }, 1, 1);
	}
}

static void read_some(struct consumer *c)
{
	struct twheel_record rec[7];
	long got = read_records(c->arena->q.fd, rec, 1 + draw(&c->actor, 7));

	holds(RESULTS, &c->actor, got > 0 || got == -EAGAIN || got == -EINTR, "read: %ld", got);
	for (long i = 0; i < got; i++)
		note(c, &rec[i]);
}

static void wait_and_read(struct consumer *c)
{
	struct pollfd p = { .fd = c->arena->q.fd, .events = POLLIN };
	int ready = poll(&p, 1, -1);

	if (ready == 1)
		read_some(c);
}

/* By the letter of the header: what a consumer does before it sleeps. */
static void by_eventfd(struct consumer *c)
{
	struct queue *q = &c->arena->q;
	__u64 bells;

	__atomic_store_n(&q->ctl->flags, TWHEEL_CTL_NO_SIGNAL, __ATOMIC_RELAXED);
	take_mapped(c);
	__atomic_store_n(&q->ctl->flags, 0, __ATOMIC_RELAXED);
	if (ring_backlog(q)) {
		flush(q->fd);
		return;
	}
	if (__atomic_load_n(&q->ring->tail, __ATOMIC_ACQUIRE) != q->ctl->head)
		return;
	holds(RESULTS, &c->actor, read(c->arena->efd, &bells, sizeof(bells)) > 0 || errno == EINTR,
	      "eventfd: %d", errno);
}

/* Until the round is over, and then what is left. */
void consumer_work(struct consumer *c)
{
	static void (*const ways[KINDS])(struct consumer *) = {
		[MAPPED] = mapped, [READ] = wait_and_read, [BLOCKING] = read_some,
		[EVENTFD] = by_eventfd,
	};

	while (!atomic_load(&c->arena->quiet))
		ways[c->kind](c);
	atomic_store(&c->done, true);
}
