// SPDX-License-Identifier: GPL-2.0-only
/*
 * load: what great loads do to others.  For each there are two probes, processes
 * with a timer of 1 ms of their own; the table says how late they learned of it, while
 * a load ran by twheel, and by timerfds.
 *
 *	load [NAME...]
 *
 * NAME is the beginning of a load's name; all of them without. Exit status: 0, or 1
 * with lines that say what was wrong: counts that are not exact, a kernel log that is
 * not clean, memory that did not come back, a probe that waited too long; or 2
 * when no load has that name.
 */
#include <stdarg.h>
#include <sys/wait.h>

#include "kmsg.h"
#include "load.h"

#define IDLE_SECONDS	3
#define GRACE_ICOUNT	(50 * MSEC)	/* how much later a probe may be, see judge() */
#define GRACE		(200 * MSEC)
#define MAX_FILES	"1000000"	/* timerfds, in all */
#define MEMORY_SLOP	(2 << 20)	/* caches of the kernel */

/* The probes' two numbers, in ns. */
struct lateness {
	__u32 most;		/* 99.9 % are not later */
	__u32 worst;
};

struct row {
	struct lateness twheel, timerfd;
	double seconds;
	double hangs;
	unsigned int bad_lines;
	double leaked;
	unsigned long early;
};

static struct shared {
	struct outcome outcome;
	struct probe twheel, timerfd;
} *shared;

static bool icount;
static __u32 quiet;		/* worst lateness without any timers of ours */
static int failures;

void wrong(struct outcome *o, const char *format, ...)
{
	va_list args;

	if (o->wrong[0])
		return;
	va_start(args, format);
	vsnprintf(o->wrong, sizeof(o->wrong), format, args);
	va_end(args);
}

/* --- loads without timers ------------------------------------------------------ */

static void idle(struct outcome *o)
{
	(void)o;
	sleep_ns(IDLE_SECONDS * SEC);
}

static void busy(struct outcome *o)
{
	(void)o;
	spin_ns(IDLE_SECONDS * SEC);
}

static const struct load {
	const char *name;
	const char *by;
	void (*run)(struct outcome *o);
} loads[] = {
	{ "idle", "-", idle },
	{ "busy loop", "-", busy },
	{ "10^7 pending", "twheel", twheel_pending },
	{ "10^6 in one instant", "twheel", twheel_instant },
	{ "64 users at limits", "twheel", twheel_users },
	{ "never read", "twheel", twheel_unread },
	{ "one read a second", "twheel", twheel_slow_reader },
	{ "10^5 pending", "timerfd", timerfd_pending },
	{ "10^5 in one instant", "timerfd", timerfd_instant },
	{ "64 users", "timerfd", timerfd_users },
	{ "never read", "timerfd", timerfd_unread },
	{ "one read a second", "timerfd", timerfd_slow_reader },
};

#define N_LOADS		(sizeof(loads) / sizeof(loads[0]))

/* --- one load ------------------------------------------------------------------ */

static pid_t start_probe(struct probe *p, void (*run)(struct probe *p))
{
	pid_t pid;

	memset(p, 0, sizeof(*p));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		run(p);
		_exit(0);
	}
	for (int i = 0; i < 1000 && !atomic_load(&p->ready); i++)
		sleep_ns(10 * MSEC);
	return pid;
}

static int compare(const void *a, const void *b)
{
	__u32 x = *(const __u32 *)a, y = *(const __u32 *)b;

	return x < y ? -1 : x > y;
}

static struct lateness wait_for_probe(struct probe *p, pid_t pid)
{
	unsigned int n;

	waitpid(pid, NULL, 0);
	n = atomic_load(&p->count);
	if (!n)
		return (struct lateness){ UINT32_MAX, UINT32_MAX };
	qsort(p->late, n, sizeof(p->late[0]), compare);
	return (struct lateness){ p->late[n - 1 - n / 1000], p->late[n - 1] };
}

static void run_pinned(const struct load *load)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		pin();
		load->run(&shared->outcome);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (status)
		wrong(&shared->outcome, "ended with status %d", status);
}

static void run_load(const struct load *load, struct row *row)
{
	pid_t twheel, timerfd;
	__u64 start;

	memset(&shared->outcome, 0, sizeof(shared->outcome));
	kmsg_begin();
	row->leaked = proc_memory_free();
	row->hangs = -proc_timer_hangs();
	twheel = start_probe(&shared->twheel, probe_by_twheel);
	timerfd = start_probe(&shared->timerfd, probe_by_timerfd);
	start = mono();
	run_pinned(load);
	row->seconds = (double)(mono() - start) / SEC;
	/* Both, before the end of one can be felt by the other. */
	atomic_store(&shared->twheel.stop, true);
	atomic_store(&shared->timerfd.stop, true);
	row->twheel = wait_for_probe(&shared->twheel, twheel);
	row->timerfd = wait_for_probe(&shared->timerfd, timerfd);
	row->early = shared->twheel.early + shared->timerfd.early;
	row->hangs += proc_timer_hangs();
	row->leaked -= proc_memory_free();
	row->bad_lines = kmsg_bad_lines();
}

/* --- what is said of it ----------------------------------------------------------- */

static void complain(const struct load *load, const char *format, ...)
{
	va_list args;

	printf("FAIL %s, %s: ", load->name, load->by);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	failures++;
}

/*
 * How late is a report, with one bound: GRACE later than when no timers were there.
 * Where the host can stall this machine nothing smaller means anything.
 */
static void judge(const struct load *load, const struct row *row)
{
	__u32 bound = 2 * quiet + (icount ? GRACE_ICOUNT : GRACE);

	if (shared->outcome.wrong[0])
		complain(load, "%s", shared->outcome.wrong);
	if (row->early)
		complain(load, "%lu expiries came early", row->early);
	if (strcmp(load->by, "twheel")) {
		if (quiet < row->twheel.worst && load->by[0] == '-')
			quiet = row->twheel.worst;
		return;
	}
	if (row->bad_lines)
		complain(load, "the kernel log is not clean");
	if (row->leaked > MEMORY_SLOP)
		complain(load, "%.0f KB did not come back", row->leaked / 1024);
	if (row->hangs && icount)
		complain(load, "hrtimer: interrupt took too long, %.0f times", row->hangs);
	if (row->twheel.worst > bound || row->timerfd.worst > bound)
		complain(load, "a probe waited for more than %u us", bound / 1000);
}

static void print_head(void)
{
	printf("\nlateness of the probes' 1 ms timers in us, %s\n\n",
	       icount ? "1 us = 1000 instructions of the one CPU" : "of the host's time");
	printf("%-20s %-8s%9s%7s%7s%7s |%9s%10s |%9s%10s |%6s%5s%9s\n", "", "", "", "", "bytes",
	       "", "twheel", "", "timerfd", "", "irq", "bad", "KB not");
	printf("%-20s %-8s%9s%7s%7s%7s |%9s%10s |%9s%10s |%6s%5s%9s\n", "load", "by", "timers",
	       "queues", "/timer", "s", "99.9 %", "worst", "99.9 %", "worst", "hangs", "log",
	       "back");
}

static void print_row(const struct load *load, const struct row *row)
{
	const struct outcome *o = &shared->outcome;

	printf("%-20s %-8s%9lu%7u%7.0f%7.1f |%9.1f%10.1f |%9.1f%10.1f |%6.0f%5u%9.0f\n", load->name,
	       load->by, o->timers, o->queues, o->bytes, row->seconds, row->twheel.most / 1e3,
	       row->twheel.worst / 1e3, row->timerfd.most / 1e3, row->timerfd.worst / 1e3,
	       row->hangs, row->bad_lines, row->leaked / 1024);
}

/* The idle row always: the others are judged by it. */
static bool wanted(const struct load *load, int argc, char **argv)
{
	if (load->by[0] == '-')
		return true;
	for (int i = 1; i < argc; i++)
		if (!strncmp(load->name, argv[i], strlen(argv[i])))
			return true;
	return argc < 2;
}

static bool known(const char *name)
{
	for (unsigned int i = 0; i < N_LOADS; i++)
		if (*name && !strncmp(loads[i].name, name, strlen(name)))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED) {
		perror("load");
		return 1;
	}
	memset(shared, 0, sizeof(*shared));
	file_put("/proc/sys/fs/file-max", MAX_FILES);
	for (int i = 1; i < argc; i++) {
		if (!known(argv[i])) {
			fprintf(stderr, "load: no load's name begins with '%s'\n", argv[i]);
			return 2;
		}
	}
	icount = counts_instructions();
	print_head();
	for (unsigned int i = 0; i < N_LOADS; i++) {
		struct row row = { 0 };

		if (!wanted(&loads[i], argc, argv))
			continue;
		run_load(&loads[i], &row);
		print_row(&loads[i], &row);
		judge(&loads[i], &row);
	}
	return failures ? 1 : 0;
}
