// SPDX-License-Identifier: GPL-2.0-only
/* Promises: how often each was looked at, and how often it was broken. */
#include "promise.h"

#include <stdarg.h>

#define MAX_FINDINGS	8

atomic_bool over, found;

static atomic_ullong looks[PROMISES], broken[PROMISES];
static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;
static const char * const texts[PROMISES] = {
	[NEVER_EARLY]	= "no record before its deadline",
	[ONE_END]	= "each arming ends in one record or one cancel",
	[ORDER]		= "records come in the order of expiry",
	[PERIODS]	= "periodic deadlines are first + k * period, and all are counted",
	[RESULTS]	= "results of ops are what the model says",
	[VIEWS]		= "QUERY, LIST, STATS and words agree with the model",
	[FAULTS]	= "what fails half way leaves nothing behind",
	[ERRNOS]	= "hostile calls get documented errors only",
	[MOVES_ON]	= "everybody moves on, and the kernel does not warn",
};

bool holds(enum promise p, struct actor *a, bool good, const char *format, ...)
{
	va_list args;

	atomic_fetch_add(&looks[p], 1);
	if (good)
		return true;
	pthread_mutex_lock(&printing);
	if (atomic_fetch_add(&broken[p], 1) < MAX_FINDINGS) {
		printf("# FINDING: not so: %s\n#   ", texts[p]);
		va_start(args, format);
		vprintf(format, args);
		va_end(args);
		printf("\n");
		actor_show(a);
		fflush(stdout);
	}
	pthread_mutex_unlock(&printing);
	atomic_store(&found, true);
	atomic_store(&over, true);
	return false;
}

int promise_summary(void)
{
	int failed = 0;

	printf("1..%d\n", PROMISES);
	for (int p = 0; p < PROMISES; p++) {
		bool good = looks[p] && !broken[p];

		failed += !good;
		printf("%sok %d - %s\n# %llu looks, %llu times not so\n", good ? "" : "not ",
		       p + 1, texts[p], looks[p], broken[p]);
	}
	return failed;
}
