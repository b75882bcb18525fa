# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Shared by several scripts here; to be sourced, never run.
#
# Messages of a script that sources this begin with the script's name and go to stderr.
# stdout is for the answer that a caller reads.

# The checkout that this copy of the scripts belongs to, wherever it is called from.
root_dir() {
	cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P
}

# Where kernels and locks live: outside the checkout, so that `git clean` and a
# second checkout do not cost another kernel build.
cache_dir() {
	local dir=${XDG_CACHE_HOME:-$HOME/.cache}/twheel

	mkdir -p "$dir" && printf '%s\n' "$dir"
}

say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# die STATUS MESSAGE
die() {
	local status=$1

	shift
	say "$*"
	exit "$status"
}

# need GROUP TOOL...: stop with advice when a tool is missing.
need() {
	local group=$1 tool missing=()

	shift
	for tool; do
		command -v "$tool" >/dev/null || missing+=("$tool")
	done
	[ ${#missing[@]} -eq 0 ] ||
		die 125 "missing: ${missing[*]} (scripts/setup $group installs them)"
}

# build_selftests OUT: the selftests, the fuzzer, and the library's test that wants
# the device.
build_selftests() {
	local root ksft

	root=$(root_dir)
	ksft=$("$root/scripts/kernel" source)/tools/testing/selftests || return
	make -s -j2 -C "$root/selftests" OUT="$1" KSFT="$ksft" all || return
	make -s -C "$root/userspace" OUT="$root/build/userspace" device-tests all || return
	cp "$root/build/userspace/tests/engines_test" "$1/"
}

# selftest_options OUT PROGRAM...: what scripts/vm is told, a word per line, so that
# `./run PROGRAM...` works in the guest.
selftest_options() {
	local out=$1 name

	shift
	for name in run settings "$@"; do
		printf '%s\n' --add "$out/$name"
	done
}

# all_selftests OUT: the names of all that have been built there, one per line.
all_selftests() {
	(cd "$1" && printf '%s\n' *_test *_test32)
}
