#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# replay.sh: whole programs with the stock kernel: logs in all formats; a real request
# log, if there is one (test data beside the checkout, not part of it); the demo, with a
# generated log; a log that is larger than the guest's usual memory.
set -uo pipefail
# shellcheck source=scripts/check.d/lib.sh disable=SC1091
. "$(dirname "$0")/lib.sh"

log=$root/../shared/data/requests.csv

# demo SESSIONS PUSHES SETTING...: both numbers may be left empty
demo() {
	local want="demo: ${1:-[0-9]*} expired, ${2:-[0-9]*} pushed back, 0 early (expected ${1:-[0-9]*}, ${2:-[0-9]*})"
	shift 2

	"$scripts/demo" "$@" >"$build/demo.log" 2>&1
	local status=$?
	cat "$build/demo.log"
	[ $status -eq 0 ] && tail -n 1 "$build/demo.log" | grep -qx "$want"
}

# The cases of log-formats.toml that have a count.
all_formats() {
	rm -rf "$build/request-logs"
	userspace/tests/log_test --cases "$build/request-logs" || return
	# shellcheck disable=SC2016 # that shell's variables
	in_vm formats --kernel stock --timeout 300 --add "$build/request-logs" -- sh -c '
		cd request-logs
		while read -r name sessions pushes options; do
			for file in $name.log $name.log.gz; do
				last=$(twheel replay --quiet --speed 20000 $options $file)
				[ "$last" = "replay: $sessions expired, $pushes pushed back, 0 early" ] ||
					echo -n "not "
				echo "ok $((n = n + 1)) - $file: $last"
			done
		done <cases
		echo "1..$n"'
}

# An image of 700 MB and its unpacked contents did not fit into 1024 MB.
large_log() {
	local size=734003200

	truncate -s $size "$build/large.log"
	[ "$("$scripts/vm" --no-module --add "$build/large.log" -- stat -c %s large.log)" = $size ]
}

refused() {
	local said

	said=$("$scripts/vm" --no-module --mem 1024 --add "$build/large.log" -- true 2>&1)
	[ $? -eq 125 ] && [[ $said == *"files take 70"?" MB; that needs --mem 2"??*" at least, not 1024" ]]
}

step "replay of logs in all formats"
all_formats || fail "formats: the guest did what it was told"

step "a large log"
check "vm: memory for a file of 700 MB" large_log
check "vm: a guest too small for a file is refused, with both sizes" refused
rm -f "$build/large.log"

step "replay of a real log"
if [ -e "$log" ]; then
	check "replay: 3052 expired, 6948 pushed back, none early" demo 3052 6948 LOG="$log" IDLE=1800s
else
	skip "replay of a real log: ${log#"$root"/} is not there"
fi

step "demo"
check "make demo: as many as the independent count says" demo '' ''
