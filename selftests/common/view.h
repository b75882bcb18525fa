/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel reports about a queue: STATS and LIST. */
#ifndef TWHEEL_SELFTESTS_VIEW_H
#define TWHEEL_SELFTESTS_VIEW_H

#include <string.h>

#include "queue.h"

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

#endif /* TWHEEL_SELFTESTS_VIEW_H */
