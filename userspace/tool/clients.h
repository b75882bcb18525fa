/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_CLIENTS_H
#define TWHEEL_CLIENTS_H

#include <linux/types.h>

/**
 * struct clients - the different names that came up, numbered from 0
 * @count: how many there are
 * @tree: of their names, see tsearch(3)
 */
struct clients {
	__u32 count;
	void *tree;
};

/* The number of a name, a new one if need be; -ENOMEM. */
__s64 clients_number(struct clients *clients, const char *name);

/* All names by their numbers, to be given to free(); NULL without memory. */
const char **clients_names(const struct clients *clients);

void clients_free(struct clients *clients);

#endif /* TWHEEL_CLIENTS_H */
