// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/twheel as the selftests see it, by the engine in the process.
 *
 * The selftests speak to the device by system calls.  Here they are linked with
 * --wrap, so that open, ioctl, read, poll, mmap and close of a queue come to
 * this file, which does the same by libtwheel's public functions.  So one source of
 * tests judges both engines, and the library's interface with them.
 *
 * A queue's descriptor is a duplicate of twheel_fd().  What is mapped are the
 * areas that struct twheel has.
 *
 * The kernel's engine writes records by itself; a program that waits by poll() and
 * then looks into the ring finds them there.  In the process somebody has to ask, so
 * poll() asks here, and waits on when nothing was to be had.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <twheel.h>

#define MAX_FD	4096

int __real_open(const char *path, int flags, ...);
int __real_close(int fd);
int __real_ioctl(int fd, unsigned long cmd, void *arg);
int __real_poll(struct pollfd *fds, nfds_t n, int timeout);
int __real_munmap(void *addr, size_t size);
void *__real_mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset);
ssize_t __real_read(int fd, void *buffer, size_t size);

/**
 * struct device - one open of the device
 * @is_open: there is one with this descriptor
 * @set_up: @tw is a queue
 */
struct device {
	bool is_open;
	bool set_up;
	struct twheel tw;
};

static struct device devices[MAX_FD];

static struct device *device_of(int fd)
{
	return fd >= 0 && fd < MAX_FD && devices[fd].is_open ? &devices[fd] : NULL;
}

static struct twheel *queue_of(int fd)
{
	struct device *d = device_of(fd);

	return d && d->set_up ? &d->tw : NULL;
}

/* A system call's result from a library function's. */
static int result(int ret)
{
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

int __wrap_open(const char *path, int flags, ...)
{
	int fd, mode;
	va_list args;

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	if (strcmp(path, "/dev/twheel"))
		return __real_open(path, flags, mode);
	fd = eventfd(0, EFD_CLOEXEC);
	if (fd >= MAX_FD)
		_exit(125);
	if (fd >= 0)
		devices[fd] = (struct device){ .is_open = true };
	if (flags & O_NONBLOCK)
		fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

int __wrap_close(int fd)
{
	struct device *d = device_of(fd);

	if (d) {
		if (d->set_up)
			twheel_close(&d->tw);
		d->is_open = false;
	}
	return __real_close(fd);
}

static int set_up(int fd, struct twheel_setup *setup)
{
	struct twheel_config config = {
		.size = sizeof(config),
		.flags = setup->flags,
		.clockid = (__s32)setup->clockid,
		.ring_entries = setup->ring_entries,
		.max_timers = setup->max_timers,
		.engine = TWHEEL_ENGINE_PROCESS,
		.slack = setup->slack,
	};
	struct device *d = &devices[fd];
	int ret;

	if (d->set_up)
		return -EBUSY;
	ret = twheel_open(&d->tw, &config);
	if (ret)
		return ret;
	d->set_up = true;
	/* The library does not read from it, so it need not be non-blocking. */
	fcntl(twheel_fd(&d->tw), F_SETFL, fcntl(fd, F_GETFL) & O_NONBLOCK);
	dup3(twheel_fd(&d->tw), fd, O_CLOEXEC);
	*setup = d->tw.setup;
	/* What mmap() is asked for below. */
	setup->features |= TWHEEL_FEAT_MMAP;
	setup->ring_size = setup->records_offset +
			   setup->ring_entries * sizeof(struct twheel_record);
	setup->ctl_offset = 256 << 20;
	setup->ctl_size = sizeof(struct twheel_ctl);
	setup->words_offset = 512 << 20;
	if (setup->flags & TWHEEL_SETUP_WORDS)
		setup->words_size = sizeof(__u64) * (__u64)setup->max_timers;
	return 0;
}

static int queue_ioctl(struct twheel *tw, unsigned long cmd, void *arg)
{
	struct twheel_submit *submit = arg;
	struct twheel_list *list = arg;

	switch (cmd) {
	case TWHEEL_IOC_SUBMIT:
		if (submit->count > tw->setup.max_batch)
			return -EINVAL;
		return twheel_submit(tw, (void *)(uintptr_t)submit->ops, submit->count);
	case TWHEEL_IOC_EVENTFD:
		return twheel_eventfd(tw, ((struct twheel_eventfd *)arg)->fd);
	case TWHEEL_IOC_FLUSH:
		return twheel_flush(tw);
	case TWHEEL_IOC_STATS:
		return twheel_stats(tw, arg);
	case TWHEEL_IOC_LIST:
		return twheel_list(tw, &list->cursor, (void *)(uintptr_t)list->infos,
				   list->count);
	default:
		return -ENOTTY;
	}
}

int __wrap_ioctl(int fd, unsigned long cmd, void *arg)
{
	struct device *d = device_of(fd);

	if (!d)
		return __real_ioctl(fd, cmd, arg);
	if (cmd == TWHEEL_IOC_SETUP)
		return result(set_up(fd, arg));
	return result(d->set_up ? queue_ioctl(&d->tw, cmd, arg) : -ENXIO);
}

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
	struct twheel *tw = queue_of(fd);
	int ret;

	if (!tw)
		return __real_read(fd, buffer, size);
	if (size < sizeof(struct twheel_record))
		return result(-EINVAL);
	do {
		ret = twheel_consume(tw, buffer, size / sizeof(struct twheel_record));
		if (!ret && fcntl(fd, F_GETFL) & O_NONBLOCK)
			ret = -EAGAIN;
	} while (!ret && (ret = twheel_wait(tw, -1)) > 0);
	return ret < 0 ? result(ret) : ret * (ssize_t)sizeof(struct twheel_record);
}

static int left_ms(const struct timespec *start, int timeout)
{
	struct timespec now;
	long long passed;

	if (timeout <= 0)
		return timeout;
	clock_gettime(CLOCK_MONOTONIC, &now);
	passed = (now.tv_sec - start->tv_sec) * 1000LL +
		 (now.tv_nsec - start->tv_nsec) / 1000000;
	return passed >= timeout ? 0 : timeout - (int)passed;
}

/* Strike out queues that turn out to have no record.  Returns how many are left. */
static int confirm(struct pollfd *fds, nfds_t n, int ready)
{
	for (nfds_t i = 0; i < n; i++) {
		struct twheel *tw = queue_of(fds[i].fd);

		if (tw && fds[i].revents & POLLIN && !twheel_prepare_wait(tw)) {
			fds[i].revents = 0;
			ready--;
		}
	}
	return ready;
}

int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	struct timespec start;
	int ready, left;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		left = left_ms(&start, timeout);
		ready = __real_poll(fds, n, left);
		if (ready <= 0)
			return ready;
		ready = confirm(fds, n, ready);
	} while (!ready && left);
	return ready;
}

/* The start of the area with this offset, which has this size; NULL if there is none. */
static void *area(const struct twheel *tw, off_t offset)
{
	switch (offset >> 20) {
	case 0:
		return (void *)tw->ring;
	case 256:
		return tw->ctl;
	case 512:
		return tw->words;
	default:
		return NULL;
	}
}

void *__wrap_mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	struct twheel *tw = flags & MAP_ANONYMOUS ? NULL : queue_of(fd);
	void *p;

	if (!tw)
		return __real_mmap(addr, size, prot, flags, fd, offset);
	p = area(tw, offset);
	if (p)
		return p;
	errno = EINVAL;
	return MAP_FAILED;
}

int __wrap_munmap(void *addr, size_t size)
{
	for (int fd = 0; fd < MAX_FD; fd++) {
		struct twheel *tw = queue_of(fd);

		if (tw && (addr == tw->ring || addr == tw->ctl || addr == tw->words))
			return 0;
	}
	return __real_munmap(addr, size);
}
