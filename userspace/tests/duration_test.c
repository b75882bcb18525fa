// SPDX-License-Identifier: GPL-2.0-only
/*
 * Durations: right to the nanosecond, or refused; the output is left alone then.
 * Most of the strings are ones that other programs have turned into something
 * else, in particular into "at once" (B02, B17).
 */
#include <errno.h>
#include <stdio.h>

#include "../tool/duration.h"

#define POISON	0xdeadbeefULL

static const struct {
	const char *text;
	int ret;
	__u64 ns;
} cases[] = {
	{ "1800s", 0, 1800000000000ULL },
	{ "1800", 0, 1800000000000ULL },
	{ "30m", 0, 1800000000000ULL },
	{ "1.5h", 0, 5400000000000ULL },
	{ "250ms", 0, 250000000ULL },
	{ "100us", 0, 100000ULL },
	{ "10ns", 0, 10 },
	{ "2d", 0, 172800000000000ULL },
	{ "0", 0, 0 },
	{ "0.0s", 0, 0 },
	{ "007s", 0, 7000000000ULL },
	{ "0.000000001", 0, 1 },
	{ "0.00000000100000000000000000000000000000000000000000", 0, 1 },
	{ "1.000ns", 0, 1 },
	{ "0.25us", 0, 250 },
	{ "0.00000000005m", 0, 3 },
	{ "0.0000152587890625d", 0, 1318359375ULL },
	{ "10000000000ms", 0, 10000000000000000ULL },
	{ "116d", 0, 10022400000000000ULL },
	{ "9223372036.854775807s", 0, 9223372036854775807ULL },
	{ "9223372036854775807ns", 0, 9223372036854775807ULL },
	{ "106751.99116730064591435185185185185d", -EINVAL, 0 },

	{ "9223372036.854775808s", -ERANGE, 0 },
	{ "9223372036854775808ns", -ERANGE, 0 },
	{ "18446744073709551616ns", -ERANGE, 0 },
	{ "18446744073709552s", -ERANGE, 0 },
	{ "18446744073709551615d", -ERANGE, 0 },
	{ "99999999999999999999999999999999h", -ERANGE, 0 },
	{ "106752d", -ERANGE, 0 },

	{ "0.5ns", -EINVAL, 0 },
	{ "0.0000000001s", -EINVAL, 0 },
	{ "1e10ms", -EINVAL, 0 },
	{ "1e300s", -EINVAL, 0 },
	{ "inf", -EINVAL, 0 },
	{ "nan", -EINVAL, 0 },
	{ "-0.0", -EINVAL, 0 },
	{ "-1s", -EINVAL, 0 },
	{ "+1s", -EINVAL, 0 },
	{ "0x10", -EINVAL, 0 },
	{ "", -EINVAL, 0 },
	{ "s", -EINVAL, 0 },
	{ ".5s", -EINVAL, 0 },
	{ "5.", -EINVAL, 0 },
	{ "5.s", -EINVAL, 0 },
	{ "1.2.3s", -EINVAL, 0 },
	{ "1,5s", -EINVAL, 0 },
	{ " 5s", -EINVAL, 0 },
	{ "5 s", -EINVAL, 0 },
	{ "5s ", -EINVAL, 0 },
	{ "5m30", -EINVAL, 0 },
	{ "5m30s", -EINVAL, 0 },
	{ "5S", -EINVAL, 0 },
	{ "5sec", -EINVAL, 0 },
};

int main(void)
{
	int failed = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		__u64 want = POISON, ns = POISON;
		int ret = duration_parse(cases[i].text, &ns);

		if (!cases[i].ret)
			want = cases[i].ns;
		if (ret == cases[i].ret && ns == want)
			continue;
		printf("duration_test: '%s' gave %d, %llu ns; want %d, %llu ns\n",
		       cases[i].text, ret, ns, cases[i].ret, want);
		failed++;
	}
	printf("duration_test: %zu cases, %d failed\n",
	       sizeof(cases) / sizeof(cases[0]), failed);
	return failed != 0;
}
