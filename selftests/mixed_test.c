// SPDX-License-Identifier: GPL-2.0-only
/*
 * B120: everything at the same time, so that lockdep sees each lock in each context:
 * all ioctls, mappings, /proc and module parameters, attempts to unload the module,
 * and a CPU that goes offline and comes back. The kernel log shows what was wrong.
 */
#include "common.h"

#include <sys/eventfd.h>

#include "kselftest_harness.h"

#define CPU_ONLINE	"/sys/devices/system/cpu/cpu1/online"
#define PARAMETER	"max_queues_per_user"

struct actor {
	pthread_t thread;
	struct queue *q;
	atomic_bool *stop;
	__u64 seed, times, errors;
};

static void operate(struct actor *a)
{
	struct twheel_op ops[4] = {
		op_arm_rel(random_below(&a->seed, MSEC), 1), op_arm_rel(HOUR, 2),
		op_arm_rel(0, 3), op_arm_rel(MSEC, 4),
	};
	struct twheel_record rec[16];

	ops[3].flags |= TWHEEL_OP_KEEP;
	a->errors += submit(a->q->fd, ops, 4) != 4;
	ops[0] = op_cancel(ops[0].id);
	ops[1] = op_move(ops[1].id, mono(), 0);
	ops[2] = op_query(ops[2].id);
	ops[3] = op_free(ops[3].id);
	a->errors += submit(a->q->fd, ops, 4) != 4 || ops[3].result < 0;
	if (readable(a->q->fd, 0))
		read_records(a->q->fd, rec, 16);
}

static void set_up_and_map(struct actor *a)
{
	int efd = eventfd(0, EFD_NONBLOCK);
	struct queue own;

	own.setup = setup_of(CLOCK_REALTIME, 8);
	own.setup.flags = TWHEEL_SETUP_WORDS;
	a->errors += queue_open_with(&own) != 0 || queue_map(&own) != 0;
	a->errors += set_eventfd(own.fd, efd) != 0;
	arm_keep(own.fd, 1, 1);
	arm_rel(own.fd, random_below(&a->seed, 200 * USEC), 2);
	arm_periodic(own.fd, now(CLOCK_REALTIME), MSEC, 3);
	set_eventfd(a->q->fd, efd);
	set_eventfd(a->q->fd, -1);
	queue_close(&own);
	close(efd);
}

static void look(struct actor *a)
{
	struct twheel_info infos[32];
	char path[64], text[8192];
	__u64 cursor = 0, value;

	while (cursor != TWHEEL_LIST_END && list(a->q->fd, &cursor, infos, 32) >= 0)
		;
	a->errors += stats(a->q->fd).size != sizeof(struct twheel_stats);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", a->q->fd);
	a->errors += file_get(path, text, sizeof(text)) <= 0;
	value = parameter(PARAMETER);
	a->errors += !value || parameter_set(PARAMETER, value);
	flush(a->q->fd);
}

/* It is in use, so it stays. */
static void unload(struct actor *a)
{
	a->errors += !syscall(SYS_delete_module, "twheel", O_NONBLOCK);
	sleep_ns(USEC * random_below(&a->seed, 2000));
}

static void cycle_cpu(struct actor *a)
{
	/* EBUSY: somebody else is at it. */
	if (file_put(CPU_ONLINE, "0"))
		sleep_ns(10 * MSEC);
	sleep_ns(random_below(&a->seed, 10 * MSEC));
	a->errors += access(CPU_ONLINE, W_OK) == 0 && file_put(CPU_ONLINE, "1");
	sleep_ns(random_below(&a->seed, 10 * MSEC));
}

#define ACTOR(what) \
	static void *what ## _run(void *data) \
	{ \
		struct actor *a = data; \
		for (; !atomic_load(a->stop); a->times++) \
			what(a); \
		return NULL; \
	}

ACTOR(operate)
ACTOR(set_up_and_map)
ACTOR(look)
ACTOR(unload)
ACTOR(cycle_cpu)

TEST(everything_at_once)
{
	void *(*runs[])(void *) = { operate_run, operate_run, set_up_and_map_run, look_run,
				    unload_run, cycle_cpu_run };
	struct actor actors[ARRAY_SIZE(runs)];
	atomic_bool stop = false;
	__u64 seed = random_seed();
	struct twheel_stats s;
	struct queue q;

	ASSERT_EQ(0, queue_open(&q, CLOCK_MONOTONIC, 64));
	ASSERT_EQ(0, fcntl(q.fd, F_SETFL, O_NONBLOCK));	/* two take its records */
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		actors[i] = (struct actor){ .q = &q, .stop = &stop, .seed = seed * 31 + i + 1 };
		ASSERT_EQ(0, pthread_create(&actors[i].thread, NULL, runs[i], &actors[i]));
	}
	sleep_ns(2 * SEC);
	atomic_store(&stop, true);
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		pthread_join(actors[i].thread, NULL);
		EXPECT_EQ(0ULL, actors[i].errors)
			TH_LOG("actor %zu", i);
		EXPECT_LT(0ULL, actors[i].times);
		TH_LOG("actor %zu: %llu times", i, actors[i].times);
	}
	s = stats(q.fd);
	EXPECT_EQ(s.armed, s.pending + s.backlog + s.cancelled + s.expired);
	queue_close(&q);
}

TEST_HARNESS_MAIN
