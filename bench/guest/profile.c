// SPDX-License-Identifier: GPL-2.0-only
/*
 * A QEMU plugin that counts how often each instruction of the guest runs, between
 * the marks that guest --profile sets; for bench/guest/profile.
 *
 * Every translated block has a counter, which the emulator itself increments.  A
 * mark for start takes note of all counters, one for stop adds up what has come
 * since.  At the end "address count" is written for each instruction that ran.
 *
 * Debian has no package with qemu-plugin.h, hence the declarations (version 1).
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;

typedef uint64_t plugin_id;

enum { ADD_U64 };
enum { NO_REGS };

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id,
					   void (*cb)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op, void *ptr,
					      uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*cb)(unsigned int cpu, void *data), int regs,
					    void *data);
void qemu_plugin_register_atexit_cb(plugin_id id, void (*cb)(plugin_id, void *), void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
int qemu_plugin_install(plugin_id id, const struct qemu_info *info, int argc, char **argv);

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;

struct block {
	struct block *next;
	uint64_t runs;		/* in all */
	uint64_t noted;		/* at the start mark */
	uint64_t sum;		/* between marks */
	size_t count;
	uint64_t address[];
};

static struct block *blocks;
static const char *output;

static void on_start(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	for (struct block *b = blocks; b; b = b->next)
		b->noted = b->runs;
}

static void on_stop(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	for (struct block *b = blocks; b; b = b->next) {
		b->sum += b->runs - b->noted;
		b->noted = b->runs;
	}
}

/* nopl 0x7477000x(%rax): x, or 0 */
static int mark(const struct qemu_plugin_insn *insn)
{
	static const unsigned char nop[] = { 0x0f, 0x1f, 0x80 }, tag[] = { 0x00, 0x77, 0x74 };
	const unsigned char *bytes = qemu_plugin_insn_data(insn);

	if (qemu_plugin_insn_size(insn) != 7 || memcmp(bytes, nop, 3) ||
	    memcmp(bytes + 4, tag, 3))
		return 0;
	return bytes[3];
}

static void on_translate(plugin_id id, struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);
	struct block *b = calloc(1, sizeof(*b) + count * sizeof(b->address[0]));

	(void)id;
	b->count = count;
	b->next = blocks;
	blocks = b;
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		int what = mark(insn);

		b->address[i] = qemu_plugin_insn_vaddr(insn);
		if (what)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, what == 1 ? on_start : on_stop,
							       NO_REGS, NULL);
	}
	qemu_plugin_register_vcpu_tb_exec_inline(tb, ADD_U64, &b->runs, 1);
}

static void on_exit_of_qemu(plugin_id id, void *data)
{
	FILE *file = fopen(output, "w");

	(void)id;
	(void)data;
	if (!file)
		return;
	for (struct block *b = blocks; b; b = b->next)
		for (size_t i = 0; b->sum && i < b->count; i++)
			fprintf(file, "%" PRIx64 " %" PRIu64 "\n", b->address[i], b->sum);
	fclose(file);
}

EXPORT int qemu_plugin_install(plugin_id id, const struct qemu_info *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4))
		return 1;
	output = strdup(argv[0] + 4);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
	return 0;
}
