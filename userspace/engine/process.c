// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The life of a queue of the engine in the process.
 */
#include <linux/errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine.h"

#define DEFAULT_ENTRIES	4096U

static u32 round_up_to_power_of_two(u32 n)
{
	u32 power = 1;

	while (power < n)
		power *= 2;
	return power;
}

static int check(const struct twheel_config *config)
{
	if (config->flags & ~(TWHEEL_SETUP_WORDS | TWHEEL_UNSHARED))
		return -EINVAL;
	if (config->ring_entries > ENGINE_MAX_ENTRIES)
		return -EINVAL;
	if (config->max_timers > TW_TABLE_MAX)
		return -EINVAL;
	return 0;
}

/* What the module's SETUP would answer; there are no areas to map. */
static void answer(struct twheel_setup *setup, const struct twheel_config *config)
{
	u32 entries = config->ring_entries ? config->ring_entries : DEFAULT_ENTRIES;

	*setup = (struct twheel_setup){
		.size = sizeof(*setup),
		.flags = config->flags & TWHEEL_SETUP_WORDS,
		.clockid = (u32)config->clockid,
		.ring_entries = round_up_to_power_of_two(entries),
		.max_timers = config->max_timers ? config->max_timers : TW_TABLE_MAX,
		.records_offset = TW_RECORDS_OFFSET,
		.slack = config->slack,
		.features = TWHEEL_FEAT_WORDS | TWHEEL_FEAT_WORDS_ARM,
		.min_period = ENGINE_MIN_PERIOD,
		.max_batch = ENGINE_MAX_BATCH,
	};
}

static int init(struct twheel_process *p, const struct twheel_setup *setup)
{
	int err;

	pthread_mutex_init(&p->lock, NULL);
	p->fd = -1;
	p->core.slack = setup->slack;
	p->core.min_period = setup->min_period;
	err = engine_clock_init(&p->clock, (clockid_t)setup->clockid);
	if (!err)
		err = engine_memory_init(p, setup);
	if (!err)
		err = engine_event_init(p);
	if (!err)
		tw_wheel_init(&p->core.wheel, engine_clock_now(&p->clock));
	p->next = TW_NEVER;
	return err;
}

static void destroy(struct twheel_process *p)
{
	if (p->fd >= 0)
		close(p->fd);
	engine_memory_free(p);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/**
 * twheel_process_open() - make a queue in this process
 * @tw: filled in
 * @config: what the program wants
 *
 * Return: 0; -EINVAL: a value in @config is out of its range; -ENOMEM; or an errno
 * of timerfd_create(2) or madvise(2).
 */
int twheel_process_open(struct twheel *tw, const struct twheel_config *config)
{
	struct twheel new = {};
	struct twheel_process *p;
	int err = check(config);

	if (err)
		return err;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	answer(&new.setup, config);
	p->unshared = config->flags & TWHEEL_UNSHARED;
	err = init(p, &new.setup);
	if (err) {
		destroy(p);
		return err;
	}
	new.ring = p->core.ring.shared;
	new.records = p->core.ring.records;
	new.ctl = p->core.ring.ctl;
	new.words = (__u64 *)p->words;
	new.fd = p->fd;
	new.mask = p->core.ring.entries - 1;
	new.process = p;
	*tw = new;
	return 0;
}

/**
 * twheel_process_close() - the end of a queue, or of a child's dead copy
 * @tw: the queue
 */
void twheel_process_close(struct twheel *tw)
{
	destroy(tw->process);
}
