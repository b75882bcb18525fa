// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replaying a request log, each client with an idle timer of its own.
 *
 * Second t of the log is played at start + t / speed.  A request at t gives its
 * client's timer the deadline start + (t + idle) / speed, whenever it is really
 * issued, so small delays do not add up.  What a request does is up to the timer:
 *
 *	the client has none			ARM; a session begins
 *	it is pending: touch, or else MOVE	pushed back
 *	it has expired: MOVE, which answers 1	armed anew; a session begins
 *
 * Requests that are due at the same time go into one SUBMIT.  A client is at most
 * once in it, for what its second request has to do depends on the first.
 *
 * A timer does not wait for us.  If this program is held up for longer than there
 * is room between a request and the expiry near it, the request finds its timer
 * expired that it should have pushed back, or the other way round.  The log says
 * which of both is right, so that is noticed and counted as a stall.
 *
 * A record can be taken late: when its client has begun the next session already.
 * So a client remembers the deadline of the session that ended, too.  It is never
 * more than one, because all records are taken after every SUBMIT.
 */
#include <errno.h>
#include <stdlib.h>

#include "player.h"
#include "tool.h"

#define LEAD		(10 * 1000000ULL)	/* from the start to second 0 */
#define REPORT		(2 * NSEC_PER_SEC)
#define PATIENCE	(30 * NSEC_PER_SEC)	/* for an expiry that is due */

/**
 * struct player_client - one client
 * @id: its timer, 0 for none yet
 * @deadline: of the session
 * @ended: deadline of the session before, if its record was not taken yet, or 0
 * @time: ns, when its latest request was, in the log
 * @open: the record of the session was not taken yet
 * @in_batch: an op for it is collected
 */
struct player_client {
	__u64 id;
	__u64 deadline;
	__u64 ended;
	__u64 time;
	bool open;
	bool in_batch;
};

static __u64 due(const struct player *p, const struct request *request)
{
	return p->start + request->time / p->speed;
}

static __u64 deadline(const struct player *p, const struct request *request)
{
	return p->start + (request->time + p->idle) / p->speed;
}

/* Is the client's session over by the time of this request, as the log has it? */
static bool log_says_over(const struct player *p, const struct player_client *client,
			  const struct request *request)
{
	return request->time - client->time >= p->idle;
}

/* --- what the timers answer --- */

static void note_push(struct player *p, struct player_client *client,
		      const struct request *request)
{
	p->pushed++;
	p->stalls += log_says_over(p, client, request);
	client->deadline = deadline(p, request);
	client->time = request->time;
}

static void note_session(struct player *p, struct player_client *client,
			 const struct request *request)
{
	p->sessions++;
	p->stalls += client->id && !log_says_over(p, client, request);
	if (client->open)
		client->ended = client->deadline;
	client->open = true;
	client->deadline = deadline(p, request);
	client->time = request->time;
}

static void note_record(struct player *p, const struct twheel_record *record, __u64 now)
{
	struct player_client *client = &p->clients[record->user_data];
	__u64 wanted;

	if (client->ended) {
		wanted = client->ended;
		client->ended = 0;
	} else if (client->open) {
		wanted = client->deadline;
		client->open = false;
	} else {
		p->strays++;
		return;
	}
	p->expired++;
	p->early += record->deadline < wanted || now < record->deadline;
}

/* Take what there is: how many, or an errno. */
static int take_records(struct player *p)
{
	struct twheel_record records[PLAYER_BATCH];
	int count, taken = 0;

	while ((count = twheel_consume(p->tw, records, PLAYER_BATCH)) > 0) {
		__u64 now = twheel_now(p->tw);

		for (int i = 0; i < count; i++) {
			if (records[i].user_data >= p->log->clients.count)
				return -EPROTO;
			note_record(p, &records[i], now);
		}
		taken += count;
	}
	return count < 0 ? count : taken;
}

/* --- what the requests ask for --- */

/* 0, 1 if the op pushed back a pending timer, or an errno. */
static int settle(struct player *p, const struct twheel_op *op,
		  const struct request *request)
{
	struct player_client *client = &p->clients[request->client];

	if (op->result < 0)
		return op->result;
	client->in_batch = false;
	if (op->opcode == TWHEEL_OP_MOVE && op->result == 0) {
		note_push(p, client, request);
		return 1;
	}
	note_session(p, client, request);
	client->id = op->id;
	return 0;
}

static int submit(struct player *p)
{
	int ret, pushed = 0;

	if (!p->n_ops)
		return 0;
	ret = twheel_submit(p->tw, p->ops, p->n_ops);
	if (ret >= 0 && (unsigned int)ret < p->n_ops)
		ret = -EIO;
	for (unsigned int i = 0; ret >= 0 && i < p->n_ops; i++) {
		ret = settle(p, &p->ops[i], p->requests[i]);
		pushed |= ret;
	}
	if (ret < 0)
		return ret;
	p->n_ops = 0;
	p->push_calls += (__u64)pushed;
	return take_records(p);
}

static int issue(struct player *p, const struct request *request)
{
	struct player_client *client = &p->clients[request->client];
	struct twheel_op *op;

	if (client->in_batch || p->n_ops == PLAYER_BATCH) {
		int ret = submit(p);

		if (ret < 0)
			return ret;
	}
	if (p->words && client->id &&
	    twheel_word_push(p->tw, client->id, deadline(p, request)) == TWHEEL_DONE) {
		note_push(p, client, request);
		return 0;
	}
	op = &p->ops[p->n_ops];
	if (client->id)
		twheel_prep_move(op, client->id, deadline(p, request), 0, 0);
	else
		twheel_prep_arm(op, deadline(p, request), 0, request->client,
				TWHEEL_OP_KEEP);
	p->requests[p->n_ops++] = request;
	client->in_batch = true;
	return 0;
}

/* --- going through the log --- */

static void show_progress(struct player *p, __u64 now)
{
	__u64 minutes;

	if (p->quiet || now < p->next_report)
		return;
	p->next_report = now + REPORT;
	minutes = (now - p->start) / (60 * NSEC_PER_SEC) * p->speed +
		  (now - p->start) % (60 * NSEC_PER_SEC) * p->speed / (60 * NSEC_PER_SEC);
	fprintf(stderr, "%6llu:%02llu of the log: %llu requests, %llu sessions, "
		"%llu expired\n", minutes / 60, minutes % 60,
		p->pushed + p->sessions, p->sessions, p->expired);
}

/* Take records until @until, or until no session is left if @all_over. */
static int take_until(struct player *p, __u64 until, bool all_over)
{
	__u64 now;
	int ret;

	while ((now = twheel_now(p->tw)) < until) {
		if (all_over && p->expired == p->sessions)
			return 0;
		show_progress(p, now);
		ret = twheel_wait(p->tw, (__s64)(until - now < REPORT ? until - now : REPORT));
		if (ret > 0)
			ret = take_records(p);
		if (ret < 0 && ret != -EINTR)
			return ret;
	}
	return 0;
}

static int play(struct player *p)
{
	const struct request *request = p->log->requests;
	const struct request *end = request + p->log->count;
	int ret;

	while (request < end) {
		__u64 now;

		ret = take_until(p, due(p, request), false);
		if (ret < 0)
			return ret;
		now = twheel_now(p->tw);
		if (now - due(p, request) > p->latest)
			p->latest = now - due(p, request);
		while (ret >= 0 && request < end && due(p, request) <= now)
			ret = issue(p, request++);
		if (ret >= 0)
			ret = submit(p);
		if (ret < 0)
			return ret;
	}
	ret = take_until(p, deadline(p, end - 1) + PATIENCE, true);
	if (!ret && p->expired != p->sessions)
		ret = -ETIME;
	return ret;
}

/*
 * The least distance between a request and the expiry before or after it; the idle
 * time where no client comes twice.
 */
static __u64 find_room(const struct player *p)
{
	__u64 room = p->idle;

	for (size_t i = 0; i < p->log->count; i++) {
		const struct request *request = &p->log->requests[i];
		struct player_client *client = &p->clients[request->client];
		__u64 gap = request->time - client->time;
		__u64 distance = gap > p->idle ? gap - p->idle : p->idle - gap;

		if (client->open && distance < room)
			room = distance;
		client->time = request->time;
		client->open = true;
	}
	for (size_t i = 0; i < p->log->clients.count; i++)
		p->clients[i] = (struct player_client) { 0 };
	return room / p->speed;
}

static void announce(const struct player *p)
{
	__u64 seconds = p->log->requests[p->log->count - 1].time / NSEC_PER_SEC;

	if (p->quiet)
		return;
	fprintf(stderr, "%zu requests by %u clients in %llu:%02llu h, %llu times as "
		"fast: %llu s; by %s\nroom between a request and an expiry: %.3f ms\n",
		p->log->count, p->log->clients.count, seconds / 3600, seconds / 60 % 60,
		p->speed, seconds / p->speed + 1, p->words ? "word" : "op",
		(double)p->room / 1e6);
}

int player_run(struct player *p)
{
	const struct request *last = &p->log->requests[p->log->count - 1];
	int ret;

	p->clients = calloc(p->log->clients.count, sizeof(*p->clients));
	if (!p->clients)
		return -ENOMEM;
	p->room = find_room(p);
	announce(p);
	p->start = twheel_now(p->tw) + LEAD;
	p->next_report = p->start + REPORT;
	ret = deadline(p, last) > 1ULL << 62 ? -EOVERFLOW : play(p);
	free(p->clients);
	p->clients = NULL;
	return ret;
}

bool player_is_right(const struct player *p)
{
	return !p->early && !p->strays && !p->stalls && p->expired == p->sessions &&
	       p->expired + p->pushed == p->log->count;
}
