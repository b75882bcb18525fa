// SPDX-License-Identifier: GPL-2.0-only
/*
 * A batch that fails half way: at the edge of what can be written, or because an
 * allocation or a copy fails in the kernel.  What it has armed is armed, and the rest is
 * not.
 */
#include "halfway.h"
#include "promise.h"

#include "../common/fault.h"

/* After the fault: a timer that has an id is armed, or it was undone with all others. */
static void look_at_failed(struct worker *w, const struct twheel_op *op, long ret)
{
	int fd = queue_of(w)->fd;
	long shown;

	if (op->result == -ENOMEM || (op->result == -ENOSPC && w->arena->limited))
		return;
	if (!holds(FAULTS, &w->actor, !op->result && op->id, "ARM with a fault: %d", op->result))
		return;
	shown = state(fd, op->id);
	if (shown == -ENOENT && ret == -EFAULT)
		return;
	holds(FAULTS, &w->actor, shown == TWHEEL_PENDING, "after a fault, %llx is %ld", op->id,
	      shown);
	holds(FAULTS, &w->actor, release(fd, op->id) == 1, "FREE of %llx after a fault", op->id);
	w->sums.armed++;
	w->sums.cancelled++;
}

/* Only ARMs, so that what must be is known. */
static void arm_with_fault(struct worker *w, struct twheel_op *ops, unsigned int count,
			   unsigned int nth)
{
	long ret;

	for (unsigned int i = 0; i < count; i++)
		ops[i] = op_arm(arena_now(w->arena) + 10 * HOUR, ~0ULL);
	if (!nth)
		mprotect(w->pages + PAGE_SIZE, PAGE_SIZE, PROT_READ);
	if (nth)
		fault_at(w->fault_fd, nth);
	ret = submit(queue_of(w)->fd, ops, count);
	if (nth)
		fault_at(w->fault_fd, 0);
	step(&w->actor, "%u ARMs, fault %u: %ld", count, nth, ret);
	atomic_store(&w->arena->faulty, true);
	holds(FAULTS, &w->actor, ret == -EFAULT || (nth && ret > 0 && ret <= count),
	      "SUBMIT of %u with a fault: %ld", count, ret);
	for (long i = 0; i < count; i++)
		if (ops[i].result != POISON32)
			look_at_failed(w, &ops[i], ret);
		else
			holds(FAULTS, &w->actor, i >= ret, "op %ld of %ld has no result", i, ret);
	if (!nth)
		mprotect(w->pages + PAGE_SIZE, PAGE_SIZE, PROT_READ | PROT_WRITE);
}

void halfway_batch(struct worker *w)
{
	unsigned int count = 2 + draw(&w->actor, 60), nth = draw(&w->actor, 12);
	unsigned int beyond = 1 + draw(&w->actor, count);

	if (nth && w->fault_fd < 0)
		return;
	if (nth)
		arm_with_fault(w, w->ops, count, nth);
	else
		arm_with_fault(w, (void *)(w->pages + PAGE_SIZE -
					   (count - beyond) * sizeof(struct twheel_op)), count, 0);
}
