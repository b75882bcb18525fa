// SPDX-License-Identifier: GPL-2.0-only
/* What "twheel bench" says of figures that it has, and of those that it has not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../tool/bench.h"

static int tests, failed;

static void expect(const char *what, bool good)
{
	tests++;
	if (good)
		return;
	failed++;
	fprintf(stderr, "bench_test: %s\n", what);
}

/* The number of columns in the row, with the two of its name. */
static int columns(double cost, double timerfd)
{
	FILE *screen = stdout;
	char *text = NULL;
	size_t size;
	int count = 0;

	stdout = open_memstream(&text, &size);
	bench_row("by word", 1000, cost, timerfd);
	fclose(stdout);
	stdout = screen;
	for (char *word = strtok(text, "\n "); word; word = strtok(NULL, "\n "))
		count++;
	free(text);
	return count;
}

int main(void)
{
	FILE *screen = stdout;

	expect("a row has cost and ratio", columns(10, 1000) == 5);
	expect("without timerfd there is no ratio", columns(10, 0) == 4);
	/* A FAIL that is wanted is not for the eyes of who counts results. */
	stdout = fopen("/dev/null", "w");
	if (!stdout)
		return 1;
	expect("30 is at most 30", bench_at_most("30", 30, 30));
	expect("31 is more", !bench_at_most("31", 31, 30));
	expect("no cost is not measured", !bench_at_most("nothing", 0, 30));
	expect("70 is at least 70", bench_at_least("70", 70, 70));
	expect("69 is less", !bench_at_least("69", 69, 70));
	expect("left out at every size", !bench_at_least("no timerfd", HUGE_VAL, 70));
	fclose(stdout);
	stdout = screen;
	printf("bench_test: %d cases, %d failed\n", tests, failed);
	return failed != 0;
}
