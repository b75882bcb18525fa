// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load and unload: the device, and the workqueue of the turns.
 *
 * The module cannot go while a queue is open or mapped, since each open file
 * holds it and each mapping holds its file.
 */
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "file.h"
#include "queue.h"
#define CREATE_TRACE_POINTS
#include "trace.h"
#include "turns.h"

struct workqueue_struct *tw_workqueue;

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "twheel",
	.fops = &tw_file_operations,
	.mode = 0600,
};

static int __init twheel_init(void)
{
	int err;

	tw_workqueue = alloc_workqueue("twheel", WQ_UNBOUND, WQ_UNBOUND_MAX_ACTIVE);
	if (!tw_workqueue)
		return -ENOMEM;
	err = misc_register(&device);
	if (err)
		destroy_workqueue(tw_workqueue);
	return err;
}
module_init(twheel_init);

static void __exit twheel_exit(void)
{
	misc_deregister(&device);
	destroy_workqueue(tw_workqueue);
	rcu_barrier();		/* eventfds that wait for a grace period */
}
module_exit(twheel_exit);

MODULE_DESCRIPTION("Timer service for programs with very many timeouts");
MODULE_LICENSE("GPL");
