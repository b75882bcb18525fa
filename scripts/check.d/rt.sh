#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rt.sh [PROGRAM...]: selftests on the PREEMPT_RT kernel, by default those
# whose outcome depends on which task preempts which; "all" for all of them.
set -uo pipefail
# shellcheck source=scripts/check.d/lib.sh disable=SC1091
. "$(dirname "$0")/lib.sh"

selftests_built || exit 1

programs=("$@")
[ $# -gt 0 ] || programs=(race_test notify_test periodic_test cpu_test)
[ "$*" != all ] || mapfile -t programs < <(all_selftests "$build/selftests")
step "rt kernel"
selftests_in_vm rt --kernel rt --cpus 4 --timeout 1800 -- "${programs[@]}"
exit 0
