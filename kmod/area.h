/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_AREA_H
#define TWHEEL_AREA_H

#include <linux/mm.h>
#include <linux/types.h>

/**
 * struct tw_area - pages that the kernel and a program share
 * @pages: the pages
 * @count: how many
 * @addr: where the kernel has mapped them contiguously
 */
struct tw_area {
	struct page **pages;
	unsigned int count;
	void *addr;
};

int tw_area_init(struct tw_area *area, size_t bytes);
void tw_area_destroy(struct tw_area *area);
int tw_area_map(const struct tw_area *area, struct vm_area_struct *vma);

static inline size_t tw_area_bytes(const struct tw_area *area)
{
	return (size_t)area->count << PAGE_SHIFT;
}

#endif /* TWHEEL_AREA_H */
