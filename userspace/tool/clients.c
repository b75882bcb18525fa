// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names to small numbers: a hash table with open addressing and linear probing,
 * never more than half full, so that a search ends soon.  Nothing is taken out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clients.h"

#define FIRST_SIZE	1024

struct client_slot {
	char *name;
	__u32 number;
};

/* FNV-1a */
static __u64 hash(const char *name)
{
	__u64 h = 0xcbf29ce484222325ULL;

	while (*name)
		h = (h ^ (unsigned char)*name++) * 0x100000001b3ULL;
	return h;
}

/* The slot of a name, or the free one where it belongs. */
static struct client_slot *find(const struct clients *clients, const char *name)
{
	__u32 mask = clients->size - 1;
	__u32 i = (__u32)hash(name) & mask;

	while (clients->slots[i].name && strcmp(clients->slots[i].name, name))
		i = (i + 1) & mask;
	return &clients->slots[i];
}

static int grow(struct clients *clients)
{
	struct clients new = { .count = clients->count };

	new.size = clients->size ? clients->size * 2 : FIRST_SIZE;
	new.slots = calloc(new.size, sizeof(*new.slots));
	if (!new.slots)
		return -ENOMEM;
	for (__u32 i = 0; i < clients->size; i++)
		if (clients->slots[i].name)
			*find(&new, clients->slots[i].name) = clients->slots[i];
	free(clients->slots);
	*clients = new;
	return 0;
}

__s64 clients_number(struct clients *clients, const char *name)
{
	struct client_slot *slot;

	if (clients->count >= clients->size / 2 && grow(clients))
		return -ENOMEM;
	slot = find(clients, name);
	if (!slot->name) {
		slot->name = strdup(name);
		if (!slot->name)
			return -ENOMEM;
		slot->number = clients->count++;
	}
	return slot->number;
}

void clients_free(struct clients *clients)
{
	for (__u32 i = 0; i < clients->size; i++)
		free(clients->slots[i].name);
	free(clients->slots);
	*clients = (struct clients) { 0 };
}
