/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The work of peers that take a system call for each timer and each op.
 *
 * A template, so that what is measured has no calls but theirs.  Who includes it
 * has defined
 *
 *	HANDLE			what names a timer
 *	peer, failed		the peer's name; how many calls have failed
 *	create(), settime(), destroy()
 *	DESTROY			the last one's name among the figures
 *	collect()		takes a number of expiries from a descriptor
 */
#define ROUNDS	16U
#define OPS	(ROUNDS * BATCH)

/* Create and arm the n timers; how many there are. */
static unsigned int fill(const struct load *load, HANDLE *timers)
{
	double start = lap_start("arm.new");
	unsigned int i;

	for (i = 0; i < load->n; i++) {
		timers[i] = create();
		if (failed)
			return i;
		settime(timers[i], to_timespec(load->deadline[i]));
	}
	cost(peer, "arm.new", load->n, lap_stop(start), load->n);
	return i;
}

/* Sums over the rounds, one per thing that is done to BATCH more timers. */
struct sums {
	double create, arm, cancel, destroy;
};

static void round_trip(const struct load *load, unsigned int first, struct sums *sums)
{
	const struct timespec never = { 0 };
	HANDLE timers[BATCH];
	double start;
	unsigned int i;

	start = lap_start("create");
	for (i = 0; i < BATCH; i++)
		timers[i] = create();
	sums->create += lap_stop(start);
	start = lap_start("arm");
	for (i = 0; i < BATCH; i++)
		settime(timers[i], load->when[first + i]);
	sums->arm += lap_stop(start);
	start = lap_start("cancel");
	for (i = 0; i < BATCH; i++)
		settime(timers[load->shuffled[i]], never);
	sums->cancel += lap_stop(start);
	start = lap_start(DESTROY);
	for (i = 0; i < BATCH; i++)
		destroy(timers[load->shuffled[i]]);
	sums->destroy += lap_stop(start);
}

static void come_and_go(const struct load *load)
{
	struct sums sums = { 0 };

	for (unsigned int i = 0; i < ROUNDS; i++) {
		round_trip(load, i * BATCH, &sums);
		quiesce();
	}
	cost(peer, "create", load->n, sums.create, OPS);
	cost(peer, "arm", load->n, sums.arm, OPS);
	cost(peer, "cancel", load->n, sums.cancel, OPS);
	cost(peer, DESTROY, load->n, sums.destroy, OPS);
}

static void push_back(const struct load *load, const HANDLE *timers)
{
	double start = lap_start("move");

	for (unsigned int i = 0; i < OPS; i++)
		settime(timers[load->pick[i]], load->when[i]);
	cost(peer, "move", load->n, lap_stop(start), OPS);
}

/* Expiries of these timers, which come by @fd. */
static void expire_each(int fd, const HANDLE *timers, unsigned int n)
{
	for (const struct expiry *e = expiries(n); e->name && !failed; e++) {
		__u64 start = expiry_start();

		if (e->slack > 1)
			continue;
		for (unsigned int i = 0; i < e->count; i++)
			settime(timers[i], to_timespec(start + e->after(i)));
		e->begin(e);
		collect(fd, e->count);
		e->end(e, peer, n);
	}
}

/* All but expiry; how many timers there are. */
static unsigned int ops(const struct load *load, HANDLE *timers)
{
	struct memory before = memory_now();
	unsigned int n = fill(load, timers);

	memory_figures(peer, load->n, &before);
	if (!failed) {
		come_and_go(load);
		push_back(load, timers);
	}
	return n;
}

/* Everything; @expire is for the part that differs. */
static int bench_each(const struct load *load, void (*expire)(unsigned int n))
{
	HANDLE *timers = malloc((load->n + 1) * sizeof(*timers));
	unsigned int n = 0;

	if (!timers)
		return complain(-ENOMEM, "%s: out of memory", peer);
	memset(timers, 0, load->n * sizeof(*timers));	/* its pages are there */
	failed = 0;
	if (load->n)
		n = ops(load, timers);
	if (!failed)
		expire(load->n);
	while (n)
		destroy(timers[--n]);
	free(timers);
	return failed ? complain(-EIO, "%s, %u timers: %u ops failed", peer, load->n, failed) : 0;
}
