/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef SHIM_LINUX_LIST_H
#define SHIM_LINUX_LIST_H

#include <linux/build_bug.h>
#include <linux/kernel.h>

/*
 * The part of the kernel's hlist that twheel uses.  A node's pprev points at
 * the pointer that points at the node; NULL says that it is in no list.  Unlike
 * in the kernel, misuse is checked always.
 */
static inline void INIT_HLIST_NODE(struct hlist_node *n)
{
	n->next = NULL;
	n->pprev = NULL;
}

static inline bool hlist_unhashed(const struct hlist_node *n)
{
	return !n->pprev;
}

static inline bool hlist_empty(const struct hlist_head *h)
{
	return !h->first;
}

static inline void hlist_add_head(struct hlist_node *n, struct hlist_head *h)
{
	assert(hlist_unhashed(n));
	n->next = h->first;
	n->pprev = &h->first;
	if (n->next)
		n->next->pprev = &n->next;
	h->first = n;
}

static inline void __hlist_del(struct hlist_node *n)
{
	assert(n->pprev && *n->pprev == n && (!n->next || n->next->pprev == &n->next));
	*n->pprev = n->next;
	if (n->next)
		n->next->pprev = n->pprev;
}

static inline void hlist_del_init(struct hlist_node *n)
{
	__hlist_del(n);
	INIT_HLIST_NODE(n);
}

#define hlist_entry(ptr, type, member) container_of(ptr, type, member)

#define hlist_entry_or_null(ptr, type, member) \
	((ptr) ? hlist_entry(ptr, type, member) : NULL)

#define hlist_for_each_entry(pos, head, member)					\
	for (pos = hlist_entry_or_null((head)->first, __typeof__(*pos), member);	\
	     pos;								\
	     pos = hlist_entry_or_null(pos->member.next, __typeof__(*pos), member))

#endif /* SHIM_LINUX_LIST_H */
