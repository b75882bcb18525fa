#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# check-host.sh: the wheel and the table in user space, see selftests/host/Makefile.
set -uo pipefail
# shellcheck source=scripts/check-lib.sh disable=SC1091
. "$(dirname "$0")/check-lib.sh"

step "building"
make -s -C selftests/host OUT="$build/host" all 2>&1 || { fail "host: builds"; exit 1; }
make -s -C selftests/host OUT="$build/host" check 2>&1 | "$scripts/count-results"
[ "${PIPESTATUS[0]}" -eq 0 ]
