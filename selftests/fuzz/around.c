// SPDX-License-Identifier: GPL-2.0-only
/*
 * The system calls around the ioctls: what a process does to descriptors and mappings
 * of the hostile queues while others use them.  mmap in all ways, munmap, mremap,
 * mprotect, madvise, fork, dup, close, descriptors through a socket, eventfds that come
 * and go, signals, and the wall clock set.
 */
#include "around.h"
#include "harmless.h"
#include "ioctls.h"
#include "promise.h"
#include "victim.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

/* --- hostile mappings ------------------------------------------------------------------ */

static size_t random_size(struct actor *a)
{
	return one_in(a, 4) ? PAGE_SIZE * (1 + draw(a, 60)) + draw(a, 2) : PAGE_SIZE;
}

/* Mostly an area where it belongs; sometimes anything, anywhere in the place. */
static void map_something(struct actor *a, int i)
{
	const struct twheel_setup *s = &victims[i].setup;
	struct victim *v = &victims[i];
	const struct { char *at; size_t size; __u64 offset; int prot; } areas[] = {
		{ v->ring, s->ring_size, s->ring_offset, PROT_READ },
		{ v->ctl, s->ctl_size, s->ctl_offset, PROT_READ | PROT_WRITE },
		{ v->words, s->words_size, s->words_offset, PROT_READ | PROT_WRITE },
	};
	unsigned int which = draw(a, 3);
	size_t most = which == 1 ? PAGE_SIZE : which ? WORDS_BYTES : PLACE_CTL;
	size_t size = areas[which].size < most ? areas[which].size : most;
	__u64 offset = areas[which].offset;
	int prot = areas[which].prot, flags = MAP_SHARED;
	void *ret;

	if (one_in(a, 4))
		size = 1 + draw(a, most);
	if (one_in(a, 8))
		offset += PAGE_SIZE * draw(a, 1UL << draw(a, 30));
	if (one_in(a, 8))
		prot = draw(a, 8);
	if (one_in(a, 16))
		flags = MAP_PRIVATE;
	if (one_in(a, 8))
		flags |= MAP_POPULATE;
	ret = mmap(areas[which].at, size, prot, flags | MAP_FIXED, HOSTILE_FD + i, offset);
	step(a, "%d: mmap area %u, %zu bytes, offset %llx, rights %d: %d", i, which, size, offset,
	     prot, ret == MAP_FAILED ? errno : 0);
	holds(ERRNOS, a, ret == MAP_FAILED || prot != (PROT_READ | PROT_WRITE) || which ||
	      flags & MAP_PRIVATE, "the ring is writable");
}

static char *somewhere(struct actor *a, int i)
{
	char *const areas[] = { victims[i].ring, victims[i].ctl, victims[i].words };

	return areas[draw(a, 3)] + (one_in(a, 2) ? PAGE_SIZE * draw(a, 8) : 0);
}

static void unmap_something(struct actor *a, int i)
{
	int ret = munmap(somewhere(a, i), random_size(a));

	step(a, "%d: munmap: %d", i, ret);
}

/* Never beyond the place: from one area into the spare room, or back, or smaller. */
static void remap_something(struct actor *a, int i)
{
	char *spare = victims[i].ring + PLACE_SPARE, *from = somewhere(a, i), *to = spare;
	size_t old = random_size(a), new = random_size(a);
	void *ret;

	if (one_in(a, 3)) {
		to = from;
		from = spare;
	}
	if (one_in(a, 3))
		ret = mremap(from, old, new < old ? new : old, 0);
	else
		ret = mremap(from, old, new, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	step(a, "%d: mremap %zu to %zu: %d", i, old, new, ret == MAP_FAILED ? errno : 0);
}

/* The ring must never become writable, nor anything executable. */
static void protect_something(struct actor *a, int i)
{
	char *at = somewhere(a, i);
	int prot = draw(a, 8), ret = mprotect(at, PAGE_SIZE, prot);

	step(a, "%d: mprotect %d: %d", i, prot, ret);
}

static void advise(struct actor *a, int i)
{
	static const int advices[] = {
		MADV_DONTNEED, MADV_WILLNEED, MADV_DONTFORK, MADV_DOFORK, MADV_REMOVE,
		MADV_COLD, MADV_PAGEOUT, MADV_POPULATE_READ, MADV_POPULATE_WRITE, MADV_DODUMP,
	};
	int advice = advices[draw(a, 10)];
	char *at = somewhere(a, i);
	int ret = one_in(a, 4) ? mlock(at, PAGE_SIZE) : madvise(at, PAGE_SIZE, advice);

	step(a, "%d: madvise %d: %d", i, advice, ret);
}

/* --- hostile descriptors and processes ------------------------------------------------------ */

static void swap_descriptors(struct actor *a, int i)
{
	int fd, other = draw(a, VICTIMS);

	switch (draw(a, 4)) {
	case 0:
		close(HOSTILE_FD + i);
		break;
	case 1:
		dup3(HOSTILE_FD + other, HOSTILE_FD + i, O_CLOEXEC);
		break;
	case 2:
		fd = through_socket(HOSTILE_FD + other);
		if (fd >= 0)
			dup3(fd, HOSTILE_FD + i, O_CLOEXEC);
		close(fd);
		break;
	default:
		fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		dup3(fd, HOSTILE_EFD + draw(a, 2), O_CLOEXEC);
		close(fd);
	}
	step(a, "%d: descriptors", i);
}

/* A child with the descriptors, without the mappings, makes some of its own. */
static void fork_something(struct actor *a)
{
	pid_t pid = fork();
	int status = 0;

	if (!pid) {
		/* It dies in the middle of something, or comes to its end. */
		signal(SIGALRM, SIG_DFL);
		ualarm(1000 + draw(a, 100000), 0);
		for (int i = 0; i < 20; i++)
			ioctl_step(a);
		map_something(a, draw(a, VICTIMS));
		_exit(over);
	}
	random_next(&a->random);
	if (pid < 0)
		return;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	step(a, "fork: %x", status);
	holds(ERRNOS, a, over || !WIFEXITED(status) || !WEXITSTATUS(status),
	      "a child has found it");
}

/* The wall clock: nobody but the hostile queues looks at it. */
static void set_clock(struct actor *a)
{
	__s64 jump = (__s64)draw(a, 2 * SEC) - (__s64)SEC;
	__u64 then = now(CLOCK_REALTIME) + jump;
	struct timespec ts = { .tv_sec = then / SEC, .tv_nsec = then % SEC };

	clock_settime(CLOCK_REALTIME, &ts);
	step(a, "clock set by %lld ns", jump);
}

void around_step(struct actor *a)
{
	int i = draw(a, VICTIMS);

	switch (draw(a, 16)) {
	case 0:
	case 1:
	case 2:
	case 3:
	case 4:
		map_something(a, i);
		return;
	case 5:
		unmap_something(a, i);
		return;
	case 6:
		remap_something(a, i);
		return;
	case 7:
		protect_something(a, i);
		return;
	case 8:
		advise(a, i);
		return;
	case 9:
	case 10:
		swap_descriptors(a, i);
		return;
	case 11:
		if (one_in(a, 8))
			fork_something(a);
		return;
	case 12:
		set_clock(a);
		return;
	case 13:
		show_fdinfo(HOSTILE_FD + i);
		return;
	default:
		sleep_ns(draw(a, MSEC));
	}
}
