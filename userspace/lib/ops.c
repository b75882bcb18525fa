// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Calls into the engine: batches of ops, and the small calls beside them.
 *
 * One SUBMIT takes max_batch ops at most, and a signal may end it between two of
 * them, which then have run.  So twheel_submit() goes on where the kernel stopped
 * until no ops are left or an error comes.  An error after some ops is not
 * reported: their results count, and the next twheel_submit() meets it again.
 */
#include "lib.h"
#include "process.h"

static int submit_some(const struct twheel *tw, struct twheel_op *ops,
		       unsigned int count)
{
	struct twheel_submit submit = {
		.size = sizeof(submit),
		.ops = (unsigned long)ops,
		.count = count < tw->setup.max_batch ? count : tw->setup.max_batch,
	};

	return lib_ioctl(tw->fd, TWHEEL_IOC_SUBMIT, &submit);
}

/* Go on after a first call that returned @ret and did not run all ops. */
static int submit_rest(const struct twheel *tw, struct twheel_op *ops,
		       unsigned int count, int ret)
{
	unsigned int done = 0;

	for (;;) {
		if (ret < 0 && ret != -EINTR)
			return done ? (int)done : ret;
		if (ret > 0)
			done += (unsigned int)ret;
		if (done >= count)
			return (int)done;
		ret = submit_some(tw, ops + done, count - done);
	}
}

int twheel_submit(struct twheel *tw, struct twheel_op *ops, unsigned int count)
{
	int ret;

	if (tw->process)
		return twheel_process_submit(tw->process, ops, count);
	if (!count)
		return 0;
	ret = submit_some(tw, ops, count);
	if (ret > 0 && (unsigned int)ret == count)
		return ret;
	return submit_rest(tw, ops, count, ret);
}

int twheel_eventfd(struct twheel *tw, int efd)
{
	struct twheel_eventfd eventfd = { .size = sizeof(eventfd), .fd = efd };

	if (tw->process)
		return -EOPNOTSUPP;
	return lib_ioctl(tw->fd, TWHEEL_IOC_EVENTFD, &eventfd);
}

int twheel_flush(struct twheel *tw)
{
	if (tw->process)
		return twheel_process_flush(tw->process);
	return lib_ioctl(tw->fd, TWHEEL_IOC_FLUSH, NULL);
}

int twheel_advance(struct twheel *tw, __u64 ns)
{
	return tw->process ? twheel_process_advance(tw->process, ns) : -EINVAL;
}

int twheel_stats(const struct twheel *tw, struct twheel_stats *stats)
{
	struct twheel_stats answer = { .size = sizeof(answer) };
	int ret;

	if (tw->process)
		return twheel_process_stats(tw->process, stats);
	ret = lib_ioctl(tw->fd, TWHEEL_IOC_STATS, &answer);
	if (ret < 0)
		return ret;
	*stats = answer;
	return 0;
}

int twheel_list(const struct twheel *tw, __u64 *cursor, struct twheel_info *infos,
		unsigned int count)
{
	struct twheel_list list = {
		.size = sizeof(list),
		.cursor = *cursor,
		.infos = (unsigned long)infos,
		.count = count < tw->setup.max_batch ? count : tw->setup.max_batch,
	};
	int ret;

	if (tw->process)
		return twheel_process_list(tw->process, cursor, infos, count);
	ret = lib_ioctl(tw->fd, TWHEEL_IOC_LIST, &list);
	if (ret >= 0)
		*cursor = list.cursor;
	return ret;
}
