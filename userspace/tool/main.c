// SPDX-License-Identifier: GPL-2.0-only
/*
 * twheel: the command for /dev/twheel.
 *
 * It does nothing itself but find the subcommand in a table.  A new subcommand
 * is a file of its own, a line in tool.h and a line here.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "tool.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "bench", cmd_bench, "what timers cost, beside the kernel's others" },
	{ "replay", cmd_replay, "replay a request log: an idle timer per client" },
};

#define N_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

int complain(int status, const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("twheel: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return status;
}

int complain_device(int error, const char *reason)
{
	return complain(EXIT_FAILED, "/dev/twheel: %s%s", reason,
			error == -ENOENT ? "; is the module loaded?" : "");
}

static int usage(void)
{
	printf("Usage: twheel COMMAND [OPTION...] ...\n\n"
	       "Timers of the twheel kernel module.\n\n"
	       "Commands:\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].summary);
	printf("\n'twheel COMMAND --help' tells more about one.\n"
	       "Exit status: 0 if all went well, 1 if not, 2 after wrong usage.\n");
	return EXIT_OK;
}

/* Output that could not be written is no success. */
static int finish(int status)
{
	if (fflush(stdout) || ferror(stdout))
		return complain(EXIT_FAILED, "cannot write to stdout");
	return status;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return complain(EXIT_USAGE, "no command; see 'twheel --help'");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return finish(usage());
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return finish(commands[i].run(argc - 1, argv + 1));
	return complain(EXIT_USAGE, "unknown %s '%s'; see 'twheel --help'",
			argv[1][0] == '-' ? "option" : "command", argv[1]);
}
