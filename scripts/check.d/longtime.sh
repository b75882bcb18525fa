#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# longtime.sh: years of timers, in user-mode Linux, which skips the time in
# which nothing happens; and the KUnit suites there, on the newest kernel.
set -uo pipefail
# shellcheck source=scripts/check.d/lib.sh disable=SC1091
. "$(dirname "$0")/lib.sh"

selftests_built || exit 1
step "years in user-mode Linux"
in_vm longtime --kernel uml --timeout 600 --add "$build/selftests/longtime" -- longtime
step "KUnit in user-mode Linux"
in_vm kunit --kernel uml --timeout 600 --kunit -- dmesg
exit 0
