/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Nothing is to be defined: see <linux/tracepoint.h>. */
