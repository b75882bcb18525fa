/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory with a hard end: a system call that goes beyond it fails with EFAULT. */
#ifndef TWHEEL_SELFTESTS_GUARD_PAGE_H
#define TWHEEL_SELFTESTS_GUARD_PAGE_H

#include <stdlib.h>
#include <sys/mman.h>

#include "base.h"

/* Two pages, of which the second cannot be accessed. */
static inline char *guarded_page(void)
{
	char *page = mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED || mprotect(page + PAGE_SIZE, PAGE_SIZE, PROT_NONE))
		abort();
	return page;
}

#endif /* TWHEEL_SELFTESTS_GUARD_PAGE_H */
