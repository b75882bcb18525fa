// SPDX-License-Identifier: GPL-2.0-only
/*
 * The KUnit suites as a module of their own, so that loading twheel does not run
 * them.  Each *_test.c includes the file that it tests and registers a suite.
 */
#include <linux/module.h>

MODULE_AUTHOR("twheel maintainers");
MODULE_DESCRIPTION("KUnit tests of twheel");
MODULE_LICENSE("GPL");
