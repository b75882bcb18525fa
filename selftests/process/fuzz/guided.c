// SPDX-License-Identifier: GPL-2.0-only
/* The entry of libFuzzer, which looks for sequences that reach new code. */
#include <stdint.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	fuzz_sequence(bytes, size);
	return 0;
}
