/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_CLIENTS_H
#define TWHEEL_CLIENTS_H

#include <linux/types.h>

/**
 * struct clients - the different names that came up, numbered from 0
 * @count: how many there are
 * @size: places in @slots, a power of two or 0
 * @slots: hash table of names and their numbers
 */
struct clients {
	__u32 count;
	__u32 size;
	struct client_slot *slots;
};

/* The number of a name, a new one if need be; -ENOMEM. */
__s64 clients_number(struct clients *clients, const char *name);

void clients_free(struct clients *clients);

#endif /* TWHEEL_CLIENTS_H */
