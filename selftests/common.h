/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the selftests share.  Each subject has its header in common/.
 *
 * Wrappers return what the system call returned, or a negative errno, so that a
 * test can say EXPECT_EQ(-EINVAL, ...). Memory that the kernel has to write is
 * poisoned first. These are headers and not a library because the harness wants
 * its asserts in the test's own file, and because -m32 builds need them as well.
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
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/base.h"
#include "common/guard_page.h"
#include "common/ops.h"
#include "common/pass_fd.h"
#include "common/queue.h"
#include "common/random.h"
#include "common/records.h"
#include "common/sysfs.h"
#include "common/threads.h"
#include "common/time.h"
#include "common/view.h"

#endif /* TWHEEL_SELFTESTS_COMMON_H */
