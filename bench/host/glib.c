// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * GLib: a list of sources that each turn of the loop looks through, so expiry is
 * measured up to 10^4 timers only.  A source is allocated for each arming, as
 * g_timeout_add() does; push-back is g_source_set_ready_time(), which writes to
 * an eventfd each time.
 */
#define PEER "glib"
#define OPS_LIMIT	1000000U
#define EXPIRE_LIMIT	10000U
#include <glib.h>

#include "driver.h"

static GMainContext *context;
static GSource **sources;

static gboolean ring(GSource *s, GSourceFunc f __unused_ok, gpointer data __unused_ok)
{
	fired++;
	g_source_unref(s);
	return G_SOURCE_REMOVE;
}

static GSourceFuncs functions = { .dispatch = ring };

static void peer_init(u32 n)
{
	context = g_main_context_new();
	sources = calloc(n, sizeof(GSource *));
}

static void peer_exit(void)
{
	g_main_context_unref(context);
	free(sources);
}

static void peer_move(u32 i, u64 expires)
{
	g_source_set_ready_time(sources[i], expires / USEC);
}

static void peer_arm(u32 i, u64 expires)
{
	sources[i] = g_source_new(&functions, sizeof(GSource));
	peer_move(i, expires);
	g_source_attach(sources[i], context);
}

static void peer_cancel(u32 i)
{
	g_source_destroy(sources[i]);
	g_source_unref(sources[i]);
}

static void peer_tick(u64 at __unused_ok)
{
}

static bool peer_step(u64 at __unused_ok)
{
	g_main_context_iteration(context, FALSE);
	return false;
}
