// SPDX-License-Identifier: GPL-2.0-only
/*
 * A histogram of lateness in plain text.  The kernel counts in powers of two:
 * bucket n holds 2^(n-1) to 2^n - 1 ns.  Printed are the buckets from the first
 * to the last that is not empty, each with its upper bound in the unit that suits.
 */
#include <stdio.h>

#include "histogram.h"

#define BAR	40

static void print_bound(unsigned int bucket)
{
	static const char * const units[] = { "ns", "us", "ms", "s " };
	double bound = (double)(1ULL << bucket);
	int unit = 0;

	while (bound >= 1000 && unit < 3) {
		bound /= 1000;
		unit++;
	}
	printf("  below %5.4g %s", bound, units[unit]);
}

void histogram_print(const __u64 lateness[TWHEEL_LATENESS_BUCKETS])
{
	static const char bar[] = "########################################";
	unsigned int first = TWHEEL_LATENESS_BUCKETS, last = 0;
	__u64 most = 0;

	for (unsigned int i = 0; i < TWHEEL_LATENESS_BUCKETS; i++) {
		if (!lateness[i])
			continue;
		if (first > i)
			first = i;
		last = i;
		if (most < lateness[i])
			most = lateness[i];
	}
	if (!most)
		return;
	printf("lateness of the expiries:\n");
	for (unsigned int i = first; i <= last; i++) {
		int length = (int)((double)lateness[i] / (double)most * BAR);

		print_bound(i);
		printf(" %8llu %.*s%s\n", lateness[i], length, bar,
		       lateness[i] && !length ? "." : "");
	}
}
