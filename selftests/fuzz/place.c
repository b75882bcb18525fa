// SPDX-License-Identifier: GPL-2.0-only
/* Address space for the mappings of a queue, of which no page can be touched yet. */
#include "place.h"

char *place_reserve(void)
{
	char *place = mmap(NULL, PLACE_BYTES, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (place == MAP_FAILED)
		abort();
	return place;
}
