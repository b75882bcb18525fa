/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the selftests share: raw ioctls, builders for ops, and a consumer of the
 * mapped ring that follows the protocol in linux/twheel.h to the letter.
 *
 * Wrappers return what the system call returned, or a negative errno, so that a
 * test can say EXPECT_EQ(-EINVAL, ...). Whatever the kernel is to write is
 * poisoned before. This is a header and not a library because the harness wants
 * its asserts in the test's own file, and because -m32 builds need it as well.
 */
#ifndef TWHEEL_SELFTESTS_COMMON_H
#define TWHEEL_SELFTESTS_COMMON_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/twheel.h>

#define DEVICE		"/dev/twheel"
#define PARAMETERS	"/sys/module/twheel/parameters/"

#define USEC		1000ULL
#define MSEC		1000000ULL
#define SEC		1000000000ULL
#define HOUR		(3600 * SEC)
#define TIME_MAX	0x7fffffffffffffffULL	/* last deadline there is */

#define GIVE_UP_MS	15000	/* no promise, just the end of patience */

#define POISON32	0x5a5a5a5a
#define POISON_BYTE	0xa5

#ifndef PAGE_SIZE
#define PAGE_SIZE	4096U
#endif

static inline long result_of(long ret)
{
	return ret < 0 ? -errno : ret;
}

static inline __u64 addr(const void *p)
{
	return (uintptr_t)p;
}

/* --- time and chance ------------------------------------------------------- */

static inline __u64 now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * SEC + ts.tv_nsec;
}

static inline __u64 mono(void)
{
	return now(CLOCK_MONOTONIC);
}

static inline void sleep_ns(__u64 ns)
{
	struct timespec ts = { .tv_sec = ns / SEC, .tv_nsec = ns % SEC };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
		;
}

static inline void spin_until(__u64 end)
{
	while (mono() < end)
		;
}

static inline void spin_ns(__u64 ns)
{
	spin_until(mono() + ns);
}

/* xorshift64*: the same sequence everywhere for the same seed. */
static inline __u64 random_next(__u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

static inline __u64 random_below(__u64 *state, __u64 bound)
{
	return (random_next(state) >> 11) % bound;
}

static inline __u64 number_from_env(const char *name, __u64 otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* The seed of this run; printed, so that it can be given again. */
static inline __u64 random_seed(void)
{
	__u64 seed = number_from_env("TWHEEL_SEED", now(CLOCK_REALTIME) | 1);

	printf("# TWHEEL_SEED=%llu\n", (unsigned long long)seed);
	fflush(stdout);
	return seed ? seed : 1;
}

/* n rounds, or as many percent of it as TWHEEL_SCALE says. */
static inline unsigned int rounds(unsigned int n)
{
	__u64 scaled = n * number_from_env("TWHEEL_SCALE", 100) / 100;

	return scaled ? scaled : 1;
}

/* --- a queue --------------------------------------------------------------- */

struct queue {
	int fd;
	struct twheel_setup setup;
	const struct twheel_ring *ring;		/* NULL when it is not mapped */
	const struct twheel_record *records;
	struct twheel_ctl *ctl;
};

static inline long tw_ioctl(int fd, unsigned long cmd, void *arg)
{
	return result_of(ioctl(fd, cmd, arg));
}

static inline int device_open(void)
{
	return result_of(open(DEVICE, O_RDWR | O_CLOEXEC));
}

static inline struct twheel_setup setup_of(__u32 clock, __u32 entries)
{
	return (struct twheel_setup){
		.size = sizeof(struct twheel_setup),
		.clockid = clock,
		.ring_entries = entries,
	};
}

/* A queue as q->setup asks for. Returns 0, or the error of open or of SETUP. */
static inline long queue_open_with(struct queue *q)
{
	long ret;

	q->ring = NULL;
	q->ctl = NULL;
	q->fd = device_open();
	if (q->fd < 0)
		return q->fd;
	ret = tw_ioctl(q->fd, TWHEEL_IOC_SETUP, &q->setup);
	if (ret < 0) {
		close(q->fd);
		q->fd = -1;
	}
	return ret;
}

static inline long queue_open(struct queue *q, __u32 clock, __u32 entries)
{
	q->setup = setup_of(clock, entries);
	return queue_open_with(q);
}

static inline long queue_map(struct queue *q)
{
	const struct twheel_setup *s = &q->setup;
	char *ring;

	ring = mmap(NULL, s->ring_size, PROT_READ, MAP_SHARED, q->fd, s->ring_offset);
	if (ring == MAP_FAILED)
		return -errno;
	q->ctl = mmap(NULL, s->ctl_size, PROT_READ | PROT_WRITE, MAP_SHARED, q->fd,
		      s->ctl_offset);
	if (q->ctl == MAP_FAILED) {
		q->ctl = NULL;
		munmap(ring, s->ring_size);
		return -errno;
	}
	q->ring = (const struct twheel_ring *)ring;
	q->records = (const struct twheel_record *)(ring + s->records_offset);
	return 0;
}

static inline void queue_unmap(struct queue *q)
{
	if (q->ring)
		munmap((void *)q->ring, q->setup.ring_size);
	if (q->ctl)
		munmap(q->ctl, q->setup.ctl_size);
	q->ring = NULL;
	q->ctl = NULL;
}

static inline void queue_close(struct queue *q)
{
	queue_unmap(q);
	if (q->fd >= 0)
		close(q->fd);
	q->fd = -1;
}

/* --- ops ------------------------------------------------------------------- */

static inline struct twheel_op op_arm(__u64 deadline, __u64 user_data)
{
	return (struct twheel_op){
		.opcode = TWHEEL_OP_ARM, .result = POISON32,
		.deadline = deadline, .user_data = user_data,
	};
}

static inline struct twheel_op op_arm_rel(__u64 delay, __u64 user_data)
{
	struct twheel_op op = op_arm(delay, user_data);

	op.flags = TWHEEL_OP_REL;
	return op;
}

static inline struct twheel_op op_on(__u8 opcode, __u64 id)
{
	return (struct twheel_op){ .opcode = opcode, .result = POISON32, .id = id };
}

static inline struct twheel_op op_cancel(__u64 id)
{
	return op_on(TWHEEL_OP_CANCEL, id);
}

static inline struct twheel_op op_query(__u64 id)
{
	return op_on(TWHEEL_OP_QUERY, id);
}

static inline struct twheel_op op_free(__u64 id)
{
	return op_on(TWHEEL_OP_FREE, id);
}

static inline struct twheel_op op_move(__u64 id, __u64 deadline, __u64 period)
{
	struct twheel_op op = op_on(TWHEEL_OP_MOVE, id);

	op.deadline = deadline;
	op.period = period;
	return op;
}

/* How many of the ops ran, or a negative errno. */
static inline long submit(int fd, struct twheel_op *ops, __u32 count)
{
	struct twheel_submit arg = {
		.size = sizeof(arg), .ops = addr(ops), .count = count,
	};

	return tw_ioctl(fd, TWHEEL_IOC_SUBMIT, &arg);
}

/* Any number of ops, in as many batches as it takes. */
static inline long submit_all(const struct queue *q, struct twheel_op *ops, __u32 count)
{
	__u32 done = 0;

	while (done < count) {
		__u32 n = count - done;
		long ret = submit(q->fd, ops + done,
				  n < q->setup.max_batch ? n : q->setup.max_batch);

		if (ret <= 0)
			return ret ? ret : -EIO;
		done += ret;
	}
	return done;
}

/* One op: its result, or why it did not run. */
static inline long run_op(int fd, struct twheel_op *op)
{
	long ret = submit(fd, op, 1);

	if (ret < 0)
		return ret;
	return ret == 1 ? op->result : -EIO;
}

/* The id, or 0. */
static inline __u64 arm_op(int fd, struct twheel_op op)
{
	return run_op(fd, &op) ? 0 : op.id;
}

static inline __u64 arm(int fd, __u64 deadline, __u64 user_data)
{
	return arm_op(fd, op_arm(deadline, user_data));
}

static inline __u64 arm_rel(int fd, __u64 delay, __u64 user_data)
{
	return arm_op(fd, op_arm_rel(delay, user_data));
}

static inline __u64 arm_periodic(int fd, __u64 first, __u64 period, __u64 user_data)
{
	struct twheel_op op = op_arm(first, user_data);

	op.period = period;
	return arm_op(fd, op);
}

static inline __u64 arm_keep(int fd, __u64 deadline, __u64 user_data)
{
	struct twheel_op op = op_arm(deadline, user_data);

	op.flags = TWHEEL_OP_KEEP;
	return arm_op(fd, op);
}

static inline long cancel(int fd, __u64 id)
{
	struct twheel_op op = op_cancel(id);

	return run_op(fd, &op);
}

static inline long move(int fd, __u64 id, __u64 deadline)
{
	struct twheel_op op = op_move(id, deadline, 0);

	return run_op(fd, &op);
}

static inline long release(int fd, __u64 id)
{
	struct twheel_op op = op_free(id);

	return run_op(fd, &op);
}

/* enum twheel_state, or a negative errno. */
static inline long state(int fd, __u64 id)
{
	struct twheel_op op = op_query(id);

	return run_op(fd, &op);
}

static inline long flush(int fd)
{
	return tw_ioctl(fd, TWHEEL_IOC_FLUSH, NULL);
}

static inline long set_eventfd(int fd, int efd)
{
	struct twheel_eventfd arg = { .size = sizeof(arg), .fd = efd };

	return tw_ioctl(fd, TWHEEL_IOC_EVENTFD, &arg);
}

static inline struct twheel_stats stats(int fd)
{
	struct twheel_stats s;

	memset(&s, POISON_BYTE, sizeof(s));
	s.size = sizeof(s);
	s.flags = 0;
	tw_ioctl(fd, TWHEEL_IOC_STATS, &s);
	return s;
}

static inline long list(int fd, __u64 *cursor, struct twheel_info *infos, __u32 count)
{
	struct twheel_list arg = {
		.size = sizeof(arg), .cursor = *cursor,
		.infos = addr(infos), .count = count,
	};
	long ret = tw_ioctl(fd, TWHEEL_IOC_LIST, &arg);

	*cursor = arg.cursor;
	return ret;
}

/*
 * Arm a timer and end it again with op (CANCEL or FREE) before it is due, however
 * slow this machine is. Returns when it would have fired, or 0.
 */
static inline __u64 arm_and_end(int fd, __u8 opcode, __u16 flags)
{
	for (__u64 delay = 10 * MSEC; delay < 10 * SEC; delay *= 3) {
		struct twheel_op op = op_arm(mono() + delay, 1), end;
		struct twheel_record rec;

		op.flags = flags;
		end = op_on(opcode, arm_op(fd, op));
		if (run_op(fd, &end) >= 0)
			return op.deadline;
		/* Too late: take the record and try again with more time. */
		if (mono() < op.deadline || read(fd, &rec, sizeof(rec)) != sizeof(rec))
			return 0;
	}
	return 0;
}

/* Whether fd stays unreadable until this time and a little longer. */
static inline bool silent_until(int fd, __u64 until)
{
	while (mono() < until + 15 * MSEC) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		if (poll(&p, 1, 5) == 1)
			return false;
	}
	return true;
}

/* --- records --------------------------------------------------------------- */

/*
 * Take one record from the mapped ring; false when there is none. The steps are
 * those of the head comment of linux/twheel.h.
 */
static inline bool ring_take(struct queue *q, struct twheel_record *rec)
{
	__u32 head = __atomic_load_n(&q->ctl->head, __ATOMIC_RELAXED);

	for (;;) {
		__u32 tail = __atomic_load_n(&q->ring->tail, __ATOMIC_ACQUIRE);

		if (tail == head)
			return false;
		*rec = q->records[head & (q->setup.ring_entries - 1)];
		if (__atomic_compare_exchange_n(&q->ctl->head, &head, head + 1, false,
						__ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return true;
	}
}

/* What a consumer does before it sleeps: is there backlog to be flushed? */
static inline __u32 ring_backlog(const struct queue *q)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&q->ring->backlog, __ATOMIC_RELAXED);
}

/* How many records, or a negative errno. */
static inline long read_records(int fd, struct twheel_record *rec, unsigned int n)
{
	long ret;

	memset(rec, POISON_BYTE, n * sizeof(*rec));
	ret = result_of(read(fd, rec, n * sizeof(*rec)));
	return ret < 0 ? ret : ret / (long)sizeof(*rec);
}

static inline bool readable(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, timeout_ms) == 1 && (p.revents & POLLIN);
}

/* Wait for the next record. Returns 1, or -ETIMEDOUT. For a sole consumer. */
static inline long next_record(int fd, struct twheel_record *rec)
{
	if (!readable(fd, GIVE_UP_MS))
		return -ETIMEDOUT;
	return read_records(fd, rec, 1);
}

/* Exactly n records within the time; returns how many came. */
static inline unsigned int collect(int fd, struct twheel_record *rec, unsigned int n)
{
	unsigned int have = 0;

	while (have < n && readable(fd, GIVE_UP_MS)) {
		long ret = read_records(fd, rec + have, n - have);

		if (ret <= 0)
			break;
		have += ret;
	}
	return have;
}

/* --- the environment ------------------------------------------------------- */

/*
 * Whether threads work: a 32-bit program's need the futex call with 32-bit time,
 * which a kernel without CONFIG_COMPAT_32BIT_TIME does not have.
 */
static inline bool threads_work(void)
{
#ifdef SYS_futex
	int word = 0;

	return syscall(SYS_futex, &word, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0) >= 0 ||
	       errno != ENOSYS;
#else
	return true;
#endif
}

#define NEEDS_THREADS() do {						\
	if (!threads_work())						\
		SKIP(return, "no futex for 32-bit programs");		\
} while (0)

/* Pass a descriptor over a unix socket. */
static inline long send_fd(int sock, int fd, int flags)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return result_of(sendmsg(sock, &msg, flags));
}

/* Two pages; the second one cannot be touched. */
static inline char *guarded_page(void)
{
	char *page = mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED || mprotect(page + PAGE_SIZE, PAGE_SIZE, PROT_NONE))
		abort();
	return page;
}

static inline long file_get(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	long ret;

	if (fd < 0)
		return -errno;
	ret = result_of(read(fd, text, size - 1));
	close(fd);
	if (ret >= 0)
		text[ret] = '\0';
	return ret;
}

static inline long file_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	long ret;

	if (fd < 0)
		return -errno;
	ret = result_of(write(fd, text, strlen(text)));
	close(fd);
	return ret < 0 ? ret : 0;
}

/* A module parameter, or 0. */
static inline __u64 parameter(const char *name)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	return file_get(path, text, sizeof(text)) > 0 ? strtoull(text, NULL, 0) : 0;
}

static inline long parameter_set(const char *name, __u64 value)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return file_put(path, text);
}

/* The descriptor that comes next, or -1. */
static inline int receive_fd(int sock)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	int fd = -1;

	if (recvmsg(sock, &msg, 0) == 1 && CMSG_FIRSTHDR(&msg))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

/* How many of n arms were accepted; all results must be 0 or @refused. */
static inline long arm_until_refused(struct queue *q, unsigned int n, int refused)
{
	struct twheel_op *ops = calloc(n, sizeof(*ops));
	long armed = 0;

	for (unsigned int i = 0; i < n; i++)
		ops[i] = op_arm(TIME_MAX - i, i);
	if (submit_all(q, ops, n) != (long)n)
		return -1;
	for (unsigned int i = 0; i < n; i++) {
		if (ops[i].result && ops[i].result != refused)
			return -2;
		armed += !ops[i].result;
	}
	free(ops);
	return armed;
}

/* How often the module is in use, or -1. */
static inline long module_users(void)
{
	char text[32];

	return file_get("/sys/module/twheel/refcnt", text, sizeof(text)) > 0 ?
		atol(text) : -1;
}

/*
 * Wait for that: the last reference may be dropped a little later, by a work item.
 * For sockets that hold each other the kernel looks when another one is closed.
 */
static inline bool users_become(long n)
{
	__u64 give_up = mono() + GIVE_UP_MS * MSEC;

	while (module_users() != n) {
		if (mono() > give_up)
			return false;
		close(socket(AF_UNIX, SOCK_DGRAM, 0));
		sleep_ns(5 * MSEC);
	}
	return true;
}

#endif /* TWHEEL_SELFTESTS_COMMON_H */
