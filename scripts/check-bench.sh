#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check-bench.sh: what a push-back by word costs, in instructions of a guest whose
# clock counts them, beside timerfd_settime() and MOVE.
set -uo pipefail
# shellcheck source=scripts/check-lib.sh disable=SC1091
. "$(dirname "$0")/check-lib.sh"

step "push-back: words, MOVE, timerfd"
"$scripts/vm" --icount --mem 1500 --timeout 300 -- twheel bench touch 2>&1 |
	sed 's/^\(PASS\|FAIL\): /\1 /'
[ "${PIPESTATUS[0]}" -eq 0 ] || fail "twheel bench touch"
exit 0
