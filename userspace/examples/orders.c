// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Orders that are closed once, by payment or when their time is up, by several
 * processes on one queue.
 *
 *	orders
 *
 * The parent arms a timer for each order, and cancels it when the order is paid.
 * The workers take the records of those that were not paid in time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <twheel.h>
#include <unistd.h>

enum { ORDERS = 1000, WORKERS = 4 };

/* Shared by all processes. */
static struct shop {
	unsigned int closings[ORDERS];	/* how often each order was closed */
	unsigned int paid;
	unsigned int expired;
} *shop;

static void die(const char *what, int error)
{
	fprintf(stderr, "%s: %s\n", what, strerror(error));
	exit(1);
}

static void close_order(__u64 order, unsigned int *how)
{
	__atomic_fetch_add(&shop->closings[order], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(how, 1, __ATOMIC_RELAXED);
}

static unsigned int closed(void)
{
	return __atomic_load_n(&shop->paid, __ATOMIC_RELAXED) +
	       __atomic_load_n(&shop->expired, __ATOMIC_RELAXED);
}

/* Mappings are not inherited: a child maps the queue anew, by a dup of its own. */
static void work(const struct twheel *parents)
{
	struct twheel_record record;
	struct twheel tw;
	int ret = twheel_attach(&tw, dup(twheel_fd(parents)), &parents->setup);

	if (ret)
		die("twheel_attach", -ret);
	while (closed() < ORDERS) {
		twheel_wait(&tw, 10000000);	/* another worker may be faster */
		while (twheel_consume(&tw, &record, 1) == 1)
			close_order(record.user_data, &shop->expired);
	}
	twheel_close(&tw);
}

static void arm_all(struct twheel *tw, struct twheel_op *ops)
{
	for (unsigned int i = 0; i < ORDERS; i++)	/* within a second */
		twheel_prep_arm(&ops[i], (__u64)rand() % 1000000000, 0, i, TWHEEL_OP_REL);
	if (twheel_submit(tw, ops, ORDERS) != ORDERS)
		die("twheel_submit", EIO);
	for (unsigned int i = 0; i < ORDERS; i++)
		if (ops[i].result < 0)
			die("arm", -ops[i].result);
}

/* The answer of the cancel decides who closes the order, and nothing else does. */
static void pay(struct twheel *tw, unsigned int order, __u64 id)
{
	struct twheel_op op;

	twheel_prep_cancel(&op, id);
	if (twheel_submit(tw, &op, 1) != 1)
		die("twheel_submit", EIO);
	if (!op.result)
		close_order(order, &shop->paid);
	else if (op.result != -ENOENT)	/* ENOENT: a worker closes it */
		die("cancel", -op.result);
}

static int report(void)
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < ORDERS; i++)
		wrong += shop->closings[i] != 1;
	printf("%u paid, %u expired, %u not closed exactly once\n", shop->paid, shop->expired,
	       wrong);
	return wrong ? 1 : 0;
}

int main(void)
{
	static struct twheel_op ops[ORDERS];
	const struct timespec pause = { .tv_nsec = 100000 };
	struct twheel tw;
	int ret = twheel_open(&tw, NULL);

	if (ret)
		die("twheel_open", -ret);
	shop = mmap(NULL, sizeof(*shop), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shop == MAP_FAILED)
		die("mmap", errno);
	arm_all(&tw, ops);
	for (int i = 0; i < WORKERS; i++) {
		if (fork() == 0) {
			work(&tw);
			return 0;
		}
	}
	for (unsigned int i = 0; i < ORDERS; i++) {
		pay(&tw, i, ops[i].id);
		nanosleep(&pause, NULL);
	}
	while (wait(NULL) > 0)
		;
	twheel_close(&tw);
	return report();
}
