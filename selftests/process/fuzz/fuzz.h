/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>

/* Print each step, for those who look at a finding. */
extern bool fuzz_verbose;

/* Run the sequence of ops that these bytes spell; how many it was. */
unsigned long fuzz_sequence(const unsigned char *bytes, size_t size);

#endif /* FUZZ_H */
