// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The engine in the process, through the whole of libtwheel: ops are collected and
 * submitted once per turn of the loop, records taken from the ring.  As with the other
 * peers a timer is made once and armed and cancelled as often as wanted.  One thread uses
 * the queue and says so, as the loops of the other peers require.
 *
 * With WORDS a timer is pushed back, cancelled and armed again by its word wherever
 * that is possible, and by an op elsewhere.
 */
#ifdef WORDS
#define PEER "process-words"
#define FLAGS (TWHEEL_UNSHARED | TWHEEL_SETUP_WORDS)
#else
#define PEER "process"
#define FLAGS TWHEEL_UNSHARED
#endif
#define PEER_PAYS_CLOCK
#define _GNU_SOURCE
#include <sys/timerfd.h>
#include <twheel.h>

#include "driver.h"

#define TURN	64U	/* ops collected in a turn of the loop */
#define BATCH	256U	/* records taken at a time */

static struct twheel queue;
static struct twheel_op ops[TURN];
static u32 count;
static u64 *ids;

/* The timerfd sees the driver's clock, too: when it is readable, or 0. */
static u64 readable_at;

int timerfd_settime(int fd __unused_ok, int flags __unused_ok, const struct itimerspec *its,
		    struct itimerspec *old __unused_ok)
{
	readable_at = its->it_value.tv_sec * SECOND + its->it_value.tv_nsec;
	return 0;
}

static void die(const char *what)
{
	fprintf(stderr, "process: %s\n", what);
	exit(1);
}

/* Ids are known once the op that makes the timer has run. */
static void submit(void)
{
	if (twheel_submit(&queue, ops, count) != (int)count)
		die("no submit");
	for (u32 i = 0; i < count; i++) {
		if (ops[i].result < 0)
			die("an op failed");
		if (ops[i].opcode == TWHEEL_OP_ARM)
			ids[ops[i].user_data] = ops[i].id;
	}
	count = 0;
}

static struct twheel_op *next_op(void)
{
	if (count == TURN)
		submit();
	return &ops[count++];
}

static void peer_init(u32 n)
{
	struct twheel_config config = {
		.size = sizeof(config),
		.flags = FLAGS,
		.clockid = CLOCK_MONOTONIC,
		.max_timers = n,
		.engine = TWHEEL_ENGINE_PROCESS,
	};

	readable_at = 0;
	ids = calloc(n, sizeof(*ids));
	if (!ids || twheel_open(&queue, &config))
		die("no queue");
}

static void peer_exit(void)
{
	submit();
	twheel_close(&queue);
	free(ids);
}

/* The word of a timer shows what was submitted, so nothing may be left. */
static bool by_word(void)
{
	if (FLAGS & TWHEEL_SETUP_WORDS && count)
		submit();
	return FLAGS & TWHEEL_SETUP_WORDS;
}

static void peer_arm(u32 i, u64 expires)
{
	if (!ids[i])
		twheel_prep_arm(next_op(), expires, 0, i, TWHEEL_OP_KEEP);
	else if (!by_word() || twheel_word_arm(&queue, ids[i], expires))
		twheel_prep_move(next_op(), ids[i], expires, 0, 0);
}

static void peer_cancel(u32 i)
{
	if (!by_word() || twheel_word_cancel(&queue, ids[i]))
		twheel_prep_cancel(next_op(), ids[i]);
}

static void peer_move(u32 i, u64 expires)
{
	if (!by_word() || twheel_word_push(&queue, ids[i], expires))
		twheel_prep_move(next_op(), ids[i], expires, 0, 0);
}

static void peer_tick(u64 at __unused_ok)
{
	submit();
}

static bool peer_step(u64 at __unused_ok)
{
	static struct twheel_record records[BATCH];
	int taken;

	submit();
	taken = twheel_consume(&queue, records, BATCH);
	if (taken < 0)
		die("no records");
	fired += (u32)taken;
	return readable_at && readable_at <= now;
}
