// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * What is peculiar to the engine in the process: how it is chosen, its manual clock, its
 * descriptor, fork, and what it cannot do.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <twheel.h>
#include <unistd.h>

#define MSEC		1000000ULL
#define SECOND		(1000 * MSEC)
#define MINUTE		(60 * SECOND)

static const char *test;

#define CHECK(condition)						\
	do {								\
		if (!(condition)) {					\
			printf("process_test: %s: line %d: %s\n", test, __LINE__, #condition); \
			exit(1);					\
		}							\
	} while (0)

static struct twheel_config config_of(__s32 clockid, __u32 flags)
{
	return (struct twheel_config){
		.size = sizeof(struct twheel_config),
		.flags = flags,
		.clockid = clockid,
		.ring_entries = 16,
		.engine = TWHEEL_ENGINE_PROCESS,
	};
}

static void open_manual(struct twheel *tw, __u32 flags)
{
	struct twheel_config config = config_of(TWHEEL_CLOCK_MANUAL, flags);

	CHECK(twheel_open(tw, &config) == 0);
}

static __u64 arm(struct twheel *tw, __u64 delay, __u64 period, __u64 user_data, __u16 flags)
{
	struct twheel_op op;

	twheel_prep_arm(&op, delay, period, user_data, TWHEEL_OP_REL | flags);
	CHECK(twheel_submit(tw, &op, 1) == 1 && op.result == 0);
	return op.id;
}

/* Whether the next record is this one; of a manual clock it is never late. */
static bool next_is(struct twheel *tw, __u64 user_data, __u64 deadline, __u32 missed)
{
	struct twheel_record rec;

	return twheel_consume(tw, &rec, 1) == 1 && rec.user_data == user_data &&
	       rec.deadline == deadline && rec.missed == missed && rec.lateness == 0;
}

static bool nothing_left(struct twheel *tw)
{
	struct twheel_record rec;

	return twheel_consume(tw, &rec, 1) == 0;
}

static bool readable(const struct twheel *tw, int timeout_ms)
{
	struct pollfd pollfd = { .fd = twheel_fd(tw), .events = POLLIN };

	return poll(&pollfd, 1, timeout_ms) == 1;
}

/* --- which engine --- */

static int open_with(__u32 engine, __s32 clockid, const char *environment)
{
	struct twheel_config config = config_of(clockid, 0);
	struct twheel tw;
	int ret;

	config.engine = engine;
	if (environment)
		setenv("TWHEEL_ENGINE", environment, 1);
	ret = twheel_open(&tw, &config);
	unsetenv("TWHEEL_ENGINE");
	if (ret)
		return ret;
	ret = twheel_engine(&tw);
	CHECK((ret == TWHEEL_ENGINE_PROCESS) == !!tw.process);
	twheel_close(&tw);
	return ret;
}

static void test_choice(void)
{
	bool device = access("/dev/twheel", R_OK | W_OK) == 0;
	int kernel = device ? TWHEEL_ENGINE_KERNEL : -ENOENT;
	int any = device ? TWHEEL_ENGINE_KERNEL : TWHEEL_ENGINE_PROCESS;

	CHECK(open_with(TWHEEL_ENGINE_ANY, CLOCK_MONOTONIC, NULL) == any);
	CHECK(open_with(TWHEEL_ENGINE_ANY, CLOCK_MONOTONIC, "") == any);
	CHECK(open_with(TWHEEL_ENGINE_ANY, CLOCK_MONOTONIC, "kernel") == kernel);
	CHECK(open_with(TWHEEL_ENGINE_ANY, CLOCK_MONOTONIC, "process") == TWHEEL_ENGINE_PROCESS);
	CHECK(open_with(TWHEEL_ENGINE_ANY, CLOCK_MONOTONIC, "users") == -EINVAL);
	CHECK(open_with(TWHEEL_ENGINE_KERNEL, CLOCK_MONOTONIC, "process") == kernel);
	CHECK(open_with(TWHEEL_ENGINE_PROCESS, CLOCK_MONOTONIC, "kernel") ==
	      TWHEEL_ENGINE_PROCESS);
	CHECK(open_with(3, CLOCK_MONOTONIC, NULL) == -EINVAL);
	CHECK(open_with(TWHEEL_ENGINE_ANY, TWHEEL_CLOCK_MANUAL, "kernel") ==
	      TWHEEL_ENGINE_PROCESS);
	CHECK(open_with(TWHEEL_ENGINE_KERNEL, TWHEEL_CLOCK_MANUAL, NULL) == -EINVAL);
}

static void test_device_error(void)
{
	struct twheel_config config = config_of(CLOCK_MONOTONIC, 0);
	struct twheel tw;

	CHECK(twheel_open(&tw, &config) == 0 && tw.device_error == 0);
	twheel_close(&tw);
	if (access("/dev/twheel", F_OK) == 0)
		return;
	CHECK(twheel_open(&tw, NULL) == 0 && tw.device_error == -ENOENT);
	twheel_close(&tw);
}

static void test_clocks(void)
{
	static const __s32 clocks[] = {
		CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME, CLOCK_TAI,
	};
	struct twheel_record rec;
	struct twheel tw;

	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		struct twheel_config config = config_of(clocks[i], 0);

		CHECK(twheel_open(&tw, &config) == 0);
		arm(&tw, 5 * MSEC, 0, 1, 0);
		do {
			CHECK(twheel_wait(&tw, 10 * SECOND) > 0);
			CHECK(twheel_consume(&tw, &rec, 1) == 1);
		} while (!rec.id);	/* somebody has set the clock */
		CHECK(twheel_now(&tw) >= rec.deadline);
		twheel_close(&tw);
	}
}

/* --- a manual clock --- */

static void test_manual(void)
{
	struct twheel tw;

	open_manual(&tw, 0);
	CHECK(twheel_now(&tw) == 0);
	arm(&tw, 30 * MINUTE, 0, 1, 0);
	arm(&tw, 10 * MINUTE, 0, 2, 0);
	arm(&tw, 20 * MINUTE, 0, 3, 0);
	CHECK(twheel_advance(&tw, 30 * MINUTE - 1) == 0);
	CHECK(next_is(&tw, 2, 10 * MINUTE, 0) && next_is(&tw, 3, 20 * MINUTE, 0));
	CHECK(nothing_left(&tw) && !readable(&tw, 0));
	CHECK(twheel_advance(&tw, 1) == 0 && readable(&tw, 0));
	CHECK(twheel_now(&tw) == 30 * MINUTE);
	CHECK(next_is(&tw, 1, 30 * MINUTE, 0) && nothing_left(&tw));
	CHECK(twheel_advance(&tw, 1ULL << 63) == -EOVERFLOW);
	CHECK(twheel_advance(&tw, ~0ULL) == -EOVERFLOW);
	CHECK(twheel_now(&tw) == 30 * MINUTE);
	CHECK(twheel_advance(&tw, (~0ULL >> 1) - 30 * MINUTE) == 0);
	CHECK(twheel_now(&tw) == ~0ULL >> 1);
	twheel_close(&tw);
}

/* Each period has a record if somebody reads, otherwise the next record counts them. */
static void test_manual_periodic(void)
{
	struct twheel tw;

	open_manual(&tw, 0);
	arm(&tw, MINUTE, MINUTE, 1, 0);
	for (__u64 i = 1; i <= 5; i++) {
		CHECK(twheel_advance(&tw, MINUTE) == 0);
		CHECK(next_is(&tw, 1, i * MINUTE, 0) && nothing_left(&tw));
	}
	CHECK(twheel_advance(&tw, 10 * MINUTE) == 0);
	CHECK(next_is(&tw, 1, 6 * MINUTE, 0) && nothing_left(&tw));
	CHECK(twheel_advance(&tw, MINUTE) == 0);
	CHECK(next_is(&tw, 1, 16 * MINUTE, 9) && nothing_left(&tw));
	twheel_close(&tw);
}

static void test_manual_words(void)
{
	struct twheel tw;
	__u64 id;

	open_manual(&tw, TWHEEL_SETUP_WORDS);
	id = arm(&tw, MINUTE, 0, 1, TWHEEL_OP_KEEP);
	for (__u64 i = 1; i < 100; i++) {
		CHECK(twheel_advance(&tw, MINUTE / 2) == 0);
		CHECK(twheel_word_push(&tw, id, (i / 2 + 2) * MINUTE) == TWHEEL_DONE);
	}
	CHECK(nothing_left(&tw));
	CHECK(twheel_advance(&tw, 2 * MINUTE) == 0);
	CHECK(next_is(&tw, 1, 51 * MINUTE, 0));
	twheel_close(&tw);
}

/* --- the descriptor --- */

/* It stays readable while a record is left, and is silent after a cancel. */
static void test_readable(void)
{
	struct twheel_config config = config_of(CLOCK_MONOTONIC, 0);
	struct twheel_record rec;
	struct twheel_op op;
	struct twheel tw;

	CHECK(twheel_open(&tw, &config) == 0 && !readable(&tw, 0));
	arm(&tw, 0, 0, 1, 0);
	arm(&tw, 0, 0, 2, 0);
	for (int i = 0; i < 2; i++) {
		CHECK(readable(&tw, 10000) && twheel_available(&tw) == 2U - (unsigned int)i);
		CHECK(twheel_consume(&tw, &rec, 1) == 1);
	}
	CHECK(nothing_left(&tw) && !readable(&tw, 0));
	twheel_prep_cancel(&op, arm(&tw, SECOND, 0, 3, 0));
	CHECK(twheel_submit(&tw, &op, 1) == 1 && op.result == 0);
	CHECK(twheel_wait(&tw, 2 * SECOND) == 0 && !readable(&tw, 0));
	twheel_close(&tw);
}

/* --- what it cannot do --- */

static void child_finds_it_dead(struct twheel *tw, __u64 id)
{
	struct twheel_record rec;
	struct twheel_stats stats;
	struct twheel_info info;
	struct twheel_op op;
	__u64 cursor = 0;

	twheel_prep_arm(&op, SECOND, 0, 1, TWHEEL_OP_REL);
	CHECK(twheel_submit(tw, &op, 1) == -ECHILD);
	CHECK(twheel_consume(tw, &rec, 1) == -ECHILD);
	CHECK(twheel_wait(tw, 0) == -ECHILD && twheel_flush(tw) == -ECHILD);
	CHECK(twheel_stats(tw, &stats) == -ECHILD);
	CHECK(twheel_list(tw, &cursor, &info, 1) == -ECHILD);
	CHECK(twheel_advance(tw, 1) == -ECHILD);
	CHECK(twheel_word_push(tw, id, MINUTE) == TWHEEL_USE_MOVE);
	CHECK(twheel_word_cancel(tw, id) == TWHEEL_TOO_LATE);
	CHECK(twheel_word_arm(tw, id, MINUTE) == TWHEEL_USE_MOVE);
	twheel_close(tw);
}

/* Whether a page can be wiped: an emulator takes the advice and does nothing. */
static bool fork_wipes(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	char *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t pid;

	CHECK(page != MAP_FAILED && !madvise(page, size, MADV_WIPEONFORK));
	*page = 1;
	pid = fork();
	if (!pid)
		_exit(*page);
	CHECK(waitpid(pid, &status, 0) == pid);
	munmap(page, size);
	return !status;
}

static void test_fork(void)
{
	struct twheel tw, other;
	int status;
	pid_t pid;
	__u64 id;

	if (!fork_wipes()) {
		puts("process_test: fork: skipped, nothing is wiped here");
		return;
	}
	open_manual(&tw, TWHEEL_SETUP_WORDS);
	id = arm(&tw, SECOND, 0, 7, TWHEEL_OP_KEEP);
	pid = fork();
	if (!pid) {
		child_finds_it_dead(&tw, id);
		open_manual(&other, 0);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK(twheel_advance(&tw, SECOND) == 0 && readable(&tw, 0));
	CHECK(next_is(&tw, 7, SECOND, 0));
	twheel_close(&tw);
}

static void test_refused(void)
{
	struct twheel_config config = config_of(CLOCK_MONOTONIC, 0);
	struct twheel tw, other;

	CHECK(twheel_open(&tw, &config) == 0);
	CHECK(twheel_eventfd(&tw, 0) == -EOPNOTSUPP);
	CHECK(twheel_attach(&other, twheel_fd(&tw), &tw.setup) == -EOPNOTSUPP);
	CHECK(twheel_advance(&tw, 1) == -EINVAL);
	twheel_close(&tw);
}

/* --- memory --- */

/* Arm timers until there is no memory.  How many; *result: of the first that was refused. */
static int arm_until_refused(struct twheel *tw, struct twheel_op ops[64], int *result)
{
	int armed = 0;

	for (*result = 0; !*result;) {
		for (int i = 0; i < 64; i++)
			twheel_prep_arm(&ops[i], SECOND, 0, 1, 0);
		CHECK(twheel_submit(tw, ops, 64) == 64);
		for (int i = 0; i < 64; i++) {
			armed += !ops[i].result;
			*result = *result ? *result : ops[i].result;
		}
	}
	return armed;
}

static void test_no_memory(void)
{
	struct rlimit limit, seen, old;
	static struct twheel_op ops[64];
	int result, armed;
	struct twheel tw;

	CHECK(getrlimit(RLIMIT_AS, &old) == 0);
	open_manual(&tw, 0);
	limit = (struct rlimit){ .rlim_cur = 1 << 20, .rlim_max = old.rlim_max };
	CHECK(setrlimit(RLIMIT_AS, &limit) == 0 && getrlimit(RLIMIT_AS, &seen) == 0);
	if (seen.rlim_cur != limit.rlim_cur) {
		puts("process_test: no_memory: skipped, an emulator sets no limit");
		twheel_close(&tw);
		return;
	}
	armed = arm_until_refused(&tw, ops, &result);
	CHECK(setrlimit(RLIMIT_AS, &old) == 0);
	CHECK(result == -ENOMEM && armed % 64 == 0);
	CHECK(twheel_submit(&tw, ops, 64) == 64 && ops[63].result == 0);
	twheel_close(&tw);
}

static void test_maximum(void)
{
	struct twheel_config config = config_of(TWHEEL_CLOCK_MANUAL, TWHEEL_UNSHARED);
	static struct twheel_op ops[1001];
	struct twheel_stats stats;
	struct twheel tw;

	config.max_timers = 1000;
	CHECK(twheel_open(&tw, &config) == 0);
	for (int i = 0; i < 1001; i++)
		twheel_prep_arm(&ops[i], SECOND, 0, 1, 0);
	CHECK(twheel_submit(&tw, ops, 1001) == 1001);
	CHECK(ops[999].result == 0 && ops[1000].result == -ENOSPC);
	CHECK(twheel_stats(&tw, &stats) == 0 && stats.pending == 1000 && stats.memory >= 48000);
	twheel_close(&tw);
}

/* A queue gives back all that it took, however often. */
static void test_close(void)
{
	struct twheel tw;

	for (int i = 0; i < 2000; i++) {
		open_manual(&tw, TWHEEL_SETUP_WORDS);
		arm(&tw, SECOND, 0, 1, TWHEEL_OP_KEEP);
		CHECK(twheel_fd(&tw) < 100);
		twheel_close(&tw);
	}
	twheel_close(&tw);
}

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "choice", test_choice },
	{ "device_error", test_device_error },
	{ "clocks", test_clocks },
	{ "manual", test_manual },
	{ "manual_periodic", test_manual_periodic },
	{ "manual_words", test_manual_words },
	{ "readable", test_readable },
	{ "fork", test_fork },
	{ "refused", test_refused },
	{ "no_memory", test_no_memory },
	{ "maximum", test_maximum },
	{ "close", test_close },
};

int main(void)
{
	size_t count = sizeof(tests) / sizeof(tests[0]);

	for (size_t i = 0; i < count; i++) {
		test = tests[i].name;
		tests[i].run();
	}
	printf("process_test: %zu tests, 0 failed\n", count);
	return 0;
}
