#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check-user.sh: library and command: their unit tests, built by gcc and, with
# sanitizers, by clang; what an installed library looks like to others.
set -uo pipefail
# shellcheck source=scripts/check-lib.sh disable=SC1091
. "$(dirname "$0")/check-lib.sh"

# unit_tests NAME OUT SETTING...: each test says one line when it has passed.
unit_tests() {
	local name=$1 out=$2 output status
	shift 2

	step "$name"
	output=$(make -s -C userspace OUT="$out" "$@" check 2>&1)
	status=$?
	printf '%s\n' "$output"
	if [ $status -eq 0 ]; then
		grep -E '^(count-touch|[a-z_]+_test): ' <<<"$output" |
			while read -r line; do pass "$name: $line"; done
	else
		fail "$name"
	fi
	return $status
}

# A program that is built and linked against what "make install" has put there.
installed() {
	local root_of=$build/installed c=userspace/examples/hello.c flags

	rm -rf "$root_of" && make -s -C userspace OUT="$root_of/build" PREFIX="$root_of" install || return
	flags=$(PKG_CONFIG_PATH=$root_of/lib/pkgconfig pkg-config --cflags --libs twheel) || return
	# shellcheck disable=SC2086 # flags are words
	gcc -Wall -Wextra -Werror $c $flags -o "$root_of/hello" || return
	# shellcheck disable=SC2086
	g++ -x c++ -Wall -Wextra -Werror $c -x none $flags -o "$root_of/hello++" || return
	# Nothing but its own names is exported.
	! nm -D --defined-only "$root_of/lib/libtwheel.so" | awk '{ print $3 }' |
		grep -v '^twheel_\|^LIBTWHEEL\|^$'
}

manual_pages() {
	local page

	for page in userspace/man/*.[137]; do
		[ -e "$page" ] || { echo "there are none"; return 1; }
		# man's own formatter, when it is there
		if command -v groff >/dev/null; then
			groff -man -Tutf8 -ww -rF0 "$page" >/dev/null || return
		fi
	done
}

unit_tests gcc "$build/userspace" &&
	unit_tests "clang with sanitizers" "$build/userspace-san" CC=clang \
		CFLAGS='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all' \
		LDFLAGS=-fsanitize=address,undefined
step "installed library"
if command -v pkg-config >/dev/null && command -v g++ >/dev/null; then
	check "a program builds with the installed library, in C and C++" installed
else
	skip "a program builds with the installed library: no pkg-config or no g++"
fi
silent "the manual pages have no formatting errors" manual_pages
