// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

#define MAX_MESSAGES 10	/* per test */

static const char *test;
static unsigned int tests, failed, failures;

void tap_begin(const char *name)
{
	test = name;
	failures = 0;
}

void tap_end(void)
{
	tests++;
	failed += !!failures;
	printf("%sok %u %s\n", failures ? "not " : "", tests, test);
	fflush(stdout);
}

int tap_exit(void)
{
	printf("1..%u\n", tests);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

void tap_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	if (++failures > MAX_MESSAGES)
		return;
	fprintf(stderr, "# %s: %s:%d: ", test, file, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

u64 tap_seed(int argc, char **argv, u64 seed)
{
	const char *s = argc > 1 ? argv[1] : getenv("SEED");

	if (s && *s)
		seed = strtoull(s, NULL, 0);
	printf("# seed %llu\n", seed);
	return seed;
}

int tap_main(int argc, char **argv, const struct tap_test *tests, unsigned int count)
{
	u64 seed = tap_seed(argc, argv, 1);

	for (unsigned int i = 0; i < count; i++) {
		tap_begin(tests[i].name);
		tests[i].run(seed);
		tap_end();
	}
	return tap_exit();
}
