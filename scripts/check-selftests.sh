#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check-selftests.sh [KERNEL...]: the selftests in guests, by default with the
# debug kernel and with the stock one; and the library's test that needs the
# device.
set -uo pipefail
# shellcheck source=scripts/check-lib.sh disable=SC1091
. "$(dirname "$0")/check-lib.sh"

out=$build/selftests

step "building"
build_selftests "$out" 2>&1 || { fail "the selftests build"; exit 1; }

programs=()
add=(--add "$out/run")
for program in "$out"/*_test "$out"/*_test32; do
	programs+=("$(basename "$program")")
	add+=(--add "$program")
done

[ $# -gt 0 ] || set -- debug stock
for kernel; do
	step "$kernel kernel"
	in_vm "$kernel" --kernel "$kernel" --cpus 4 --timeout 600 "${add[@]}" -- \
		./run "${programs[@]}"
done
exit 0
