// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hostile ioctls, on a few queues that several threads share without a lock: any of
 * them may be closed, opened anew, unmapped or scribbled over at any moment.
 *
 * Arguments are mostly valid, because what is refused at the door reaches nothing.  Then
 * some get a bit flipped, a number of those that hurt, a bad pointer.  All that is
 * asked of the kernel is that it survives, and that each call ends with an error that
 * the header allows it.
 */
#include "ioctls.h"
#include "promise.h"
#include "victim.h"

#include "../common/fault.h"

#include <signal.h>

#define MAX_OPS		100

static char *guarded;		/* a page, and behind it nothing */

void ioctl_prepare(void)
{
	guarded = guarded_page();
}

/* --- values that hurt ------------------------------------------------------------- */

static __u64 odd_number(struct actor *a)
{
	switch (draw(a, 8)) {
	case 0:
		return 0;
	case 1:
		return ~0ULL >> draw(a, 64);
	case 2:
		return 1ULL << draw(a, 64);
	case 3:
		return (1ULL << draw(a, 64)) - 1 + draw(a, 3);
	case 4:
		return draw(a, 100);
	case 5:
		return mono() + draw(a, 10 * MSEC);
	case 6:
		return TIME_MAX - draw(a, 3);
	default:
		return random_next(&a->random);
	}
}

/* One bit, one field of 32 or 64 bits, or nothing at all is changed. */
static void spoil(struct actor *a, void *data, size_t size)
{
	__u64 number = odd_number(a);
	size_t at = draw(a, size / 8) * 8;
	unsigned int way = draw(a, 8);

	if (way == 0)
		((__u8 *)data)[draw(a, size)] ^= 1U << draw(a, 8);
	else if (way == 1)
		memcpy((char *)data + at, &number, 8);
	else if (way == 2)
		memcpy((char *)data + at + 4 * draw(a, 2), &number, 4);
}

static int pick(struct actor *a)
{
	return draw(a, VICTIMS);
}

/*
 * Somewhere for an argument or an array of @size bytes: good, or not.  Never a good
 * address with a bit flipped: the kernel would write all over the fuzzer.
 */
static void *place_for(struct actor *a, void *good, size_t size)
{
	struct victim *v = &victims[pick(a)];

	switch (draw(a, 20)) {
	case 0:
		return guarded + PAGE_SIZE - draw(a, size < PAGE_SIZE ? size : PAGE_SIZE);
	case 1:
		return (void *)(uintptr_t)odd_number(a);
	case 2:
		return v->ctl + draw(a, PAGE_SIZE);
	case 3:
		return v->words + draw(a, WORDS_BYTES);
	case 4:
		return v->ring + draw(a, PAGE_SIZE);
	default:
		return good;
	}
}

/* --- what may be answered --------------------------------------------------------------- */

/* Errors of any call; EBADF, because the descriptor may have been closed. */
static bool common_error(long ret)
{
	return ret == -EBADF || ret == -EFAULT || ret == -EINVAL || ret == -E2BIG ||
	       ret == -ENXIO || ret == -ENOMEM;
}

static void allowed(struct actor *a, const char *call, long ret, long other1, long other2)
{
	holds(ERRNOS, a, ret >= 0 || common_error(ret) || ret == other1 || ret == other2,
	      "%s: %ld (%s)", call, ret, strerror(-ret));
}

static bool result_allowed(const struct twheel_op *op)
{
	__s32 r = op->result;

	if (r == -EINVAL)
		return true;
	switch (op->opcode) {
	case TWHEEL_OP_ARM:
		return !r || r == -EOVERFLOW || r == -ENOSPC || r == -ENOMEM || r == -EDQUOT;
	case TWHEEL_OP_MOVE:
		return !r || r == 1 || r == -ENOENT || r == -EOVERFLOW;
	case TWHEEL_OP_QUERY:
		return r == -ENOENT || (r >= TWHEEL_PENDING && r <= TWHEEL_IDLE);
	case TWHEEL_OP_CANCEL:
		return !r || r == -ENOENT;
	case TWHEEL_OP_FREE:
		return !r || r == 1 || r == -ENOENT;
	default:
		return false;
	}
}

/* --- the ioctls ------------------------------------------------------------------------------ */

/* @arg, with a size that may be wrong, from a place that may be bad. */
static long call(struct actor *a, int victim, unsigned long cmd, const void *arg, size_t size)
{
	char large[sizeof(struct twheel_stats) + 64] = { 0 };

	memcpy(large, arg, size);
	if (one_in(a, 16))
		*(__u32 *)large = size + draw(a, 65);
	if (one_in(a, 64))
		large[size + draw(a, 64)] = 1;
	return tw_ioctl(victim_fd(victim), cmd, place_for(a, large, size));
}

static void open_victim(struct actor *a, int i)
{
	static const __u32 clocks[] = {
		CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME, CLOCK_TAI,
	};
	struct twheel_setup setup = setup_of(clocks[draw(a, 4)], 1U << draw(a, 8));
	int fd = device_open();
	long ret;

	setup.flags = draw(a, 4) ? TWHEEL_SETUP_WORDS : 0;
	setup.max_timers = draw(a, 4) ? 1 + draw(a, 3000) : 0;
	setup.slack = one_in(a, 8) ? odd_number(a) : 0;
	spoil(a, &setup, sizeof(setup));
	if (fd < 0)
		return;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	/* Large rings would take the memory that the honest queues need. */
	if (setup.ring_entries > 16384 && setup.ring_entries <= 1U << 20)
		setup.ring_entries = 16;
	ret = tw_ioctl(fd, TWHEEL_IOC_SETUP, &setup);
	allowed(a, "SETUP", ret, -EOPNOTSUPP, -EDQUOT);
	dup3(fd, victim_fd(i), O_CLOEXEC);
	close(fd);
	if (!ret)
		victims[i].setup = setup;
	step(a, "%d: open, SETUP %u timers, %u records, clock %u: %ld", i, setup.max_timers,
	     setup.ring_entries, setup.clockid, ret);
}

static void setup_again(struct actor *a, int i)
{
	struct twheel_setup setup = setup_of(CLOCK_MONOTONIC, 8);
	long ret;

	spoil(a, &setup, sizeof(setup));
	if (setup.ring_entries > 16384)
		setup.ring_entries = 1;
	ret = call(a, i, TWHEEL_IOC_SETUP, &setup, sizeof(setup));
	if (ret != -EDQUOT && ret != -EOPNOTSUPP)
		allowed(a, "SETUP", ret, -EBUSY, 0);
	step(a, "%d: SETUP: %ld", i, ret);
}

static void random_op(struct actor *a, struct twheel_op *op, struct victim *v)
{
	*op = op_on(TWHEEL_OP_ARM + draw(a, 5), 0);
	if (op->opcode == TWHEEL_OP_ARM || op->opcode == TWHEEL_OP_MOVE) {
		op->flags = TWHEEL_OP_REL;
		op->deadline = draw(a, one_in(a, 4) ? HOUR : 5 * MSEC);
		op->period = one_in(a, 8) ? 5 * MSEC + draw(a, 20 * MSEC) : 0;
		op->slack = one_in(a, 4) ? draw(a, MSEC) : 0;
	}
	if (op->opcode == TWHEEL_OP_ARM)
		op->flags |= one_in(a, 2) ? TWHEEL_OP_KEEP : 0;
	else
		op->id = v->recent[draw(a, RECENT)];
	if (one_in(a, 4))
		spoil(a, op, sizeof(*op));
	/* Timers that fire all the time would leave no CPU for anything else. */
	if (op->period < 2 * MSEC && !one_in(a, 64))
		op->period = 0;
}

static void submit_some(struct actor *a, int i)
{
	struct twheel_op ops[MAX_OPS], *at;
	struct victim *v = &victims[i];
	__u32 count = 1 + draw(a, one_in(a, 3) ? MAX_OPS : 5);
	struct twheel_submit arg = { .size = sizeof(arg), .count = count };
	long ret;

	for (__u32 k = 0; k < count; k++)
		random_op(a, &ops[k], v);
	at = place_for(a, ops, count * sizeof(*ops));
	if (at != ops)
		spoil(a, &arg, sizeof(arg));
	arg.ops = addr(at);
	ret = at == ops ? submit(victim_fd(i), ops, count) :
			  call(a, i, TWHEEL_IOC_SUBMIT, &arg, sizeof(arg));
	allowed(a, "SUBMIT", ret, 0, 0);
	step(a, "%d: SUBMIT of %u at %p: %ld", i, arg.count, (void *)at, ret);
	for (long k = 0; at == ops && k < ret; k++) {
		holds(ERRNOS, a, result_allowed(&ops[k]), "op %u: %d", ops[k].opcode,
		      ops[k].result);
		if (ops[k].opcode == TWHEEL_OP_ARM && !ops[k].result)
			v->recent[draw(a, RECENT)] = ops[k].id;
	}
}

static void register_eventfd(struct actor *a, int i)
{
	struct twheel_eventfd arg = { .size = sizeof(arg) };
	const int fds[] = { HOSTILE_EFD, HOSTILE_EFD + 1, -1, victim_fd(i), 0, (int)draw(a, 400) };
	long ret;

	arg.fd = fds[draw(a, 6)];
	spoil(a, &arg, sizeof(arg));
	ret = call(a, i, TWHEEL_IOC_EVENTFD, &arg, sizeof(arg));
	allowed(a, "EVENTFD", ret, 0, 0);
	step(a, "%d: EVENTFD %d: %ld", i, arg.fd, ret);
}

static void look(struct actor *a, int i)
{
	struct twheel_stats s = { .size = sizeof(s) };
	struct twheel_info infos[40];
	struct twheel_list list = {
		.size = sizeof(list), .count = draw(a, 40),
		.cursor = one_in(a, 3) ? odd_number(a) : draw(a, 200),
	};
	void *at = place_for(a, infos, sizeof(infos));
	long ret;

	if (one_in(a, 3)) {
		spoil(a, &s, 8);
		ret = call(a, i, TWHEEL_IOC_STATS, &s, sizeof(s));
		allowed(a, "STATS", ret, 0, 0);
		step(a, "%d: STATS: %ld", i, ret);
		return;
	}
	if (at != infos)
		spoil(a, &list, sizeof(list));
	list.infos = addr(at);
	ret = call(a, i, TWHEEL_IOC_LIST, &list, sizeof(list));
	allowed(a, "LIST", ret, 0, 0);
	step(a, "%d: LIST of %u from %llx: %ld", i, list.count, list.cursor, ret);
}

static void read_some(struct actor *a, int i)
{
	struct twheel_record rec[20];
	size_t size = one_in(a, 4) ? draw(a, sizeof(rec) + 1) : sizeof(rec);
	long ret = result_of(read(victim_fd(i), place_for(a, rec, sizeof(rec)), size));

	if (ret != -EINTR)
		allowed(a, "read", ret, -EAGAIN, -EPROTO);
	holds(ERRNOS, a, ret < 0 || (ret && ret % sizeof(*rec) == 0), "read: %ld", ret);
	step(a, "%d: read of %zu: %ld", i, size, ret);
}

static void other_calls(struct actor *a, int i)
{
	unsigned long cmd = TWHEEL_IOC_SETUP + draw(a, 256);
	int fd = victim_fd(i);
	long ret;

	switch (draw(a, 4)) {
	case 0:
		ret = tw_ioctl(fd, TWHEEL_IOC_FLUSH, one_in(a, 4) ? &ret : NULL);
		allowed(a, "FLUSH", ret, 0, 0);
		step(a, "%d: FLUSH: %ld", i, ret);
		return;
	case 1:
		cmd = cmd > TWHEEL_IOC_LIST ? cmd : cmd | 1UL << (16 + draw(a, 16));
		ret = tw_ioctl(fd, cmd, (void *)(uintptr_t)odd_number(a));
		holds(ERRNOS, a, ret == -ENOTTY || ret == -EBADF, "ioctl %lx: %ld", cmd, ret);
		step(a, "%d: ioctl %lx: %ld", i, cmd, ret);
		return;
	case 2:
		ret = poll(&(struct pollfd){ .fd = fd, .events = POLLIN | POLLOUT }, 1, 0);
		step(a, "%d: poll: %ld", i, ret);
		return;
	default:
		ret = result_of(pread(fd, &cmd, sizeof(cmd), 8));
		holds(ERRNOS, a, ret == -ESPIPE || ret == -EBADF, "pread: %ld", ret);
		step(a, "%d: pread: %ld", i, ret);
	}
}

void ioctl_step(struct actor *a)
{
	int i = pick(a);

	switch (draw(a, 20)) {
	case 0:
		open_victim(a, i);
		return;
	case 1:
		setup_again(a, i);
		return;
	case 2:
		register_eventfd(a, i);
		return;
	case 3:
	case 4:
		look(a, i);
		return;
	case 5:
	case 6:
	case 7:
		read_some(a, i);
		return;
	case 8:
	case 9:
		other_calls(a, i);
		return;
	default:
		submit_some(a, i);
	}
}

/*
 * A call with a point that fails, if it has so many.  Without signals: a fault in
 * the making of a signal's frame would kill the process.
 */
void ioctl_step_with_fault(struct actor *a, int fd, unsigned int nth)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	fault_at(fd, nth);
	ioctl_step(a);
	fault_at(fd, 0);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}
