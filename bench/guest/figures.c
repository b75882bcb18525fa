// SPDX-License-Identifier: GPL-2.0-only
/* What was measured: one line of JSON each, at once, and a table at the end. */
#include <stdio.h>
#include <string.h>

#include "../common/icount.h"
#include "../common/json.h"
#include "guest.h"

#define MAX_FIGURES	512
#define MAX_SIZES	4

static const unsigned int sizes[MAX_SIZES] = { 1000, 10000, 100000, 1000000 };

static struct figure {
	char peer[16];
	char name[24];
	char unit[16];
	unsigned int n;
	double value;
} figures[MAX_FIGURES];

static unsigned int count;

void figure(const char *peer, const char *name, unsigned int n, double value,
	    const char *unit)
{
	struct figure *f = &figures[count];

	json_figure(name, value, unit, n, peer);
	if (count == MAX_FIGURES)
		return;
	count++;
	snprintf(f->peer, sizeof(f->peer), "%s", peer);
	snprintf(f->name, sizeof(f->name), "%s", name);
	snprintf(f->unit, sizeof(f->unit), "%s", unit);
	f->n = n;
	f->value = value;
}

void cost(const char *peer, const char *name, unsigned int n, double total,
	  unsigned int ops)
{
	static const char *unit;

	if (!name)
		return;
	if (!unit)
		unit = counts_instructions() ? "instructions" : "ns";
	figure(peer, name, n, total / ops, unit);
}

static struct figure *find(const char *peer, const char *name, unsigned int n)
{
	for (unsigned int i = 0; i < count; i++)
		if (figures[i].n == n && !strcmp(figures[i].peer, peer) &&
		    !strcmp(figures[i].name, name))
			return &figures[i];
	return NULL;
}

#define MISSING		(-1e9)

static double value_of(const char *peer, const char *name, unsigned int n)
{
	const struct figure *f = find(peer, name, n);

	return f ? f->value : MISSING;
}

/* Whether no figure before the i-th has its peer and name. */
static bool is_first(unsigned int i)
{
	for (unsigned int j = 0; j < i; j++)
		if (!strcmp(figures[j].peer, figures[i].peer) &&
		    !strcmp(figures[j].name, figures[i].name))
			return false;
	return true;
}

static void row(const struct figure *first)
{
	printf("%-8s %-22s", first->peer, first->name);
	for (unsigned int i = 0; i < MAX_SIZES; i++) {
		double value = value_of(first->peer, first->name, sizes[i]);

		if (value == MISSING)
			printf(" %10s", "-");
		else
			printf(" %10.1f", value);
	}
	printf("  %s\n", first->unit);
}

/* Figures that do not depend on how many timers are pending have n = 0. */
static void lone_row(const struct figure *f)
{
	printf("%-8s %-22s %10.*f %34s%s\n", f->peer, f->name, f->value < 10 ? 3 : 1, f->value,
	       "", f->unit);
}

void figures_table(void)
{
	printf("\n%-8s %-22s", "pending:", "");
	for (unsigned int i = 0; i < MAX_SIZES; i++)
		printf(" %10u", sizes[i]);
	printf("\n");
	for (unsigned int i = 0; i < count; i++) {
		if (!figures[i].n)
			lone_row(&figures[i]);
		else if (is_first(i))
			row(&figures[i]);
	}
}
