#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# fuzz.sh: the fuzzer for a short time, on the debug kernel. A finding prints
# the seed; `make fuzz SECONDS=N SEED=S` repeats it.
set -uo pipefail
# shellcheck source=scripts/check.d/lib.sh disable=SC1091
. "$(dirname "$0")/lib.sh"

selftests_built || exit 1
step "fuzzing"
in_vm fuzz --kernel debug --cpus 4 --mem 512 --timeout 900 --add "$build/selftests/fuzz" -- \
	./fuzz 30
exit 0
