# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# For the parts of the check, scripts/check.d/*.sh; to be sourced, never run.
#
# A part writes its log to stdout.  Lines that scripts/check looks at:
#
#	==> TEXT	progress
#	PASS NAME	one result
#	FAIL NAME
#	SKIP NAME: REASON
#
# All other lines are detail; those between two results belong to the second.

# shellcheck source=scripts/lib.sh disable=SC1091
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

root=$(root_dir)
scripts=$root/scripts
# shellcheck disable=SC2034 # for those that source this
build=$root/build
cd "$root" || exit

step() { printf '==> %s\n' "$*"; }
pass() { printf 'PASS %s\n' "$*"; }
fail() { printf 'FAIL %s\n' "$*"; }
skip() { printf 'SKIP %s\n' "$*"; }

# check NAME COMMAND...: print a result; COMMAND's status decides it.
check() {
	local name=$1

	shift
	if "$@" 2>&1; then pass "$name"; else fail "$name"; fi
}

# silent NAME COMMAND...: pass if COMMAND succeeds and prints nothing.
silent() {
	local name=$1 output

	shift
	if output=$("$@" 2>&1) && [ -z "$output" ]; then
		pass "$name"
	else
		printf '%s\n' "$output"
		fail "$name"
	fi
}

# in_vm NAME VM-OPTION...: run scripts/vm, turn its TAP or KTAP into results, and
# add one: whether the guest did what it was told and its kernel log is clean.
#
# A --timeout is three times what the guest takes while others keep both CPUs of this
# machine busy.  A program of the selftests that hangs is killed long before, by
# selftests/run.
in_vm() {
	local name=$1 status

	shift
	{
		"$scripts/vm" "$@" 2>&1
		status=$?
		printf '\n# --- status %d\n' $status
		(exit $status)
	} | "$scripts/check.d/count-results" "$name: "
	status=${PIPESTATUS[0]}
	case $status in
	120)	fail "$name: the guest's kernel log is clean" ;;
	121)	fail "$name: the guest lives to the end" ;;
	122)	fail "$name: the modules can be loaded and unloaded" ;;
	124)	fail "$name: the guest is done in time" ;;
	125)	fail "$name: the guest can be started" ;;
	*)	pass "$name: the guest's kernel log is clean" ;;
	esac
	return "$status"
}

# The selftests are built, into $build/selftests; one result if they are not.
selftests_built() {
	step "building the selftests"
	build_selftests "$build/selftests" 2>&1 && return
	fail "the selftests build"
	return 1
}

# selftests_in_vm NAME VM-OPTION... -- PROGRAM...: run selftests in a guest.
selftests_in_vm() {
	local options=() add

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	mapfile -t add < <(selftest_options "$build/selftests" "$@")
	in_vm "${options[@]}" "${add[@]}" -- ./run "$@"
}
