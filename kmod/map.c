// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which areas of a queue can be mapped, and with which rights.
 *
 *	offset		area	rights		pages
 *	0		ring	read		there from the start
 *	256 MB		ctl	read, write	there from the start
 *	512 MB		words	read, write	come with the timers, on fault
 *
 * A mapping is shared and never executable.  Its rights cannot be raised later:
 * an area that must not be written loses VM_MAYWRITE.  It is not inherited by fork,
 * not dumped, and cannot grow.
 *
 * On a machine whose caches may show the kernel and the program different contents
 * of one page, nothing can be mapped.  read() works without a mapping.
 */
#include <linux/mm.h>

#include "compat.h"
#include "map.h"
#include "queue.h"

#define RING_OFFSET	0UL
#define CTL_OFFSET	(256UL << 20)
#define WORDS_OFFSET	(512UL << 20)

/**
 * tw_words_possible() - whether this machine can have words
 *
 * Words need a 64-bit compare-exchange that works on memory which user space
 * changes too, and a cache that does not alias.
 */
bool tw_words_possible(void)
{
	return IS_ENABLED(CONFIG_64BIT) && !tw_dcache_aliases();
}

/**
 * tw_map_features() - features that depend on the machine
 *
 * Return: TWHEEL_FEAT_*.
 */
u64 tw_map_features(void)
{
	return (tw_dcache_aliases() ? 0 : TWHEEL_FEAT_MMAP) |
	       (tw_words_possible() ? TWHEEL_FEAT_WORDS | TWHEEL_FEAT_WORDS_ARM : 0);
}

/**
 * tw_map_layout() - where the areas are
 * @setup: in: flags, ring_entries, max_timers; out: offsets and sizes
 */
void tw_map_layout(struct twheel_setup *setup)
{
	setup->ring_offset = RING_OFFSET;
	setup->ring_size = PAGE_ALIGN(tw_ring_bytes(setup->ring_entries));
	setup->ctl_offset = CTL_OFFSET;
	setup->ctl_size = PAGE_SIZE;
	setup->words_offset = WORDS_OFFSET;
	setup->words_size = 0;
	if (setup->flags & TWHEEL_SETUP_WORDS)
		setup->words_size = PAGE_ALIGN(sizeof(u64) * (u64)setup->max_timers);
}

/* A page of words exists once its timers do; before that, access is a bus error. */
static vm_fault_t words_fault(struct vm_fault *vmf)
{
	struct tw_queue *q = vmf->vma->vm_private_data;
	unsigned long number = vmf->pgoff - (WORDS_OFFSET >> PAGE_SHIFT);
	struct page *page = NULL;

	tw_queue_lock(q);
	if (number < q->core.words.pages.count) {
		page = virt_to_page(tw_page(q->core.words.root, number));
		get_page(page);
	}
	tw_queue_unlock(q);
	vmf->page = page;
	return page ? 0 : VM_FAULT_SIGBUS;
}

static const struct vm_operations_struct words_ops = {
	.fault = words_fault,
};

static int map_words(struct tw_queue *q, struct vm_area_struct *vma)
{
	u64 bytes = PAGE_ALIGN(sizeof(u64) * (u64)q->core.table.max);

	if (!q->core.words.on || vma->vm_end - vma->vm_start > bytes)
		return -EINVAL;
	vma->vm_private_data = q;
	vma->vm_ops = &words_ops;
	return 0;
}

/**
 * tw_map() - map one of the areas of a queue, or its beginning
 * @q: the queue
 * @vma: where to, and from which offset
 *
 * Context: Process context, from mmap().
 * Return: 0; -EINVAL for a private mapping, or when offset and length match no
 * area; -EACCES for rights that the area does not give; -ENODEV where nothing
 * can be mapped.
 */
int tw_map(struct tw_queue *q, struct vm_area_struct *vma)
{
	unsigned long offset = vma->vm_pgoff << PAGE_SHIFT;
	unsigned long denied = VM_EXEC | (offset == RING_OFFSET ? VM_WRITE : 0);

	if (tw_dcache_aliases())
		return -ENODEV;
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_pgoff != offset >> PAGE_SHIFT)
		return -EINVAL;
	if (vma->vm_flags & denied)
		return -EACCES;
	tw_vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
			denied & VM_WRITE ? VM_MAYWRITE | VM_MAYEXEC : VM_MAYEXEC);
	switch (offset) {
	case RING_OFFSET:
		return tw_area_map(&q->ring_area, vma);
	case CTL_OFFSET:
		return tw_area_map(&q->ctl_area, vma);
	case WORDS_OFFSET:
		return map_words(q, vma);
	default:
		return -EINVAL;
	}
}
