/* SPDX-License-Identifier: GPL-2.0-only */
/* What the subcommands of twheel share. */
#ifndef TWHEEL_TOOL_H
#define TWHEEL_TOOL_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>

/* Exit status, the same for every subcommand. */
enum {
	EXIT_OK = 0,		/* it worked, and the result is right */
	EXIT_FAILED = 1,	/* it did not work, or the result is wrong */
	EXIT_USAGE = 2,		/* the command line makes no sense */
};

#define NSEC_PER_SEC	1000000000ULL

/* Print a message after the program's name on stderr; returns @status. */
int complain(int status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Say that the device could not be used, and why; returns EXIT_FAILED. */
int complain_device(int error, const char *reason);

/* The subcommands; argv[0] is the name, as for main(). */
int cmd_bench(int argc, char **argv);
int cmd_replay(int argc, char **argv);

#endif /* TWHEEL_TOOL_H */
