// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load and unload: the device, and the workqueue of the deferred passes.
 *
 * The module cannot be unloaded while a queue is open or mapped: each open file
 * holds the module, and each mapping holds its file.
 */
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "defer.h"
#include "file.h"

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "twheel",
	.fops = &tw_file_operations,
	.mode = 0600,
};

static int __init twheel_init(void)
{
	int err = tw_defer_init();

	if (err)
		return err;
	err = misc_register(&device);
	if (err)
		tw_defer_exit();
	return err;
}
module_init(twheel_init);

static void __exit twheel_exit(void)
{
	misc_deregister(&device);
	tw_defer_exit();
	rcu_barrier();		/* eventfds are freed after a grace period */
}
module_exit(twheel_exit);

MODULE_AUTHOR("twheel maintainers");
MODULE_VERSION(TWHEEL_VERSION);
MODULE_DESCRIPTION("Timer service for programs with very many timeouts");
MODULE_LICENSE("GPL");
