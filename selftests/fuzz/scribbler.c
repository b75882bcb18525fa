// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scribbler: writes what it likes to all that can be written in the mappings of the
 * hostile queues, heads and flags and words, while the kernel works with them.
 *
 * Some of it is nearly right (a head one behind tail, a word that was armed and is
 * now cancelled), because that goes further than noise.  What it writes to may not be
 * mapped at the moment, or lie beyond the words that exist: then a signal takes it
 * back.
 */
#include "scribbler.h"
#include "victim.h"

#include <setjmp.h>
#include <signal.h>

static __thread sigjmp_buf back;
static __thread volatile sig_atomic_t may_fault;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (may_fault)
		siglongjmp(back, 1);
	printf("# FINDING: signal %d in thread %d at %p, code %d\n", sig, gettid(),
	       info->si_addr, info->si_code);
	fflush(stdout);
	signal(sig, SIG_DFL);
}

void scribbler_prepare(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
}

static __u32 odd_head(struct actor *a, const struct twheel_ring *ring,
		      const struct twheel_ctl *ctl)
{
	switch (draw(a, 6)) {
	case 0:
		return random_next(&a->random);
	case 1:
		return ring->tail + draw(a, 3) - 1;
	case 2:
		return ring->tail - ring->entries + draw(a, 3) - 1;
	case 3:
		return ctl->head + draw(a, 5) - 2;
	case 4:
		return ring->tail - draw(a, 2 * (__u64)ring->entries + 1);
	default:
		return ring->tail;
	}
}

static void scribble_ctl(struct actor *a, struct victim *v)
{
	volatile struct twheel_ctl *ctl = (void *)v->ctl;
	volatile __u64 *page = (void *)v->ctl;

	for (unsigned int i = 1 + draw(a, 50); i; i--) {
		ctl->head = odd_head(a, (void *)v->ring, (void *)v->ctl);
		if (one_in(a, 4))
			ctl->flags = one_in(a, 2) ? draw(a, 2) : random_next(&a->random);
		if (one_in(a, 8))
			page[draw(a, PAGE_SIZE / 8)] = random_next(&a->random);
	}
}

/* One word: another state, another deadline, or anything. */
static __u64 odd_word(struct actor *a, __u64 old)
{
	switch (draw(a, 6)) {
	case 0:
		return random_next(&a->random);
	case 1:
		return (old & ~TWHEEL_WORD_STATE) | draw(a, 4);
	case 2:
		return old + 4 * draw(a, 4 * MSEC);
	case 3:
		return old - 4 * draw(a, 4 * MSEC);
	case 4:
		return (mono() & ~TWHEEL_WORD_STATE) | TWHEEL_WORD_ARMED;
	default:
		return (1ULL << draw(a, 64)) | draw(a, 4);
	}
}

static void scribble_words(struct actor *a, struct victim *v)
{
	volatile __u64 *words = (void *)v->words;
	unsigned int bound = one_in(a, 4) ? WORDS_BYTES / 8 : 128;

	for (unsigned int i = 1 + draw(a, 200); i; i--) {
		volatile __u64 *word = &words[draw(a, bound)];

		*word = odd_word(a, *word);
	}
}

/*
 * One word, all the time: the kernel's own exchange is to fail again and again.  It is
 * pushed back; or it is cancelled and armed in turn.
 */
static void hammer(struct actor *a, struct victim *v)
{
	volatile __u64 *word = &((volatile __u64 *)v->words)[draw(a, 128)];
	bool cancels = one_in(a, 2);

	for (unsigned int i = draw(a, 20000); i; i--)
		*word = ((*word & ~TWHEEL_WORD_STATE) + 4) |
			(cancels && i % 2 ? TWHEEL_WORD_CANCELLED : TWHEEL_WORD_ARMED);
}

void scribbler_step(struct actor *a)
{
	struct victim *v = &victims[draw(a, VICTIMS)];
	unsigned int way = draw(a, 8);

	step(a, "%d: scribble %u", (int)(v - victims), way);
	may_fault = 1;
	if (!sigsetjmp(back, 1)) {
		if (way < 4)
			scribble_ctl(a, v);
		else if (way < 7)
			scribble_words(a, v);
		else
			hammer(a, v);
	}
	may_fault = 0;
	if (one_in(a, 4))
		sleep_ns(draw(a, 300 * USEC));
}
