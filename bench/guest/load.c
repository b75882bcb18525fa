// SPDX-License-Identifier: GPL-2.0-only
/*
 * The work that every peer is given: deadlines at random within SPREAD, an hour from
 * now, so that none is reached while ops are measured.  A move is by some seconds, as
 * that of an idle timeout is: mostly it leaves a timer in its slot of the wheel.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../common/random.h"
#include "guest.h"

#define SPREAD	(1ULL << 33)	/* ns: 8.6 s */

struct timespec to_timespec(__u64 ns)
{
	return (struct timespec){ ns / NSEC_PER_SEC, ns % NSEC_PER_SEC };
}

static __u64 random_deadline(const struct load *load, __u64 *seed)
{
	return load->base + random_below(seed, SPREAD);
}

/* Fisher and Yates. */
static void shuffle(__u32 *order, unsigned int n, __u64 *seed)
{
	for (unsigned int i = 0; i < n; i++)
		order[i] = i;
	for (unsigned int i = n - 1; i > 0; i--) {
		unsigned int j = random_below(seed, i + 1);
		__u32 other = order[j];

		order[j] = order[i];
		order[i] = other;
	}
}

static void fill(struct load *load)
{
	__u64 seed = 1;

	for (unsigned int i = 0; i < load->n; i++)
		load->deadline[i] = random_deadline(load, &seed);
	for (unsigned int i = 0; i < LOAD_OPS; i++) {
		load->pick[i] = random_below(&seed, load->n);
		load->fresh[i] = random_deadline(load, &seed);
		load->when[i] = to_timespec(load->fresh[i]);
	}
	shuffle(load->shuffled, BATCH, &seed);
}

int load_make(struct load *load, unsigned int n)
{
	memset(load, 0, sizeof(*load));
	load->n = n;
	load->base = (__u64)now() + HOUR;
	load->deadline = calloc(n, sizeof(*load->deadline));
	load->pick = calloc(LOAD_OPS, sizeof(*load->pick));
	load->fresh = calloc(LOAD_OPS, sizeof(*load->fresh));
	load->when = calloc(LOAD_OPS, sizeof(*load->when));
	if (!load->deadline || !load->pick || !load->fresh || !load->when) {
		load_free(load);
		return complain(-ENOMEM, "%u timers: out of memory", n);
	}
	fill(load);
	return 0;
}

void load_free(struct load *load)
{
	free(load->deadline);
	free(load->pick);
	free(load->fresh);
	free(load->when);
}
