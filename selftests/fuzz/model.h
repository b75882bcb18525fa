/* SPDX-License-Identifier: GPL-2.0-only */
/* The model: what a worker knows of its timers. */
#ifndef TWHEEL_FUZZ_MODEL_H
#define TWHEEL_FUZZ_MODEL_H

#include "arena.h"

struct timer *model_timer(struct worker *w, const struct twheel_op *asked);
struct span *model_span(struct worker *w, struct timer *t, const struct twheel_op *asked,
			struct base *b);
void model_push(struct worker *w, struct timer *t, __u64 later);
void model_word_cancel(struct worker *w, struct timer *t);
void model_word_arm(struct worker *w, struct timer *t, __u64 later);
void model_end(struct worker *w, struct timer *t, enum end how, __u64 until);
void model_account(struct worker *w, unsigned int i, struct base *b);
bool model_open(const struct timer *t);
bool model_far(const struct worker *w, const struct timer *t);
bool model_full(const struct worker *w);
void model_info(struct worker *w, const struct timer *t, const struct twheel_info *info,
		__u64 from, __u64 to);

#endif /* TWHEEL_FUZZ_MODEL_H */
