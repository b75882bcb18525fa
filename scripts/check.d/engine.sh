#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# engine.sh: the engine in the process, by the selftests of what both engines do, as it is
# and with sanitizers; and by a fuzzer with a model. Then the Python module: on this
# machine, and on both engines in a guest.
set -uo pipefail
# shellcheck source=scripts/check.d/lib.sh disable=SC1091
. "$(dirname "$0")/lib.sh"

python=userspace/bindings/python
# Debian's, not one that comes first in PATH.
python3=/usr/bin/python3
export PYTHONDONTWRITEBYTECODE=1
pytest=(-m pytest -v --color=no -p no:cacheprovider)

# pytest NAME COMMAND...: one result for each of its tests, and one if it fails otherwise.
pytest_results() {
	local name=$1 output=$build/logs/pytest.$$ status word test

	shift
	"$@" >"$output" 2>&1
	status=$?
	cat "$output"
	grep -oE '[a-z_]+\.py::[^ ]+ (PASSED|FAILED|ERROR|SKIPPED)' "$output" |
		while read -r test word; do
			case $word in
			PASSED)		pass "$name: ${test#*::}" ;;
			SKIPPED)	skip "$name: ${test#*::}: see its source" ;;
			*)		fail "$name: ${test#*::}" ;;
			esac
		done
	grep -qE '^=+ .*[0-9]+ passed' "$output" || status=1
	[ $status -eq 0 ] || fail "$name: ends with status $status"
	rm -f "$output"
}

selftests() {
	local options=(-s -C selftests/process "OUT=$build/process"
		"KSFT=$("$scripts/kernel" source-newer)/tools/testing/selftests")

	step "building the selftests"
	make -j2 "${options[@]}" all 2>&1 || { fail "process: builds"; return; }
	{
		make "${options[@]}" check 2>&1
		printf '\n# --- status %d\n' $?
	} | "$scripts/check.d/count-results" "process: "
}

fuzz() {
	local options=(-s -C selftests/process/fuzz "OUT=$build/fuzz-engine" SECONDS=30)

	step "fuzzing"
	make "${options[@]}" all 2>&1 || { fail "fuzz-engine: builds"; return; }
	make "${options[@]}" check 2>&1 | "$scripts/check.d/count-results" "fuzz-engine: "
	step "planted mistakes"
	make "${options[@]}" planted 2>&1 | "$scripts/check.d/count-results" "fuzz-engine: "
}

python_here() {
	step "Python"
	make -s -C userspace OUT="$build/userspace" 2>&1 || { fail "the library builds"; return; }
	check "python: the types are right" \
		mypy --strict --python-executable "$python3" --cache-dir "$build/mypy" "$python"
	pytest_results python "$python3" "${pytest[@]}" "$python"
}

python_in_guest() {
	local guest=$build/guest-python

	step "Python in a guest"
	"$scripts/vm.d/python" "$guest" 2>&1 || { fail "Python for a guest"; return; }
	pytest_results "python, both engines" \
		"$scripts/vm" --kernel stock --timeout 300 --add "$guest" --add "$python" \
		--add "$build/userspace/libtwheel.so.0" -- \
		env PYTHONHOME=/work/guest-python TWHEEL_LIBRARY=/work/libtwheel.so.0 \
		PYTHONDONTWRITEBYTECODE=1 guest-python/bin/python3 "${pytest[@]}" python
}

selftests
fuzz
python_here
python_in_guest
exit 0
