#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench.sh: the cost of ops and expiries, in instructions of a guest whose clock counts
# instructions. It is compared with the floors, beside timerfd and POSIX timers, and
# with the kept figures.
# Floors of bench/data/missed are skipped, as long as they do not get worse.
set -uo pipefail
# shellcheck source=scripts/check.d/lib.sh disable=SC1091
. "$(dirname "$0")/lib.sh"

step "instructions of all ops"
if "$root/bench/guest/run" --quick 2>&1; then
	"$root/bench/gate" --known
	[ $? -le 1 ] || fail "bench/gate"
else
	fail "bench/guest/run --quick"
fi

for benchmark in touch cycle; do
	step "twheel bench $benchmark"
	"$scripts/vm" --icount --timeout 600 -- twheel bench "$benchmark" --most 1000 2>&1 |
		sed 's/^\(PASS\|FAIL\): /\1 /'
	[ "${PIPESTATUS[0]}" -eq 0 ] || fail "twheel bench $benchmark"
done
exit 0
