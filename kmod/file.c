// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device file: open, ioctl, read, poll, mmap, fdinfo, close.
 *
 * An open file has no queue until SETUP makes one, which works once.  The queue
 * then lives until the last reference to the file goes: by close, exit or munmap.
 *
 * Every ioctl follows one order: copy in, check everything, act, copy out.  Its
 * struct begins with its size as the program knows it, so that it can grow:
 * members that the program does not know are 0, and members that the kernel does
 * not know must be 0.
 */
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "expire.h"
#include "file.h"
#include "lifetime.h"
#include "limits.h"
#include "list.h"
#include "map.h"
#include "queue.h"
#include "stats.h"
#include "submit.h"

/**
 * struct tw_file - one open of the device
 * @setup: one SETUP at a time
 * @wait: readers and pollers, which may come before SETUP
 * @queue: NULL until SETUP; published with release, never changed again
 */
struct tw_file {
	struct mutex setup;		/* see above */
	wait_queue_head_t wait;
	struct tw_queue *queue;
};

static struct tw_queue *file_queue(struct file *file)
{
	struct tw_file *f = file->private_data;

	/* pairs with the release in ioctl_setup(): the queue is whole */
	return smp_load_acquire(&f->queue);
}

static int tw_open(struct inode *inode, struct file *file)
{
	struct tw_file *f;

	if (!(file->f_mode & FMODE_READ) || !(file->f_mode & FMODE_WRITE))
		return -EACCES;
	f = kzalloc(sizeof(*f), TW_GFP_USER);
	if (!f)
		return -ENOMEM;
	mutex_init(&f->setup);
	init_waitqueue_head(&f->wait);
	file->private_data = f;
	return nonseekable_open(inode, file);
}

static int tw_release(struct inode *inode, struct file *file)
{
	struct tw_file *f = file->private_data;

	if (f->queue)
		tw_queue_destroy(f->queue);
	kfree(f);
	return 0;
}

/*
 * Copy in the struct of an ioctl.  @min is the size of its first version, the only
 * one there is today.  It is a constant, so that the usual copy is quick.  All
 * bytes beyond it are checked, so their number is limited.
 */
static __always_inline int copy_arg(void *arg, size_t min, const void __user *user)
{
	u32 size;

	if (get_user(size, (const u32 __user *)user))
		return -EFAULT;
	if (size == min)
		return copy_from_user(arg, user, min) ? -EFAULT : 0;
	if (size < min)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(arg, min, user, size);
}

static int check_setup(struct twheel_setup *setup)
{
	if (setup->flags & ~TWHEEL_SETUP_WORDS || setup->resv)
		return -EINVAL;
	if (setup->ring_entries < 1 || setup->ring_entries > TW_MAX_ENTRIES)
		return -EINVAL;
	if (setup->max_timers > tw_max_timers())
		return -EINVAL;
	if (setup->flags & TWHEEL_SETUP_WORDS && !tw_words_possible())
		return -EOPNOTSUPP;
	return 0;
}

/* Fill in what SETUP returns to the program. */
static void answer_setup(struct twheel_setup *setup)
{
	setup->ring_entries = roundup_pow_of_two(setup->ring_entries);
	if (!setup->max_timers)
		setup->max_timers = tw_max_timers();
	setup->records_offset = TW_RECORDS_OFFSET;
	setup->features = tw_map_features();
	setup->min_period = tw_min_period();
	setup->max_batch = TW_MAX_BATCH;
	tw_map_layout(setup);
}

static int ioctl_setup(struct tw_file *f, void __user *user)
{
	struct twheel_setup setup;
	struct tw_queue *q;
	int err = copy_arg(&setup, sizeof(setup), user);

	if (!err)
		err = check_setup(&setup);
	if (err)
		return err;
	answer_setup(&setup);
	if (mutex_lock_killable(&f->setup))	/* the holder may be waiting for memory */
		return -EINTR;
	q = f->queue ? ERR_PTR(-EBUSY) : tw_queue_create(&setup, &f->wait);
	if (IS_ERR(q)) {
		err = PTR_ERR(q);
	} else if (copy_to_user(user, &setup, sizeof(setup))) {
		tw_queue_destroy(q);
		err = -EFAULT;
	} else {
		/* pairs with the acquire in file_queue() */
		smp_store_release(&f->queue, q);
	}
	mutex_unlock(&f->setup);
	return err;
}

static int ioctl_submit(struct tw_queue *q, const void __user *user)
{
	struct twheel_submit submit;
	int err = copy_arg(&submit, sizeof(submit), user);

	if (err)
		return err;
	if (submit.flags || submit.resv || submit.count > TW_MAX_BATCH)
		return -EINVAL;
	return tw_queue_submit(q, &submit);
}

static int ioctl_eventfd(struct tw_queue *q, const void __user *user)
{
	struct twheel_eventfd arg;
	int err = copy_arg(&arg, sizeof(arg), user);

	if (err)
		return err;
	if (arg.flags || arg.resv)
		return -EINVAL;
	return tw_queue_set_eventfd(q, arg.fd);
}

static int ioctl_stats(struct tw_queue *q, void __user *user)
{
	struct twheel_stats stats;
	int err = copy_arg(&stats, sizeof(stats), user);

	if (err)
		return err;
	if (stats.flags)
		return -EINVAL;
	tw_queue_stats(q, &stats);
	return copy_to_user(user, &stats, sizeof(stats)) ? -EFAULT : 0;
}

static int ioctl_list(struct tw_queue *q, void __user *user)
{
	struct twheel_list list;
	int err = copy_arg(&list, sizeof(list), user);
	int listed;

	if (err)
		return err;
	if (list.flags || list.resv || list.count > TW_MAX_BATCH)
		return -EINVAL;
	listed = tw_queue_list(q, &list);
	if (listed >= 0 && copy_to_user(user, &list, sizeof(list)))
		return -EFAULT;
	return listed;
}

static long tw_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct tw_queue *q = file_queue(file);
	void __user *user = (void __user *)arg;

	switch (cmd) {
	case TWHEEL_IOC_SUBMIT:
		return likely(q) ? ioctl_submit(q, user) : -ENXIO;
	case TWHEEL_IOC_SETUP:
		return ioctl_setup(file->private_data, user);
	case TWHEEL_IOC_EVENTFD:
		return q ? ioctl_eventfd(q, user) : -ENXIO;
	case TWHEEL_IOC_FLUSH:
		if (!q)
			return -ENXIO;
		return arg ? -EINVAL : tw_queue_flush(q);
	case TWHEEL_IOC_STATS:
		return q ? ioctl_stats(q, user) : -ENXIO;
	case TWHEEL_IOC_LIST:
		return q ? ioctl_list(q, user) : -ENXIO;
	default:
		return -ENOTTY;
	}
}

/* Move backlog into the ring; report that the clock was set.  Returns how many records. */
static int refill(struct tw_queue *q)
{
	if (!READ_ONCE(q->core.ring.shared->backlog) && !tw_clock_can_be_set(&q->clock))
		return 0;
	return tw_queue_flush(q);
}

/* Whether there is a record, or will be after a flush. */
static bool readable(const struct tw_queue *q)
{
	return tw_ring_count(&q->core.ring) || READ_ONCE(q->core.ring.shared->backlog);
}

/*
 * Take one record.  It is copied out before it is taken, so that a bad address
 * loses none.  If another reader takes it meanwhile, the next record is copied
 * over it.
 */
static int read_one(struct tw_queue *q, void __user *user)
{
	struct twheel_record rec;
	u32 number;
	int err;

	for (;;) {
		err = tw_ring_peek(&q->core.ring, &rec, &number);
		if (err && err != -EBUSY)
			return err;
		if (!err && copy_to_user(user, &rec, sizeof(rec)))
			return -EFAULT;
		if (!err && tw_ring_take(&q->core.ring, number))
			return 0;
		if (signal_pending(current))
			return -ERESTARTSYS;
	}
}

/* Take the records that are there and fit.  Returns bytes, or an error if none. */
static ssize_t read_some(struct tw_queue *q, char __user *user, size_t size)
{
	size_t done = 0;
	int err = 0;

	while (size - done >= sizeof(struct twheel_record)) {
		err = read_one(q, user + done);
		if (err == -EAGAIN && refill(q))
			continue;
		if (err)
			break;
		done += sizeof(struct twheel_record);
		if (signal_pending(current))
			break;
		cond_resched();
	}
	if (done)
		refill(q);
	return done ?: err;
}

static ssize_t tw_read(struct file *file, char __user *user, size_t size, loff_t *pos)
{
	struct tw_queue *q = file_queue(file);
	ssize_t got;
	int err;

	if (!q)
		return -ENXIO;
	if (size < sizeof(struct twheel_record))
		return -EINVAL;
	while ((got = read_some(q, user, size)) == -EAGAIN) {
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		err = wait_event_interruptible(*q->wait, readable(q));
		if (err)
			return err;
	}
	return got;
}

static __poll_t tw_poll(struct file *file, poll_table *table)
{
	struct tw_file *f = file->private_data;
	struct tw_queue *q;

	poll_wait(file, &f->wait, table);
	q = file_queue(file);
	if (!q)
		return EPOLLERR;
	refill(q);
	return readable(q) ? EPOLLIN | EPOLLRDNORM : 0;
}

static int tw_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct tw_queue *q = file_queue(file);

	return q ? tw_map(q, vma) : -ENXIO;
}

static void tw_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct tw_queue *q = file_queue(file);

	if (q)
		tw_stats_show(m, q);
}

const struct file_operations tw_file_operations = {
	.owner = THIS_MODULE,
	.open = tw_open,
	.release = tw_release,
	.unlocked_ioctl = tw_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.read = tw_read,
	.poll = tw_poll,
	.mmap = tw_mmap,
	.show_fdinfo = tw_show_fdinfo,
	.llseek = noop_llseek,
};
