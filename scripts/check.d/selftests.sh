#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# selftests.sh [KERNEL...]: the selftests in guests, by default with the
# debug kernel and with the stock one; and the library's test that needs the
# device. The stock kernel runs those about time once more, without high-resolution
# timers and with a tick that never stops.
set -uo pipefail
# shellcheck source=scripts/check.d/lib.sh disable=SC1091
. "$(dirname "$0")/lib.sh"

selftests_built || exit 1

mapfile -t programs < <(all_selftests "$build/selftests")

[ $# -gt 0 ] || set -- debug stock ticks
for kernel; do
	step "$kernel kernel"
	if [ "$kernel" = ticks ]; then
		selftests_in_vm 'ticks (B32)' --kernel stock --cpus 4 --timeout 600 \
			--append 'highres=off nohz=off' -- \
			clock_test cpu_test
	else
		selftests_in_vm "$kernel" --kernel "$kernel" --cpus 4 --timeout 1800 -- \
			"${programs[@]}"
	fi
done
exit 0
