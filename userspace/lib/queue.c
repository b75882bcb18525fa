// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The life of a queue: choose an engine; open, set up, map, unmap, close.
 *
 * The ring, the ctl page and the words are three mappings, each with the rights
 * that its area gives.  A struct twheel that is only half made has NULL for areas
 * that are not mapped, so one function, unmap(), can unmap whatever there is.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib.h"
#include "process.h"

#define DEVICE			"/dev/twheel"
#define DEFAULT_RING_ENTRIES	4096

/* Map one area; *area is NULL if that fails. */
static int map(void **area, int fd, int prot, __u64 size, __u64 offset)
{
	int saved = errno;
	void *p = mmap(NULL, size, prot, MAP_SHARED, fd, (off_t)offset);

	*area = p == MAP_FAILED ? NULL : p;
	return *area ? 0 : lib_result(-1, saved);
}

static void unmap(struct twheel *tw)
{
	int saved = errno;

	if (tw->ring)
		munmap((void *)tw->ring, tw->setup.ring_size);
	if (tw->ctl)
		munmap(tw->ctl, tw->setup.ctl_size);
	if (tw->words)
		munmap(tw->words, tw->setup.words_size);
	tw->ring = NULL;
	tw->ctl = NULL;
	tw->words = NULL;
	errno = saved;
}

static int map_areas(struct twheel *tw)
{
	const struct twheel_setup *setup = &tw->setup;
	void *ring, *ctl, *words;
	int ret;

	ret = map(&ring, tw->fd, PROT_READ, setup->ring_size, setup->ring_offset);
	tw->ring = ring;
	if (ret)
		return ret;
	tw->records = (void *)((char *)ring + setup->records_offset);

	ret = map(&ctl, tw->fd, PROT_READ | PROT_WRITE, setup->ctl_size,
		  setup->ctl_offset);
	tw->ctl = ctl;
	if (ret || !setup->words_size)
		return ret;

	ret = map(&words, tw->fd, PROT_READ | PROT_WRITE, setup->words_size,
		  setup->words_offset);
	tw->words = words;
	return ret;
}

int twheel_attach(struct twheel *tw, int fd, const struct twheel_setup *setup)
{
	struct twheel new = { .fd = fd, .setup = *setup };
	int ret = 0;

	if (!setup->ring_size)	/* of the process's engine */
		return -EOPNOTSUPP;
	new.mask = setup->ring_entries - 1;
	if (setup->features & TWHEEL_FEAT_MMAP)
		ret = map_areas(&new);
	if (ret)
		unmap(&new);
	if (ret && ret != -ENODEV)
		return ret;
	*tw = new;
	return 0;
}

/* Copy the members that both sides know; the others must be 0. */
static int read_config(struct twheel_config *to, const struct twheel_config *from)
{
	const unsigned char *bytes = (const void *)from;
	size_t size = from->size;

	if (size < sizeof(from->size) || size > 4096)
		return -EINVAL;
	for (size_t i = sizeof(*to); i < size; i++)
		if (bytes[i])
			return -E2BIG;
	memcpy(to, from, size < sizeof(*to) ? size : sizeof(*to));
	return to->engine <= TWHEEL_ENGINE_PROCESS ? 0 : -EINVAL;
}

static int set_up(int fd, const struct twheel_config *config,
		  struct twheel_setup *setup)
{
	*setup = (struct twheel_setup) {
		.size = sizeof(*setup),
		.flags = config->flags & ~TWHEEL_UNSHARED,
		.clockid = (__u32)config->clockid,
		.ring_entries = config->ring_entries,
		.max_timers = config->max_timers,
		.slack = config->slack,
	};
	if (!setup->ring_entries)
		setup->ring_entries = DEFAULT_RING_ENTRIES;
	return lib_ioctl(fd, TWHEEL_IOC_SETUP, setup);
}

static void close_quietly(int fd)
{
	int saved = errno;

	close(fd);
	errno = saved;
}

static int open_device(void)
{
	int saved = errno;

	return lib_result(open(DEVICE, O_RDWR | O_CLOEXEC | O_NONBLOCK), saved);
}

/* Whether an error of open() says that there is no device for this program. */
static bool no_device(int error)
{
	return error == -ENOENT || error == -ENODEV || error == -ENXIO ||
	       error == -EACCES || error == -EPERM;
}

static int open_kernel(struct twheel *tw, int fd, const struct twheel_config *config)
{
	struct twheel_setup setup;
	int ret = set_up(fd, config, &setup);

	if (ret >= 0)
		ret = twheel_attach(tw, fd, &setup);
	if (ret < 0)
		close_quietly(fd);
	return ret;
}

static int open_process(struct twheel *tw, const struct twheel_config *config,
			int device_error)
{
	int saved = errno;
	int ret = twheel_process_open(tw, config);

	errno = saved;
	if (!ret)
		tw->device_error = device_error;
	return ret;
}

/* The engine that the environment names: TWHEEL_ENGINE_ANY for none, or -EINVAL. */
static int engine_of_environment(void)
{
	const char *name = secure_getenv("TWHEEL_ENGINE");

	if (!name || !*name)
		return TWHEEL_ENGINE_ANY;
	if (!strcmp(name, "kernel"))
		return TWHEEL_ENGINE_KERNEL;
	return strcmp(name, "process") ? -EINVAL : TWHEEL_ENGINE_PROCESS;
}

static int choose_engine(const struct twheel_config *config)
{
	bool manual = config->clockid == TWHEEL_CLOCK_MANUAL;

	if (manual && config->engine == TWHEEL_ENGINE_KERNEL)
		return -EINVAL;
	if (config->engine != TWHEEL_ENGINE_ANY)
		return (int)config->engine;
	return manual ? TWHEEL_ENGINE_PROCESS : engine_of_environment();
}

int twheel_open(struct twheel *tw, const struct twheel_config *user_config)
{
	struct twheel_config config = { .clockid = CLOCK_MONOTONIC };
	int ret = user_config ? read_config(&config, user_config) : 0;
	int engine, fd;

	if (ret)
		return ret;
	engine = choose_engine(&config);
	if (engine < 0)
		return engine;
	if (engine == TWHEEL_ENGINE_PROCESS)
		return open_process(tw, &config, 0);
	fd = open_device();
	if (fd >= 0)
		return open_kernel(tw, fd, &config);
	if (engine == TWHEEL_ENGINE_ANY && no_device(fd))
		return open_process(tw, &config, fd);
	return fd;
}

void twheel_close(struct twheel *tw)
{
	int saved = errno;

	if (!tw->setup.size)
		return;
	if (tw->process) {
		twheel_process_close(tw);
		errno = saved;
	} else {
		unmap(tw);
		close_quietly(tw->fd);
	}
	memset(tw, 0, sizeof(*tw));
	tw->fd = -1;	/* 0 would be somebody's */
}

__u64 twheel_now(const struct twheel *tw)
{
	struct timespec now;

	if (tw->process)
		return twheel_process_now(tw->process);
	/* Cannot fail: SETUP has accepted this clock. */
	clock_gettime((clockid_t)tw->setup.clockid, &now);
	return (__u64)now.tv_sec * 1000000000ULL + (__u64)now.tv_nsec;
}
