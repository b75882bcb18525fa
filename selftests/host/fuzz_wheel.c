// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Bytes as operations on the wheel, compared with sorted lists (model.c).
 *
 *	byte 0		base: 2^(6 * (b & 15)), -1, or +1, or 0
 *	then		operation: low 3 bits, and its operands
 *
 * A time is two bytes: a distance (e & 15, e >> 4 and f) << 6k from the present,
 * so that digits change often.
 *
 * Built with clang it is a target for libFuzzer, else a program that runs the
 * files that it is given.
 */
#include <stddef.h>
#include <stdint.h>

#include <linux/minmax.h>

#include "model.h"

#define TIMERS 300
#define LAST (TW_NEVER - 1)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const u8 *data;
	size_t left;
};

static u8 byte(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->data++;
}

static u64 distance(struct input *in)
{
	u8 e = byte(in), f = byte(in);
	u64 d = ((u64)(e >> 4) << 8 | f) - 1;

	return d << (TW_BITS * ((e & 15) % TW_LEVELS)) >> (e & 1);
}

static u64 forward(u64 now, u64 d)
{
	return now + d < now || now + d > LAST ? LAST : now + d;
}

static u64 later(struct input *in, u64 now)
{
	return forward(now, distance(in));
}

static u64 base(u8 b)
{
	unsigned int level = b & 15;

	if (level >= TW_LEVELS)
		return 0;
	return (1ULL << (TW_BITS * level)) + (b >> 4) % 3 - 1;
}

static void step(struct input *in, struct model *m, u8 op)
{
	u8 arg = op >> 3;
	u64 next, at;

	switch (op & 7) {
	case 0:
		model_add(m, later(in, m->now));
		break;
	case 1:			/* several with one operand, for crowds */
		at = later(in, m->now);
		for (arg = 4 * arg + 1; arg; arg--)	/* up to 125 */
			model_add(m, forward(at, arg & (op >> 3)));
		break;
	case 2:
		model_cancel(m, arg);
		break;
	case 3:
		model_move(m, arg, later(in, m->now));
		break;
	case 4:
		next = tw_wheel_next(&m->wheel);
		model_pop(m, next == TW_NEVER ? m->now : max(m->now, next),
			  arg < 24 ? MODEL_ALL : arg - 24U);
		break;
	case 5:
		at = later(in, m->now);
		model_pop(m, at, arg < 24 ? MODEL_ALL : arg - 24U);
		break;
	case 6:
		model_set_now(m, later(in, m->now));
		break;
	case 7:			/* the past, or back there */
		at = distance(in);
		at = m->now < at ? 0 : m->now - at;
		if (arg & 1)
			model_set_now(m, at);
		else
			model_add(m, at);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct model m;

	model_init(&m, base(byte(&in)), TIMERS);
	while (in.left)
		step(&in, &m, byte(&in));
	model_run_dry(&m);
	model_exit(&m);
	return 0;
}

#ifndef __clang__
#include <stdio.h>

int main(int argc, char **argv)
{
	static u8 data[1 << 16];
	FILE *file;
	int i;

	for (i = 1; i < argc; i++) {
		file = fopen(argv[i], "rb");
		if (!file) {
			perror(argv[i]);
			return 1;
		}
		LLVMFuzzerTestOneInput(data, fread(data, 1, sizeof(data), file));
		fclose(file);
		printf("ok %d %s\n", i, argv[i]);
	}
	printf("1..%d\n", argc - 1);
	return 0;
}
#endif
