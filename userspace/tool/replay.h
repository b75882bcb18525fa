/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_REPLAY_H
#define TWHEEL_REPLAY_H

#include <stdbool.h>

#include "log.h"

/**
 * struct replay_options - the command line of twheel replay
 * @log: how to read the log
 * @idle: ns
 * @speed: times as fast as it was
 * @no_words: push back by op
 * @print: print the requests, replay nothing
 * @quiet: print the last line only
 * @path: of the log; NULL after --help
 */
struct replay_options {
	struct log_options log;
	__u64 idle;
	__u64 speed;
	bool no_words;
	bool print;
	bool quiet;
	const char *path;
};

/* EXIT_OK, also after --help; or EXIT_USAGE. */
int replay_parse(int argc, char **argv, struct replay_options *options);

#endif /* TWHEEL_REPLAY_H */
