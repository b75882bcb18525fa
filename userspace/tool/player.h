/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_PLAYER_H
#define TWHEEL_PLAYER_H

#include <stdbool.h>
#include <twheel.h>

#include "log.h"

#define PLAYER_BATCH	256

/**
 * struct player - a replay on its way
 * @log: what is replayed
 * @tw: the queue
 * @idle: ns of log time after which a session ends
 * @speed: ns of log time per ns of real time
 * @words: push back by word, not by op
 * @quiet: no progress on stderr
 * @room: ns of real time that a request or an expiry may be late without meeting
 *	the other one on the wrong side
 * @sessions: armings: first requests of a client, or first ones after an expiry
 * @pushed: requests that pushed a pending timer back
 * @expired: records taken
 * @early: records before their deadline, or with an older deadline than was asked
 * @strays: records of a timer that was not armed
 * @stalls: requests that met their timer on the wrong side
 * @push_calls: SUBMITs that pushed back at least one timer
 * @latest: ns, the most that a request was behind its time
 * @start: when second 0 of the log is
 * @next_report: when progress is to be shown again
 * @clients: by number
 * @n_ops: ops collected and not submitted yet
 * @ops: these
 * @requests: the request that each is for
 */
struct player {
	const struct request_log *log;
	struct twheel *tw;
	__u64 idle;
	__u64 speed;
	bool words;
	bool quiet;

	__u64 room;
	__u64 sessions;
	__u64 pushed;
	__u64 expired;
	__u64 early;
	__u64 strays;
	__u64 stalls;
	__u64 push_calls;
	__u64 latest;

	__u64 start;
	__u64 next_report;
	struct player_client *clients;
	unsigned int n_ops;
	struct twheel_op ops[PLAYER_BATCH];
	const struct request *requests[PLAYER_BATCH];
};

/**
 * player_run - replay the log to its end, and until the last session has ended
 * @player: @log to @quiet are filled in, the rest is 0
 *
 * Return: 0 or a negative errno; -EOVERFLOW: the log is too long for its speed;
 * -ETIME: a timer did not expire.
 */
int player_run(struct player *player);

/* Does all add up, with nothing early and nothing on the wrong side? */
bool player_is_right(const struct player *player);

#endif /* TWHEEL_PLAYER_H */
