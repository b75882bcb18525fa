// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names to small numbers, by the C library's balanced tree.  The tree knows names only;
 * the number of each stands in front of it.
 */
#include <errno.h>
#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "clients.h"

struct client {
	__u32 number;
	char name[];
};

static struct client *client_of(const void *name)
{
	return (struct client *)((char *)name - offsetof(struct client, name));
}

static int compare(const void *left, const void *right)
{
	return strcmp(left, right);
}

static __s64 add(struct clients *clients, const char *name)
{
	size_t size = strlen(name) + 1;
	struct client *client = malloc(sizeof(*client) + size);

	if (!client)
		return -ENOMEM;
	client->number = clients->count;
	memcpy(client->name, name, size);
	if (!tsearch(client->name, &clients->tree, compare)) {
		free(client);
		return -ENOMEM;
	}
	return clients->count++;
}

__s64 clients_number(struct clients *clients, const char *name)
{
	void **found = tfind(name, &clients->tree, compare);

	return found ? client_of(*found)->number : add(clients, name);
}

/* Called three times for inner nodes, once for leaves. */
static void note_name(const void *node, VISIT visit, void *names)
{
	const char *name = *(char *const *)node;

	if (visit == leaf || visit == postorder)
		((const char **)names)[client_of(name)->number] = name;
}

const char **clients_names(const struct clients *clients)
{
	const char **names = calloc(clients->count + 1ULL, sizeof(*names));

	if (names)
		twalk_r(clients->tree, note_name, names);
	return names;
}

static void free_client(void *name)
{
	free(client_of(name));
}

void clients_free(struct clients *clients)
{
	tdestroy(clients->tree, free_client);
	*clients = (struct clients) { 0 };
}
