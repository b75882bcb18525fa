// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * A test of a timeout of 30 minutes, which takes no time: the clock is a manual one.
 *
 * The shop closes an order 30 minutes after it was placed, unless it is paid.
 */
#include <stdio.h>
#include <stdlib.h>
#include <twheel.h>

#define MINUTE	60000000000ULL

/* --- the program: it gets its queue from outside --- */

static __u64 place_order(struct twheel *tw, __u64 order)
{
	struct twheel_op op;

	twheel_prep_arm(&op, 30 * MINUTE, 0, order, TWHEEL_OP_REL);
	if (twheel_submit(tw, &op, 1) != 1 || op.result)
		abort();
	return op.id;
}

/* Whether the payment came in time. */
static int pay(struct twheel *tw, __u64 timer)
{
	struct twheel_op op;

	twheel_prep_cancel(&op, timer);
	return twheel_submit(tw, &op, 1) == 1 && op.result == 0;
}

/* The next order to close; 0 if there is none yet. */
static __u64 closed_order(struct twheel *tw)
{
	struct twheel_record record;

	return twheel_consume(tw, &record, 1) == 1 ? record.user_data : 0;
}

/* --- the test --- */

static int failed;

static void expect(int good, const char *what)
{
	printf("%s %s\n", good ? "ok    " : "not ok", what);
	failed |= !good;
}

int main(void)
{
	struct twheel_config config = {
		.size = sizeof(config),
		.clockid = TWHEEL_CLOCK_MANUAL,
	};
	struct twheel tw;
	__u64 first, second;

	if (twheel_open(&tw, &config))
		return 1;
	first = place_order(&tw, 4711);
	twheel_advance(&tw, 1 * MINUTE);
	second = place_order(&tw, 4712);

	twheel_advance(&tw, 29 * MINUTE - 1);
	expect(closed_order(&tw) == 0, "one ns before its time no order is closed");
	twheel_advance(&tw, 1);
	expect(closed_order(&tw) == 4711, "the first is closed after 30 minutes");
	expect(!pay(&tw, first), "its payment comes too late");
	expect(pay(&tw, second), "the second is paid in time");
	twheel_advance(&tw, 60 * MINUTE);
	expect(closed_order(&tw) == 0, "and is never closed");
	twheel_close(&tw);
	return failed;
}
