#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# load.sh: the longest time that the module keeps softirqs off, in instructions of
# a guest whose clock counts instructions. (`make load` measures the effect on others.)
set -uo pipefail
# shellcheck source=scripts/check.d/lib.sh disable=SC1091
. "$(dirname "$0")/lib.sh"

step "softirqs off"
if make -s -C selftests/latency OUT="$build/latency"; then
	in_vm "softirqs off" --icount --kernel stock --timeout 900 \
		--add "$build/latency/softirq_off" -- softirq_off
else
	fail "softirq_off builds"
fi
exit 0
