// SPDX-License-Identifier: GPL-2.0-only
/* What a worker wishes to do next, drawn at random. */
#include "arena.h"
#include "wish.h"

__u64 wish_delay(struct actor *a)
{
	switch (draw(a, 8)) {
	case 0:
		return 0;
	case 1:
	case 2:
		return draw(a, 200 * USEC);
	case 3:
	case 4:
		return draw(a, 3 * MSEC);
	case 5:
		return draw(a, 20 * MSEC);
	case 6:
		return draw(a, 40) * 100 * USEC;	/* many at once */
	default:
		return 2 * FAR + draw(a, HOUR);
	}
}

void wish_draw(struct actor *a, struct wish *wish)
{
	*wish = (struct wish){
		.slot = 1 + draw(a, SLOTS - 1),
		.kind = draw(a, 16),
		.way = draw(a, 64),
		.delay = wish_delay(a),
		.period = one_in(a, 6) ? 300 * USEC + draw(a, 20 * MSEC) : 0,
		.slack = one_in(a, 3) ? draw(a, 2 * MSEC) : 0,
		.relative = one_in(a, 2),
		.keep = one_in(a, 2),
	};
}

int wish_broken(struct twheel_op *op, const struct wish *wish)
{
	*op = op_arm(TIME_MAX, 1);
	switch (wish->way % 10) {
	case 0:
		op->opcode = wish->way % 2 ? 0 : TWHEEL_OP_FREE + 1 + wish->way;
		return -EINVAL;
	case 1:
		op->resv0 = 1;
		return -EINVAL;
	case 2:
		op->flags = 1U << (2 + wish->way % 14);
		return -EINVAL;
	case 3:
		op->resv[wish->way / 10 % 2] = 1ULL << wish->way;
		return -EINVAL;
	case 4:
		op->period = 1 + wish->slack % 99999;
		return -EINVAL;
	case 5:
		op->period = TIME_MAX + 1 + wish->delay;
		return -EINVAL;
	case 6:
		op->deadline = TIME_MAX + 1 + wish->delay;
		return -EOVERFLOW;
	case 7:
		op->flags = TWHEEL_OP_REL;
		return -EOVERFLOW;
	case 8:
		*op = op_cancel(wish->delay);
		op->deadline = 1;
		return -EINVAL;
	default:
		*op = op_move(wish->delay, 1, 0);
		op->user_data = 1;
		return -EINVAL;
	}
}
