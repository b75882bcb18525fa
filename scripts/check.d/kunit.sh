#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kunit.sh: load twheel_kunit.ko in a guest with the debug kernel and count
# the results of the suites in the kernel log.
set -uo pipefail
# shellcheck source=scripts/check.d/lib.sh disable=SC1091
. "$(dirname "$0")/lib.sh"

# Each kunit_test_suites() names one or more suites; each must have reported.
suites() {
	sed -n '/^static struct kunit_suite/,/^};/ s/.*\.name = "\([^"]*\)".*/\1/p' kmod/*_test.c
}

step "building the module for the debug kernel"
"$scripts/build-module" debug >/dev/null 2>&1 || {
	"$scripts/build-module" debug 2>&1 | grep -E 'error|warning' | head -n 20
	fail "the module builds for the debug kernel"
	exit 1
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
step "booting"
in_vm kunit --kernel debug --kunit --timeout 600 -- dmesg | tee "$log"
for suite in $(suites); do
	grep -q "# Subtest: $suite\$" "$log" || fail "suite $suite has run"
done
exit 0
