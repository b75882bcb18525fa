// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoints; what they tell is in trace.h.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
