// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory shared with a program.  The pages are allocated one by one, so that they
 * are charged to the memory cgroup; vmalloc_user() charges nothing.  The kernel
 * maps them contiguously with VM_USERMAP, so that remap_vmalloc_range() can map
 * them for the program too.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "area.h"
#include "compat.h"

static int take_pages(struct tw_area *area, unsigned int count)
{
	for (; area->count < count; area->count++) {
		area->pages[area->count] = alloc_page(TW_GFP_USER);
		if (!area->pages[area->count])
			return -ENOMEM;
	}
	return 0;
}

/**
 * tw_area_init() - allocate the pages, all zero
 * @area: a zeroed area; pass it to tw_area_destroy() also after an error
 * @bytes: its size, rounded up to pages
 *
 * Context: Process context.  May sleep.
 * Return: 0 or -ENOMEM.
 */
int tw_area_init(struct tw_area *area, size_t bytes)
{
	unsigned int count = PAGE_ALIGN(bytes) >> PAGE_SHIFT;
	int err;

	area->pages = kvcalloc(count, sizeof(*area->pages),
			       GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
	if (!area->pages)
		return -ENOMEM;
	err = take_pages(area, count);
	if (err)
		return err;
	area->addr = vmap(area->pages, count, VM_MAP | VM_USERMAP, PAGE_KERNEL);
	return area->addr ? 0 : -ENOMEM;
}

/**
 * tw_area_destroy() - free the pages
 * @area: an area, complete, half made or zeroed
 *
 * A program that has pinned pages keeps them.  No mapping is left, since each
 * mapping holds a reference to the file.
 *
 * Context: Process context.  May sleep.
 */
void tw_area_destroy(struct tw_area *area)
{
	vunmap(area->addr);
	while (area->count)
		__free_page(area->pages[--area->count]);
	kvfree(area->pages);
	area->pages = NULL;
	area->addr = NULL;
}

/**
 * tw_area_map() - map an area, or its beginning, for a program
 * @area: the area
 * @vma: where to; its rights have been checked
 *
 * Context: Process context, from mmap().
 * Return: 0, or -EINVAL when @vma is larger than the area.
 */
int tw_area_map(const struct tw_area *area, struct vm_area_struct *vma)
{
	if (vma->vm_end - vma->vm_start > tw_area_bytes(area))
		return -EINVAL;
	return remap_vmalloc_range(vma, area->addr, 0);
}
