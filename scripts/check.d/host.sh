#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# host.sh: the wheel and the table in user space, see selftests/host/Makefile.
set -uo pipefail
# shellcheck source=scripts/check.d/lib.sh disable=SC1091
. "$(dirname "$0")/lib.sh"

step "building"
make -s -C selftests/host OUT="$build/host" all 2>&1 || { fail "host: builds"; exit 1; }
make -s -C selftests/host OUT="$build/host" check 2>&1 | "$scripts/check.d/count-results"
[ "${PIPESTATUS[0]}" -eq 0 ]
