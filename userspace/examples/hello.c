// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Three timers: two are scheduled, one is scheduled and cancelled.
 *
 *	cc hello.c $(pkg-config --cflags --libs libtwheel) -o hello && ./hello
 */
#include <stdio.h>
#include <string.h>
#include <twheel.h>

int main(void)
{
	struct twheel_op ops[3], cancel;
	struct twheel_record record;
	struct twheel tw;
	int ret = twheel_open(&tw, NULL);

	if (ret) {
		fprintf(stderr, "twheel_open: %s\n", strerror(-ret));
		return 1;
	}
	for (int i = 0; i < 3; i++)	/* in 100, 200 and 300 ms */
		twheel_prep_arm(&ops[i], (i + 1) * 100000000ULL, 0, i + 1, TWHEEL_OP_REL);
	twheel_submit(&tw, ops, 3);

	twheel_prep_cancel(&cancel, ops[1].id);
	twheel_submit(&tw, &cancel, 1);
	printf("cancel: %d\n", cancel.result);

	while (twheel_wait(&tw, 500000000) > 0)	/* until 500 ms bring nothing */
		while (twheel_consume(&tw, &record, 1) == 1)
			printf("timer %llu, %u ns late\n", record.user_data, record.lateness);
	twheel_close(&tw);
	return 0;
}
