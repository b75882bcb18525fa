#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kcsan.sh [PROGRAM...]: selftests in which several CPUs and interrupts meet,
# on the kernel that watches memory for data races. A report about an access by the
# module fails the run; see scripts/vm.d/splats.
set -uo pipefail
# shellcheck source=scripts/check.d/lib.sh disable=SC1091
. "$(dirname "$0")/lib.sh"

# Emulated CPUs stop and go, so KCSAN has to watch each access for long: 1 ms.
watch='kcsan.udelay_task=1000 kcsan.udelay_interrupt=300 kcsan.skip_watch=1000'

[ $# -gt 0 ] || set -- race_test stress_test ring_test notify_test rearm_test

selftests_built || exit 1
step "kcsan kernel"
selftests_in_vm kcsan --kernel kcsan --cpus 4 --timeout 1800 --append "$watch" -- "$@"
exit 0
